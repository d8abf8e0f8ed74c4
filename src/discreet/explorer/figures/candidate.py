"""The release that a policy gives, found from counts: the plan that `anonymize` would publish, and nothing written."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from time import monotonic
from weakref import ref

import numpy as np

from discreet.arrays import Codes, IntArray
from discreet.counts.frequency import FrequencySet
from discreet.errors import Mistake, PolicyError, shown
from discreet.hierarchies.hierarchy import Value
from discreet.models.base import least_rows
from discreet.policy.policy import Policy
from discreet.progress import Progress, silent
from discreet.report.marginals import shown as shown_value
from discreet.run.anonymize import find_plan
from discreet.run.intake import Counted, Intake, check_named, fitted, with_wishes
from discreet.search.plan import Plan
from discreet.search.registry import COUNTS, SEARCHES

HIDDEN_BELOW = 5  # people: values of fewer are not named, whatever is promised
_REMEMBERED = 4


@dataclass(frozen=True, eq=False)
class Candidate:
    """A policy with the plan that it gives, and what the plan was found from."""

    policy: Policy
    intake: Intake
    plan: Plan

    @property
    def frequency(self) -> FrequencySet:
        """The table as the search saw it."""
        return self.intake.frequency


def candidate(
    policy: Policy, counted: Counted, progress: Progress = silent, *, remember: bool = True, long: float = math.inf
) -> Candidate:
    """The release that `anonymize` would write, as a plan; raises what `anonymize` would raise.

    The last few are remembered. So all steps of the page speak of the same plan, also where it was drawn at random.
    If they need not `remember` it, it is, if it took so `long` (seconds) to find.

    >>> from discreet.policy.policy import policy_from_words
    >>> from discreet.run.intake import count
    >>> policy = policy_from_words({"attributes": {"age": {"role": "quasi_identifier"}},
    ...                             "require": [{"k_anonymity": {"k": 2}}]})
    >>> counted = count(policy, {"age": ["23", "23", "31", "31"]})
    >>> candidate(policy, counted).plan.node
    (0,)
    """
    if (known := _recall(policy, counted)) is not None:
        return known
    if SEARCHES[policy.search].reads != COUNTS:
        rule = f"{shown(policy.search)} searches a summary of the table, and the explorer answers from its counts"
        raise PolicyError(Mistake("search", rule, "leave `search` out here, and run discreet anonymize for this one"))
    begun = monotonic()
    intake = fitted(policy, counted)
    asked = with_wishes(policy, intake.frequency)
    plan = find_plan(asked, intake, progress)
    check_named(asked.models, plan.groups)
    made = Candidate(asked, intake, plan)
    if remember or monotonic() - begun > long:
        _remember(policy, counted, made)
    return made


_lock = Lock()
_last: list[tuple[Policy, Callable[[], Counted | None], Candidate]] = []


def _recall(policy: Policy, counted: Counted) -> Candidate | None:
    with _lock:
        _last[:] = [one for one in _last if one[1]() is not None]
        return next((made for known, of, made in _last if of() is counted and known == policy), None)


def _remember(policy: Policy, counted: Counted, made: Candidate) -> None:
    with _lock:
        _last.insert(0, (policy, ref(counted), made))
        del _last[_REMEMBERED:]


class OutOfTime(Exception):
    """There was no time for more."""


def until(deadline: float, progress: Progress = silent) -> Progress:
    """A listener that ends the work at a time of `monotonic`."""

    def tell(stage: str, done: float, total: float, note: str = "") -> None:
        if monotonic() > deadline:
            raise OutOfTime
        progress(stage, done, total, note)

    return tell


def within(progress: Progress, stage: str, at: int, parts: int, name: str) -> Progress:
    """How far the whole is, told by one of its equal parts."""

    def tell(inner: str, done: float, total: float, note: str = "") -> None:
        part = min(done / total, 1.0) if total else 0.0
        progress(stage, at + part, parts, f"{name}, {inner}")

    return tell


# What may be named


def hidden_below(policy: Policy) -> int:
    """Values of fewer people than this are not named."""
    return max(HIDDEN_BELOW, least_rows(policy.models))


def people_of_each(frequency: FrequencySet, codes: Codes | IntArray, many: int) -> IntArray:
    """How many people have each of `many` codes, if combination i of the table has ``codes[i]``: rows, where nobody
    has several."""
    owners = frequency.owners
    if owners is None:
        return np.bincount(codes, weights=frequency.counts, minlength=many).astype(np.int64)
    pairs = codes[owners.row].astype(np.int64) * owners.people + owners.person
    return np.bincount(np.unique(pairs) // max(owners.people, 1), minlength=many).astype(np.int64)


def label(value: Value) -> Value:
    """A published text as the page gets it: NULL stays apart from any text."""
    return None if value is None else shown_value(value)
