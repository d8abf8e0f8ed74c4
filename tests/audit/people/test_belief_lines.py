"""What those believe of people with several rows who know more than a release, beside all worlds of small ones."""

from __future__ import annotations

import tempfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, permutations, product
from math import prod
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.audit.audit import Audit, audit_release
from discreet.audit.lines import EXACT, Line
from tests.audit.people.files import APART, SAID, bucketized, source_of, write
from tests.audit.people.worlds import Released, releases

Row = tuple[str, str, str]  # a person, a quasi-identifier, a value


def audited(release: Released, **more: Any) -> Audit:
    with tempfile.TemporaryDirectory() as folder:
        return audit_release(write(Path(folder), release), description=SAID, source=source_of(release), **more)


def line_of(audit: Audit, adversary: str) -> Line:
    [line] = [line for line in audit.lines if line.adversary == adversary]
    return line


def groups_of(release: Released) -> list[list[tuple[int, str]]]:
    """Whose the rows of each group are, and their values."""
    inside = defaultdict(list)
    for (person, _, s), g in zip(release.rows, release.groups, strict=True):
        if g is not None:
            inside[g].append((person, s))
    return list(inside.values())


def chance(values: Sequence[str], own: int, value: str) -> Fraction:
    """In which share of all ways to deal out values one of the first rows has this one."""
    worlds = list(permutations(values))
    return Fraction(sum(value in world[:own] for world in worlds), len(worlds))


def has_several(release: Released) -> bool:
    return max(Counter(person for person, _, _ in release.rows).values()) > 1 and any(
        g is not None for g in release.groups
    )


@settings(max_examples=40, deadline=None)
@given(release=releases(most=5, apart=True, whole=True))
def test_what_was_learnt_beyond_the_table_is_that_of_all_worlds(release: Released) -> None:
    if not has_several(release) or None in release.groups:
        return
    line = line_of(audited(release), "skew")
    table = [s for _, _, s in release.rows]
    best: dict[int, Fraction] = {}
    gains = []
    for group in groups_of(release):
        for person, own in Counter(person for person, _ in group).items():
            told = [
                (after - chance(table, own, s), after)
                for s in {s for _, s in group}
                for after in [chance([s for _, s in group], own, s)]
            ]
            gains.append(max(told)[0])
            # Of values that were learnt as much about, any may be told.
            most = [after for gain, after in told if gain == max(told)[0]]
            best[person] = max(best.get(person, Fraction(0)), max(most))
    assert line.precision == EXACT and line.of == "people"
    assert line.details["gain"] == pytest.approx(float(max(gains)))
    assert line.worst <= float(max(best.values())) + 1e-9
    assert line.people == len(best)


@settings(max_examples=40, deadline=None)
@given(release=releases(most=6), known=st.integers(1, 2))
def test_no_knowledge_of_others_tells_more_than_the_line_says(release: Released, known: int) -> None:
    """Beside every choice of so many people of the group, whose rows are struck out as they truly are."""
    if not has_several(release):
        return
    known = min(known, sum(g is not None for g in release.groups))
    line = line_of(audited(release, known_rows=known), f"known_rows_{known}")
    for group in groups_of(release):
        owners = Counter(person for person, _ in group)
        for person, own in owners.items():
            others = [other for other in owners if other != person]
            for struck in combinations(others, min(known, len(others))):
                left = [s for other, s in group if other not in struck]
                for s in set(left):
                    assert float(chance(left, own, s)) <= line.worst + 1e-9


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_who_knows_the_other_values_of_all_rows_believes_what_the_worlds_say(data: st.DataObject) -> None:
    row = st.tuples(*(st.sampled_from(letters) for letters in ("123", "ab", "xy", "kl")))
    rows = data.draw(st.lists(row, min_size=2, max_size=6))
    if max(Counter(who for who, *_ in rows).values()) < 2:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "theirs.csv"
        path.write_text("\n".join(["q,s,r", *(",".join(rest) for _, *rest in rows)]) + "\n", encoding="utf-8")
        said = {"quasi_identifiers": ["q"], "sensitive": ["s", "r"], "person": "who"}
        source = dict(zip(("who", "q", "s", "r"), map(list, zip(*rows, strict=True)), strict=True))
        audit = audit_release(path, description=said, source=source)
    for attribute, at, other in (("s", 2, 3), ("r", 3, 2)):
        [line] = [one for one in audit.lines if (one.adversary, one.attribute) == ("other_values", attribute)]
        worst = Fraction(0)
        for q in {row[1] for row in rows}:
            group = [row for row in rows if row[1] == q]
            parts = [[row for row in group if row[other] == known] for known in {row[other] for row in group}]
            for who, s in product({row[0] for row in group}, {row[at] for row in group}):
                own = [sum(row[0] == who for row in part) for part in parts]
                none = prod(1 - chance([row[at] for row in part], n, s) for part, n in zip(parts, own, strict=True))
                worst = max(worst, 1 - none)
        assert (line.of, line.precision, line.people) == ("people", EXACT, len({row[0] for row in rows}))
        assert line.worst == pytest.approx(float(worst))


def posteriors(group: Sequence[Row], shares: dict[tuple[str, str], Fraction], alone: str | None) -> list[Any]:
    """Of each row of a group how likely it has each value: in all worlds, or in those of one value and its absence."""
    values = [s for _, _, s in group]
    told: list[Any] = [Counter() for _ in group]
    total = Fraction(0)
    for world in {*permutations(values if alone is None else [s == alone for s in values])}:
        if alone is None:
            weight = prod(shares.get((q, s), Fraction(0)) for (_, q, _), s in zip(group, world, strict=True))
        else:
            odds = [shares.get((q, alone), Fraction(0)) for _, q, _ in group]
            weight = prod(p if has else 1 - p for p, has in zip(odds, world, strict=True))
        total += weight
        for own, s in zip(told, world, strict=True):
            own[s if alone is None else alone] += weight * (alone is None or bool(s))
    return [{s: w / total for s, w in own.items()} for own in told] if total else []


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_what_is_believed_of_all_rows_of_somebody_is_judged_in_whole_numbers(data: st.DataObject) -> None:
    """The sum of posteriors over somebody's rows, by whichever view tells most; and no chance is above the line's."""
    row = st.tuples(st.sampled_from(["ann", "bob", "cid"]), st.sampled_from("abc"), st.sampled_from("xyz"))
    groups = data.draw(st.lists(st.lists(row, min_size=2, max_size=3), min_size=1, max_size=2))
    rows = [row for group in groups for row in group]
    if max(Counter(who for who, *_ in rows).values()) < 2:
        return
    r = data.draw(st.sampled_from(["10/9", "5/4", "3/2", 2]))
    with tempfile.TemporaryDirectory() as folder:
        bucketized(Path(folder), [[(q, s) for _, q, s in group] for group in groups])
        who, q, s = map(list, zip(*rows, strict=True))
        promise = {"robust": {"r": r, "min_support": 1}}
        said = APART | {"promises": [promise]}
        audit = audit_release(Path(folder), description=said, source={"who": who, "q": q, "s": s})
    having, people = Counter((q, s) for _, q, s in rows), Counter(q for _, q, _ in rows)
    shares = {(q, s): Fraction(n, people[q]) for (q, s), n in having.items()}
    levels = [level for level in audit.levels if level.model == "robust" and level.of == "people"]
    largest, truth = Fraction(0), Fraction(0)
    for name, value in product(sorted({*who}), sorted({*s})):
        sums = [Fraction(0)] * 3  # all values at once, one value alone, knowing nothing
        none = Fraction(1)
        for group in groups:
            full, alone = posteriors(group, shares, None), posteriors(group, shares, value)
            own = [i for i, row in enumerate(group) if row[0] == name]
            for i in own:
                sums[0] += full[i].get(value, 0)
                sums[1] += alone[i].get(value, 0)
                sums[2] += Fraction(sum(row[2] == value for row in group), len(group))
            worlds = {*permutations([row[2] for row in group])}
            weights = {w: prod(shares.get((row[1], v), 0) for row, v in zip(group, w, strict=True)) for w in worlds}
            lacking = sum(weight for w, weight in weights.items() if all(w[i] != value for i in own))
            none *= lacking / Fraction(sum(weights.values()))
        largest, truth = max(largest, *sums), max(truth, 1 - none)
    [line] = [line for line in audit.lines if line.adversary == "worst_case"]
    assert line.of == "people" and line.worst >= float(min(truth, 1)) - 1e-9
    [level] = [level for level in levels if "sum of a value" not in level.figure]
    if level.holds is not None:
        assert level.holds == (largest <= 1 / Fraction(r))
    else:
        assert "not plain" in level.note or "not plain" in str([fault.rule for fault in audit.faults])


def test_beliefs_of_finite_strength_count_people(tmp_path: Path) -> None:
    """Ann's four rows of flu are one person with flu: of three people, two have it."""
    rows = [("ann", "flu")] * 4 + [("bob", "flu"), ("cid", "cold")]
    (tmp_path / "theirs.csv").write_text("q,s\n" + "".join(f"1,{s}\n" for _, s in rows), encoding="utf-8")
    said = {"quasi_identifiers": ["q"], "sensitive": ["s"], "person": "who"}
    source = {"who": [who for who, _ in rows], "q": ["1"] * 6, "s": [s for _, s in rows]}
    audit = audit_release(tmp_path / "theirs.csv", description=said, source=source)
    lines = [line for line in audit.lines if line.adversary.startswith("realistic")]
    assert [(line.of, line.people, line.worst) for line in lines] == [("people", 3, pytest.approx(2 / 3))] * 3
    assert "counts once for each value" in lines[0].assumes
    # Ann has four rows, and flu in one of them with a larger chance.
    assert {line.precision for line in lines} == {"at least"} and "the figure is the least" in lines[0].assumes
    each = source | {"who": ["ann", "bob", "cid", "dan", "eve", "flo"]}
    exact = audit_release(tmp_path / "theirs.csv", description=said, source=each)
    assert {line.precision for line in exact.lines if line.adversary.startswith("realistic")} == {"exact"}


def test_who_undoes_the_search_is_not_asked_where_people_have_several_rows(tmp_path: Path) -> None:
    rows = [("ann", "flu"), ("ann", "cold"), ("bob", "flu"), ("cid", "cold")]
    (tmp_path / "theirs.csv").write_text("q,s\n" + "".join(f"1,{s}\n" for _, s in rows), encoding="utf-8")
    said = {"quasi_identifiers": ["q"], "sensitive": ["s"], "promises": [{"l_diversity": {"l": 2}}], "person": "who"}
    source = {"who": [who for who, _ in rows], "q": ["1"] * 4, "s": [s for _, s in rows]}
    audit = audit_release(tmp_path / "theirs.csv", description=said, source=source)
    assert any("undo the search: people have several rows" in note for note in audit.notes)
