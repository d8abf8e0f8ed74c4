"""The manifest: what is promised, what was reached, and how, in words that people and programs read."""

from __future__ import annotations

import hashlib
import json
import math
import platform
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import version
from typing import Any

from discreet.arrays import IntArray
from discreet.labels.whose import Whose
from discreet.models.base import PrivacyModel, needs_source
from discreet.models.by_people import among_people
from discreet.models.verdicts import Verdict
from discreet.utility.objectives import OBJECTIVES, Outcome


def measures(sizes: IntArray, suppressed: int) -> dict[str, Any]:
    """How large the groups are, in two measures that anybody can compute from the release."""
    outcome = Outcome([], 0, sizes, suppressed, int(sizes.sum()) + suppressed)
    return {
        "discernibility": OBJECTIVES["discernibility"].score(outcome),
        "average_group": finite(OBJECTIVES["average_group"].score(outcome)),
    }


def told(model: PrivacyModel, whose: Whose) -> bool:
    """May a release tell what its groups reach? Not where that says how many people there are, whose rows are named."""
    return not needs_source(model) and not (whose is Whose.NAMED and among_people(model))


def promises(verdicts: Sequence[Verdict], whose: Whose) -> list[dict[str, Any]]:
    """Each promise with its verdict, as a release tells it: what was reached only where its files show it, too.

    What a robust or a confident release reaches follows from the original table. Told, it would be a statement about
    the table beyond what is published of it. So would everybody's chance of being in a table whose rows are those of
    fewer people, which nothing else in a release tells.
    """
    return [
        entry | ({} if told(v.model, whose) else {"level": None, "deciding_group": None})
        for v, entry in zip(verdicts, reached(verdicts), strict=True)
    ]


def reached(verdicts: Sequence[Verdict]) -> list[dict[str, Any]]:
    """Each promise with its verdict and all that is known of it, for whoever has the original table."""
    return [
        {
            "model": v.model.to_words(),
            "promise": v.model.describe(),
            "holds": v.holds,
            "level": finite(v.level),
            "required": v.model.require(),
            "deciding_group": v.deciding_group,
        }
        for v in verdicts
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
    return {"python": platform.python_version()} | {p: _version(p) for p in packages}


@cache
def _version(package: str) -> str:
    """It is read from a file, so once in a process."""
    return version(package)


def finite(x: float) -> float | None:
    """JSON has no infinity."""
    return x if math.isfinite(x) else None
