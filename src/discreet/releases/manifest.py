"""The manifest: what is promised, what was reached, and how, in words that people and programs read."""

from __future__ import annotations

import hashlib
import json
import math
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

from discreet.models.verdicts import Verdict
from discreet.search.plan import Plan
from discreet.utility.metrics import arithmetic_loss, geometric_loss
from discreet.utility.objectives import OBJECTIVES, Outcome


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


def checksum(manifest: Mapping[str, Any]) -> str:
    """Fingerprint of all that a manifest says, but for the fingerprint itself; its layout makes no difference.

    >>> checksum({"rows": 5, "checksum": "x"}) == checksum({"rows": 5}) != checksum({"rows": 6})
    True
    """
    said = {name: value for name, value in manifest.items() if name != "checksum"}
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def versions() -> dict[str, str]:
    """What computed the release."""
    packages = ("discreet", "duckdb", "numpy", "numba", "pyarrow")
    return {"python": platform.python_version()} | {p: version(p) for p in packages}


def finite(x: float) -> float | None:
    """JSON has no infinity."""
    return x if math.isfinite(x) else None
