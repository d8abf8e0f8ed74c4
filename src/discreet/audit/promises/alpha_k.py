"""(α, k)-anonymity, read a second time: k people, of whom no value has more than the share α (Wong et al. 2006)."""

from __future__ import annotations

from discreet.audit.association.refused_splits import SHARE
from discreet.audit.lines import Level
from discreet.audit.promises.k_anonymity import small_groups
from discreet.audit.promises.level import exact, promised_sums, share_level, size_level
from discreet.audit.promises.limits import Demand, Limits
from discreet.audit.promises.parameters import number
from discreet.audit.promises.registry import Beside, Reading
from discreet.audit.reading.view import Promise, ReleaseView


def levels(promise: Promise, view: ReleaseView, beside: Beside) -> list[Level]:
    """The smallest group and the largest share, for each attribute."""
    k, alpha = exact(promise.parameters["k"]), exact(promise.parameters["alpha"])
    return [
        level
        for summed in promised_sums(promise, view)
        for level in (size_level(view, promise.model, k), share_level(view, summed, promise.model, alpha))
    ]


def limits(promise: Promise) -> Limits:
    """k people, and no value above α."""
    k, alpha = exact(promise.parameters["k"]), exact(promise.parameters["alpha"])
    return Limits(people=k, share=alpha, several_values=alpha < 1, demands=(Demand(SHARE, float(alpha)),))


READING = Reading(
    "alpha_k",
    "(α, k)-anonymity",
    {"alpha": number(), "k": number()},
    levels,
    small_groups,
    beside_others=True,
    limits=limits,
)
