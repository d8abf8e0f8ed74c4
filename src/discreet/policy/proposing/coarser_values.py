"""What exact amounts may be published as: costs to the cent find the row, intervals of costs don't."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from discreet.arrays import FloatArray, IntArray
from discreet.engines.base import Engine
from discreet.hierarchies.numbers import parse
from discreet.policy.proposing.proposals import Proposal, known_values
from discreet.policy.words import Role

_COUNTED = 2_000_000  # different values that leave the engine for this
_COLUMNS = 10  # that are looked at: a query each
_OUTER = 0.02  # share of the rows below the first round number, and above the last, at least
_UNEVEN = 20.0  # times as much have those near the top as those near the bottom: then cuts are 1, 2, 5, 10, …
_FEWEST = 5  # rows in each interval, if it is proposed
_SERIES = tuple(unit * 10.0**power for power in range(-6, 16) for unit in (1, 2, 5))


def with_coarser_values(proposals: Sequence[Proposal], engine: Engine, fixed: Sequence[str] = ()) -> list[Proposal]:
    """The same, where exact amounts that must be protected are published as intervals, if round ones hold enough rows.

    >>> from discreet.engines.open import open_source
    >>> from discreet.policy.proposing.proposals import proposals_of
    >>> bills = open_source({"cost": [f"{100 + i}.{i % 90 + 10}" for i in range(400)]})
    >>> [p.publish_as for p in with_coarser_values(proposals_of(bills.profile()), bills)]
    ['{intervals: [50], bottom: 150, top: 450}']
    """
    exact = [
        p.name
        for p in proposals
        if p.role == Role.SENSITIVE and p.decide and not p.block and p.name not in fixed
        if known_values(p.profile) <= _COUNTED
    ][:_COLUMNS]
    words = {name: _of_column(name, engine) for name in exact}
    return [_coarser(p, words[p.name]) if words.get(p.name) else p for p in proposals]


def _coarser(proposed: Proposal, words: str) -> Proposal:
    question = (
        f"{proposed.question.partition('; round the values')[0]}: are these intervals right for the readers? Other "
        "roles: quasi_identifier, or identifier to leave it out"
    )
    return replace(proposed, publish_as=words, question=question, why=f"{proposed.why}; published as intervals")


def _of_column(name: str, engine: Engine) -> str:
    """Intervals for all values of a column; nothing where they are no numbers, or no round ones suit them."""
    frequencies = engine.frequencies([name])
    parsed = [None if not value else parse(value) for value in frequencies.values[0]]
    if any(number is None and value for number, value in zip(parsed, frequencies.values[0], strict=True)):
        return ""
    known = np.array([number is not None for number in parsed])
    values = np.array([0.0 if number is None else float(number) for number in parsed])
    counts = np.bincount(frequencies.codes[0], weights=frequencies.counts, minlength=len(values)).astype(np.int64)
    return interval_words(values[known], counts[known]) if known.any() else ""


def interval_words(values: FloatArray, counts: IntArray) -> str:
    """Round intervals, each with enough rows, in YAML; nothing where there are none.

    Amounts that spread over orders of magnitude are cut at 1, 2, 5, 10, 20, …; others in equal widths, with open ends.

    >>> interval_words(np.array([3.0, 8.0, 30.0, 90.0, 400.0]), np.array([20, 20, 20, 20, 20]))
    '{cuts: [[5, 10, 50, 100]]}'
    """
    order = np.argsort(values)
    values, counts = values[order], counts[order]
    reached = np.cumsum(counts)
    low, high = (float(values[np.searchsorted(reached, share * reached[-1])]) for share in (_OUTER, 1 - _OUTER))
    if low > 0 and high / low > _UNEVEN:
        return _cuts(values, counts, low, high)
    width = next((step for step in _SERIES if step * 10 >= high - low), None)
    if width is None or high <= low:
        return ""
    for wider in (step for step in _SERIES if width <= step < high - low):
        bottom, top = (np.floor(low / wider) + 1) * wider, np.floor(high / wider) * wider
        ends = np.arange(bottom, top + wider / 2, wider)
        if len(ends) > 1 and _rows_between(values, counts, ends).min() >= _FEWEST:
            return f"{{intervals: [{_written(wider)}], bottom: {_written(bottom)}, top: {_written(top)}}}"
    return ""


def _cuts(values: FloatArray, counts: IntArray, low: float, high: float) -> str:
    cuts = [cut for cut in _SERIES if low <= cut <= high]
    kept: list[float] = []
    for cut in cuts:  # as long as what lies between two has rows enough
        since = kept[-1] if kept else -np.inf
        if counts[(values >= since) & (values < cut)].sum() >= _FEWEST:
            kept.append(cut)
    while kept and counts[values >= kept[-1]].sum() < _FEWEST:
        kept.pop()
    return f"{{cuts: [[{', '.join(map(_written, kept))}]]}}" if len(kept) > 1 else ""


def _rows_between(values: FloatArray, counts: IntArray, ends: FloatArray) -> IntArray:
    """How many rows lie below the first end, between each two, and from the last on."""
    return np.bincount(np.searchsorted(ends, values, side="right"), weights=counts, minlength=len(ends) + 1).astype(
        np.int64
    )


def _written(number: float) -> str:
    return f"{number:.6f}".rstrip("0").rstrip(".") if number != int(number) else f"{int(number)}"
