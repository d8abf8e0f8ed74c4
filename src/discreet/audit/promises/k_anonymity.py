"""k-anonymity, read a second time: every group has at least k people (Sweeney 2002)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from discreet.audit.faults.group_faults import MERGE, group_faults
from discreet.audit.lines import Fault, Level
from discreet.audit.promises.level import exact, size_level
from discreet.audit.promises.limits import Limits
from discreet.audit.promises.parameters import number
from discreet.audit.promises.registry import Beside, Reading
from discreet.audit.reading.view import Promise, ReleaseView


def levels(promise: Promise, view: ReleaseView, beside: Beside) -> list[Level]:
    """The smallest group."""
    return [size_level(view, promise.model, exact(promise.parameters["k"]))]


def small_groups(promise: Promise, view: ReleaseView) -> Iterator[Fault]:
    """Groups with fewer than k people."""
    said = promise.parameters["k"]
    k = exact(said)
    small = np.flatnonzero(view.sizes * k.denominator < k.numerator)
    yield from group_faults(view, "group_below_k", small, f"fewer than {said} {view.whose.unit}", MERGE)


def limits(promise: Promise) -> Limits:
    """So many people in every group, and nothing else."""
    return Limits(people=exact(promise.parameters["k"]), demands=())


READING = Reading("k_anonymity", "k-anonymity", {"k": number()}, levels, small_groups, of_values=False, limits=limits)
