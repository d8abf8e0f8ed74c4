"""The custodian's figures about the source of a release: what it lost, how it was found. They are not for publication.

A loss is counted over the source's own values, the facts of a search depend on rows that were left out, and what a
robust release reaches follows from the original table. Each of these is a statement about the source beyond what is
published of it, so they are kept in a folder of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from discreet.models.verdicts import Verdict
from discreet.releases.manifest import finite, reached
from discreet.search.plan import SUPPRESSED, Plan
from discreet.utility.metrics import arithmetic_loss, geometric_loss

FIGURES = "figures.json"
WARNING = "not for publication: figures about the original table that the release does not tell"


def private_folder(folder: Path) -> Path:
    """Where the custodian's folder is, if nobody says otherwise: beside the release.

    >>> private_folder(Path("study/release")).as_posix()
    'study/release.private'
    """
    folder = folder if folder.name else folder.resolve()
    return folder.with_name(f"{folder.name}.private")


def people_figures(plan: Plan) -> dict[str, int] | None:
    """How many people the source has, how many of them have a row that is published, and the most rows of one person.

    None where a person has one row, as far as anybody said: then these are the figures of rows.
    """
    owners = plan.frequency.owners
    if owners is None:
        return None
    published = np.zeros(len(plan.frequency.counts), dtype=np.bool_)
    published[plan.row[plan.group != SUPPRESSED]] = True
    shown = np.zeros(int(owners.person.max(initial=-1)) + 1, dtype=np.bool_)
    shown[owners.person[published[owners.row]]] = True
    return {
        "source": owners.people,
        "published": int(np.count_nonzero(shown)),
        "most_rows": int(owners.rows.max(initial=0)),
    }


def figures(
    plan: Plan, verdicts: Sequence[Verdict], *, scans: int, seconds: Mapping[str, float], notes: Sequence[str]
) -> dict[str, Any]:
    """What is known of the source and of the search, beside what was reached of each promise."""
    losses = plan.losses.tolist()
    return {
        "about": WARNING,
        "people": people_figures(plan),
        "loss": arithmetic_loss(losses),
        "loss_geometric": geometric_loss(losses),
        "losses": dict(zip(plan.frequency.attributes, losses, strict=True)),
        "node": None if plan.node is None else dict(zip(plan.frequency.attributes, plan.node, strict=True)),
        "promises": reached(verdicts),
        "facts": {name: finite(x) if isinstance(x, float) else x for name, x in plan.facts.items()},
        "scans": scans,
        "seconds": dict(seconds),
        "notes": list(notes),
    }
