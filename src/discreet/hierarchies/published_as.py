"""A column that is published, and judged, as one coarser level of its values: ``publish_as`` in a policy.

Costs to the cent are different for nearly everybody: every ℓ-diversity of them is kept, and whoever knows a cost finds
the row. Published as ``[100, 200)`` they tell less, and what is promised about them means something. The words are
those of a hierarchy with one level:

{intervals: [100]}   {cuts: [[50, 100, 500]]}   {prefixes: [3]}   {dates: [month]}   {taxonomy: nation.csv, level: 2}

What a value becomes follows from these words alone, never from other rows: so intervals are written ``[100, 200)``,
which is right for any number, unless the words say ``decimals: false``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from discreet.errors import HierarchyError, Mistake, offenders, shown
from discreet.hierarchies.base import Misfit
from discreet.hierarchies.build import paths_of
from discreet.hierarchies.categories import Flat
from discreet.hierarchies.dates import Dates
from discreet.hierarchies.hierarchy import Rule, Value
from discreet.hierarchies.intervals import Cuts, Intervals
from discreet.hierarchies.labels import Labels
from discreet.hierarchies.taxonomy import Taxonomy
from discreet.hierarchies.words import rule_from_words

_ONE_LEVEL = "write one: {intervals: [100]}, {prefixes: [3]}, {dates: [month]}, {taxonomy: nation.csv, level: 1}"


@dataclass(frozen=True)
class PublishedAs:
    """One level of a rule, and what each value is called there. NULL and the empty text stay what they are.

    >>> costs = published_as({"intervals": [100]}, "attributes.cost.publish_as", Path())
    >>> costs.label("119.90"), costs.label(None), costs.to_words()
    ('[100, 200)', None, {'intervals': [100], 'origin': 0, 'decimals': True})
    """

    rule: Rule
    level: int = 1

    def label(self, value: Value) -> Value:
        """What is published for a value; `Misfit` if the rule can't place it."""
        return self.rule.path(value)[self.level - 1]

    def labels(self, values: Iterable[Value], place: str) -> dict[Value, Value]:
        """The same for many; all that can't be placed are told at once."""
        return {value: path[self.level - 1] for value, path in paths_of(place, values, self.rule).items()}

    def to_words(self) -> object:
        """The words of a policy, files written out."""
        words = self.rule.to_words()
        if isinstance(self.rule, Taxonomy) and self.rule.between > 1 and isinstance(words, Mapping):
            return {**words, "level": self.level}
        return words

    def hierarchy(self, given: Rule | None) -> Rule:
        """How labels stand to each other: what the policy gave for that, else what follows from this rule.

        Intervals have an order, and the levels of a taxonomy that lie above go on. `given` intervals, cuts and dates
        speak of the values themselves, other rules of the labels.
        """
        fine = self.rule
        if isinstance(given, Intervals | Cuts) and isinstance(fine, Intervals | Cuts):
            return Labels(fine, replace(given, decimals=fine.decimals or given.decimals))
        if isinstance(given, Dates) and isinstance(fine, Dates):
            return Labels(fine, given)
        if given is not None:
            return given
        if isinstance(fine, Intervals | Cuts):
            return Labels(fine)
        if isinstance(fine, Taxonomy):
            return Taxonomy({path[self.level - 1]: path[self.level :] for path in fine.paths.values()})
        return Flat()

    def nesting_mistakes(self, labels: Mapping[Value, Value], above: Rule, place: str) -> list[Mistake]:
        """Labels whose values would become different things on the levels above."""
        if not isinstance(above, Labels) or above.above is None:
            return []
        torn: dict[Value, None] = {}
        for value, label in labels.items():
            try:
                if above.path(label) != above.above.path(value):
                    torn[label] = None
            except Misfit:
                torn[label] = None
        if not torn:
            return []
        rule = f"values that are published alike become different on its levels: {offenders(torn)}"
        return [Mistake(place, rule, "make its levels unions of what is published")]


def published_as(words: object, place: str, folder: Path) -> PublishedAs:
    """What a policy means by `publish_as`; raises all the mistakes in its words at once.

    >>> published_as({"intervals": [100, 1000]}, "attributes.cost.publish_as", Path())
    Traceback (most recent call last):
    discreet.errors.HierarchyError: attributes.cost.publish_as: has 2 levels, and a column is published as one; \
write one: {intervals: [100]}, {prefixes: [3]}, {dates: [month]}, {taxonomy: nation.csv, level: 1}
    """
    if isinstance(words, Rule):
        return _one_level(words, None, place)
    level, mistakes, body = None, [], words
    if isinstance(words, Mapping):
        body = {word: said for word, said in words.items() if word != "level"}
        level = words.get("level")
        mistakes = _misplaced(words, place)
        if ("intervals" in body or "cuts" in body) and "decimals" not in body:
            body["decimals"] = True
    if mistakes:
        raise HierarchyError(*mistakes)
    if words is None:
        rule = f"must be the path of a taxonomy, or the words of a hierarchy with one level, got {shown(words)}"
        raise HierarchyError(Mistake(place, rule, _ONE_LEVEL))
    return _one_level(rule_from_words(body, place, folder, [], []), level, place)


def _misplaced(words: Mapping[object, object], place: str) -> list[Mistake]:
    """Words of hierarchies that are of no use here."""
    mistakes = []
    if "quantiles" in words:
        rule = "quantiles follow the rows, also those that are left out, and would tell of them"
        mistakes.append(Mistake(f"{place}.quantiles", rule, "write cuts: [[…]]"))
    if "flat" in words:
        rule = "flat has no level between a value and *"
        mistakes.append(Mistake(f"{place}.flat", rule, "leave publish_as out, or leave the column out"))
    if "labels" in words:
        rule = "says what labels become, not what is published"
        mistakes.append(Mistake(f"{place}.labels", rule, _ONE_LEVEL))
    if "sets" in words:
        rule = "is of no use: a column is published as one level"
        mistakes.append(Mistake(f"{place}.sets", rule, "leave it out"))
    if "level" in words and "taxonomy" not in words:
        rule = "is for a taxonomy; other words say which level is meant"
        mistakes.append(Mistake(f"{place}.level", rule, "leave it out"))
    return mistakes


def _one_level(rule: Rule, level: object, place: str) -> PublishedAs:
    between = len(rule.path(None))
    if level is not None:
        if isinstance(level, int) and not isinstance(level, bool) and 1 <= level <= between:
            return PublishedAs(rule, level)
        most = f"from 1 to {between}" if between > 1 else "1"
        what = f"must be a level between a value and *: {most}, got {shown(level)}"
        repair = "count the columns of the taxonomy behind the first one"
        raise HierarchyError(Mistake(f"{place}.level", what, repair))
    if between == 1:
        return PublishedAs(rule)
    if not between:
        raise HierarchyError(Mistake(place, "has no level between a value and *", _ONE_LEVEL))
    repair = f"say which: {{taxonomy: …, level: 1}}, up to {between}" if isinstance(rule, Taxonomy) else _ONE_LEVEL
    raise HierarchyError(Mistake(place, f"has {between} levels, and a column is published as one", repair))
