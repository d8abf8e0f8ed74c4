"""m-invariance, read a second time: as far as one release shows it (Xiao & Tao 2007).

Every group has at least m values, each equally often. Whether people keep their signatures from release to release is
asked of all releases together (`audit/association/signatures.py`).
"""

from __future__ import annotations

import numpy as np

from discreet.audit.lines import AT_LEAST, Level
from discreet.audit.promises.level import exact, level, promised_sums
from discreet.audit.promises.limits import Limits
from discreet.audit.promises.parameters import number
from discreet.audit.promises.registry import Beside, Reading
from discreet.audit.reading.view import Promise, ReleaseView


def levels(promise: Promise, view: ReleaseView, beside: Beside) -> list[Level]:
    """The fewest values in a group; one in which they are not equally frequent is as bad as one value."""
    m = exact(promise.parameters["m"])
    judged = []
    for summed in promised_sums(promise, view):
        reached = np.where(summed.distinct * summed.largest == summed.total, summed.distinct, 1)
        figure = "values in a group, all equally frequent"
        judged.append(
            level(
                view, promise.model, summed.tally.attribute, figure, AT_LEAST, m, reached.astype(np.float64),
                np.arange(len(reached)), [reached], lambda n: n >= m,
            )
        )  # fmt: skip
    return judged


def limits(promise: Promise) -> Limits:
    """No value above 1/m. What the search would have refused besides can't be said in numbers."""
    return Limits(share=1 / exact(promise.parameters["m"]), several_values=True)


READING = Reading("m_invariance", "m-invariance", {"m": number()}, levels, limits=limits)
