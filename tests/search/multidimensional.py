"""What every multidimensional plan must be, told row by row in plain Python, and the best there is by brute force."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations

import numpy as np
from hypothesis import strategies as st

from discreet.counts.frequency import FrequencySet
from discreet.hierarchies.build import bounded, build
from discreet.hierarchies.hierarchy import Hierarchy
from discreet.hierarchies.rules import Intervals
from discreet.models.base import PrivacyModel
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.releases.references import failing_alone
from discreet.search.plan import SUPPRESSED, Recoding
from tests.oracles import keeps_one
from tests.strategies import promises, tables


@st.composite
def frequencies(draw: st.DrawFn, max_rows: int = 14, max_attributes: int = 3) -> FrequencySet:
    """A small table; often with an age besides, of which any range may be published, or any that ends on boundaries."""
    table = draw(tables(max_attributes=max_attributes, max_rows=max_rows))
    frequency = table.frequency()
    ages = draw(st.none() | st.lists(st.none() | st.integers(0, 20), min_size=1, max_size=len(frequency.counts)))
    widths = draw(st.sampled_from([None, (5,), (1, 3), (4, 8)]))
    return frequency if ages is None else with_age(frequency, ages, widths)


def with_age(
    frequency: FrequencySet, ages: Sequence[int | None], widths: tuple[int, ...] | None = None
) -> FrequencySet:
    """One more attribute: the combinations get the ages in turn. With `widths`, ranges end where such intervals do."""
    texts = [None if age is None else str(age) for age in ages]
    hierarchy = build("age", texts, Intervals((5,)))
    if widths is not None:
        hierarchy = bounded(build("age", texts, Intervals(widths)))
    codes = np.array([hierarchy.index[texts[i % len(texts)]] for i in range(len(frequency.counts))], dtype=np.int32)
    return replace(frequency, hierarchies=(*frequency.hierarchies, hierarchy), codes=(*frequency.codes, codes))


def mergeable_promises() -> st.SearchStrategy[tuple[PrivacyModel, ...]]:
    """Conjunctions of promises that survive merging."""
    return promises().filter(lambda models: all(model.monotone for model in models))


@dataclass(frozen=True)
class Rows:
    """The rows of a frequency set one by one: leaves of the quasi-identifiers and sensitive values."""

    frequency: FrequencySet

    def leaves(self, row: int) -> tuple[int, ...]:
        return tuple(int(codes[row]) for codes in self.frequency.codes)

    def keep(self, models: Sequence[PrivacyModel], members: Sequence[int]) -> bool:
        """Do these rows keep every promise as a group, as the papers define it?"""
        return all(self._keeps(model, members) for model in models)

    def _keeps(self, model: PrivacyModel, members: Sequence[int]) -> bool:
        if not model.attribute:
            return keeps_one(model, members, members)
        hierarchy = self.frequency.sensitive_hierarchies[model.attribute]
        codes = self.frequency.sensitive[model.attribute]
        values = [hierarchy.leaves[code] for code in codes]
        table = [v for v, n in zip(values, self.frequency.counts.tolist(), strict=True) for _ in range(n)]
        paths = {leaf: hierarchy.rule.path(leaf) for leaf in hierarchy.leaves}
        return keeps_one(model, [values[m] for m in members], table, order=list(hierarchy.leaves), paths=paths)

    def loss(self, members: Sequence[int]) -> Fraction:
        """What these rows lose as one group, in sum over the rows, as the mean over the attributes."""
        shares = [
            self._share(h, [int(codes[m]) for m in members])
            for h, codes in zip(self.frequency.hierarchies, self.frequency.codes, strict=True)
        ]
        return len(members) * sum(shares, Fraction(0)) / len(shares)

    @staticmethod
    def _share(h: Hierarchy, leaves: Sequence[int]) -> Fraction:
        low, high = h.cover(min(leaves), max(leaves))
        return Fraction(high - low, max(len(h.leaves) - 1, 1))


def check(plan: Recoding, models: Sequence[PrivacyModel], limit: int = 0) -> None:
    """Every row is placed once, or is one of at most `limit` that are left out; every group holds, also if the others
    are all there is, and is published as tightly as can be; no two look alike."""
    f = plan.frequency
    placed = np.bincount(plan.row, weights=plan.count, minlength=len(f.counts))
    assert placed.tolist() == f.counts.tolist()
    assert (plan.count > 0).all()
    assert len(set(zip(plan.row.tolist(), plan.group.tolist(), strict=True))) == len(plan.row)
    members = defaultdict(list)
    for row, count, group in zip(plan.row.tolist(), plan.count.tolist(), plan.group.tolist(), strict=True):
        members[group] += [row] * count
    assert len(members.pop(SUPPRESSED, [])) <= limit
    assert not failing_alone(plan, models).any()
    assert sorted(members) == list(range(len(plan.low)))
    looks = Counter()
    for group, rows in members.items():
        assert Rows(f).keep(models, rows)
        for d, h in enumerate(f.hierarchies):
            leaves = f.codes[d][rows]
            assert (plan.low[group, d], plan.high[group, d]) == h.cover(int(leaves.min()), int(leaves.max()))
        looks[(*plan.low[group].tolist(), *plan.high[group].tolist())] += 1
    assert set(looks.values()) <= {1}


def best_loss(frequency: FrequencySet, models: Sequence[PrivacyModel], limit: int = 0) -> float:
    """The least loss of any way to share out the rows, and to leave out at most `limit`, by trying all of them."""
    rows = [row for row, count in enumerate(frequency.counts.tolist()) for _ in range(count)]
    table = Rows(frequency)
    costs: dict[tuple[int, ...], Fraction | None] = {}

    def cost(members: tuple[int, ...]) -> Fraction | None:
        if members not in costs:
            costs[members] = table.loss(members) if table.keep(models, members) else None
        return costs[members]

    most = Fraction(sum(len(h.leaves) > 1 for h in frequency.hierarchies), len(frequency.hierarchies))
    sums = [
        left_out * most + sum((c for c in found if c is not None), Fraction(0))
        for left_out in range(limit + 1)
        for kept in set(combinations(rows, len(rows) - left_out))
        for partition in _partitions(kept)
        if None not in (found := [cost(tuple(sorted(members))) for members in partition])
    ]
    return float(min(sums) / len(rows))


def fewest_left_out(frequency: FrequencySet, models: Sequence[PrivacyModel]) -> int:
    """How many rows must go at least, until the others keep every promise as one group; by trying all of them."""
    rows = [row for row, count in enumerate(frequency.counts.tolist()) for _ in range(count)]
    table = Rows(frequency)
    return next(
        n
        for n in range(len(rows) + 1)
        if n == len(rows) or any(table.keep(models, kept) for kept in set(combinations(rows, len(rows) - n)))
    )


def _partitions(rows: Sequence[int]) -> Iterator[list[list[int]]]:
    if not rows:
        yield []
        return
    first, *others = rows
    for partition in _partitions(others):
        yield [[first], *partition]
        for i, members in enumerate(partition):
            yield [*partition[:i], [first, *members], *partition[i + 1 :]]


def loss(plan: Recoding) -> float:
    return float(plan.losses.mean())


def same(one: Recoding, other: Recoding) -> bool:
    """Do both say exactly the same?"""
    parts = ("low", "high", "row", "count", "group")
    return all(np.array_equal(getattr(one, p), getattr(other, p)) for p in parts)


def one_group_holds(frequency: FrequencySet, models: Sequence[PrivacyModel]) -> bool:
    rows = [row for row, count in enumerate(frequency.counts.tolist()) for _ in range(count)]
    return Rows(frequency).keep(models, rows)


class Fragile(KAnonymity):
    """A promise that admits to break when groups are merged."""

    monotone = False
