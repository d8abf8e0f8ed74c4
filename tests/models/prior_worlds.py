"""What somebody believes before a release and after it, over all possible worlds; and groups to ask that of."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations, permutations
from math import prod

import numpy as np
from hypothesis import strategies as st

from discreet.counts.frequency import FrequencySet
from discreet.counts.groups import Groups
from discreet.hierarchies.build import build
from discreet.hierarchies.categories import Flat
from discreet.models.examples import bucketized
from discreet.models.robust.given_knowledge import GivenKnowledge
from discreet.search.plan import Bucketization

S = "disease"
Row = tuple[str, str]  # signature, value
Person = tuple[tuple[str | None, ...], str]  # quasi-identifiers, value
Chances = Mapping[str, Fraction]


def known(chances: Mapping[str, Chances]) -> GivenKnowledge:
    return GivenKnowledge([({"kind": kind}, value, p) for kind, of in chances.items() for value, p in of.items()])


def groups_with(chances: Mapping[str, Chances], *groups: Sequence[Row]) -> Groups:
    """Groups of people; the table has every signature and value."""
    everything = [(kind, value) for kind, of in chances.items() for value in of]
    return bucketized(S, ["kind"], groups, [*everything, *(row for group in groups for row in group)])


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[Row], dict[str, dict[str, Fraction]], list[tuple[str, ...]] | None]:
    """A group of up to six people, with repeated values and signatures, chances of 0 and 1, and protected sets."""
    values = "abcd"[: draw(st.integers(1, 4))]
    chances = {}
    for kind in ("k", "l", "m", "n")[: draw(st.integers(1, 4))]:
        weights = draw(st.lists(st.sampled_from([0, 1, 1, 2, 3, 8]), min_size=len(values), max_size=len(values)))
        weights = weights if any(weights) else [1] * len(values)
        chances[kind] = {v: Fraction(w, sum(weights)) for v, w in zip(values, weights, strict=True)}
    row = st.tuples(st.sampled_from(sorted(chances)), st.sampled_from(values))
    rows = draw(st.lists(row, min_size=1, max_size=6))
    one = st.lists(st.sampled_from(values), min_size=1, unique=True).map(tuple)
    return rows, chances, draw(st.none() | st.lists(one, min_size=1, max_size=2))


rs = st.sampled_from([2, 3, 4, Fraction(3, 2), Fraction(7, 3)])


def beliefs(
    values: Sequence[str], chances: Sequence[Chances], protected: Sequence[Sequence[str]]
) -> list[tuple[Fraction, Fraction]]:
    """Of everybody, every protected set that is there and both views: what is believed, and what was before.

    Where no world is possible, a belief is 2: nothing is promised of it.
    """
    pairs = []
    for s in protected:
        if not any(value in s for value in values):
            continue
        before = [sum((of.get(value, Fraction(0)) for value in s), Fraction(0)) for of in chances]
        two: list[Mapping[object, Fraction]] = [{True: p, False: 1 - p} for p in before]
        for dealt, priors, inside in (
            (list(values), list(chances), set(s)),
            ([value in s for value in values], two, {True}),
        ):
            worlds = [
                (w, prod(of.get(v, Fraction(0)) for of, v in zip(priors, w, strict=True))) for w in permutations(dealt)
            ]
            total = sum(weight for _, weight in worlds)
            for i, p in enumerate(before):
                has = sum(weight for world, weight in worlds if world[i] in inside)
                pairs.append((Fraction(has, total) if total else Fraction(2), p))
    return pairs


def keeps(values: Sequence[str], chances: Sequence[Chances], protected: Sequence[Sequence[str]], r: Fraction) -> bool:
    shares = (Fraction(sum(value in s for value in values), len(values)) for s in protected)
    return all(share * r <= 1 for share in shares) and all(
        belief <= max(1 / Fraction(r), before) for belief, before in beliefs(values, chances, protected)
    )


def table_chances(rows: Sequence[Person], support: int) -> list[list[Chances]]:
    """For every set of attributes, what is known of everybody: the table's own distribution."""
    width = len(rows[0][0])

    def share(values: Sequence[str]) -> Chances:
        return {v: Fraction(values.count(v), len(values)) for v in values}

    known_by_sets = []
    for s in (s for n in range(1, width + 1) for s in combinations(range(width), n)):
        of_set = []
        for q, _ in rows:
            like = [v for p, v in rows if all(p[a] == q[a] for a in s)]
            of_set.append(share(like) if len(like) >= support else share([v for _, v in rows]))
        known_by_sets.append(of_set)
    return known_by_sets


people = st.tuples(st.tuples(*[st.sampled_from("ab")] * 2), st.sampled_from("xyz"))


def frequency(rows: Sequence[Person]) -> FrequencySet:
    counted = Counter(rows)
    columns = [*zip(*(people for people, _ in counted), strict=True), [value for _, value in counted]]
    hierarchies = [build(f"q{i}", list(column), Flat()) for i, column in enumerate(columns[:-1])]
    hierarchy = build(S, list(columns[-1]), Flat())
    codes = [
        np.array([h.index[value] for value in column], dtype=np.int32)
        for h, column in zip([*hierarchies, hierarchy], columns, strict=True)
    ]
    counts = np.array(list(counted.values()), dtype=np.int64)
    return FrequencySet(tuple(hierarchies), tuple(codes[:-1]), {S: codes[-1]}, {S: hierarchy}, counts)


def published(plan: Bucketization) -> dict[int, list[Person]]:
    """The rows of each group; SUPPRESSED is one of them."""
    f = plan.frequency
    found: dict[int, list[Person]] = defaultdict(list)
    for row, count, group in zip(plan.row.tolist(), plan.count.tolist(), plan.group.tolist(), strict=True):
        people = tuple(h.leaves[codes[row]] for h, codes in zip(f.hierarchies, f.codes, strict=True))
        value = f.sensitive_hierarchies[S].leaves[f.sensitive[S][row]]
        assert isinstance(value, str)
        found[group] += [(people, value)] * count
    return found
