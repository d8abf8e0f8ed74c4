"""What worst-case knowledge tells about people of a group, against all possible worlds."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.audit.association.association_lines import association
from discreet.audit.lines import AT_LEAST, AT_MOST, EXACT
from discreet.audit.promises.levels import levels
from discreet.audit.reading.labels import Anything, Exactly
from discreet.audit.reading.tallies import summed_up
from discreet.audit.reading.view import Region
from discreet.audit.worst_case import knowledge as knowledge_module
from discreet.audit.worst_case import worst_case as module
from discreet.audit.worst_case.knowledge import (
    Counted,
    Listed,
    attribute_sets,
    domain,
    known_by_sets,
    learnt,
    read_knowledge,
    read_knowledges,
)
from discreet.audit.worst_case.worlds_exactly import all_values_exactly, one_value_exactly
from discreet.audit.worst_case.worst_case import beliefs, people_of, worst_case
from discreet.audit.worst_case.worst_case_lanes_kernels import LANES, Entries, differing, judge_side_by_side
from discreet.errors import DataError
from discreet.studies import worlds
from tests.audit.association_cases import ambiguous, bucketized, promise, view_of
from tests.audit.known_tables import NAMES, counted, frame, people
from tests.inner_kernels import all_values, one_value

groups_of_people = st.lists(st.lists(people, min_size=1, max_size=4), min_size=1, max_size=2)


def shares(table, chosen, person, min_support):
    """The distribution among people who are like this one in the chosen attributes; anybody's if these are rare."""
    like = [row for row in table if all(row[i] == person[i] for i in chosen)]
    like = like if len(like) >= min_support else table
    found = Counter(row[-1] for row in like)
    return {value: Fraction(n, len(like)) for value, n in found.items()}


def largest_posterior(group, person, table, protected, min_support):
    """Over all sets of attributes, protected sets, and both views; nothing known is a set of attributes, too."""
    best = Fraction(0)
    values = [row[-1] for row in group]
    for chosen in chain.from_iterable(combinations(range(len(NAMES)), n) for n in range(len(NAMES) + 1)):
        priors = [shares(table, chosen, row, min_support) for row in group]
        everything = list(worlds.enumerate(values, worlds.independent(priors)))
        for those in protected:
            if not any(value in those for value in values):
                continue
            best = max(best, worlds.belief(everything, lambda w, those=those: w[person] in those))
            sure = [sum((p for v, p in prior.items() if v in those), Fraction(0)) for prior in priors]
            two = list(
                worlds.enumerate(
                    [value in those for value in values], worlds.independent([{True: p, False: 1 - p} for p in sure])
                )
            )
            best = max(best, worlds.belief(two, lambda w: w[person]))
    return best


@given(
    groups_of_people, st.lists(people, max_size=4), st.sampled_from([1, 2, 3]), st.sampled_from([None, [["x", "y"]]])
)
def test_beliefs_are_those_of_all_possible_worlds(groups, left_out, min_support, values):
    table = [row for group in groups for row in group] + left_out
    view = bucketized(groups, NAMES)
    knowledge = counted(table)
    found = beliefs(
        view,
        view.tallies[0],
        people_of(view, view.tallies[0], knowledge),
        knowledge,
        {"min_support": min_support, "values": values},
    )
    protected = [{v} for v in "xyz"] if values is None else [set(those) for those in values]
    told = {
        (g, *(v[c] for v, c in zip(found.people.values, codes, strict=True))): chance
        for g, *codes, chance in zip(found.people.group, *found.people.codes, found.chance, strict=True)
    }
    for g, group in enumerate(groups):
        for i, row in enumerate(group):
            expected = largest_posterior(group, i, table, protected, min_support)
            assert told[g, row[0], row[1]] == pytest.approx(float(expected), abs=1e-12)
    assert not found.contradicted.any() and not (found.bound > found.chance).any()


@given(groups_of_people, st.sampled_from([1, 2]))
def test_bounds_are_never_below_what_they_stand_for(groups, min_support):
    view = bucketized(groups, NAMES)
    knowledge = counted([row for group in groups for row in group])
    words = {"min_support": min_support}
    exactly = beliefs(view, view.tallies[0], people_of(view, view.tallies[0], knowledge), knowledge, words)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_MOST_STATES", 0)
        patch.setattr(module, "_MOST_FOR_ONE", 0)
        bounded = beliefs(view, view.tallies[0], people_of(view, view.tallies[0], knowledge), knowledge, words)
    assert (bounded.at_most >= exactly.chance - 1e-12).all()
    assert (bounded.chance <= exactly.chance + 1e-12).all()


def test_a_bound_is_told_as_one(monkeypatch):
    exactly, _ = robust([COUNTEREXAMPLE], COUNTEREXAMPLE_SHARES, r=2)
    monkeypatch.setattr(module, "_MOST_STATES", 0)
    line, level = robust([COUNTEREXAMPLE], COUNTEREXAMPLE_SHARES, r=2)
    assert line.precision == AT_MOST and line.details["people_decided_by_a_bound"] > 0
    assert line.details["worst_exact"] < exactly.worst <= line.worst and not line.breaks
    bound, single = worst_case(*first(robust_release([COUNTEREXAMPLE], COUNTEREXAMPLE_SHARES, r=2)))
    assert bound == line and single.adversary == "worst_case_one_value"
    assert single.precision == EXACT and single.worst < exactly.worst
    assert level.holds is None and "too many worlds" in level.note


@given(st.lists(people, min_size=1, max_size=30), st.lists(people, min_size=1, max_size=9), st.sampled_from([1, 2, 5]))
def test_she_knows_the_same_however_combinations_are_numbered(table, group, least):
    view, knowledge = bucketized([group], NAMES), counted(table)
    [tally] = view.tallies
    seen = people_of(view, tally, knowledge)
    told = []
    for dense in (1, 3, 1 << 22):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(knowledge_module, "_DENSE", dense)
            told.append([*known_by_sets(knowledge, seen, tally, None, attribute_sets(NAMES), least)])
    for few in zip(*told, strict=True):
        for each in few[1:]:
            assert each.columns == few[0].columns and (each.row == few[0].row).all()
            assert (each.weight == few[0].weight).all() and (each.support == few[0].support).all()
    for known in told[0]:
        at = [NAMES.index(name) for name in known.columns]
        for i, row in enumerate(known.row):
            person = [seen.values[c][codes[i]] for c, codes in enumerate(seen.codes)]
            expected = shares(table, at, person, least)
            found = {v: w for v, w in zip(domain(knowledge, tally), known.weight[row].tolist(), strict=True) if w}
            assert {v: Fraction(w, int(known.support[row])) for v, w in found.items()} == expected


def first(view):
    return view, view.tallies[0]


def robust_release(groups, rows, **said):
    """A release of groups of people that promises robustness against shares that are listed."""
    words = [[dict(signature), value, str(p)] for signature, value, p in rows]
    return bucketized(groups, ("nation",), promises=[promise("robust", "disease", knowledge=words, **said)])


def robust(groups, rows, **said):
    """The line and the level of such a release."""
    view = robust_release(groups, rows, **said)
    return worst_case(*first(view))[0], levels(view)[0]


def test_the_paper_s_two_people():
    rows = [({"nation": "American"}, "heart", 0.1), ({"nation": "Japanese"}, "heart", 0.003)]
    line, level = robust([[("American", "heart"), ("Japanese", "flu")]], rows, r=2, values=["heart"])
    assert line.worst == pytest.approx(0.9736, abs=5e-5)
    assert line.promised == 0.5 and line.breaks and line.precision == EXACT
    assert level.holds is False and level.achieved == pytest.approx(line.worst)


def test_the_paper_s_six_worlds():
    rows = [({"nation": s}, v, p) for s, x in (("s1", 0.5), ("s2", 0.2)) for v, p in (("x", x), ("y", 1 - x))]
    line, _ = robust([[("s1", "x"), ("s1", "x"), ("s2", "y"), ("s2", "y")]], rows, r=2)
    assert line.worst == pytest.approx(0.24 / 0.33)
    assert float(all_values_exactly([[5, 5], [2, 8]], [2, 2], [2, 2])[0][0]) == pytest.approx(0.7273, abs=5e-5)


COUNTEREXAMPLE = [("t1", "x1"), ("t2", "x2"), ("t2", "x3"), ("t2", "x4")]
COUNTEREXAMPLE_SHARES = [
    ({"nation": nation}, value, p)
    for nation, shares_of in (("t1", (0.04, 0.04, 0.03, 0.04, 0.85)), ("t2", (0.10, 0.10, 0.012, 0.10, 0.688)))
    for value, p in zip(["x1", "x2", "x3", "x4", "none"], shares_of, strict=True)
]


def test_the_counterexample_to_theorem_1_is_refused():
    line, level = robust([COUNTEREXAMPLE], COUNTEREXAMPLE_SHARES, r=2)
    assert line.worst == pytest.approx(0.6757, abs=5e-5)
    assert level.holds is False


def test_a_tie_with_one_r_th_is_kept():
    rows = [({"nation": n}, v, p) for n, q in (("A", 0.3), ("B", 0.3)) for v, p in (("x", q), ("y", 1 - q))]
    _, level = robust([[("A", "x"), ("B", "y")]], rows, r=2)
    assert level.holds is True and level.achieved == 0.5
    rows[0] = ({"nation": "A"}, "x", 0.30000000000000004)
    rows[1] = ({"nation": "A"}, "y", 0.69999999999999996)
    _, level = robust([[("A", "x"), ("B", "y")]], rows, r=2)
    assert level.holds is False and level.achieved == pytest.approx(0.5)


small_shares = st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3).filter(any), min_size=1, max_size=3)


@given(small_shares, st.data())
def test_whole_numbers_tell_what_all_worlds_do(weights, data):
    many = [data.draw(st.integers(1, 2)) for _ in weights]
    values = data.draw(st.lists(st.sampled_from([0, 1, 2]), min_size=sum(many), max_size=sum(many)))
    there = sorted(set(values))
    rows = [weights[i] for i, n in enumerate(many) for _ in range(n)]
    priors = [{v: Fraction(w, sum(row)) for v, w in enumerate(row)} for row in rows]
    found = list(worlds.enumerate(values, worlds.independent(priors)))
    if not sum(weight for _, weight in found):
        return
    own = [[row[v] for v in there] for row in weights]
    told = all_values_exactly(own, many, [values.count(v) for v in there])
    for kind in range(len(many)):
        at = sum(many[:kind])
        assert told[kind] == [worlds.belief(found, lambda w, v=v, at=at: w[at] == v) for v in there]
    v = values[0]
    two = list(
        worlds.enumerate([u == v for u in values], worlds.independent([{True: p[v], False: 1 - p[v]} for p in priors]))
    )
    single = one_value_exactly([Fraction(row[v], sum(row)) for row in weights], many, values.count(v))
    at = [sum(many[:kind]) for kind in range(len(many))]
    assert single == [worlds.belief(two, lambda w, i=i: w[i]) for i in at]


@given(groups_of_people)
def test_without_knowledge_she_reads_it_out_of_the_release(groups):
    view = bucketized(groups, NAMES)
    people_seen = people_of(view, view.tallies[0], None)
    found = learnt(people_seen, view.tallies[0])
    expected = Counter()
    for group in groups:
        for row in group:
            for other in group:
                expected[row[0], row[1], other[-1]] += Fraction(1, len(group))
    told = Counter()
    for *codes, n in zip(*found.frequencies.codes, found.frequencies.counts, strict=True):
        told[tuple(v[c] for v, c in zip(found.frequencies.values, codes, strict=True))] += n
    assert {k: pytest.approx(float(v)) for k, v in expected.items()} == dict(told)
    [line] = worst_case(*first(view))
    assert line.adversary == "learnt_association" and line.promised is None


def test_people_of_a_generalized_release_are_found_in_the_source():
    groups = [["x", "y"], ["x", "z", "z"]]
    regions = (
        Region("nation", (Exactly("A"), Exactly("B")), np.array([0, 1])),
        Region("age", (Anything(),), np.array([0, 0])),
    )
    view = view_of(groups, quasi_identifiers=NAMES, regions=regions, promises=[promise("robust", r=3, min_support=2)])
    table = [("A", "1", "x"), ("A", "2", "y"), ("B", "1", "x"), ("B", "2", "z"), ("B", "2", "z")]
    [line] = worst_case(*first(view), counted(table))
    by_age = [
        largest_posterior([row for row in table if row[0] == nation], i, table, [{v} for v in "xyz"], 2)
        for nation, n in (("A", 2), ("B", 3))
        for i in range(n)
    ]
    assert line.worst == pytest.approx(float(max(by_age)))
    assert (line.people, line.precision) == (5, EXACT)
    [missing] = worst_case(*first(view), counted(table[:-1]))
    assert (missing.people, missing.precision, missing.details["people_not_placed"]) == (2, AT_LEAST, 3)


def test_a_column_p_of_the_table_is_no_chance():
    rows = [("A", "1", "x"), ("B", "2", "y")]
    view = bucketized([rows], NAMES)
    source = frame(rows) | {"p": ["Ann", "Bob"]}
    of_the_table = replace(view, manifest={**view.manifest, "roles": {"p": "person"}})
    assert isinstance(read_knowledge(source, of_the_table, "disease"), Counted)
    assert isinstance(read_knowledges(source, of_the_table)["disease"], Counted)
    listed = frame(rows) | {"p": ["0.5", "0.25"]}
    assert isinstance(read_knowledge(listed, view, "disease"), Listed)


def test_where_nobody_is_seen_there_is_no_line():
    view = view_of([["x", "y"]])
    assert worst_case(*first(view)) == []
    assert worst_case(*first(ambiguous([[("A", "x"), ("B", "y")]], ["nation"]))) == []


def test_a_group_with_more_people_than_values_is_left_open():
    groups = [[("A", "1", "x"), ("B", "1", "y")], [("A", "1", "x"), ("B", "1", "y")]]
    view = bucketized(groups, NAMES, promises=[promise("robust", "disease", r=2, min_support=1, knowledge="table")])
    [table] = view.tables
    doubled = replace(table.frequencies, counts=np.array([1, 1, 4, 1]))
    view = replace(view, tables=(replace(table, frequencies=doubled),))
    known = {"disease": counted([*groups[0], *groups[1], *[("A", "1", "y"), ("B", "1", "x")] * 2])}
    [line] = worst_case(*first(view), known["disease"])
    assert (line.people, line.precision, line.details["people_not_placed"]) == (2, AT_LEAST, 2)
    [level] = levels(view, knowledge=known)
    assert (level.holds is None and "1 groups" in level.note) or level.holds is False


def test_large_groups_are_dealt_out_without_underflow():
    rows = [(f"n{i % 7}", "1", "x" if i % 3 else "y") for i in range(600)]
    view = bucketized([rows], NAMES)
    [line] = worst_case(*first(view), counted([*rows, *[("n0", "2", "y")] * 300]))
    assert line.precision == EXACT and 2 / 3 < line.worst < 1
    found = beliefs(*first(view), people_of(view, view.tallies[0], None), counted(rows), {})
    assert summed_up(view.tallies[0], 1).total[0] == 600 and (found.chance >= 0.66).all()


def test_robustness_against_the_source_needs_the_source():
    groups = [[("A", "1", "x"), ("B", "1", "y")]]
    view = bucketized(groups, NAMES, promises=[promise("robust", "disease", r=2, min_support=1, knowledge="table")])
    [level] = levels(view)
    assert level.holds is None and "source table" in level.note
    table = [*groups[0], ("A", "1", "y"), ("B", "1", "x")]
    [level] = levels(view, knowledge={"disease": counted(table)})
    assert level.holds is True and level.achieved == 0.5
    [level] = levels(view, knowledge={"disease": counted([*table, ("A", "2", "x")])})
    assert level.holds is False and level.deciding.size == 2


def test_shares_can_be_read_from_a_table(tmp_path):
    file = tmp_path / "known.csv"
    file.write_text("nation,disease,p\nA,x,0.1\nB,x,0.003\n")
    view = bucketized([[("A", "1", "x"), ("B", "1", "y")]], NAMES)
    known = read_knowledges(file, view)
    assert isinstance(known["disease"], Listed) and len(known["disease"].rows) == 2
    lines = {line.adversary: line for line in association(view, 2, known)}
    assert lines["worst_case"].worst == pytest.approx(0.9736, abs=5e-5)
    assert {"uniform_worlds", "homogeneity", "skew", "known_rows_1", "known_rows_2"} <= lines.keys()
    assert {"realistic_I", "realistic_II", "realistic_III"} <= lines.keys()


def test_a_wrong_table_is_refused_by_its_columns(tmp_path):
    view = bucketized([[("A", "1", "x")]], NAMES)
    with pytest.raises(DataError, match="age"):
        read_knowledge({"nation": ["A"], "disease": ["x"]}, view, "disease")
    file = tmp_path / "known.csv"
    file.write_text("nation,disease,p\nA,x,often\n")
    with pytest.raises(DataError, match="between 0 and 1"):
        read_knowledge(file, view, "disease")


def test_a_source_is_counted_for_each_attribute():
    view = bucketized([[("A", "1", "x"), ("B", "1", "y")]], NAMES)
    found = read_knowledges(frame([("A", "1", "x"), ("B", "1", "y")]), view)
    assert isinstance(found["disease"], Counted) and found["disease"].frequencies.counts.sum() == 2
    assert len(attribute_sets(NAMES)) == 3


CELLS = st.sampled_from([0.0, 0.001, 0.1, 0.25, 0.5, 1.0])
VALUES = 10


@given(st.data())
def test_groups_are_judged_side_by_side_by_the_same_sums(data) -> None:
    """The shorter way gives the same numbers, to the last digit, and leaves open what it can't judge."""
    rows = data.draw(st.integers(2, 6))
    chances = np.array(
        data.draw(st.lists(st.lists(CELLS, min_size=VALUES, max_size=VALUES), min_size=rows, max_size=rows))
    )
    asked = np.array(data.draw(st.lists(st.booleans(), min_size=VALUES, max_size=VALUES)))
    entry = st.tuples(st.integers(0, rows - 1), st.integers(1, 3))  # a row, and how many people have it
    group = st.lists(entry, min_size=1, max_size=4).filter(lambda group: sum(many for _, many in group) <= 8)
    few = data.draw(st.lists(st.tuples(group, st.permutations(range(VALUES))), min_size=1, max_size=4))
    drawn = sorted(few * data.draw(st.sampled_from([1, LANES])), key=lambda one: sum(many for _, many in one[0]))
    sizes = [sum(many for _, many in group) for group, _ in drawn]
    own = [np.sort(values[:n]) for (_, values), n in zip(drawn, sizes, strict=True)]
    row, many = np.array([entry for group, _ in drawn for entry in group]).T
    starts = np.cumsum([0, *(len(group) for group, _ in drawn)])
    entries = Entries(starts, many.copy(), np.cumsum([0, *sizes]), np.concatenate(own), asked)
    chance, one, left_open = np.zeros(len(row)), np.zeros(len(row)), np.zeros(len(drawn), dtype=np.bool_)
    judge_side_by_side(np.arange(len(drawn)), entries, row.copy(), chances, chance, one, left_open)
    assert differing(starts, row.copy()).tolist() == [len({row for row, _ in group}) > 1 for group, _ in drawn]
    for g, (group, _) in enumerate(drawn):
        kinds, place = np.unique([row for row, _ in group], return_inverse=True)
        people = np.bincount(place, weights=[many for _, many in group]).astype(np.int64)
        p, n = np.ascontiguousarray(chances[np.ix_(kinds, own[g])]), sizes[g]
        together, alone = np.zeros_like(p), np.zeros_like(p)
        possible = all_values(p, people, np.ones(n, dtype=np.int64), together)
        for v in range(n):
            out = np.zeros(len(kinds))
            possible &= one_value(np.ascontiguousarray(p[:, v]), people, 1, out) or not asked[own[g][v]]
            alone[:, v] = out
        assert left_open[g] == (not possible or (p >= 1).any())
        if not left_open[g]:
            by_one, by_all = ((cells * asked[own[g]]).max(axis=1) for cells in (alone, np.minimum(together, 1)))
            at = slice(starts[g], starts[g + 1])
            assert np.array_equal(one[at], by_one[place])
            assert np.array_equal(chance[at], np.maximum(by_one, by_all)[place])
