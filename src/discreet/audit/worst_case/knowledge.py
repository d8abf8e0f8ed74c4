"""What an adversary knows beforehand: how frequent each sensitive value is among people of every signature.

A signature is a combination of values of some quasi-identifiers. She may know the table's own distribution (counted in
the source table), one that somebody wrote down, or only what the release itself lets her read out of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import lcm
from typing import Any

import numpy as np

from discreet.arrays import Codes, IntArray
from discreet.audit.reading.source import open_beside
from discreet.audit.reading.tallies import Whole
from discreet.audit.reading.view import ReleaseView, Tally
from discreet.engines.base import Frequencies
from discreet.errors import DataError, Mistake, did_you_mean
from discreet.files.numbers import exact_number

MIN_SUPPORT = 30  # of rarer people she knows what is true of anybody
_ALL_SETS, _LARGE_SETS = 5, 3  # all sets of up to five quasi-identifiers; of more, those of up to three and all of them
_CHANCE = "p"
_DENSE = 1 << 22  # combinations that are numbered with gaps

Row = tuple[Mapping[str, str | None], str | None, Fraction]


@dataclass(frozen=True, eq=False)
class Counted:
    """A table of people: distinct combinations of quasi-identifiers and one sensitive attribute (the last column)."""

    columns: tuple[str, ...]
    frequencies: Frequencies


@dataclass(frozen=True)
class Listed:
    """Shares that are written down: ({"nation": "Japanese"}, "heart", 0.003).

    What the values listed for a signature leave of 1 is shared among the others as in the table.
    """

    rows: tuple[Row, ...]


Knowledge = Counted | Listed


@dataclass(frozen=True, eq=False)
class People:
    """The people of a release whose quasi-identifiers are seen: distinct combinations within groups, and how many."""

    columns: tuple[str, ...]
    values: tuple[tuple[str | None, ...], ...]
    codes: tuple[IntArray, ...]
    group: IntArray
    many: IntArray


@dataclass(frozen=True, eq=False)
class Known:
    """What she knows by one set of attributes.

    The i-th people have value v with chance ``weight[row[i], v] / support[row[i]]``: whole numbers, but where she has
    them from estimates. Row 0 is anybody.
    """

    columns: tuple[str, ...]
    row: IntArray
    weight: Any
    support: Any


def read_knowledges(source: Any, view: ReleaseView) -> dict[str, Knowledge]:
    """What she knows of each sensitive attribute of a release; a table of shares may be about some of them only."""
    there = open_beside(source, view.quasi_identifiers).columns
    about = [tally.attribute for tally in view.tallies]
    shares = _CHANCE in there and not _is_a_column(view)
    return {a: read_knowledge(source, view, a) for a in about if a in there or not shares}


def read_knowledge(source: Any, view: ReleaseView, attribute: str) -> Knowledge:
    """The source table (a path or a frame), or a table of shares: with a column p that is no column of the table."""
    names = [*view.quasi_identifiers, attribute]
    engine = open_beside(source, names)
    lacking = [c for c in names if c not in engine.columns]
    if _CHANCE in engine.columns and not _is_a_column(view) and attribute in engine.columns:
        listed = engine.frequencies([c for c in [*names, _CHANCE] if c in engine.columns])
        return _listed(listed.by_text(), names, engine.columns)
    if lacking:
        mistakes = (Mistake("knowledge", f"has no column {c!r}", did_you_mean(c, engine.columns)) for c in lacking)
        raise DataError(*mistakes)
    return Counted(view.quasi_identifiers, engine.frequencies(names).by_text())


def _is_a_column(view: ReleaseView) -> bool:
    """Is p a column of the table itself, published or not, and no chance?"""
    roles = view.manifest.get("roles")
    about = (tally.attribute for tally in view.tallies)
    return _CHANCE in (*view.quasi_identifiers, *about, *(roles if isinstance(roles, Mapping) else ()))


def _listed(frequencies: Frequencies, names: Sequence[str], there: Sequence[str]) -> Listed:
    """Rows of shares; a quasi-identifier that is left empty is not in the row's signature."""
    *about, attribute = [c for c in names if c in there]
    pairs = zip(frequencies.values, frequencies.codes, strict=True)
    columns = [[values[code] for code in codes] for values, codes in pairs]
    rows: list[Row] = []
    for *cells, value, chance in zip(*columns, strict=True):
        share = exact_number(chance)
        if share is None or not 0 <= share <= 1:
            rule = "has a chance that is not a number between 0 and 1"
            raise DataError(Mistake(f"knowledge.{_CHANCE}", rule, "write shares like 0.05"))
        signature = {c: cell for c, cell in zip(about, cells, strict=True) if cell is not None}
        rows.append((signature, value, share))
    assert attribute
    return Listed(tuple(rows))


def listed_in_words(words: Sequence[Any]) -> Listed:
    """Shares as a manifest writes them: [[{nation: Japanese}, heart, 0.003], …]."""
    return Listed(tuple((dict(signature), value, Fraction(str(p))) for signature, value, p in words))


def attribute_sets(names: Sequence[str]) -> list[tuple[str, ...]]:
    """The sets of quasi-identifiers she looks at: all of up to five; of more, those of up to three and all together.

    >>> len(attribute_sets("abcde")), len(attribute_sets("abcdef"))
    (31, 42)
    """
    largest = len(names) if len(names) <= _ALL_SETS else _LARGE_SETS
    sets = [chosen for size in range(1, largest + 1) for chosen in combinations(names, size)]
    return sets if largest == len(names) else [*sets, tuple(names)]


def domain(knowledge: Knowledge, tally: Tally) -> tuple[str | None, ...]:
    """The values of the sensitive attribute: those that are published, then others that she knows of."""
    others = (
        knowledge.frequencies.values[-1]
        if isinstance(knowledge, Counted)
        else [value for _, value, _ in knowledge.rows]
    )
    return (*tally.values, *dict.fromkeys(value for value in others if value not in tally.values))


def known_by_sets(
    knowledge: Knowledge, people: People, tally: Tally, whole: Whole, sets: Sequence[Sequence[str]], min_support: int
) -> Iterator[Known]:
    """What she knows of these people by each set of attributes; sets by which she knows nothing are left out.

    Of shares that are written down, the sets are those that are listed.
    """
    if isinstance(knowledge, Listed):
        yield from _by_list(knowledge, people, tally, whole)
        return
    values = domain(knowledge, tally)
    place = {value: i for i, value in enumerate(values)}
    value = np.array([place[v] for v in knowledge.frequencies.values[-1]], dtype=np.int64)[
        knowledge.frequencies.codes[-1]
    ]
    from discreet.audit.worst_case.knowledge_kernels import counted  # late: loads numba

    counts = knowledge.frequencies.counts
    numbers = counts.astype(np.float64)
    own = [codes.astype(np.int32) for codes in knowledge.frequencies.codes[:-1]]
    sizes = [len(there) for there in knowledge.frequencies.values]
    theirs = [_recoded(v, people, c) for c, v in zip(knowledge.columns, knowledge.frequencies.values, strict=False)]
    for columns in sets:
        at = [knowledge.columns.index(c) for c in columns]
        key, person, span = _keys([own[i] for i in at], [theirs[i] for i in at], [sizes[i] for i in at])
        row, weight, support = counted(key, person, span, numbers, value, len(values), min_support)
        if len(support) > 1:
            support[0] = counts.sum()
            yield Known(tuple(columns), row, weight.astype(counts.dtype), support.astype(counts.dtype))


def _recoded(values: Sequence[str | None], people: People, column: str) -> Codes:
    """The people's values of a column as places among those she knows of; −1: she never heard of it."""
    at = people.columns.index(column)
    index = {value: code for code, value in enumerate(values)}
    codes = np.array([index.get(value, -1) for value in people.values[at]], dtype=np.int32)
    return codes[people.codes[at]]


def _keys(own: Sequence[Codes], theirs: Sequence[Codes], sizes: Sequence[int]) -> tuple[IntArray, IntArray, int]:
    """A number for each combination, the same for the knowledge and the people; −1 for one that she can't know.

    They are in the order of the combinations, and below the last of the answers.
    """
    from discreet.audit.worst_case.knowledge_kernels import lengthen  # late: loads numba

    key, person = np.zeros(len(own[0]), dtype=np.int64), np.zeros(len(theirs[0]), dtype=np.int64)
    span = 1
    for mine, other, size in zip(own, theirs, sizes, strict=True):
        if span > 1 and span * size > _DENSE:
            key, person, span = _without_gaps(key, person, span)
        lengthen(key, mine, size)
        lengthen(person, other, size)
        span *= size
    return (key, person, span) if span <= _DENSE else _without_gaps(key, person, span)


def _without_gaps(key: IntArray, person: IntArray, span: int) -> tuple[IntArray, IntArray, int]:
    """The same numbers of combinations, in the same order, for those alone that the knowledge has."""
    if span > _DENSE:
        there, number = np.unique(key, return_inverse=True)
        place = np.minimum(np.searchsorted(there, person), len(there) - 1)
        return number.reshape(-1), np.where(there[place] == person, place, -1), len(there)
    used = np.zeros(span, dtype=np.bool_)
    used[key] = True
    number = np.cumsum(used) - 1
    return number[key], np.where((person >= 0) & used[person], number[person], -1), int(number[-1]) + 1


def _by_list(knowledge: Listed, people: People, tally: Tally, whole: Whole) -> Iterator[Known]:
    values = domain(knowledge, tally)
    weights = dict(zip(whole.values, whole.weight.tolist(), strict=True))
    table = {value: Fraction(weights.get(value, 0)) for value in values}
    listed: dict[tuple[tuple[str, str | None], ...], dict[str | None, Fraction]] = {}
    for signature, value, p in knowledge.rows:
        listed.setdefault(tuple(sorted(signature.items())), {})[value] = p
    anybody = _spread(listed.pop((), {}), table)
    by_set: dict[tuple[str, ...], list[tuple[tuple[str | None, ...], dict[str | None, Fraction]]]] = {}
    for named, chances in listed.items():
        by_set.setdefault(tuple(c for c, _ in named), []).append((tuple(v for _, v in named), _spread(chances, table)))
    for columns, rows in by_set.items():
        if not {*columns} <= {*people.columns}:
            continue
        cells = [list(dict.fromkeys(cell)) for cell in zip(*(about for about, _ in rows), strict=True)]
        own = [np.array([cells[i].index(about[i]) for about, _ in rows], dtype=np.int32) for i in range(len(columns))]
        theirs = [_recoded(known, people, column) for column, known in zip(columns, cells, strict=True)]
        key, person, span = _keys(own, theirs, [len(known) for known in cells])
        rows_of = np.zeros(span, dtype=np.int64)
        rows_of[key] = np.arange(1, len(key) + 1)
        row = np.where(person < 0, 0, rows_of[person])
        exactly = [_whole([chances[value] for value in values]) for chances in [anybody, *(c for _, c in rows)]]
        weight = np.array([weight for weight, _ in exactly], dtype=object)
        yield Known(columns, row, weight, np.array([total for _, total in exactly], dtype=object))


def _spread(chances: Mapping[str | None, Fraction], table: Mapping[str | None, Fraction]) -> dict[str | None, Fraction]:
    """The chances of all values: what the listed ones leave of 1 goes to the others as in the table."""
    total = sum(chances.values(), Fraction(0))
    others = sum((n for value, n in table.items() if value not in chances), Fraction(0))
    each = max(1 - total, Fraction(0)) / others if others else Fraction(0)
    spread = {value: chances.get(value, each * n) for value, n in table.items()}
    scale = sum(spread.values(), Fraction(0)) or Fraction(1)
    return {value: p / scale for value, p in spread.items()}


def _whole(chances: Sequence[Fraction]) -> tuple[list[int], int]:
    """Chances as whole numbers, and what to divide them by."""
    scale = lcm(*(p.denominator for p in chances))
    return [int(p * scale) for p in chances], scale


def learnt(people: People, tally: Tally) -> Counted:
    """What the release itself lets her read out: in each group, everybody has a share of each of its values."""
    starts = np.searchsorted(tally.group, np.arange(int(tally.group.max(initial=0)) + 2))
    lengths = np.diff(starts)[people.group]
    entry = np.repeat(np.arange(len(people.group)), lengths)
    first = np.cumsum(lengths) - lengths
    at = np.repeat(starts[people.group] - first, lengths) + np.arange(len(entry))
    total = np.bincount(tally.group, weights=tally.count)
    counts = people.many[entry] * tally.count[at] / total[tally.group[at]]
    codes = (*(codes[entry] for codes in people.codes), tally.value[at])
    return Counted(people.columns, Frequencies((*people.values, tally.values), codes, counts))
