"""What a summary needs of a table, in one scan: counts of single values and of pairs, or a sample of the rows.

Engines with streams of their own count pairs from the rows; all others are asked in SQL.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from discreet.engines.arrow import numbered_texts, to_numpy, truths
from discreet.engines.base import LARGEST_PAIR, Frequencies, PairCounts, SampledRows

if TYPE_CHECKING:
    from discreet.engines.sql.engine import SqlEngine

# The rows of a table, batch by batch, as numbers of values that become known on the way: see `DuckDB.rows`.
StreamedRows = Callable[[Sequence[str], Sequence[dict[str | None, int]]], Iterator[list[Any]]]


def pair_counts(rows: StreamedRows, columns: Sequence[str]) -> PairCounts:
    """Count the values of all columns, and the pairs of values of every two of them: one scan.

    The rows are streamed once, as numbers. (With GROUPING SETS, DuckDB keeps a copy of the whole table to count each
    set from, and takes more than twice as long.)
    """
    known: list[dict[str | None, int]] = [{} for _ in columns]
    singles = [np.zeros(0, dtype=np.int64) for _ in columns]
    pairs = {both: np.zeros((0, 0), dtype=np.int64) for both in combinations(range(len(columns)), 2)}
    for batch in rows(columns, known):
        sizes = [len(place) for place in known]
        singles = [_grown(old, codes, size) for old, codes, size in zip(singles, batch, sizes, strict=True)]
        for i, j in list(pairs):
            if sizes[i] * sizes[j] > LARGEST_PAIR:
                del pairs[i, j]
            else:
                pairs[i, j] = _with(pairs[i, j], batch[i], batch[j], (sizes[i], sizes[j]))
    return PairCounts(tuple(columns), tuple(tuple(place) for place in known), tuple(singles), pairs)


def _with(before: NDArray[np.int64], first: Any, second: Any, shape: tuple[int, int]) -> NDArray[np.int64]:
    """A table of pair counts, grown to its new shape, with more rows."""
    key = first.astype(np.int64) * shape[1] + second
    counted = np.bincount(key, minlength=shape[0] * shape[1]).astype(np.int64).reshape(shape)
    counted[: before.shape[0], : before.shape[1]] += before
    return counted


def _grown(before: NDArray[np.int64], codes: Any, size: int) -> NDArray[np.int64]:
    """Counts of single values, with more values and more rows."""
    counted = np.bincount(codes, minlength=size).astype(np.int64)
    counted[: len(before)] += before
    return counted


def asked_pair_counts(engine: SqlEngine, columns: Sequence[str]) -> PairCounts:
    """The same in SQL: distinct combinations are counted first, since there are far fewer of them than rows."""
    keys = [f"c{i}" for i in range(len(columns))]
    together = list(combinations(range(len(columns)), 2))
    sets = ", ".join([*(f"(c{i})" for i in range(len(columns))), *(f"(c{i}, c{j})" for i, j in together)])
    written = [engine._written(key, column) for key, column in zip(keys, columns, strict=True)]
    first, last = (_case(f"sets.{column}", written) for column in ("a", "b"))
    # Sets of two columns with too many values are counted, but stay where they are.
    query = f"""
        WITH counted AS ({engine._counted(columns)}),
        sets AS (SELECT {grouped_set(keys)} AS a, {grouped_set(keys[::-1], -1)} AS b, {", ".join(keys)},
            CAST(sum(n) AS BIGINT) AS n FROM counted GROUP BY GROUPING SETS ({sets})),
        sizes AS (SELECT a, count(*) AS d FROM sets WHERE a = b GROUP BY a)
        SELECT sets.a, sets.b, {first} AS v, {last} AS w, sets.n FROM sets
        JOIN sizes AS x ON x.a = sets.a JOIN sizes AS y ON y.a = sets.b
        WHERE sets.a = sets.b OR x.d * y.d <= {LARGEST_PAIR}"""
    known: list[dict[str | None, int]] = [{} for _ in columns]
    parts: dict[tuple[int, int], list[tuple[Any, Any, Any]]] = {}
    for batch in engine._asked(query):
        a, b, n = (to_numpy(batch.column(i)).astype(np.int64) for i in (0, 1, 4))
        for i, j in {*zip(a.tolist(), b.tolist(), strict=True)}:
            chosen = (a == i) & (b == j)
            codes = [numbered_texts(batch.column(c).filter(truths(chosen)), known[k]) for c, k in ((2, i), (3, j))]
            parts.setdefault((i, j), []).append((*codes, n[chosen]))
    sizes = [len(place) for place in known]
    singles = [np.zeros(size, dtype=np.int64) for size in sizes]
    pairs = {(i, j): np.zeros((sizes[i], sizes[j]), dtype=np.int64) for i, j in together if _small(sizes[i], sizes[j])}
    for (i, j), counted in parts.items():
        for first_codes, last_codes, n in counted:
            if i == j:
                singles[i][first_codes] = n
            else:
                pairs[i, j][first_codes, last_codes] = n
    return PairCounts(tuple(columns), engine._values(columns, known), tuple(singles), pairs)


def _small(first: int, last: int) -> bool:
    return first * last <= LARGEST_PAIR


def grouped_set(keys: Sequence[str], step: int = 1) -> str:
    """SQL: the number of the first of these columns that a set of a grouping has."""
    numbered = zip(keys, range(len(keys))[::step], strict=True)
    return f"CASE {' '.join(f'WHEN grouping({key}) = 0 THEN {i}' for key, i in numbered)} END"


def _case(number: str, values: Sequence[str]) -> str:
    """SQL: the value with a number."""
    return f"CASE {number} {' '.join(f'WHEN {i} THEN {value}' for i, value in enumerate(values))} END"


def asked_sample(engine: SqlEngine, columns: Sequence[str], rows: int, seed: int | None) -> SampledRows:
    """Some rows, each set of them equally likely (all, if there are fewer): one scan.

    Every row draws a lot, which is told by the seed, its values and, among equal rows, its number; the smallest win. So
    a seed chooses the same rows on every engine, and the order of the table does not matter.
    """
    seed = secrets.randbits(64) if seed is None else seed
    keys = [f"c{i}" for i in range(len(columns))]
    listed, sets = ", ".join(keys), ", ".join(f"({key})" for key in keys)
    written = [f"{engine._written(key, column)} AS {key}" for key, column in zip(keys, columns, strict=True)]
    value = f"CASE {' '.join(f'WHEN grouping({key}) = 0 THEN {key}' for key in keys)} END"
    nothing = "".join(f", CAST(NULL AS {engine.text_type})" for _ in keys[1:])
    lot = engine._lot(seed, [*keys, f"CAST(j AS {engine.text_type})"])
    query = f"""
        WITH told AS (SELECT {", ".join(written)}, n FROM ({engine._counted(columns)}) AS counted),
        drawn AS (SELECT {listed}, {engine._one_to("n")} AS j FROM told),
        chosen AS (SELECT {listed} FROM (SELECT {listed}, {lot} AS lot FROM drawn) AS lots ORDER BY lot LIMIT {rows})
        SELECT {grouped_set(keys)} AS a, {value}{nothing}, CAST(sum(n) AS BIGINT) AS n
            FROM told GROUP BY GROUPING SETS ({sets})
        UNION ALL SELECT -1, {listed}, count(*) FROM chosen GROUP BY {listed}"""
    known: list[dict[str | None, int]] = [{} for _ in columns]
    counted: list[dict[int, int]] = [{} for _ in columns]
    codes: list[list[Any]] = [[np.empty(0, dtype=np.int32)] for _ in columns]
    counts = [np.empty(0, dtype=np.int64)]
    for batch in engine._asked(query):
        about, n = (to_numpy(batch.column(i)).astype(np.int64) for i in (0, len(columns) + 1))
        for i, place in enumerate(known):
            single = numbered_texts(batch.column(1).filter(truths(about == i)), place)
            counted[i].update(zip(single.tolist(), n[about == i].tolist(), strict=True))
            codes[i].append(numbered_texts(batch.column(i + 1).filter(truths(about == -1)), place))
        counts.append(n[about == -1])
    singles = tuple(np.array([of[i] for i in range(len(of))], dtype=np.int64) for of in counted)
    frequencies = Frequencies(engine._values(columns, known), tuple(map(np.concatenate, codes)), np.concatenate(counts))
    return SampledRows(frequencies, singles)
