"""What a plan is worth beside others of the same table: who is seen through, and how far its answers are off.

The measures of Wong, Fu, Wang, Xu, Pei & Yu, section 5, for every kind of publication.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from discreet.arrays import BoolArray, Codes, IntArray
from discreet.counts.frequency import FrequencySet
from discreet.counts.groups import Groups
from discreet.errors import DiscreetError
from discreet.labels.whose import Whose
from discreet.models.base import PrivacyModel
from discreet.models.by_people import held
from discreet.models.robust.beliefs import MOST_STEPS
from discreet.models.robust.robust import Robust
from discreet.publications.answers import answers
from discreet.releases.queries import true_answers
from discreet.search.plan import SUPPRESSED, Bucketization, Plan
from discreet.utility.queries import RelativeError, Workload, relative_error

WORK = 4_000_000_000  # steps of posteriors, about twenty seconds
LARGE = 50  # a group is large if fewer than so many of them could be judged
LEAST_STEPS = 700  # that a group takes under an attribute set, however small it is
CLOSER = 0.75  # another method is recommended if half of its answers are off by less than this part of the own one's
_SHARE_OF_WORLDS = 0.05  # most attribute sets are decided without adding all worlds up


@dataclass(frozen=True)
class MethodResult:
    """One way to publish, measured.

    `problematic`: of the people with a protected value, the share whom the adversary links to one with more than 1/r;
    `undecided`: a further share that can't be shown to be safe. Where judging all groups would take too long, `judged`
    of them speak for the others. `deviation`: the paper's mean Δ. `broken`: which of the promises it does not keep.
    """

    method: str
    groups: int
    smallest_group: int
    mean_group: float
    suppressed: int
    distorted: int
    error: RelativeError
    problematic: float
    undecided: float
    judged: int
    deviation: float
    broken: tuple[str, ...] = ()
    seconds: float = field(default=0.0, compare=False)


@dataclass(frozen=True)
class NoRelease:
    """A method that can't publish the table, and why."""

    method: str
    why: str


@dataclass(frozen=True)
class MethodComparison:
    """Methods side by side on one table.

    All are judged by r-robustness of `attribute`, over the `people` who have a protected value: rows, unless `whose`
    says that each is another person's. `l` is what was asked of methods that know no adversary; `limit` is how many
    rows may be suppressed.
    """

    rows: int
    whose: Whose
    attribute: str
    people: int
    r: str
    listed: bool  # only some values are protected
    l: int  # noqa: E741, the theory's own name
    limit: int
    publish: str
    search: str  # the policy's own method
    ways: tuple[str, ...]  # methods that publish as the policy does, by a word of `search`
    robust: bool  # is the promise that all are judged by the policy's own?
    promises: tuple[str, ...]
    predicates: int
    selectivity: float
    results: tuple[MethodResult | NoRelease, ...]

    @property
    def recommended(self) -> MethodResult | None:
        """Of the methods that publish as the policy does and keep it, its own; unless its own does not keep it, or the
        answers of another one, which publishes nothing untrue, are off by less than `CLOSER` times as much."""
        kept = [r for r in self.results if isinstance(r, MethodResult) and r.method in self.ways and not r.broken]
        own = next((r for r in kept if r.method == self.search), None)
        closest = min((r for r in kept if not r.distorted), key=_off_by, default=None)
        if own is None or closest is None:
            return own or closest
        return closest if _off_by(closest) < CLOSER * _off_by(own) else own


def _off_by(result: MethodResult) -> float:
    """Half of the answers are off by less; where none had anything to count, nothing is better."""
    return np.inf if np.isnan(result.error.median) else result.error.median


def measure(
    plan: Plan,
    robust: Robust,
    workload: Workload,
    *,
    method: str = "",
    seconds: float = 0.0,
    models: Sequence[PrivacyModel] = (),
    limit: int | None = None,
) -> MethodResult:
    """Judge a plan by the adversary of `robust`, by the workload's queries, and by the promises `models` and the limit.

    She is taken to know who stands in which group, whatever is published of them.
    """
    f, groups = plan.frequency, replace(plan.groups, people=plan.people)
    problematic, undecided, judged = _seen_through(plan, groups, robust)
    return MethodResult(
        method,
        len(groups),
        int(groups.sizes.min()) if len(groups) else 0,
        float(groups.sizes.mean()) if len(groups) else 0.0,
        plan.suppressed,
        _distorted(plan, robust.attribute),
        relative_error(true_answers(f, workload), answers(plan, workload)),
        problematic,
        undecided,
        judged,
        robust.mean_deviation(groups),
        (*broken(models, groups), *_beyond(plan.suppressed, limit)),
        seconds,
    )


def _seen_through(plan: Plan, groups: Groups, robust: Robust) -> tuple[float, float, int]:
    """Of the people with a protected value: the share above 1/r, and a further one that may be; how many groups say so.

    Where judging all groups would take too long, small ones not judged are taken to be like the others, and nobody in a
    large one is shown to be safe or seen through.
    """
    f, people = plan.frequency, _protected_rows(plan, robust)
    if not people.any():
        return 0.0, 0.0, len(groups)
    chosen, large = _chosen(groups, robust, f)
    number = np.full(len(groups), SUPPRESSED, dtype=np.int64)
    number[chosen] = np.arange(len(chosen))
    at = np.flatnonzero((plan.group != SUPPRESSED) & (number[plan.group] != SUPPRESSED))
    values = {robust.attribute: plan.values(robust.attribute)[at]}
    shown = Bucketization(f, plan.row[at], plan.count[at], number[plan.group[at]], values)
    told = robust.posteriors(shown.groups)
    entry, count = protected_people(shown, robust)
    certain = count * told.proven[entry]
    possible = count * told.above[entry]
    # All small groups together are like those of them that were judged.
    in_large = large[chosen[shown.people.group[entry]]]
    small_judged = int(count[~in_large].sum())
    more = int(people[~large].sum()) / small_judged if small_judged else 0.0
    everybody = int(people.sum())
    seen = int(certain[in_large].sum()) + more * int(certain[~in_large].sum())
    maybe = int(possible[in_large].sum()) + more * int(possible[~in_large].sum())
    unknown = int(people[large].sum()) - int(count[in_large].sum()) + (0 if small_judged else int(people[~large].sum()))
    return seen / everybody, (maybe - seen + unknown) / everybody, len(chosen)


def _chosen(groups: Groups, robust: Robust, frequency: FrequencySet) -> tuple[IntArray, BoolArray]:
    """The groups to judge, as many as there is time for, small ones at random but always the same; which are large."""
    t = groups.tallies[robust.attribute]
    owner = np.repeat(np.arange(len(groups)), np.diff(t.offsets))
    worlds = np.ones(len(groups))
    np.multiply.at(worlds, owner, t.counts + 1.0)
    protected = protected_leaves(robust, frequency)[t.values] * t.counts
    asked = groups.sizes * np.bincount(owner, weights=protected, minlength=len(groups))  # "one of these or not?"
    steps = LEAST_STEPS + asked + np.minimum(worlds * np.diff(t.offsets), MOST_STEPS) * _SHARE_OF_WORLDS
    affordable = WORK // len(robust.knowledge_of(frequency).sets)
    large = steps > affordable / LARGE
    order = np.random.default_rng(0).permutation(len(groups))
    order = order[np.argsort(np.where(large, steps, 0)[order], kind="stable")]
    return order[: int(np.searchsorted(np.cumsum(steps[order]), affordable, side="right"))], large


def protected_people(plan: Plan, robust: Robust) -> tuple[IntArray, IntArray]:
    """Published rows with a protected value: their entry of `plan.people`, and how many there are."""
    f, kept = plan.frequency, np.flatnonzero(plan.group != SUPPRESSED)
    people = [f.owners.person] if f.owners is not None and f.owners.apart else []
    keys: list[IntArray | Codes] = [codes[plan.row[kept]] for codes in (*people, *reversed(f.codes))]
    keys.append(plan.group[kept])
    order = np.lexsort(keys)
    new = np.zeros(len(kept), dtype=np.bool_)
    for key in keys:
        new[1:] |= key[order][1:] != key[order][:-1]
    entry = np.empty(len(kept), dtype=np.int64)
    entry[order] = np.cumsum(new)
    own = protected_leaves(robust, f)[f.sensitive[robust.attribute][plan.row[kept]]]
    return entry[own], plan.count[kept][own]


def _protected_rows(plan: Plan, robust: Robust) -> IntArray:
    """How many people with a protected value each group has."""
    kept = plan.group != SUPPRESSED
    own = kept & protected_leaves(robust, plan.frequency)[plan.frequency.sensitive[robust.attribute][plan.row]]
    found = np.bincount(plan.group[own], weights=plan.count[own], minlength=plan.group_count)
    return found.astype(np.int64)


def protected_leaves(robust: Robust, frequency: FrequencySet) -> BoolArray:
    """Which values of the attribute are protected."""
    leaves = frequency.sensitive_hierarchies[robust.attribute].leaves
    listed = {value for values in robust.values or () for value in values}
    return np.array([robust.values is None or leaf in listed for leaf in leaves], dtype=np.bool_)


def broken(models: Sequence[PrivacyModel], groups: Groups) -> tuple[str, ...]:
    """Which promises the groups do not keep, and for how many rows; one that can't be about such groups is not kept."""
    found = []
    for model in models:
        try:
            failing = groups.sizes[~held(model, groups)]
        except DiscreetError as error:
            found.append(f"{model.describe()} {error.mistakes[0].rule}")
            continue
        if len(failing):
            share = int(failing.sum()) / int(groups.sizes.sum())
            found.append(f"{share:.2%} of the rows are in groups without {model.describe()}")
    return tuple(found)


def _beyond(suppressed: int, limit: int | None) -> tuple[str, ...]:
    if limit is None or suppressed <= limit:
        return ()
    return (f"{suppressed:,} rows are suppressed, {limit:,} may be",)


def _distorted(plan: Plan, attribute: str) -> int:
    """Of how many published rows the sensitive value is not the true one."""
    other = plan.values(attribute) != plan.frequency.sensitive[attribute][plan.row]
    return int(plan.count[other & (plan.group != SUPPRESSED)].sum())
