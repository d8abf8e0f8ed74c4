"""How an audit reads the outsider's promise: by code of its own, from the published files."""

from __future__ import annotations

import numpy as np

from discreet.audit.lines import AT_MOST, Level
from discreet.audit.promises.level import exact, level, promised_sums
from discreet.audit.promises.parameters import number
from discreet.audit.promises.registry import Beside, Reading
from discreet.audit.reading.view import Promise, ReleaseView


def levels(promise: Promise, view: ReleaseView, beside: Beside) -> list[Level]:
    """How many rows of a group have the same value."""
    most, groups = exact(promise.parameters["rows"]), np.arange(len(view.sizes))
    return [
        level(
            view,
            promise.model,
            summed.tally.attribute,
            "rows of a value in a group",
            AT_MOST,
            most,
            summed.largest.astype(np.float64),
            groups,
            [summed.largest],
            lambda rows: rows <= most,
        )
        for summed in promised_sums(promise, view)
    ]


READING = Reading("at_most", "at most so many rows of a value", {"rows": number()}, levels)
