"""The promise against realistic adversaries, read a second time: beliefs move by at most ε (Machanavajjhala 2009)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from discreet.arrays import IntArray
from discreet.audit.association.realistic import (
    Adversary,
    Protected,
    protected_by,
    smallest_epsilon,
    smallest_epsilons,
)
from discreet.audit.lines import AT_MOST, Level
from discreet.audit.promises.level import exact, level, promised_sums
from discreet.audit.promises.parameters import Parameter, number, one_of, whole
from discreet.audit.promises.registry import Beside, Reading
from discreet.audit.reading.tallies import Summed, whole_table
from discreet.audit.reading.view import Promise, ReleaseView
from discreet.audit.reading.wishes import NEEDS_SOURCE, Wishes, asked_for
from discreet.errors import Mistake, shown
from discreet.files.numbers import exact_number


def levels(promise: Promise, view: ReleaseView, beside: Beside) -> list[Level]:
    """The smallest ε that every group keeps, for each attribute."""
    return [_smallest(promise.parameters, view, summed, beside.wishes) for summed in promised_sums(promise, view)]


def _smallest(said: Mapping[str, Any], view: ReleaseView, summed: Summed, wishes: Wishes | None) -> Level:
    epsilon = exact(said["epsilon"])
    adversary = Adversary(str(said["class"]), exact(said.get("stubbornness") or 1), int(said.get("known", 0)))
    predicates = said.get("predicates")
    figure = f"smallest ε against class {adversary.kind}"
    if not isinstance(predicates, Mapping):
        protected = protected_by(summed, whole_table(summed.tally), said.get("prior"), predicates)
    else:
        wanted = None if wishes is None else asked_for(wishes, predicates)
        if wanted is None:
            why = NEEDS_SOURCE if wishes is None else wishes.why
            return Level("realistic", summed.tally.attribute, figure, AT_MOST, float(epsilon), None, None, note=why)
        protected = _protected_by_wishes(said.get("prior"), wanted, summed)

    def keeps(n: int, satisfied: int, share: int) -> bool:
        smallest = smallest_epsilon(adversary, n, satisfied, protected.shares[share])
        return smallest is not None and smallest <= epsilon

    return level(
        view,
        "realistic",
        summed.tally.attribute,
        figure,
        AT_MOST,
        epsilon,
        smallest_epsilons(adversary, protected, summed.total),
        protected.group,
        [summed.total[protected.group], protected.satisfied, protected.share],
        keeps,
        at_best=1.0,
    )


def _protected_by_wishes(prior: Any, wanted: Sequence[tuple[Any, IntArray | None]], summed: Summed) -> Protected:
    """Predicates that are protected in some groups (None: in all), and no others."""
    whole, parts = whole_table(summed.tally), []
    shares: list[Any] = []
    for word, groups in wanted:
        one = protected_by(summed, whole, prior, [word])
        here = np.full(len(one.group), True) if groups is None else np.isin(one.group, groups)
        parts.append((one.group[here], one.satisfied[here], one.share[here] + len(shares)))
        shares += one.shares
    group, satisfied, share = (np.concatenate([np.zeros(0, dtype=np.int64), *(p[i] for p in parts)]) for i in range(3))
    return Protected(group, satisfied, share, tuple(shares))


def _prior(value: Any, place: str, quasi_identifiers: Sequence[str]) -> Iterator[Mistake]:
    if isinstance(value, Mapping):
        written = next((value[word] for word in ("counts", "shares") if isinstance(value.get(word), list)), None)
        listed = list(value.items()) if written is None else written
        pairs = [pair for pair in listed if isinstance(pair, list | tuple) and len(pair) == 2]
        numbers = [exact_number(share) for _, share in pairs]
        if len(pairs) == len(listed) and pairs and all(n is not None and n >= 0 for n in numbers):
            return
    elif value in (None, "table", "uniform"):
        return
    yield Mistake(place, f"can't be read: {shown(value)}", "write table, uniform, or a share for each value")


def _predicates(value: Any, place: str, quasi_identifiers: Sequence[str]) -> Iterator[Mistake]:
    if isinstance(value, Mapping) and value.get("wishes") in (True, "true", "united"):
        value, place = value.get("also"), f"{place}.also"
    for predicate in value if isinstance(value, list | tuple) else () if value is None else (None,):
        named = predicate.get("not", predicate.get("each")) if isinstance(predicate, Mapping) else predicate
        if named is None or not isinstance(named, str | bool | list | tuple):
            yield Mistake(place, f"can't be read: {shown(value)}", "write [cancer, [ulcer, gout], {not: flu}]")
            return


READING = Reading(
    "realistic",
    "realistic adversaries",
    {
        "class": Parameter(one_of("I", "II", "III"), needed=True),
        "epsilon": number(),
        "stubbornness": number(needed=lambda said: said.get("class") in ("I", "II")),
        "prior": Parameter(_prior),
        "known": Parameter(whole),
        "predicates": Parameter(_predicates),
    },
    levels,
)
