"""A table of patients, and policies for every kind of release."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

_DISEASES = ["flu", "gout", "", None, "grippe, \"la\"", "ulcère", "ulce\u0300re"]  # fmt: skip
_NAMES = ["Ann", "O'Neil", 'the "boss"', "Zoë", "Zoe\u0308", "😀", "semi;colon", "back\\slash", "two\nlines", "", None]


def clinic(rows: int = 300, seed: int = 8) -> pa.Table:
    """Patients: whole numbers, days, text, and columns that are published as they are, of every type."""
    random = np.random.default_rng(seed)
    ages = random.integers(20, 60, rows)
    start = datetime.date(2020, 1, 1)
    columns = {
        "person": pa.array([f"{_NAMES[i % len(_NAMES)]} {i}" for i in range(rows)]),
        "age": pa.array(ages, pa.int64()),
        "zip code": pa.array([f"{z:05d}" for z in 10_000 + 7 * random.integers(0, 12, rows)]),
        "admitted": pa.array([start + datetime.timedelta(days=int(d)) for d in random.integers(0, 300, rows)]),
        "sex": pa.array([("f", "m", None)[i] for i in random.choice(3, rows, p=[0.48, 0.48, 0.04])]),
        "disease": pa.array([_DISEASES[i] for i in (ages // 7 + random.integers(0, 5, rows)) % len(_DISEASES)]),
        "cost": pa.array([Decimal(int(c)).scaleb(-2) for c in random.integers(0, 50, rows)], pa.decimal128(12, 2)),
        "weight": pa.array([(0.0, -0.0, float("nan"), None, 1e16, 70.5)[i] for i in random.integers(0, 6, rows)]),
        "seen": pa.array(
            [datetime.datetime(2020, 1, 1, h, tzinfo=datetime.UTC) for h in random.integers(0, 3, rows).tolist()],
            pa.timestamp("us", "UTC"),
        ),
        "number": pa.array([2**63 - 1 - i % 5 for i in range(rows)], pa.int64()),
        'a "note"; ': pa.array([_NAMES[i % len(_NAMES)] for i in range(rows)]),
    }
    return pa.table(columns)


OTHERS = ("cost", "weight", "seen", "number", 'a "note"; ')

_ATTRIBUTES: dict[str, dict[str, Any]] = {
    "person": {"role": "identifier"},
    "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [5, 10, 20, 40]}},
    "zip code": {"role": "quasi_identifier", "hierarchy": {"prefixes": [4, 3]}},
    "admitted": {"role": "quasi_identifier", "hierarchy": {"dates": ["month", "quarter", "year"]}},
    "sex": {"role": "quasi_identifier", "hierarchy": {"flat": True}},
    "disease": {"role": "sensitive"},
}


# What columns of every type may be published as: decimals, moments, whole numbers, texts with strange signs.
_COARSER: dict[str, dict[str, Any]] = {
    "disease": {"role": "sensitive", "publish_as": {"prefixes": [1]}},
    "cost": {"role": "other", "publish_as": {"intervals": [0.1]}},
    "seen": {"role": "other", "publish_as": {"dates": ["day"]}},
    "number": {"role": "other", "publish_as": {"cuts": [[9223372036854775805]], "decimals": False}},
    'a "note"; ': {"role": "other", "publish_as": {"prefixes": [2]}},
}


def words(
    *, others: bool = False, without: tuple[str, ...] = (), coarser: tuple[str, ...] = (), **more: Any
) -> dict[str, Any]:
    """A policy for the clinic's table."""
    attributes = {name: about for name, about in _ATTRIBUTES.items() if name not in without}
    if others:
        attributes |= {name: {"role": "other"} for name in OTHERS}
    attributes |= {name: _COARSER[name] for name in coarser}
    return {"attributes": attributes, "require": [{"k_anonymity": {"k": 4}}], "seed": 17, **more}


_DIVERSE = [{"k_anonymity": {"k": 3}}, {"l_diversity": {"l": 2}}]
_ROBUST = [{"robust": {"r": 2, "min_support": 20}}]
_AMBIGUOUS = [{"ambiguity": {"alpha": 0.9, "beta": 0.9}}]

POLICIES: dict[str, dict[str, Any]] = {
    "generalization": words(suppress=0.1),
    "generalization, stars": words(suppress=0.1, suppressed="star"),
    "generalization and others": words(others=True, suppress=0.1),
    "generalization and others, stars": words(others=True, suppress=0.1, suppressed="star"),
    "instant, network": words(search="instant", summary="network", suppress=0.05),
    "instant, sample": words(search="instant", summary="sample", suppress=0.05),
    "instant, histogram": words(search="instant", summary="histogram", suppress=0.05),
    "incognito": words(search="incognito", without=("admitted",), suppress=0.05),
    "multidimensional": words(publish="multidimensional", require=_DIVERSE),
    "multidimensional and others": words(publish="multidimensional", others=True, require=_DIVERSE),
    "local recoding": words(publish="local_recoding", without=("admitted",), require=_DIVERSE),
    "local recoding and others": words(publish="local_recoding", others=True, without=("admitted",), require=_DIVERSE),
    "anatomy": words(publish="bucketization", search="anatomy", require=[{"l_diversity": {"l": 3}}], suppress=0.05),
    "anatomy and others": words(
        publish="bucketization", search="anatomy", others=True, require=[{"l_diversity": {"l": 3}}], suppress=0.05
    ),
    "art": words(publish="bucketization", search="art", require=_ROBUST, suppress=0.3),
    "injector": words(publish="bucketization", search="injector", require=[{"l_diversity": {"l": 2}}], suppress=0.3),
    "mask": words(publish="bucketization", search="mask", require=_DIVERSE, suppress=0.3),
    "ambiguity": words(publish="ambiguity", require=_AMBIGUOUS, suppress=0.3),
    "coarser, generalization": words(others=True, coarser=tuple(_COARSER), require=_DIVERSE, suppress=0.2),
    "coarser, stars": words(coarser=tuple(_COARSER), suppress=0.1, suppressed="star"),
    "coarser, instant": words(search="instant", summary="network", coarser=("disease",), suppress=0.05),
    "coarser, multidimensional": words(publish="multidimensional", coarser=("disease",), require=_DIVERSE),
    "coarser, local recoding": words(
        publish="local_recoding", without=("admitted",), coarser=("disease", "cost"), require=_DIVERSE
    ),
    "coarser, anatomy": words(
        publish="bucketization", coarser=tuple(_COARSER), require=[{"l_diversity": {"l": 2}}], suppress=0.3
    ),
    "coarser, ambiguity": words(publish="ambiguity", coarser=("disease",), require=_AMBIGUOUS, suppress=0.3),
}
