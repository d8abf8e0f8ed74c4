"""Small releases, as adversaries who hold two of them see each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

import numpy as np

from discreet.audit.kinds.registry import GENERALIZED
from discreet.audit.reading.exact_tables import Population
from discreet.audit.reading.labels import Label
from discreet.audit.reading.view import Region, ReleaseView, Tally
from discreet.engines.base import Frequencies

VALUES = ("flu", "cold", "gout", None)


def tally(groups: Sequence[Sequence[Hashable]], attribute: str = "disease") -> Tally:
    entries = [(g, VALUES.index(v), n) for g, of in enumerate(groups) for v, n in Counter(of).items()]  # type: ignore[arg-type]
    group, value, count = np.array(sorted(entries), dtype=np.int64).reshape(-1, 3).T
    return Tally(attribute, VALUES, group, value, count)


def release(groups: Sequence[tuple[Label, Sequence[Hashable]]]) -> ReleaseView:
    """A generalized release with one quasi-identifier: the label of each group, and its values."""
    values = [v for _, v in groups]
    sizes = np.array([len(v) for v in values], dtype=np.int64)
    region = Region("age", tuple(label for label, _ in groups), np.arange(len(groups), dtype=np.int64))
    return ReleaseView(GENERALIZED, ("age",), sizes, (tally(values),), (region,), first_line=np.arange(len(groups)) + 2)


def people(ages: Sequence[int]) -> Population:
    counted = Counter(str(age) for age in ages)
    codes = (np.arange(len(counted), dtype=np.int32),)
    return Population(("age",), Frequencies((tuple(counted),), codes, np.array([*counted.values()], dtype=np.int64)))
