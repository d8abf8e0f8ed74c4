"""Hierarchies as far as a release tells them: no rule that was made from the data says more of them than the labels do.

A policy that names intervals or a taxonomy says the same whatever the table is. But where it names none, or quantiles,
the rule follows the rows, also those that are left out: where it cuts, how many levels it has, whether there are
decimals. Told is then only what the published values show: the cuts at their ends, the kinds of dates among them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from discreet.counts.frequency import FrequencySet
from discreet.hierarchies.categories import Flat
from discreet.hierarchies.dates import Dates
from discreet.hierarchies.defaults import follows_the_data
from discreet.hierarchies.hierarchy import EVERYTHING, Bounded, Hierarchy, Rule, Value
from discreet.hierarchies.intervals import Cuts, Intervals
from discreet.hierarchies.numbers import Number, parse
from discreet.hierarchies.published_as import PublishedAs
from discreet.hierarchies.taxonomy import Taxonomy
from discreet.hierarchies.texts import possible_ends
from discreet.publications.tables import published_values
from discreet.search.plan import Plan, Recoding

Parts = list[list[Any]]  # what a published text stands for: see `mapping`
RARE = 5  # rows: a value that so few have may be about somebody
_SOME_LEVEL = "year"  # of dates that are published as ranges only


@dataclass(frozen=True)
class PublishedRule:
    """A rule as the release tells it, and where the levels of the rule that was used are in it."""

    rule: Rule
    decimals: bool | None = field(default=True, kw_only=True)  # None: nothing that is published shows them

    @property
    def words(self) -> object:
        """The rule in the words of a policy. Where decimals don't show, it is as later data will be."""
        words = self.rule.to_words()
        if self.decimals is None and isinstance(words, Mapping):
            return {word: said for word, said in words.items() if word != "decimals"}
        return words

    def level(self, level: int) -> int:
        """The level that is told for one that was used."""
        return level

    def parts(self, level: int, text: Value) -> Parts:
        """What a name of a level stands for."""
        return [[self.level(level), text]]

    def run(self, hierarchy: Hierarchy, low: int, last: int) -> Parts:
        """What a run of whole nodes stands for: the level, and a value for the first and for the last of them."""
        assert isinstance(self.rule, Bounded)
        level, ends = self.level(hierarchy.unit), (hierarchy.leaves[low], hierarchy.leaves[last])
        return [[level, *(self.rule.stand_in(end or "", level) for end in ends)]]


@dataclass(frozen=True)
class _Reduced(PublishedRule):
    """A rule with fewer levels; those that nothing published shows are gone."""

    levels: Mapping[int, int]

    def level(self, level: int) -> int:
        return self.levels.get(level, 0)


@dataclass(frozen=True)
class _ReducedCuts(_Reduced):
    """All cuts that are shown, on one level: a coarser interval is told as the finer ones in it."""

    bounds: Mapping[Value, tuple[Number | None, Number | None]]

    def parts(self, level: int, text: Value) -> Parts:
        if text not in self.bounds or not isinstance(self.rule, Cuts):
            return super().parts(level, text)
        low, high = self.bounds[text]
        cuts = [low, *(c for c in self.rule.levels[0] if (low is None or c > low) and (high is None or c < high)), high]
        return [[1, self.rule.name_between(a, b)] for a, b in pairwise(cuts)]


def published_rules(plan: Plan, words: Mapping[str, object]) -> dict[str, PublishedRule]:
    """The rule of every quasi-identifier and sensitive attribute; `words` is what the policy says of each, or None.

    Where a population is known, rules follow that and not the table: whoever knows it knows them.
    """
    frequency = plan.frequency
    known = frequency.population is not None or frequency.marginals is not None
    rules = {}
    for d, hierarchy in enumerate(frequency.hierarchies):
        asked_for = words.get(hierarchy.attribute)
        if known or isinstance(asked_for, Rule):
            rules[hierarchy.attribute] = PublishedRule(hierarchy.rule)
        elif isinstance(plan, Recoding):
            texts = [text for text in published_values(plan, d)[0] if text]
            shown = {text: level for text, level in _shown_names(plan, d).items() if text}
            shown_as = _Shown(shown, texts, _run_sides(plan, d))
            rules[hierarchy.attribute] = _published(hierarchy.rule, asked_for, shown_as, hierarchy.height)
        else:
            rules[hierarchy.attribute] = _published(hierarchy.rule, asked_for, _Shown(), hierarchy.height)
    for name, hierarchy in frequency.sensitive_hierarchies.items():  # their values are published as they are
        rules[name] = _published(hierarchy.rule, words.get(name), _Shown(), hierarchy.height)
    return rules


def taxonomy_notes(frequency: FrequencySet) -> list[str]:
    """What to tell the custodian of taxonomies that seem to have been made from the table: they are published."""
    notes = []
    for d, hierarchy in enumerate(frequency.hierarchies):
        rows = frequency.rows_by_leaf(d)
        rare = int((rows < RARE).sum())
        if isinstance(hierarchy.rule, Taxonomy) and len(rows) and rows.min() > 0 and rare:
            notes.append(
                f"the taxonomy of {hierarchy.attribute} is published in the manifest, and everything that it lists "
                f"occurs in the table, {rare:,} of its values in fewer than {RARE} rows: if it was made from the "
                "table, it tells that somebody has each of them; list what is possible instead"
            )
    return notes


def coarser_notes(labels: Mapping[str, Mapping[Value, Value]], coarser: Mapping[str, PublishedAs]) -> list[str]:
    """What to tell the custodian of columns that are published as something coarser: how much is lost by it."""
    notes = []
    for name, label_of in labels.items():
        distinct = len(set(label_of.values()))
        notes.append(
            f"{name} has {len(label_of):,} different values; published, and judged, are {distinct:,} coarser ones"
        )
        rule = coarser[name].rule
        if isinstance(rule, Taxonomy) and {*rule.paths} <= label_of.keys():
            notes.append(
                f"the taxonomy of {name} is published in the manifest, and everything that it lists occurs in the "
                "table: if it was made from the table, it tells that somebody has each of its values; list what is "
                "possible instead"
            )
    return notes


def _shown_names(plan: Recoding, attribute: int) -> dict[Value, int]:
    """The names of nodes that are published, each with its level; also those that stand in a set with NULL."""
    hierarchy = plan.frequency.hierarchies[attribute]
    if plan.node is not None:
        return dict.fromkeys(published_values(plan, attribute)[0], plan.node[attribute])
    names: dict[Value, int] = {}
    ranges = zip(plan.low[:, attribute].tolist(), plan.high[:, attribute].tolist(), strict=True)
    for low, high in dict.fromkeys(ranges):
        text, nodes = hierarchy.label(low, high), nodes_of(hierarchy, low, high)
        if text not in nodes:  # it may be written as a set of a node and NULL
            high = hierarchy.last_filled(low, high)
            if is_run(hierarchy, low, high):
                names |= dict.fromkeys(_run_texts(hierarchy, low, high), hierarchy.unit)
                continue
            text, nodes = hierarchy.label(low, high), nodes_of(hierarchy, low, high)
        names |= {text: nodes[text]} if text in nodes else {}
    return names


def is_run(hierarchy: Hierarchy, low: int, last: int) -> bool:
    """Is a range of numbers or dates, with nothing empty, written with the ends of whole nodes, and not as one node?

    A single leaf is, too, where it stands in a set with NULL.
    """
    if not hierarchy.unit or not hierarchy.leaves[low]:
        return False
    of_unit = hierarchy.codes[hierarchy.unit]
    several = of_unit[low] != of_unit[last]
    return low == last or (several and hierarchy.label(low, last) not in nodes_of(hierarchy, low, last))


def _run_texts(hierarchy: Hierarchy, low: int, last: int) -> tuple[str, ...]:
    assert isinstance(hierarchy.rule, Bounded)
    return hierarchy.rule.joined(hierarchy.leaves[low] or "", hierarchy.leaves[last] or "", hierarchy.unit)


def _run_sides(plan: Recoding, attribute: int) -> dict[Value, tuple[Number | None, Number | None]]:
    """The cuts at the ends of published runs of nodes, by their texts."""
    hierarchy = plan.frequency.hierarchies[attribute]
    sides: dict[Value, tuple[Number | None, Number | None]] = {}
    if not isinstance(hierarchy.rule, Cuts) or plan.node is not None:
        return sides
    for low, high in dict.fromkeys(zip(plan.low[:, attribute].tolist(), plan.high[:, attribute].tolist(), strict=True)):
        last = hierarchy.last_filled(low, high)
        if (last < high or low < high) and is_run(hierarchy, low, last):
            texts = _run_texts(hierarchy, low, last)
            ends = hierarchy.rule.sides(hierarchy.leaves[low] or "", hierarchy.leaves[last] or "", hierarchy.unit)
            lowest = hierarchy.rule.levels[0][0]
            sides |= {texts[0]: ends} if len(texts) == 1 else {texts[0]: (None, lowest), texts[1]: (lowest, None)}
    return sides


def nodes_of(hierarchy: Hierarchy, low: int, high: int) -> dict[Value, int]:
    """The nodes with exactly these leaves, and the lowest level of each name."""
    nodes: dict[Value, int] = {}
    for level in range(hierarchy.height + 1):
        code = hierarchy.codes[level][low]
        if hierarchy.first[level][code] == low and hierarchy.last[level][code] == high:
            nodes.setdefault(hierarchy.labels[level][int(code)], level)
    return nodes


@dataclass(frozen=True)
class _Shown:
    """What is published of an attribute: names with their levels, all texts, and the cuts at the ends of runs."""

    names: Mapping[str, int] = field(default_factory=dict)
    texts: Sequence[str] = ()
    sides: Mapping[Value, tuple[Number | None, Number | None]] = field(default_factory=dict)


def _published(rule: Rule, given: object, shown: _Shown, height: int) -> PublishedRule:
    inner = {text: level for text, level in shown.names.items() if 0 < level < height}
    if not follows_the_data(given):
        if isinstance(rule, Intervals | Cuts) and isinstance(given, Mapping) and "decimals" not in given:
            decimals = _shown_decimals(inner)
            return PublishedRule(replace(rule, decimals=decimals is not False), decimals=decimals)
        return PublishedRule(rule)
    spans = any(text not in shown.names and text != EVERYTHING for text in shown.texts)
    if isinstance(rule, Cuts):
        return _published_cuts(rule, inner, shown, spans, height)
    if isinstance(rule, Dates):
        return _published_dates(rule, inner, spans, height)
    return PublishedRule(rule)


def _published_cuts(rule: Cuts, inner: Mapping[str, int], shown: _Shown, spans: bool, height: int) -> PublishedRule:
    bounds = {text: ends for text, ends in rule.ends().items() if text in inner} | {**shown.sides}
    cuts = {cut for ends in bounds.values() for cut in ends if cut is not None}
    if spans and not cuts:  # ranges, and sets with NULL, need a rule that knows numbers; any cut will do
        cuts = {min((n for text in shown.texts for n in _numbers(text)), default=0)}
    if not cuts:
        return _Reduced(Flat(), {height: 1})
    decimals = _shown_decimals(inner)
    shown_rule = Cuts((tuple(sorted(cuts)),), decimals=decimals is not False)
    return _ReducedCuts(shown_rule, dict.fromkeys(inner.values(), 1) | {height: 2}, bounds, decimals=decimals)


def _published_dates(rule: Dates, inner: Mapping[str, int], spans: bool, height: int) -> PublishedRule:
    levels = sorted(set(inner.values()))
    if levels:
        shown_rule = Dates(tuple(rule.levels[level - 1] for level in levels))
        return _Reduced(shown_rule, {level: i for i, level in enumerate(levels, start=1)} | {height: len(levels) + 1})
    return _Reduced(Dates((_SOME_LEVEL,)) if spans else Flat(), {height: 2 if spans else 1})


def _numbers(text: str) -> list[Number]:
    """The numbers in a range that a release shows."""
    ends = [end for pair in possible_ends(text.strip("{}").split(", ")[0]) for end in pair]
    return [n for n in (parse(end) for end in [text, *ends]) if n is not None]


def _shown_decimals(names: Iterable[str]) -> bool | None:
    """Do published intervals show whether there are decimals? ``[20, 40)`` does, and so does ``20-39``."""
    written = [name[0] in "[(" for name in names if name[0] not in "<>"]
    return any(written) if written else None
