"""What is known of people who were left out by somebody who also knows how it is decided who is: all tables of a small
population go through the search, and those that give the same release are weighed against each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import comb, prod
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import anonymize, policy_from_words, verify
from discreet.audit.audit import audit_release
from discreet.counts.frequency import FrequencySet, Population
from discreet.errors import Infeasible
from discreet.hierarchies.build import build
from discreet.hierarchies.rules import Flat
from discreet.models.presence.presence import Presence
from discreet.search.lattice.optimal import optimal
from discreet.search.plan import Problem, Recoding
from tests.presence.populations import by_hand, columns, policy_words

Table = tuple[int, ...]  # how many people of each kind are in it


def release_of(people: Sequence[int], table: Table, model: Presence, limit: int) -> Recoding | None:
    """One column, whose values are published as they are or not at all."""
    kinds = build("kind", [str(i) for i in range(len(people))], Flat())
    codes = np.arange(len(people), dtype=np.int32)
    some = np.flatnonzero(table)
    population = Population((codes,), np.array(people, dtype=np.int64))
    counts = np.array(table, dtype=np.int64)[some]
    frequency = FrequencySet((kinds,), (codes[some],), {}, {}, counts, population=population)
    try:
        return optimal(Problem(frequency, (model,), limit))
    except Infeasible:
        return None


def tables(people: Sequence[int], rows: int) -> Iterator[Table]:
    return (t for t in product(*(range(n + 1) for n in people)) if sum(t) == rows)


def known(people: Sequence[int], rows: int, model: Presence, limit: int) -> list[tuple[Recoding, list[Fraction]]]:
    """Every release there is, with everybody's chance of being in the table, by kind, if it is released."""
    alike: dict[Any, list[tuple[Table, Recoding]]] = defaultdict(list)
    for table in tables(people, rows):
        plan = release_of(people, table, model, limit)
        if plan is not None:
            shown = tuple(zip(plan.low[:, 0].tolist(), plan.high[:, 0].tolist(), plan.groups.sizes, strict=True))
            alike[plan.node, shown, plan.suppressed].append((table, plan))
    found = []
    for worlds in alike.values():
        weights = [prod(map(comb, people, table)) for table, _ in worlds]
        chances = [
            Fraction(sum(w * table[i] for w, (table, _) in zip(weights, worlds, strict=True)), n * sum(weights))
            for i, n in enumerate(people)
        ]
        found.append((worlds[0][1], chances))
    return found


def test_two_people_who_are_left_out_were_certain_to_be_in_the_table() -> None:
    people, table = (2, 10, 100), (2, 0, 10)
    told = Presence((0, "0.2"), suppression="told")
    plan = release_of(people, table, told, 2)
    assert plan is not None and plan.suppressed == 2
    assert told.rest(plan.groups) == (True, 2 / 12)
    same = [
        other
        for other in tables((2, 10), 2)
        if (found := release_of(people, (*other, 10), told, 2)) is not None and found.suppressed == 2
    ]
    assert same == [(2, 0)]  # so whoever knows how it is decided is certain
    plan = release_of(people, table, Presence((0, "0.2")), 2)
    assert plan is not None and plan.suppressed == 0
    assert plan.node == (1,)


@settings(max_examples=40)
@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=4),
    st.integers(8, 30),
    st.integers(1, 6),
    st.integers(1, 6),
    st.sampled_from([(0, "0.2"), (0, "0.3"), (0, "1/2"), ("0.05", "0.4"), ("0.1", "0.6")]),
)
def test_whoever_knows_how_it_is_decided_who_is_left_out_knows_no_more_of_them(
    few: list[int], many: int, rows: int, limit: int, delta: tuple[Any, Any]
) -> None:
    model = Presence(delta)
    for plan, chances in known((*few, many), rows, model, limit):
        if plan.node != (0,):
            continue
        groups = plan.groups
        published = set(plan.low[:, 0].tolist())
        hidden = [chance for kind, chance in enumerate(chances) if kind not in published and chance]
        if plan.suppressed:
            assert set(hidden) == {Fraction(plan.suppressed, groups.hidden or 0)}
        assert all(model.delta[0] <= chance <= model.delta[1] for chance in chances)
        assert model.rest(groups) is None or model.rest(groups)[0]  # type: ignore[index]


def test_small_groups_are_left_out_and_others_finer_for_it() -> None:
    people, model = (2, 2, 2, 2, 40), Presence((0, "0.3"))
    found = {plan.suppressed: plan for plan, _ in known(people, 8, model, 4) if plan.node == (0,)}
    assert sorted(found) == [0, 1, 2]  # three of eight would be too many
    assert all(plan.groups.hidden == 8 for plan in found.values())


TABLE = [("20", "11", "m")] * 3 + [("34", "21", "f")] * 3 + [("71", "93", "f")]
EVERYBODY = TABLE * 3 + [("20", "11", "f")] * 9 + [("34", "21", "m")] * 9 + [("72", "93", "f")]


def test_a_re_check_finds_the_same_people_hidden(tmp_path: Path) -> None:
    words = policy_words(tmp_path, EVERYBODY, ["0", "0.4"], suppress=0.7)
    made = anonymize(policy_from_words(words), tmp_path / "release", source=columns(TABLE))
    groups, (left_out, elsewhere) = by_hand(made.folder, EVERYBODY)
    assert left_out
    findings = verify(made.folder, population=columns(EVERYBODY))
    assert findings.kept and findings.judged is not None
    hidden = findings.judged.hidden
    assert hidden is not None and left_out <= hidden <= elsewhere
    chances = [Fraction(n, p) for n, p in [*groups, (left_out, hidden)]]
    assert findings.verdicts[0].level == float(max(chances)) <= 0.4
    audit = audit_release(made.folder, population=columns(EVERYBODY))
    assert not audit.faults
    assert any("by what rule rows were left out" in note for note in audit.notes)


def test_the_sentence_says_what_is_not_promised_if_groups_that_fail_are_left_out(tmp_path: Path) -> None:
    for suppression, said in (("judged", False), ("told", True)):
        words = policy_words(tmp_path, EVERYBODY, ["0", "0.4"], suppress=0.7)
        words["require"][0]["presence"]["suppression"] = suppression
        folder = anonymize(policy_from_words(words), tmp_path / suppression, source=columns(TABLE)).folder
        page = (folder / "report.html").read_text(encoding="utf-8")
        assert ("by what rule rows were left out" in page) == said
