"""The manifest: what is promised, what was reached, and how, in words that people and programs read."""

from __future__ import annotations

import math
import platform
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

from discreet.counts.frequency import FrequencySet
from discreet.hierarchies.hierarchy import Value
from discreet.models.base import PrivacyModel
from discreet.models.verdicts import Verdict, verdicts
from discreet.releases.verify import Published, Reference
from discreet.search.plan import Plan
from discreet.utility.objectives import OBJECTIVES, Outcome, arithmetic_loss, geometric_loss


def measures(plan: Plan) -> dict[str, Any]:
    """What the release costs, in every measure."""
    losses = plan.losses.tolist()
    sizes = plan.groups.sizes
    outcome = Outcome(losses, sum(plan.node or ()), sizes, plan.suppressed, plan.frequency.rows)
    return {
        "loss": arithmetic_loss(losses),
        "loss_geometric": geometric_loss(losses),
        "losses": dict(zip(plan.frequency.attributes, losses, strict=True)),
        "discernibility": OBJECTIVES["discernibility"].score(outcome),
        "average_group": finite(OBJECTIVES["average_group"].score(outcome)),
    }


def promises(found: Sequence[Verdict]) -> list[dict[str, Any]]:
    """Each promise with its verdict."""
    return [
        {
            "model": v.model.to_words(),
            "promise": v.model.describe(),
            "holds": v.holds,
            "level": finite(v.level),
            "required": v.model.require(),
            "deciding_group": v.deciding_group,
        }
        for v in found
    ]


def references(
    published: Published, frequency: FrequencySet, models: Sequence[PrivacyModel], hierarchies: Mapping[str, object]
) -> dict[str, Any]:
    """What a re-check compares each sensitive attribute with, as little of the whole table as it takes.

    Promises like t-closeness compare with the whole table, suppressed rows included. Its exact counts would give the
    suppressed rows' values away as a difference. So the release's own distribution is taken where the promises hold
    against it too, else the table's shares rounded to as few digits as they hold against.
    """
    chosen: dict[str, Any] = {}
    for name in published.sensitive:
        own = tuple(m for m in models if m.attribute == name)
        for candidate in _candidates(frequency, name):
            groups = published.judged(own, hierarchies, {name: candidate})
            if all(v.holds for v in verdicts(own, groups)):
                chosen[name] = "published" if candidate is None else [[v, n] for v, n in candidate.items()]
                break
        else:  # cannot be published: the re-check will say which promise is broken
            chosen[name] = "published"
    return chosen


def _candidates(frequency: FrequencySet, name: str) -> Iterator[Reference]:
    yield None
    leaves, counts = frequency.sensitive_hierarchies[name].leaves, frequency.totals[name]
    for digits in range(2, 7):
        rounded = np.rint(counts / counts.sum() * 10**digits).astype(np.int64)
        yield _weights(leaves, rounded.tolist())
    yield _weights(leaves, counts.tolist())


def _weights(leaves: Sequence[Value], weights: Sequence[int]) -> dict[Value, int]:
    return {v: n for v, n in zip(leaves, weights, strict=True) if n}


def versions() -> dict[str, str]:
    """What computed the release."""
    packages = ("discreet", "duckdb", "numpy", "numba", "pyarrow")
    return {"python": platform.python_version()} | {p: version(p) for p in packages}


def finite(x: float) -> float | None:
    """JSON has no infinity."""
    return x if math.isfinite(x) else None
