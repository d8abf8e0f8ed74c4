"""What the explorer says of a policy is what `anonymize` publishes; what it says is possible is possible."""

from __future__ import annotations

import gc
import weakref
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import anonymize, policy_from_words
from discreet.errors import DataError, DiscreetError, Infeasible, PolicyError
from discreet.explorer.figures import answers
from discreet.explorer.figures import candidate as candidates
from discreet.explorer.figures.answers import answer
from discreet.explorer.figures.candidate import OutOfTime, candidate, people_of_each
from discreet.explorer.figures.nearest import nearest_possible, with_value
from discreet.explorer.figures.promised import entries_of, sliders
from discreet.labels.figures import number
from discreet.policy.policy import Policy
from discreet.run.anonymize import find_plan
from discreet.run.intake import Counted, count
from discreet.search.lattice import node_judge
from tests.explorer.tables import ATTRIBUTES, KINDS, changed, counted, of_kind, people, plain, policy, words
from tests.visits import policy as of_visits
from tests.visits import visits


@pytest.fixture(scope="module")
def counts() -> Counted:
    return counted()


def published(asked: Policy, table: Any, folder: Path) -> Any:
    return anonymize(asked, source=table, folder=folder)


def same(told: dict[str, Any], asked: Policy, table: Any, folder: Path) -> None:
    """An answer beside the release itself."""
    from discreet.run.anonymize import anonymize as write

    release = write(asked, folder, source=table)
    manifest, figures = release.manifest, release.figures
    assert told["impossible"] is None and told["kept"]
    assert told["loss"] == figures["loss"]
    assert told["loss_of"] == pytest.approx(figures["losses"])
    assert told["suppressed"] == manifest["rows"]["suppressed"] / manifest["rows"]["source"]
    assert (told["groups"], told["smallest"]) == (manifest["groups"], manifest["smallest_group"])
    assert told["levels"] == manifest["node"]
    assert all(p["holds"] for p in figures["promises"]) and all(p["kept"] for p in told["promises"])
    margins = "; ".join(p["margin_text"] for p in told["promises"])
    for promise in figures["promises"]:
        assert f"{number(round(promise['level'], 9))} is reached where {promise['required']} is asked" in margins


@pytest.mark.parametrize("kind", KINDS)
def test_the_answer_is_the_release(kind: str, counts: Counted, tmp_path: Path) -> None:
    told = answer(of_kind(kind), counts)
    same(told, of_kind(kind), people(), tmp_path / "release")
    assert plain(told)


def test_the_answer_is_the_release_where_people_have_several_rows(tmp_path: Path) -> None:
    table = visits(60, 3, moving=0.2)
    asked = of_visits({"k_anonymity": {"k": 4}}, {"l_diversity": {"l": 2}}, suppress=0.1)
    told = answer(asked, count(asked, table))
    same(told, asked, table, tmp_path / "release")
    assert "everybody" in told["promises"][0]["sentence"]
    assert told["promises"][0]["deciding"]["size"] >= 4


@pytest.mark.parametrize("publish", ["bucketization", "numbered_groups"])
def test_the_answer_is_the_first_release_of_a_chain(publish: str, tmp_path: Path) -> None:
    table = people() | {"who": [f"P{i}" for i in np.random.default_rng(1).permutation(300)]}
    attributes = ATTRIBUTES | {"who": {"role": "person"}}
    more = {"attributes": attributes, "require": [{"m_invariance": {"m": 2}}], "publish": publish, "suppress": 0.2}
    asked = policy_from_words(words() | more)
    told = answer(asked, count(asked, table))
    same(told, asked, table, tmp_path / "release")
    assert plain(told)


WISHES = {"class": "II", "stubbornness": 10, "epsilon": 9, "predicates": {"wishes": "united"}}
OTHERS: dict[str, tuple[dict[str, Any], list[Any], dict[str, Any]]] = {
    "wishes": ({"wish": {"role": "wishes"}}, [{"realistic": WISHES}, {"k_anonymity": {"k": 3}}], {}),
    "others known": (
        {"job": {"role": "sensitive"}},
        [{"l_diversity": {"l": 2, "others_known": True}}],
        {"suppress": 0.3},
    ),
    "two secrets": (
        {"job": {"role": "sensitive"}},
        [{"l_diversity": {"l": 2}}, {"t_closeness": {"t": 0.5, "attribute": "job"}}],
        {"suppress": 0.2},
    ),
    "a coarser secret": (
        {
            "disease": {
                "role": "sensitive",
                "publish_as": {"taxonomy": [["flu", "lungs"], ["cold", "lungs"], ["gout", "else"]]},
            }
        },
        [{"l_diversity": {"l": 2}}],
        {"suppress": 0.5},
    ),
    "robust": ({}, [{"robust": {"r": 2}}], {"publish": "bucketization"}),
    "mask": ({}, [{"l_diversity": {"l": 2}}], {"publish": "bucketization", "search": "mask", "suppress": 0.1}),
    "stars": ({}, [{"k_anonymity": {"k": 5}}], {"suppress": 0.2, "suppressed": "star"}),
    "cuts": ({}, [{"k_anonymity": {"k": 5}}], {"search": "optimize"}),
    "sizes": ({}, [{"k_anonymity": {"k": 5}}], {"utility": "discernibility", "suppress": 0.1}),
}


@pytest.mark.parametrize("case", OTHERS)
def test_policies_of_other_kinds(case: str, tmp_path: Path) -> None:
    roles, require, more = OTHERS[case]
    rng = np.random.default_rng(1)
    table = {
        "age": [str(20 + int(a)) for a in rng.integers(0, 30, 200)],
        "disease": rng.choice(["flu", "cold", "gout"], 200).tolist(),
        "job": rng.choice(["a", "b", "c"], 200).tolist(),
        "wish": rng.choice(["gout", "", "flu"], 200).tolist(),
    }
    age = {"role": "quasi_identifier", "hierarchy": {"intervals": [5, 10]}}
    attributes = {"age": age, "disease": {"role": "sensitive"}, **roles}
    asked = policy_from_words({"attributes": attributes, "require": require, "seed": 1, **more})
    mine = {name: column for name, column in table.items() if name in attributes}
    told = answer(asked, count(asked, mine))
    same(told, asked, mine, tmp_path / "release")
    assert plain(told)


@settings(max_examples=8)
@given(
    rows=st.lists(
        st.tuples(st.sampled_from("abc"), st.sampled_from("xy"), st.sampled_from("uvw")), min_size=4, max_size=16
    ),
    k=st.integers(2, 4),
    suppress=st.sampled_from([0, 0.2, 0.5]),
)
def test_any_small_table(rows: list[tuple[str, ...]], k: int, suppress: float, tmp_path_factory: Any) -> None:
    table = dict(zip(("one", "two", "secret"), map(list, zip(*rows, strict=True)), strict=True))
    roles = {"one": "quasi_identifier", "two": "quasi_identifier", "secret": "sensitive"}
    asked = policy_from_words(
        {
            "attributes": {name: {"role": role} for name, role in roles.items()},
            "require": [{"k_anonymity": {"k": k}}, {"l_diversity": {"l": 2}}],
            "suppress": suppress,
            "seed": 1,
        }
    )
    told = answer(asked, count(asked, table))
    if told["impossible"] is None:
        same(told, asked, table, tmp_path_factory.mktemp("release") / "release")
        return
    with pytest.raises(Infeasible) as refused:
        anonymize_into(asked, table, tmp_path_factory.mktemp("release") / "release")
    assert told["impossible"]["rule"] == refused.value.mistakes[0].rule


def anonymize_into(asked: Policy, table: Any, folder: Path) -> None:
    from discreet.run.anonymize import anonymize as write

    write(asked, folder, source=table)


def possible(asked: Policy, counts: Counted) -> bool:
    try:
        candidate(asked, counts, remember=False)
    except (Infeasible, DataError, PolicyError):
        return False
    return True


K, L, T = (
    ["require", 0, word, name] for word, name in (("k_anonymity", "k"), ("l_diversity", "l"), ("t_closeness", "t"))
)


@pytest.mark.parametrize(
    ("require", "more", "path"),
    [
        ({"k_anonymity": {"k": 500}}, {}, K),
        ({"l_diversity": {"l": 20}}, {}, L),
        ({"l_diversity": {"l": 4.5, "kind": "entropy"}}, {}, L),
        ({"t_closeness": {"t": 0.0, "distance": "equal"}}, {"suppress": 0}, T),
        ({"alpha_k": {"alpha": 0.1, "k": 5}}, {}, ["require", 0, "alpha_k", "alpha"]),
    ],
)
def test_the_nearest_value_is_possible_and_none_nearer_is(
    require: Any, more: dict[str, Any], path: list[Any], counts: Counted
) -> None:
    asked = policy(require, **more)
    told = answer(asked, counts, changed=[path], seconds=60)
    if told["impossible"] is None:
        assert possible(asked, counts)
        return
    [[at, value]] = told["impossible"]["nearest"]
    assert at == path
    assert possible(policy_from_words(changed(words(require, **more), [[at, value]])), counts)
    [slider] = [s for s in sliders(entries_of(asked)[0], counts.frequency, asked.sensitive) if list(s.path) == path]
    away = {slider.place(sign * n): n for sign in (-1, 1) for n in range(1, 600)}[value]
    for nearer in range(1, away):
        for sign in (-1, 1):
            step = slider.place(sign * nearer)
            assert step == value or not possible(with_value(asked, path, step), counts)


def test_more_may_be_left_out_if_that_is_what_moves(counts: Counted) -> None:
    asked = policy({"t_closeness": {"t": 0.01}}, suppress=0)
    told = answer(asked, counts, changed=[["suppress"]], seconds=60)
    if told["impossible"] is not None and told["impossible"]["nearest"] is not None:
        [[path, value]] = told["impossible"]["nearest"]
        assert possible(with_value(asked, path, value), counts)


def test_without_time_nothing_is_offered_that_was_not_tried(counts: Counted) -> None:
    told = answer(policy({"k_anonymity": {"k": 500}}), counts, changed=[K], seconds=-1)
    assert told["impossible"]["nearest"] is None and "500" in told["impossible"]["rule"]


def test_a_search_can_be_stopped_while_groups_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many ways to leave groups out: as soon as a listener is heard, it ends."""
    asked = of_kind("closeness")
    counts = count(asked, people())  # of its own: a plan that took long is remembered beside its counts
    monkeypatch.setattr(node_judge, "_TELL_EVERY", 0.0)

    def late(*_: object) -> None:
        raise OutOfTime

    with pytest.raises(OutOfTime):
        answer(asked, counts, changed=[["suppress"]], progress=late)
    assert answer(asked, counts, changed=[["suppress"]])["kept"]


def test_a_search_that_took_long_is_not_made_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slider comes to rest where it was: the plan is there."""
    asked = policy({"k_anonymity": {"k": 9}})
    counts = count(asked, people())
    made = []
    monkeypatch.setattr(candidates, "find_plan", lambda *given: made.append(1) or find_plan(*given))
    moved = answer(asked, counts, changed=[K])
    assert answer(asked, counts, changed=[K]) == moved and len(made) == 2
    monkeypatch.setattr(answers, "_LONG", -1.0)
    assert answer(asked, counts, changed=[K]) == moved == answer(asked, counts) and len(made) == 3


def test_a_listener_that_raises_ends_it(counts: Counted) -> None:
    class Stopped(BaseException):
        pass

    def stop(*_: object) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        nearest_possible(policy({"k_anonymity": {"k": 500}}), counts, [K], stop)

    def late(*_: object) -> None:
        raise OutOfTime

    assert answer(policy({"k_anonymity": {"k": 500}}), counts, progress=late)["impossible"]["nearest"] is None


def test_a_release_drawn_at_random_stays_the_same_until_the_policy_changes(counts: Counted) -> None:
    asked = policy({"l_diversity": {"l": 2}}, publish="bucketization", seed=None)
    first = candidate(asked, counts)
    assert candidate(policy({"l_diversity": {"l": 2}}, publish="bucketization", seed=None), counts) is first
    assert candidate(replace(asked, suppress="1/10"), counts) is not first
    answer(replace(asked, suppress="1/5"), counts, changed=[["suppress"]])
    assert candidate(asked, counts) is first
    assert candidate(asked, counted()) is not first


def test_what_is_remembered_goes_with_the_counts() -> None:
    mine = counted()
    candidate(policy(), mine)
    there = weakref.ref(mine)
    del mine
    gc.collect()
    assert there() is None
    others = counted()
    candidate(policy(), others)
    assert all(of() is not None for _, of, _ in candidates._last)


def test_a_search_of_a_summary_is_refused_in_words(counts: Counted) -> None:
    told = answer(policy(search="instant"), counts)
    assert "summary" in told["impossible"]["rule"] and told["impossible"]["repair"]


def test_the_deciding_group_is_one_that_decides(counts: Counted) -> None:
    table = people()
    told = answer(of_kind("generalization"), counts)
    for card in told["promises"]:
        decides = card["deciding"]
        assert decides["size"] >= 5 and [name for name, _ in decides["labels"]] == ["age", "zip", "sex"]
    plan = candidate(of_kind("generalization"), counts).plan
    coded = counts.frequency.hierarchies
    looks = Counter(
        tuple(
            h.labels[level][h.codes[level][h.index[v]]] for h, level, v in zip(coded, plan.node or (), row, strict=True)
        )
        for row in zip(*(table[name] for name in ("age", "zip", "sex")), strict=True)
    )
    for card in told["promises"]:
        assert looks[tuple(label for _, label in card["deciding"]["labels"])] == card["deciding"]["size"]


def test_a_group_of_too_few_is_not_described(counts: Counted) -> None:
    told = answer(policy({"k_anonymity": {"k": 2}}, suppress=0.05), counts)
    assert told["smallest"] < 5
    assert told["promises"][0]["deciding"] == {"size": told["smallest"], "labels": None}


def test_people_are_counted_once(counts: Counted) -> None:
    table = visits(30, 4)
    frequency = count(of_visits(), table).frequency
    for d, h in enumerate(frequency.hierarchies):
        found = people_of_each(frequency, frequency.codes[d], len(h.leaves))
        for leaf, value in enumerate(h.leaves):
            mine = {who for who, v in zip(table["patient"], table[h.attribute], strict=True) if v == value}
            assert found[leaf] == len(mine)


def test_every_end_of_every_slider_is_a_policy(counts: Counted) -> None:
    require = [
        {"k_anonymity": {"k": 5}},
        {"l_diversity": {"l": 2.5, "kind": "entropy"}},
        {"l_diversity": {"l": 2, "kind": "recursive", "c": 3}},
        {"t_closeness": {"t": 0.4}},
        {"alpha_k": {"alpha": "1/3", "k": 3}},
        {"beta_likeness": {"beta": 1}},
        {"delta_disclosure": {"delta": 2}},
        {"realistic": {"class": "II", "stubbornness": 1000, "epsilon": 3}},
    ]
    asked = policy(*require)
    moved = [s for entry in entries_of(asked) for s in sliders(entry, counts.frequency, asked.sensitive)]
    assert len(moved) >= 11
    for slider in moved:
        assert slider.low <= slider.value <= slider.high and slider.low < slider.high, slider
        for steps in (-slider.below, -1, 1, slider.above):
            with_value(asked, slider.path, slider.place(steps))


def test_sliders_of_presence_move_its_upper_end(counts: Counted) -> None:
    everybody = people(600)
    everybody["in"] = ["yes" if i % 2 else "no" for i in range(600)]
    attributes = {name: about for name, about in ATTRIBUTES.items() if name != "disease"}
    asked = policy_from_words(
        {"attributes": attributes, "require": [{"presence": {"delta": [0, 0.9]}}], "private": {"in": "yes"}, "seed": 1}
    )
    counts = count(asked, everybody)
    [slider] = sliders(entries_of(asked)[0], counts.frequency, ())
    assert slider.path == ("require", 0, "presence", "delta", 1)
    told = answer(with_value(asked, slider.path, 0.2), counts, changed=[slider.path], seconds=30)
    [[path, value]] = told["impossible"]["nearest"]
    assert path == list(slider.path) and possible(with_value(asked, path, value), counts)
    assert not possible(with_value(asked, path, round(value - 0.01, 2)), counts)


def test_errors_are_those_of_anonymize() -> None:
    assert issubclass(Infeasible, DiscreetError)
    told = answer(policy({"l_diversity": {"l": 9}}), counted())
    assert told["kept"] is False and told["promises"][0]["kept"] is None and told["loss"] is None
