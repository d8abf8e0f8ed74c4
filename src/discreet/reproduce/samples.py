"""A few of a table's rows, drawn at random."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from discreet.counts.frequency import FrequencySet


def sample(frequency: FrequencySet, rows: int | None, seed: int = 7) -> FrequencySet:
    """`rows` rows of the table, without replacement; all of it where it has no more, or where None is asked for."""
    if rows is None or rows >= frequency.rows:
        return frequency
    random = np.random.default_rng(seed)
    counts = random.multivariate_hypergeometric(frequency.counts, rows, method="marginals")
    kept = np.flatnonzero(counts)
    return replace(
        frequency,
        codes=tuple(codes[kept] for codes in frequency.codes),
        sensitive={name: codes[kept] for name, codes in frequency.sensitive.items()},
        counts=counts[kept],
    )
