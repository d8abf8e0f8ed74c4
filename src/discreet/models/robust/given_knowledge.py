"""Knowledge that is given, not taken from the table: p(s : x) for the signatures and values that somebody lists."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice
from math import lcm
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from discreet.arrays import IntArray
from discreet.counts.frequency import FrequencySet
from discreet.errors import Mistake, PolicyError, did_you_mean, shown
from discreet.hierarchies.hierarchy import Hierarchy, Value
from discreet.models.parameters import Number, Wrong, as_text, as_word
from discreet.models.robust.knowledge import NOTHING, AttributeSet, Finder, Knowledge, knowledge_of_sets

_CHANCE = Number(0, closed=True)
_ROUNDING = Fraction(1, 100)  # probabilities written with few digits need not add up to 1 exactly
_MOST = 1 << 62
_SHOWN = 10  # mistakes of one kind

Signature = tuple[tuple[str, Value], ...]
Row = tuple[Signature, Value, Fraction]


@dataclass(frozen=True)
class GivenKnowledge:
    """How likely people of a signature are to have a value, row by row: ({"nation": "Japanese"}, "heart", 0.003).

    What the values listed for a signature leave of 1 is shared among the others as in the whole table. A signature
    without attributes is anybody; if it is not listed, that is the table's distribution. Rounded probabilities are
    divided by their sum.

    >>> GivenKnowledge([({"nation": "Japanese"}, "heart", 0.003)]).to_words()
    [[{'nation': 'Japanese'}, 'heart', 0.003]]
    """

    listed: Any  # rows of (signature, value, probability); kept as `Row`s

    def __post_init__(self) -> None:
        rows, mistakes = read_rows(self.listed, "knowledge")
        if mistakes:
            raise PolicyError(*mistakes)
        object.__setattr__(self, "listed", rows)

    def to_words(self) -> list[object]:
        """All of it: a re-check of a release has no other files."""
        return [[dict(signature), value, as_word(p)] for signature, value, p in self.listed]

    def known(self, hierarchies: Sequence[Hierarchy], hierarchy: Hierarchy, reference: IntArray) -> Knowledge:
        """As the models see it, for these quasi-identifiers, this sensitive attribute and its counts in the table."""
        made = self._made.get(hierarchy)
        if made is None or made[0] != tuple(hierarchies) or not np.array_equal(made[1], reference):
            knowledge = self._known(hierarchies, hierarchy, reference)
            made = self._made[hierarchy] = tuple(hierarchies), reference, knowledge
        return made[2]

    def misfits(self, frequency: FrequencySet, attribute: str, place: str) -> list[Mistake]:
        """Names and values that the table lacks, and probabilities of all its values that do not add up to 1."""
        hierarchy, totals = frequency.sensitive_hierarchies[attribute], frequency.totals[attribute]
        names = ["NULL" if leaf is None else leaf for leaf in hierarchy.leaves]
        mistakes = self._strangers(frequency.hierarchies, place)
        strange = dict.fromkeys(value for _, value, _ in self.listed if value not in hierarchy.index)
        mistakes += [
            Mistake(place, f"{attribute} has no value {shown(v)}", did_you_mean(v, names))
            for v in islice(strange, _SHOWN)
        ]
        sums = []
        for signature, chances in self._by_signature.items():
            total = sum(chances.values(), Fraction(0))
            everything = all(v in chances for v, n in zip(hierarchy.leaves, totals.tolist(), strict=True) if n)
            if everything and abs(total - 1) > _ROUNDING:
                rule = f"the probabilities of {_named(signature)} add up to {as_text(round(total, 6))}"
                sums.append(Mistake(place, rule, "they must add up to 1, or leave out the value that has the rest"))
        mistakes += sums[:_SHOWN]
        return mistakes or self._absentees(frequency.hierarchies, place)

    @cached_property
    def _by_signature(self) -> dict[Signature, dict[Value, Fraction]]:
        chances: dict[Signature, dict[Value, Fraction]] = {}
        for signature, value, p in self.listed:
            chances.setdefault(signature, {})[value] = p
        return chances

    @cached_property
    def _made(self) -> WeakKeyDictionary[Hierarchy, tuple[tuple[Hierarchy, ...], IntArray, Knowledge]]:
        return WeakKeyDictionary()

    def _strangers(self, hierarchies: Sequence[Hierarchy], place: str) -> list[Mistake]:
        attributes = [h.attribute for h in hierarchies]
        names = dict.fromkeys(name for signature in self._by_signature for name, _ in signature)
        return [
            Mistake(place, f"no such quasi-identifier {shown(name)}", did_you_mean(name, attributes))
            for name in islice((name for name in names if name not in attributes), _SHOWN)
        ]

    def _absentees(self, hierarchies: Sequence[Hierarchy], place: str) -> list[Mistake]:
        """Attributes of which every listed value is foreign to the table: surely another spelling."""
        mistakes = []
        for h in hierarchies:
            values = {value for signature in self._by_signature for name, value in signature if name == h.attribute}
            if values and not any(value in h.index for value in values):
                names = ["NULL" if leaf is None else leaf for leaf in h.leaves]
                repair = did_you_mean(min(values, key=str), names)
                mistakes.append(Mistake(place, f"the table has none of the values listed for {h.attribute}", repair))
        return mistakes

    def _known(self, hierarchies: Sequence[Hierarchy], hierarchy: Hierarchy, reference: IntArray) -> Knowledge:
        strangers = self._strangers(hierarchies, "robust.knowledge")
        if strangers:
            raise PolicyError(*strangers)
        position = {h.attribute: i for i, h in enumerate(hierarchies)}
        anybody = reference.tolist(), max(int(reference.sum()), 1)
        if () in self._by_signature:
            anybody = _counts(self._by_signature[()], hierarchy, reference)
        by_set: dict[AttributeSet, list[tuple[tuple[int, ...], list[int], int]]] = {}
        for signature, listed in self._by_signature.items():
            ordered = sorted(((position[name], value) for name, value in signature), key=lambda pair: pair[0])
            codes = tuple(hierarchies[a].index.get(value, -1) for a, value in ordered)
            if codes and -1 not in codes:  # else nobody has this signature
                counts = _counts(listed, hierarchy, reference)
                by_set.setdefault(tuple(a for a, _ in ordered), []).append((codes, *counts))
        parts = []
        for s, rows in by_set.items():
            columns = np.array([codes for codes, _, _ in rows], dtype=np.int32).T
            finder, number = Finder.of(s, tuple(len(hierarchies[a].leaves) for a in s), list(columns))
            order = np.argsort(number).tolist()
            chances = np.array([anybody[0], *(rows[i][1] for i in order)], dtype=np.int64)
            supports = np.array([anybody[1], *(rows[i][2] for i in order)], dtype=np.int64)
            parts.append((s, chances, supports, finder))
        if not parts:
            parts = [((), np.array([anybody[0]], dtype=np.int64), np.array([anybody[1]], dtype=np.int64), NOTHING)]
        return knowledge_of_sets(parts)


def read_rows(listed: object, place: str) -> tuple[tuple[Row, ...], list[Mistake]]:
    """Rows of (signature, value, probability), and everything that is wrong with them."""
    example = "write [[{nation: Japanese}, heart disease, 0.003], …]"
    if not isinstance(listed, Iterable) or isinstance(listed, str | Mapping):
        return (), [
            Mistake(place, f"must be rows of a signature, a value and a probability, got {shown(listed)}", example)
        ]
    rows: list[Row] = []
    pairs: set[tuple[Signature, Value]] = set()
    sums: dict[Signature, Fraction] = {}
    mistakes = []
    for i, item in enumerate(listed):
        where = f"{place}[{i}]"
        row, wrong = _read_row(item, where, example)
        mistakes += wrong
        if row is None:
            continue
        signature, value, p = row
        if (signature, value) in pairs:
            mistakes.append(Mistake(where, "is given twice: this value of this signature", "keep one of them"))
        pairs.add((signature, value))
        sums[signature] = sums.get(signature, Fraction(0)) + p
        rows.append(row)
    for signature, total in sums.items():
        if total > 1 + _ROUNDING:
            rule = f"the probabilities of {_named(signature)} add up to {as_text(round(total, 6))}"
            mistakes.append(Mistake(place, rule, "they can't be more than 1"))
    if not rows and not mistakes:
        mistakes.append(Mistake(place, "has no rows", "leave it out for the table's own distributions"))
    return tuple(rows), mistakes[:_SHOWN]


def _read_row(item: object, where: str, example: str) -> tuple[Row | None, list[Mistake]]:
    if not isinstance(item, Sequence) or isinstance(item, str | bytes) or len(item) != 3:
        return None, [Mistake(where, "must be a signature, a value and a probability", example)]
    described, value, p = item
    pairs = list(described.items()) if isinstance(described, Mapping) else described
    mistakes = []
    texts = isinstance(pairs, Iterable) and all(
        isinstance(pair, Sequence) and len(pair) == 2 and isinstance(pair[0], str) and _is_value(pair[1])
        for pair in pairs
    )
    if not texts:
        mistakes.append(Mistake(where, "a signature must be attributes with values that are text", example))
    if not _is_value(value):
        mistakes.append(Mistake(where, "a value must be text", f'put it in quotes: "{shown(value)}"'))
    try:
        chance = _CHANCE.read(p)
        if chance > 1:
            mistakes.append(Mistake(where, f"a probability can't be {as_text(chance)}", "write a number from 0 to 1"))
    except Wrong as wrong:
        mistakes.append(Mistake(where, wrong.rule, wrong.repair))
    if mistakes:
        return None, mistakes
    signature = tuple(sorted(((name, v) for name, v in pairs), key=lambda pair: pair[0]))
    return (signature, value, chance), []


def _is_value(value: object) -> bool:
    return value is None or isinstance(value, str)


def _named(signature: Signature) -> str:
    return ", ".join(f"{name} {'NULL' if v is None else v}" for name, v in signature) or "anybody"


def _counts(chances: Mapping[Value, Fraction], hierarchy: Hierarchy, reference: IntArray) -> tuple[list[int], int]:
    """The chances of all leaves as whole numbers, and what to divide them by."""
    total = sum(chances.values(), Fraction(0))
    rows = reference.tolist()
    others = {v: n for v, n in zip(hierarchy.leaves, rows, strict=True) if n and v not in chances}
    rest = max(1 - total, Fraction(0)) if others else Fraction(0)
    unlisted = sum(others.values())
    exactly = [
        chances[v] if v in chances else rest * Fraction(others[v], unlisted) if v in others else Fraction(0)
        for v in hierarchy.leaves
    ]
    support = total + rest
    scale = lcm(*(p.denominator for p in exactly), support.denominator)
    if support * scale >= _MOST:
        rule = "has probabilities of too many digits"
        raise PolicyError(Mistake("robust.knowledge", rule, "write them with fewer"))
    return [int(p * scale) for p in exactly], max(int(support * scale), 1)
