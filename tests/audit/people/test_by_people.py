"""Promises by people, against their definitions on the people who stand in the groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from math import comb, log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.audit.people.by_people import levels_by_people
from discreet.audit.promises.registry import Beside
from tests.audit.people.files import counted
from tests.audit.people.worlds import Released, releases

Groups = list[list[tuple[int, str]]]  # whose row, and its value


def groups_of(release: Released) -> Groups:
    found: dict[int, list[tuple[int, str]]] = {}
    for (p, _, s), g in zip(release.rows, release.groups, strict=True):
        if g is not None:
            found.setdefault(g, []).append((p, s))
    return list(found.values())


def having(group: list[tuple[int, str]]) -> Counter[str]:
    """How many people have each value: each once for each."""
    return Counter(s for _, s in set(group))


def shares(counts: Counter[str]) -> dict[str, Fraction]:
    return {s: Fraction(n, sum(counts.values())) for s, n in counts.items()}


def everybody(release: Released) -> dict[str, Fraction]:
    """Of the whole table's people, each of whom counts once for each value."""
    return shares(Counter(s for _, s in {(p, s) for p, _, s in release.rows}))


def people(groups: Groups, k: int) -> bool:
    return all(len({p for p, _ in group}) >= k for group in groups)


def chance(groups: Groups, most: Fraction) -> bool:
    for group in groups:
        n = len(group)
        j = max(Counter(p for p, _ in group).values())
        for count in Counter(s for _, s in group).values():
            if 1 - Fraction(comb(n - count, j), comb(n, j)) > most:
                return False
    return True


def entropy(groups: Groups, l: float) -> bool:  # noqa: E741
    return all(-sum(float(q) * log(q) for q in shares(having(g)).values()) >= log(l) - 1e-9 for g in groups)


def recursive(groups: Groups, l: int, c: Fraction) -> bool:  # noqa: E741
    ordered = (sorted(having(group).values(), reverse=True) for group in groups)
    return all(counts[0] < c * sum(counts[l - 1 :]) for counts in ordered)


def close(groups: Groups, table: dict[str, Fraction], t: Fraction) -> bool:
    return all(sum(abs(shares(having(g)).get(s, Fraction(0)) - p) for s, p in table.items()) / 2 <= t for g in groups)


def alike(groups: Groups, table: dict[str, Fraction], beta: Fraction) -> bool:
    return all(q <= (1 + beta) * table[s] for g in groups for s, q in shares(having(g)).items())


def undisclosed(groups: Groups, table: dict[str, Fraction], delta: float) -> bool:
    return all(
        s in shares(having(g)) and abs(log(shares(having(g))[s] / p)) < delta for g in groups for s, p in table.items()
    )


PROMISES: dict[str, tuple[dict[str, object], Callable[[Groups, dict[str, Fraction]], bool]]] = {
    "k": ({"k_anonymity": {"k": 2}}, lambda g, _: people(g, 2)),
    "distinct": ({"l_diversity": {"l": 2}}, lambda g, _: all(len(having(group)) >= 2 for group in g)),
    "frequency": ({"l_diversity": {"l": 2, "kind": "frequency"}}, lambda g, _: chance(g, Fraction(1, 2))),
    "entropy": ({"l_diversity": {"l": "1.8", "kind": "entropy"}}, lambda g, _: entropy(g, 1.8)),
    "recursive": (
        {"l_diversity": {"l": 2, "kind": "recursive", "c": 2}},
        lambda g, _: recursive(g, 2, Fraction(2)),
    ),
    "alpha_k": ({"alpha_k": {"alpha": "2/3", "k": 2}}, lambda g, _: people(g, 2) and chance(g, Fraction(2, 3))),
    "t": ({"t_closeness": {"t": "1/4"}}, lambda g, table: close(g, table, Fraction(1, 4))),
    "beta": ({"beta_likeness": {"beta": "1/2"}}, lambda g, table: alike(g, table, Fraction(1, 2))),
    "delta": ({"delta_disclosure": {"delta": "0.7"}}, lambda g, table: undisclosed(g, table, 0.7)),
}


def judged(release: Released, word: str) -> bool | None:
    promise, _ = PROMISES[word]
    persons = counted(release, [promise])
    levels = [level.holds for level in levels_by_people(persons.rows, persons, Beside())]
    return False if False in levels else None if None in levels else True


@pytest.mark.parametrize("word", PROMISES)
@settings(max_examples=40, deadline=None)
@given(release=releases(most=8, apart=True, whole=True))
def test_where_it_is_plain_whose_rows_they_are_verdicts_are_those_of_the_definition(
    word: str, release: Released
) -> None:
    assert judged(release, word) is PROMISES[word][1](groups_of(release), everybody(release))


@pytest.mark.parametrize("word", PROMISES)
@settings(max_examples=40, deadline=None)
@given(release=releases(most=6))
def test_where_it_is_not_a_verdict_is_that_of_every_world(word: str, release: Released) -> None:
    if not release.published:
        return
    verdict = judged(release, word)
    worlds = (Released(release.rows, release.labels, world) for world in release.possible())
    if verdict is not None:
        assert all(PROMISES[word][1](groups_of(world), everybody(world)) is verdict for world in worlds)


@settings(max_examples=30, deadline=None)
@given(releases(most=8, apart=True, whole=True), st.integers(2, 4))
def test_the_smallest_number_of_people_is_told(release: Released, k: int) -> None:
    persons = counted(release, [{"k_anonymity": {"k": k}}])
    [level] = levels_by_people(persons.rows, persons, Beside())
    assert level.achieved == min(len({p for p, _ in group}) for group in groups_of(release))
    assert (level.of, level.figure) == ("people", "people in the smallest group")
