"""How an audit reads the outsider's promise in two parts, and which limits it sets to adversaries."""

from __future__ import annotations

import numpy as np

from discreet.audit.association.refused_splits import DISTINCT
from discreet.audit.lines import AT_LEAST, Level
from discreet.audit.promises.level import exact, level, promised_sums, size_level
from discreet.audit.promises.limits import Demand, Limits
from discreet.audit.promises.parameters import number
from discreet.audit.promises.registry import Beside, Reading
from discreet.audit.reading.view import Promise, ReleaseView


def levels(promise: Promise, view: ReleaseView, beside: Beside) -> list[Level]:
    """The smallest group, and the fewest values in one."""
    k, p = exact(promise.parameters["k"]), exact(promise.parameters["p"])
    values = [
        level(
            view,
            promise.model,
            summed.tally.attribute,
            "fewest different values in a group",
            AT_LEAST,
            p,
            summed.distinct.astype(np.float64),
            np.arange(len(view.sizes)),
            [summed.distinct],
            lambda distinct: distinct >= p,
        )
        for summed in promised_sums(promise, view)
    ]
    return [size_level(view, promise.model, k), *values]


def limits(promise: Promise) -> Limits:
    """k people, and p values."""
    k, p = exact(promise.parameters["k"]), exact(promise.parameters["p"])
    return Limits(people=k, several_values=True, demands=(Demand(DISTINCT, float(p)),))


READING = Reading("p_sensitive", "p-sensitive k-anonymity", {"k": number(), "p": number()}, levels, limits=limits)
