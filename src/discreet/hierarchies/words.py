"""Hierarchies in the words of a policy.

nation.csv                                  a taxonomy, leaf;level1;…;* (path relative to the policy)
{taxonomy: nation.csv, sets: true}          the same; groups may also publish neighbours together, as {a, b}
{taxonomy: [[leaf, level1, …], …]}          the same, written out
{intervals: [5, 10, 20], origin: 0, bottom: 10, top: 90, decimals: false}
{cuts: [[18, 40, 65], [40]], decimals: false}
{quantiles: 8}                              as many bins of equally many rows, halved from level to level
{prefixes: [4, 3, 2]}
{dates: [month, quarter, year]}
{flat: true, sets: false}                   itself or *; with sets, groups may also publish {a, b}
{labels: {intervals: [100]}, hierarchy: {intervals: [1000]}}   values that are labels already; what these become
nothing                                     whatever suits the data
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from discreet.errors import HierarchyError, Mistake, did_you_mean, offenders, shown
from discreet.hierarchies.categories import Flat, Prefixes
from discreet.hierarchies.dates import Dates
from discreet.hierarchies.defaults import default_rule, quantile_cuts
from discreet.hierarchies.hierarchy import Rule, Value
from discreet.hierarchies.intervals import Cuts, Intervals
from discreet.hierarchies.labels import labels_from
from discreet.hierarchies.numbers import have_decimals, number
from discreet.hierarchies.taxonomy import read_taxonomy, taxonomy_from_rows

Body = Mapping[str, object]
Data = tuple[Sequence[Value], Iterable[int]]  # the values of the column, and how many rows have each


def rule_from_words(words: object, place: str, folder: Path, values: Sequence[Value], counts: Iterable[int]) -> Rule:
    """The rule that a policy means by `words`; raises all the mistakes in them at once.

    >>> rule_from_words({"prefixes": [3, 2]}, "attributes.zip.hierarchy", Path(), [], [])
    Prefixes(lengths=(3, 2))
    """
    if words is None:
        return default_rule(values, counts)
    if isinstance(words, str):
        return read_taxonomy(words, folder, place)
    kind, body, mistakes = _kind(words, place)
    if kind:
        try:
            if kind == "taxonomy" and isinstance(body[kind], str):
                rule: Rule = replace(read_taxonomy(str(body[kind]), folder, kind), sets=_sets(body))
            else:
                rule = _KINDS[kind][0](body, (values, counts))
        except HierarchyError as error:
            mistakes += [Mistake(f"{place}.{m.place}", m.rule, m.repair) for m in error.mistakes]
    if mistakes:
        raise HierarchyError(*mistakes)
    return rule


def check_words(words: object, place: str, folder: Path) -> list[Mistake]:
    """All mistakes that can be seen without the data.

    >>> for mistake in check_words({"prefixs": [3, 2]}, "attributes.zip.hierarchy", Path()):
    ...     print(mistake)
    attributes.zip.hierarchy: no such kind of hierarchy: 'prefixs'; did you mean 'prefixes'?
    """
    try:
        rule_from_words(words, place, folder, [], [])
    except HierarchyError as error:
        return list(error.mistakes)
    return []


def _kind(words: object, place: str) -> tuple[str, Body, list[Mistake]]:
    """Which kind of hierarchy is meant ("" if that is unclear), and the options nobody knows."""
    if not isinstance(words, Mapping) or not words:
        rule = "must be the path of a taxonomy, or one of " + ", ".join(f"{{{kind}: …}}" for kind in _KINDS)
        return "", {}, [Mistake(place, rule, "e.g. {intervals: [5, 10, 20]}")]
    body = {str(word): value for word, value in words.items()}
    kinds = [word for word in body if word in _KINDS]
    if len(kinds) > 1:
        rule = f"more than one kind of hierarchy: {', '.join(kinds)}"
        return "", body, [Mistake(place, rule, "keep one of them")]
    if not kinds:
        options = {option for _, known in _KINDS.values() for option in known}
        strange = [word for word in body if word not in options]
        if not strange:
            rule = f"no kind of hierarchy beside {', '.join(body)}"
            return "", body, [Mistake(place, rule, "e.g. {intervals: [5, 10, 20], top: 90}")]
        mistakes = [
            Mistake(place, f"no such kind of hierarchy: {shown(word)}", did_you_mean(word, _KINDS)) for word in strange
        ]
        return "", body, mistakes
    known = _KINDS[kinds[0]][1]
    return (
        kinds[0],
        body,
        [
            Mistake(f"{place}.{word}", "no such word here", did_you_mean(word, known) if known else "remove it")
            for word in body
            if word != kinds[0] and word not in known
        ],
    )


def _decimals(body: Body, data: Data) -> bool:
    """As the policy says; if it says nothing, as the data are."""
    decimals = body.get("decimals")
    if decimals is None:
        return have_decimals(data[0])
    if not isinstance(decimals, bool):
        raise HierarchyError(Mistake("decimals", f"must be true or false, got {shown(decimals)}"))
    return decimals


def _intervals(body: Body, data: Data) -> Rule:
    words = {word: body[word] for word in ("origin", "bottom", "top") if body.get(word) is not None}
    return _all_at_once(lambda decimals: Intervals(body["intervals"], **words, decimals=decimals), body, data)  # type: ignore[arg-type]


def _cuts(body: Body, data: Data) -> Rule:
    return _all_at_once(lambda decimals: Cuts(body["cuts"], decimals=decimals), body, data)  # type: ignore[arg-type]


def _all_at_once(make: Callable[[bool], Rule], body: Body, data: Data) -> Rule:
    """A wrong `decimals` must not hide what else is wrong."""
    try:
        decimals = _decimals(body, data)
    except HierarchyError as error:
        try:
            make(False)
        except HierarchyError as others:
            raise HierarchyError(*others.mistakes, *error.mistakes) from None
        raise
    return make(decimals)


def _quantiles(body: Body, data: Data) -> Rule:
    bins = body["quantiles"]
    if not isinstance(bins, int) or isinstance(bins, bool) or not 2 <= bins <= 1000:
        rule = f"must be a whole number of bins from 2 to 1000, got {shown(bins)}"
        raise HierarchyError(Mistake("quantiles", rule, "e.g. {quantiles: 8}"))
    return quantile_cuts(*data, bins)


def _prefixes(body: Body, data: Data) -> Rule:
    return Prefixes(body["prefixes"])  # type: ignore[arg-type]


def _dates(body: Body, data: Data) -> Rule:
    return Dates(body["dates"])  # type: ignore[arg-type]


def _labels(body: Body, data: Data) -> Rule:
    """Labels are texts: nothing of the data says how their intervals are written."""
    rules: list[Rule | None] = []
    for word in ("labels", "hierarchy"):
        inner = body.get(word)
        if inner is None and word == "hierarchy":
            rules.append(None)
            continue
        if not isinstance(inner, Mapping) or not {*inner} & {"intervals", "cuts", "dates"}:
            rule = f"needs the words of intervals, cuts or dates, got {shown(inner)}"
            raise HierarchyError(Mistake(word, rule, "e.g. {labels: {intervals: [100]}}"))
        rules.append(rule_from_words(inner, word, Path(), [], []))
    return labels_from(*rules)


def _flat(body: Body, data: Data) -> Rule:
    if body["flat"] is not True:
        raise HierarchyError(Mistake("flat", f"must be true, got {shown(body['flat'])}", "or give another hierarchy"))
    return Flat(_sets(body))


def _sets(body: Body) -> bool:
    sets = body.get("sets", False)
    if not isinstance(sets, bool):
        raise HierarchyError(Mistake("sets", f"must be true or false, got {shown(sets)}"))
    return sets


def _taxonomy(body: Body, data: Data) -> Rule:
    rows = body["taxonomy"]
    if not isinstance(rows, Sequence) or isinstance(rows, str | bytes) or not all(map(_is_row, rows)):
        rule = "needs a list of rows, each a list: leaf, level 1, …"
        raise HierarchyError(Mistake("taxonomy", rule, "e.g. [[Spain, Europe], [Peru, America]]"))
    strange = [cell for row in rows for cell in row if not _is_cell(cell)]
    if strange:
        # YAML reads no as false and 1.50 as 1.5: what the data say could only be guessed.
        rule = f"not a text: {offenders(strange)}"
        raise HierarchyError(Mistake("taxonomy", rule, 'put it in quotes, e.g. "no"'))
    texts = [[None if cell is None else str(cell) for cell in row] for row in rows]
    return replace(taxonomy_from_rows(texts, "taxonomy"), sets=_sets(body))


def _is_row(row: object) -> bool:
    return isinstance(row, Sequence) and not isinstance(row, str) and len(row) > 0


def _is_cell(cell: object) -> bool:
    if isinstance(cell, int) and not isinstance(cell, bool):
        return number(cell) is not None  # not one of thousands of digits
    return cell is None or isinstance(cell, str)


_KINDS: dict[str, tuple[Callable[[Body, Data], Rule], tuple[str, ...]]] = {
    "intervals": (_intervals, ("origin", "bottom", "top", "decimals")),
    "cuts": (_cuts, ("decimals",)),
    "quantiles": (_quantiles, ()),
    "prefixes": (_prefixes, ()),
    "dates": (_dates, ()),
    "taxonomy": (_taxonomy, ("sets",)),
    "flat": (_flat, ("sets",)),
    "labels": (_labels, ("hierarchy",)),
}
