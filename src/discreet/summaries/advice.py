"""What a database should keep about a table, so that a summary needs no scan of it: statements, each with its cost.

A network uses one pair of columns less than there are columns: those that tell most about each other. A list of common
combinations that nobody asked for yet helps if its pair is one of them; which these are, a small sample of the table
tells well enough. (Lists themselves tell too little where they cover few rows.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from math import log2
from typing import Any

import numpy as np

from discreet.counts.structure import heaviest_tree, mutual_information
from discreet.engines.sql.quoting import name as quoted
from discreet.engines.statistics import ColumnStatistics, Statistics, Value
from discreet.hierarchies.build import build
from discreet.hierarchies.rules import Flat
from discreet.summaries.estimated import in_parts, table_in_parts
from discreet.summaries.statistics import by_chance, leaf_shares, pair_shares

ROWS_PER_VALUE = 300  # that ANALYZE samples for each value it may keep
LARGEST_TARGET = 10_000
DEFAULT_TARGET = 100
_SECONDS_PER_SORT = 1e-7  # measured: each column and each list sorts the sampled rows, n·log2(n) steps
_SECONDS_PER_PAGE = 5e-5  # a page at random from a disk of today
_BYTES_PER_ITEM = 20  # of a list, and about as many of a column's values
_ENOUGH = 0.9  # of the rows: a list that covers so many is good
_STALE = 0.1  # of the rows changed


@dataclass(frozen=True)
class ColumnKept:
    """What is kept of one column: so many common values, which cover a share of the rows; and how many others."""

    column: str
    common: int
    covered: float
    others: int
    entropy: float


@dataclass(frozen=True)
class PairKept:
    """What is known of two columns together: the share of the rows in listed combinations, if any are listed.

    `information` is what the one tells about the other, in nats, by a sample. `used`: a network would
    connect the two, if it knew.
    """

    columns: tuple[str, str]
    covered: float | None
    information: float
    used: bool


@dataclass(frozen=True)
class Suggestion:
    """Statements that would help, why, and what they cost: when ANALYZE runs next, and in the catalog."""

    statements: tuple[str, ...]
    why: str
    benefit: float
    rows_sampled: int
    pages_read: int
    seconds: float
    bytes: int


@dataclass(frozen=True)
class Advice:
    """What is kept about some columns of a table, and what should be; the most useful suggestion first."""

    statistics: Statistics
    columns: tuple[ColumnKept, ...]
    pairs: tuple[PairKept, ...]
    hidden: tuple[str, ...]  # lists that can't be read: by the owner of the table alone, and after an ANALYZE
    suggestions: tuple[Suggestion, ...]

    def to_json(self) -> dict[str, Any]:
        """One object for scripts."""
        s = self.statistics
        return {
            "table": s.table,
            "rows": s.rows,
            "pages": s.pages,
            "analyzed": s.analyzed,
            "rows_changed_since": s.changed,
            "rows_sampled": s.seen,
            "kept": not s.sampled,
            "columns": [asdict(c) for c in self.columns],
            "pairs": [asdict(p) for p in self.pairs],
            "hidden": list(self.hidden),
            "suggestions": [asdict(x) for x in self.suggestions],
        }


def advise(statistics: Statistics, columns: Sequence[str], drawn: Statistics) -> Advice:
    """What would help a summary of these columns, by what is kept of them and by a sample that was drawn."""
    kept = [
        ColumnKept(name, len(c.values), 1 - c.rest, c.others if c.rest else 0, _entropy(c))
        for name, c in ((name, statistics.columns[name]) for name in columns)
    ]
    listed = {} if statistics.sampled else _listed(statistics, columns)
    edges = list(combinations(range(len(columns)), 2))
    information = {(i, j): _information(drawn, columns[i], columns[j]) for i, j in edges}
    tree = heaviest_tree(information)
    pairs = [
        PairKept((columns[i], columns[j]), listed.get((columns[i], columns[j])), information[i, j], (i, j) in tree)
        for i, j in edges
    ]
    hidden = tuple(o.name for o in statistics.objects if o.covered is None)
    suggestions = sorted(_suggestions(statistics, kept, pairs), key=lambda s: -s.benefit)
    return Advice(statistics, tuple(kept), tuple(pairs), hidden, tuple(suggestions))


def _listed(statistics: Statistics, columns: Sequence[str]) -> dict[tuple[str, str], float]:
    """The pairs that combinations are listed of, and the share of the rows that these cover."""
    joints = {both: statistics.pair(*both) for both in combinations(columns, 2)}
    return {both: joint.covered for both, joint in joints.items() if joint is not None}


def _entropy(kept: ColumnStatistics) -> float:
    """What a column tells at all, in nats; its other values are taken to be equally common."""
    shares = kept.shares[kept.shares > 0]
    known = float(-(shares * np.log(shares)).sum())
    return known - kept.rest * float(np.log(kept.rest / max(kept.others, 1))) if kept.rest else known


def _information(statistics: Statistics, first: str, second: str) -> float:
    """How much two columns tell about each other, without what chance adds."""
    listed = statistics.pair(first, second)
    assert listed is not None
    both = (build(first, statistics.known(first), Flat()), build(second, statistics.known(second), Flat()))
    margins = leaf_shares(statistics, both[0]), leaf_shares(statistics, both[1])
    table = table_in_parts(pair_shares(statistics, listed, both, margins), *map(in_parts, margins))
    return max(mutual_information(table) - by_chance(statistics, listed), 0.0)


def _suggestions(s: Statistics, columns: Sequence[ColumnKept], pairs: Sequence[PairKept]) -> Iterator[Suggestion]:
    sorts = len(columns) + len(s.objects)  # what ANALYZE does with its sample anyway
    if s.sampled or s.changed > _STALE * s.rows:
        why = "nothing is kept about the table" if s.sampled else f"{s.changed:,} rows changed since the last ANALYZE"
        yield _costed(s, "", why, sum(c.entropy for c in columns), DEFAULT_TARGET, sorts)
    for c in columns:
        target = _target(c.common + c.others, s.targets.get(c.column, DEFAULT_TARGET))
        if c.others and c.covered < 1 - 1 / ROWS_PER_VALUE and target:
            statement = f"ALTER TABLE {s.table} ALTER COLUMN {quoted(c.column)} SET STATISTICS {target};"
            why = f"about {c.others:,} values of {c.column} are not kept, {1 - c.covered:.2%} of the rows have them"
            yield _costed(s, statement, why, (1 - c.covered) * c.entropy, target, sorts)
    for p in pairs:
        a, b = p.columns
        if any(o.covered is None and {a, b} <= set(o.columns) for o in s.objects):
            continue  # there is a list, which we can't read
        if p.used and p.covered is None:
            statement = f"CREATE STATISTICS {quoted(_name(a, b))} (mcv) ON {quoted(a)}, {quoted(b)} FROM {s.table};"
            yield _costed(s, statement, f"nothing is kept of {a} and {b} together", p.information, DEFAULT_TARGET, 1)
        elif p.used and p.covered is not None and p.covered < _ENOUGH:
            for statistic in (o for o in s.objects if set(o.columns) == {a, b}):
                target = min(10 * s.targets.get(a, DEFAULT_TARGET), LARGEST_TARGET)
                statement = f"ALTER STATISTICS {quoted(statistic.name)} SET STATISTICS {target};"
                why = f"the list of {a} and {b} covers {p.covered:.0%} of the rows"
                yield _costed(s, statement, why, (1 - p.covered) * p.information, target, sorts)


def _costed(s: Statistics, statement: str, why: str, benefit: float, target: int, sorts: int) -> Suggestion:
    """A suggestion with its cost: the sample is sorted once for every column and list that it concerns."""
    rows = min(ROWS_PER_VALUE * target, s.rows)
    pages = min(s.pages, rows)
    seconds = sorts * _SECONDS_PER_SORT * rows * log2(max(rows, 2)) + pages * _SECONDS_PER_PAGE
    statements = tuple(filter(None, (statement, f"ANALYZE {s.table};")))
    return Suggestion(statements, why, benefit, rows, pages, round(seconds, 2), _BYTES_PER_ITEM * target)


def _target(values: int, target: int) -> int:
    """A round number that lets so many values be kept, larger than what is kept now; 0 if there is none."""
    return next((t for t in (200, 500, 1000, 2000, 5000, LARGEST_TARGET) if t >= values and t > target), 0)


def _name(first: Value, second: Value) -> str:
    """A name for a list; PostgreSQL's have 63 bytes at most."""
    return f"discreet_{first}_{second}".encode()[:63].decode(errors="ignore")
