"""A slice of the campaign that judges by people, and proof that its outsider notices what she looks for."""

from __future__ import annotations

import doctest
import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from campaign.people.definitions import chance, counts, keeps_by_people
from campaign.people.outsider import judge
from campaign.people.policies import FAMILIES, make
from campaign.people.product import Answer, Put, ask
from campaign.people.standing import NOWHERE, Alike, settle
from campaign.people.tables import ALL, NONE, visits
from campaign.promises.case import Case
from campaign.promises.ladders import ladder
from campaign.promises.product import BROKEN, RELEASE

from tests import oracles
from tests.campaign_slices import run_slice

ROOT = Path(__file__).parent.parent
NAMES = ("patient", "age", "zip", "disease")
QUASI: dict[str, Any] = {
    "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [10, 20]}},
    "zip": {"role": "quasi_identifier", "hierarchy": {"prefixes": [1]}},
}
# Ann and Bob come often; Cid has moved; two have no name.
ROWS = (
    ("ann-x", "21", "11", "flu"),
    ("ann-x", "21", "11", "cold"),
    ("ann-x", "21", "11", "gout"),
    ("bob-x", "24", "12", "gout"),
    ("bob-x", "24", "12", "cold"),
    ("cid-x", "27", "11", "burn"),
    ("cid-x", "55", "31", "flu"),
    ("dan-x", "52", "31", "gout"),
    (None, "58", "32", "cold"),
    (None, "53", "32", "burn"),
)
DIVERSE = {"l_diversity": {"l": 2, "kind": "frequency"}}


def case(*require: Any, rows: Any = ROWS, role: str = "person", **more: Any) -> Case:
    attributes = {"patient": {"role": role}} | QUASI | {"disease": {"role": "sensitive"}}
    words = {"attributes": attributes, "require": [*require], "seed": 4} | more
    return Case("test", NAMES, tuple(rows), words)


def kinds(mine: Case, answer: Answer, folder: Path) -> set[str]:
    return {kind for kind, _ in judge(mine, answer, folder)}


KINDS: dict[str, tuple[Any, dict[str, Any]]] = {
    "optimal": ({"k_anonymity": {"k": 4}}, {}),
    "incognito": ({"k_anonymity": {"k": 4}}, {"search": "incognito"}),
    "optimize": ({"k_anonymity": {"k": 4}}, {"search": "optimize"}),
    "instant": ({"k_anonymity": {"k": 4}}, {"search": "instant"}),
    "mondrian": ({"k_anonymity": {"k": 4}}, {"publish": "multidimensional"}),
    "local": ({"k_anonymity": {"k": 4}}, {"publish": "local_recoding"}),
    "anatomy": (DIVERSE, {"publish": "bucketization", "search": "anatomy"}),
    "ambiguity": ({"ambiguity": {"alpha": 1, "beta": "1/2"}}, {"publish": "ambiguity", "suppress": "3/10"}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_release_that_was_made_by_rows_is_noticed(kind: str, tmp_path: Path) -> None:
    """The same table and promise; whoever published it was not told whose rows they are."""
    require, more = KINDS[kind]
    answer = ask(case(require, role="identifier", **more), tmp_path)
    assert answer.ended == "released", answer.message
    assert "broken" in kinds(case(require, **more), answer, tmp_path)


@pytest.mark.parametrize(
    ("require", "more"),
    [
        ([{"k_anonymity": {"k": 3}}], {}),
        ([{"k_anonymity": {"k": 2}}, {"l_diversity": {"l": "5/4", "kind": "frequency"}}], {"suppress": "3/10"}),
        ([{"t_closeness": {"t": "1/2", "distance": "equal"}}], {"publish": "multidimensional"}),
        ([{"k_anonymity": {"k": 2}}, {"l_diversity": {"l": 2, "kind": "entropy"}}], {"publish": "local_recoding"}),
    ],
    ids=str,
)
def test_nothing_is_wrong_with_a_release_of_ours(require: Any, more: dict[str, Any], tmp_path: Path) -> None:
    mine = case(*require, **more)
    answer = ask(mine, tmp_path)
    assert answer.ended == "released", answer.message
    assert judge(mine, answer, tmp_path) == []


def test_a_name_in_a_published_file_is_noticed(tmp_path: Path) -> None:
    mine = case({"k_anonymity": {"k": 2}})
    answer = ask(mine, tmp_path)
    page = tmp_path / RELEASE / "report.html"
    page.write_text(page.read_text().replace("</body>", "<!-- bob-x --></body>"))
    assert kinds(mine, answer, tmp_path) == {"leak"}


def test_somebody_who_contradicts_the_people_is_noticed(tmp_path: Path) -> None:
    mine = case({"k_anonymity": {"k": 3}})
    answer = ask(mine, tmp_path)
    why = {"verify beside": "", "audit beside": ""}
    assert kinds(mine, replace(answer, verified={"beside": BROKEN}, why=why), tmp_path) == {"contradiction"}
    by_rows = ask(case({"k_anonymity": {"k": 4}}, role="identifier"), tmp_path / "by rows")
    told = kinds(case({"k_anonymity": {"k": 4}}), by_rows, tmp_path / "by rows")
    assert told == {"broken", "contradiction", "audit"}


@pytest.mark.parametrize("adversary", ["prosecutor", "uniform_worlds"])
def test_a_figure_of_the_audit_that_is_not_of_people_is_noticed(adversary: str, tmp_path: Path) -> None:
    mine = case({"k_anonymity": {"k": 3}})
    answer = ask(mine, tmp_path)
    lines = [line for line in answer.lines if line.adversary == adversary]
    assert {line.precision for line in lines} == {"exact"}
    for change in ({"worst": lines[0].worst / 2}, {"above": lines[0].above + 1}):
        changed = tuple(replace(line, **change) if line in lines else line for line in answer.lines)
        assert kinds(mine, replace(answer, lines=changed), tmp_path) == {"audit"}


def test_a_refusal_of_what_is_possible_by_people_is_noticed(tmp_path: Path) -> None:
    refused = Answer("refused", "no generalization keeps every promise")
    assert kinds(case({"k_anonymity": {"k": 6}}), refused, tmp_path) == {"refusal"}  # there are six people
    assert kinds(case({"k_anonymity": {"k": 7}}), refused, tmp_path) == set()
    few = case(DIVERSE, rows=ROWS[:3] + ROWS[7:], publish="bucketization")
    assert kinds(few, Answer("refused", "no release has that"), tmp_path) == set()  # Ann has a third of each
    apart = case(DIVERSE, rows=ROWS[7:] + ROWS[3:4], publish="bucketization")
    assert kinds(apart, Answer("refused", "no release has that"), tmp_path) == {"refusal"}


def test_presence_is_judged_for_the_people_on_the_list_and_in_the_table(tmp_path: Path) -> None:
    """Six people of nine on the list, where two stand twice; by rows there would be ten of eleven."""
    rows = [row for row in ROWS if row[:2] != ("cid-x", "55")] + [("cid-x", "27", "11", "flu")]
    inside = dict.fromkeys((*row[1:3], row[0]) for row in rows if row[0]) | {
        ("58", "32", None): 0,
        ("53", "32", None): 0,
    }
    others = [("22", "11", "eve"), ("41", "11", "fay"), ("54", "31", "gus"), ("22", "11", "eve"), ("21", "11", "ann-x")]
    words = [{"presence": {"delta": [0, most], "population": "people.csv"}} for most in ("2/3", "1/3")]
    lenient, strict = (replace(case(word, rows=rows), people=(*inside, *others)) for word in words)
    answer = ask(lenient, tmp_path)
    assert answer.ended == "released", answer.message
    assert kinds(lenient, answer, tmp_path) == set()
    assert "broken" in kinds(strict, answer, tmp_path)


def test_a_release_that_is_called_optimal_and_is_not_is_noticed(tmp_path: Path) -> None:
    """What is optimal for four people is not for two."""
    four, two = (case({"k_anonymity": {"k": k}}) for k in (4, 2))
    answer = ask(four, tmp_path)
    assert kinds(four, answer, tmp_path) == set()
    assert kinds(two, answer, tmp_path) == {"optimal"}


def test_what_a_release_says_of_itself_is_held_against_its_files(tmp_path: Path) -> None:
    mine = case({"l_diversity": {"l": 2}}, publish="bucketization")
    answer = ask(mine, tmp_path)
    assert answer.said is not None
    first, *others = answer.said
    other = replace(first, group=next(put.group for put in others if put.group != first.group))
    assert "untrue" in kinds(mine, replace(answer, said=(other, *others)), tmp_path)
    assert "untrue" in kinds(mine, replace(answer, said=(*answer.said, Put(("1", "1"), ("flu",), 1, 0))), tmp_path)


def test_a_row_that_looks_like_another_may_be_anybody_of_them() -> None:
    """Two of the first three rows stand in group 0: Ann's and Bob's is one way, and then nobody has two there."""
    owners = ["ann", "ann", "bob", "ann"]
    alike = [Alike((0, 1, 2), {0: 2, NOWHERE: 1}), Alike((3,), {1: 1})]

    def twice(standing: tuple[tuple[int, ...], ...]) -> list[str]:
        return ["twice" for places in standing if len({owners[at] for at in places}) < len(places)]

    assert settle(alike, owners, 2, twice) == []
    assert settle([Alike((0, 1), {0: 2}), *alike[1:]], owners, 2, twice) == ["twice"]


def test_where_too_many_rows_look_alike_exchanging_them_finds_a_way_or_says_so() -> None:
    owners = [person for person in range(12) for _ in range(2)]
    alike = [Alike(tuple(range(24)), {0: 12, 1: 12})]

    def twice(standing: tuple[tuple[int, ...], ...]) -> list[str]:
        return [str(at) for places in standing for at, n in Counter(owners[at] for at in places).items() if n > 1]

    assert settle(alike, owners, 2, twice) == []
    assert settle(alike, owners, 2, lambda standing: ["always"]) is None


def test_the_figures_are_those_of_the_specification() -> None:
    assert [chance(10, 3, own) for own in (1, 2, 5)] == [Fraction(3, 10), Fraction(8, 15), Fraction(11, 12)]
    assert counts([("ann", "flu"), ("ann", "flu"), ("bob", "flu")]) == Counter({"flu": 2})


def test_promises_mean_what_the_other_oracles_take_them_to_mean() -> None:
    """Two readings of the specification, neither of which shares code with the other: rows and people together."""
    random_rows = random.Random(6)
    tree = {"taxonomy": [["a", "v"], ["b", "v"], ["c", "w"], ["d", "w"]]}
    paths = ladder(tree, [])
    assert paths is not None
    promises: list[dict[str, Any]] = [
        *({"k_anonymity": {"k": k}} for k in (2, 4)),
        *({"l_diversity": {"l": l, "kind": kind}} for l in (2, 3) for kind in ("distinct", "entropy", "frequency")),  # noqa: E741
        {"l_diversity": {"l": "5/4", "kind": "frequency"}},
        *({"l_diversity": {"l": 2, "kind": "recursive", "c": c}} for c in (1, 3)),
        *({"alpha_k": {"alpha": alpha, "k": 2}} for alpha in ("1/2", "4/5")),
        *({"t_closeness": {"t": "1/3", "distance": d}} for d in ("equal", "ordered", "hierarchical")),
        *({"beta_likeness": {"beta": 1, "kind": kind}} for kind in ("basic", "enhanced")),
        {"delta_disclosure": {"delta": 1}},
        {"realistic": {"class": "I", "stubbornness": 4, "epsilon": 3, "prior": "table", "known": 0}},
    ]
    verdicts = Counter[bool]()
    above = {leaf: labels[1:-1] for leaf, labels in paths.items()}
    for _ in range(80):
        table = [(random_rows.randrange(5), random_rows.choice("abcd")) for _ in range(random_rows.randint(4, 10))]
        group = random_rows.sample(table, random_rows.randint(1, len(table)))
        for promise in promises:
            wanted = oracles.keeps_by_people(Words(promise), group, table, list("abcd"), above)
            rows_too = oracles.keeps_one(
                Words(promise), [v for _, v in group], [v for _, v in table], list("abcd"), above
            )
            mine = keeps_by_people(promise, group, counts(table), paths)
            assert (mine and rows_too) == wanted, (promise, group, table)
            verdicts[wanted] += 1
    assert min(verdicts.values()) > 200


class Words:
    """A promise as the oracles of the other tests want it."""

    def __init__(self, promise: dict[str, Any]):
        self._promise = promise

    def to_words(self) -> dict[str, Any]:
        return self._promise


@pytest.mark.parametrize("family", FAMILIES)
def test_the_same_seed_gives_the_same_case_with_people_in_it(family: str, tmp_path: Path) -> None:
    one, two, other = make(family, 3, 1), make(family, 3, 1), make(family, 3, 2)
    assert one == two
    assert one != other
    assert one.person == "patient"
    one.save(tmp_path)
    assert Case.load(tmp_path).rows == one.rows


def test_none_or_all_of_the_people_move() -> None:
    for seed in range(20):
        for moving in (NONE, ALL):
            table = visits(random.Random(seed), rows=(30, 60), columns=(2, 3), moving=moving)
            quasi = [
                at for at, about in enumerate(table.drawn.attributes.values()) if about["role"] == "quasi_identifier"
            ]
            homes: dict[object, set[object]] = {}
            for name, row in zip(table.persons, table.drawn.rows, strict=True):
                if name is not None:
                    homes.setdefault(name, set()).add(tuple(row[at] for at in quasi))
            if moving == NONE:
                assert all(len(places) == 1 for places in homes.values())
            assert len(homes) > 3


MODULES = [path.stem for path in sorted((ROOT / "campaign" / "people").glob("[a-z]*.py"))]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_the_campaign_run(name: str) -> None:
    assert doctest.testmod(import_module(f"campaign.people.{name}")).failed == 0


def test_no_run_of_a_slice_breaks_a_promise_in_people(tmp_path: Path) -> None:
    troubles, done = run_slice("people", 40, tmp_path / "kept")
    assert troubles == [], done.stdout + done.stderr
    assert "everybody moves" in done.stdout
    assert done.returncode == 0, done.stdout + done.stderr
