"""What a privacy model is: a promise about a release, decided from its groups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, reduce
from typing import Protocol, TypeGuard, runtime_checkable

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.counts.groups import Groups
from discreet.errors import Infeasible
from discreet.hierarchies.hierarchy import Value
from discreet.hierarchies.taxonomy import Taxonomy
from discreet.models.by_people import held, surely_lost


class PrivacyModel(Protocol):
    """A promise about a release, decided from its groups alone.

    A model is a small frozen value whose fields can't contradict each other. It never searches and never sees a
    table.
    """

    @property
    def attribute(self) -> str:
        """The sensitive attribute it speaks of; empty if it needs none."""

    @property
    def monotone(self) -> bool:
        """Does merging two groups that hold always give one that holds?"""

    @property
    def higher_is_safer(self) -> bool:
        """Is a larger `level` the better one (k), or a smaller one (t)?"""

    def holds(self, groups: Groups) -> BoolArray:
        """The verdict on each group. Exact: rounding never lets a group pass that should not."""

    def level(self, groups: Groups) -> FloatArray:
        """What each group achieves, in the unit of the parameter."""

    def least_suppressed(self, groups: Groups) -> IntArray:
        """Per group, a proven minimum of rows that are lost in *every* refinement of it.

        However the group is cut into parts, the parts that break the promise together have at least this many
        rows. Zero is always right; the larger it is, the more a search can prune. A model for which every part of
        a failing group fails (k-anonymity) answers the size of each failing group.
        """

    def require(self) -> str:
        """What is asked of `level`, for messages: ``at least 5``."""

    def describe(self) -> str:
        """The promise in one line, for manifests and reports: ``5-anonymity``."""

    def to_words(self) -> dict[str, dict[str, object]]:
        """The promise in the words of a policy: ``{"k_anonymity": {"k": 5}}``."""

    # A model may also say `compares`, `needs_source`, `beyond_help`, `hides_by_people`, `left_out` and `notes` (for
    # readers of the release), and for searches that build groups instead of cutting them: `size_alone`, `least_rows`,
    # `rows_per_value` and `protected_values` (see there). How it is judged where people have several rows, if not by
    # its own counts of people: see `by_people`.


@runtime_checkable
class AboutPopulation(Protocol):
    """A promise about everybody in a population: also about people in groups without rows, and in no group at all."""

    def rest(self, groups: Groups) -> tuple[bool, float] | None:
        """Is it kept for the people in none of the groups (`left_out`, `elsewhere`), and what do they reach?

        None where there is nobody, or nothing is promised to them.
        """

    def out_of_reach(self, rows: int, people: int) -> Infeasible | None:
        """The error, if no release of so many rows can keep it among so many people: no search is needed to know."""

    def among(self) -> object | None:
        """Which people it speaks of, the same for the same ones; None if they are those of the table itself."""


def needs_source(model: PrivacyModel) -> bool:
    """Is what a group reaches known only to whoever has the original table? Then a release can't tell it."""
    return bool(getattr(model, "needs_source", False))


def left_out(model: PrivacyModel, groups: Groups) -> tuple[bool, float, int] | None:
    """Is a promise kept for the rows that are in no group, what do they reach, and how many are they?

    None where nobody is left out, or where nothing is promised to them. A model that does has a method of this name.
    """
    judge = getattr(model, "left_out", None)
    found: tuple[bool, float, int] | None = None if judge is None else judge(groups)
    return found


def size_alone(model: PrivacyModel) -> bool:
    """Does it hold for all groups of at least `least_rows`, and for no others? Then no search need look at values."""
    return bool(getattr(model, "size_alone", False))


def least_rows(models: Iterable[PrivacyModel]) -> int:
    """A size that no group may be below, whatever it holds."""
    return max((int(getattr(model, "least_rows", 1)) for model in models), default=1)


def rows_per_value(model: PrivacyModel) -> int:
    """How many rows a group needs for a protected one, if no two of them have the same value; 1: it does not matter."""
    return int(getattr(model, "rows_per_value", 1))


def protected_values(model: PrivacyModel) -> tuple[tuple[Value, ...], ...] | None:
    """The values of its attribute that it protects, by themselves or in sets; None: every single one."""
    values: tuple[tuple[Value, ...], ...] | None = getattr(model, "protected_values", None)
    return values


def compares(model: PrivacyModel) -> bool:
    """Does a verdict on a group hang on the distribution of the whole table? Then it may be another if rows are left
    out. Promises about values do, unless they say that they look at the group alone."""
    return bool(model.attribute) and bool(getattr(model, "compares", True))


def hidden_values(model: PrivacyModel, groups: Groups) -> frozenset[Value]:
    """The values that a promise names (`named_values`) and none of the groups has.

    A promise is refused if it names a value that the table lacks. So a release tells that the table has all of them,
    and of one that no published row has, that a suppressed person has it. What a taxonomy lists need not be there.
    """
    named: frozenset[Value] = getattr(model, "named_values", frozenset())
    tally = groups.tallies.get(model.attribute) if named else None
    if tally is None or isinstance(tally.hierarchy.rule, Taxonomy):
        return frozenset()
    return named - {tally.hierarchy.leaves[value] for value in np.unique(tally.values).tolist()}


def all_hold(models: Sequence[PrivacyModel], groups: Groups) -> BoolArray:
    """Which groups keep every promise. Nothing is published of a group without rows, so most promises hold there."""
    if _all_have_a_say(models, groups):  # searches ask at every node
        verdicts = [np.asarray(held(model, groups), dtype=np.bool_) for model in models]
        return reduce(np.logical_and, verdicts) if verdicts else np.ones(len(groups), dtype=np.bool_)
    verdict = np.ones(len(groups), dtype=np.bool_)
    for model, filled, at in _judged(models, groups):
        verdict[at] &= held(model, filled)
    return verdict


def least_suppressed(models: Sequence[PrivacyModel], groups: Groups) -> IntArray:
    """Rows lost at least, per group, in every refinement: the strongest of the models' bounds."""
    if _all_have_a_say(models, groups):
        bounds = [np.asarray(surely_lost(model, groups), dtype=np.int64) for model in models]
        return reduce(np.maximum, bounds) if bounds else np.zeros(len(groups), dtype=np.int64)
    least = np.zeros(len(groups), dtype=np.int64)
    for model, filled, at in _judged(models, groups):
        least[at] = np.maximum(least[at], surely_lost(model, filled))
    return least


def beyond_help(models: Sequence[PrivacyModel], groups: Groups, rows: int) -> BoolArray:
    """Which groups break a promise whatever is taken from the table they are compared with, up to so many rows?

    A model that can tell has a method of this name, without the models. Where nothing is proven the answer is no.
    """
    verdict = np.zeros(len(groups), dtype=np.bool_)
    for model in models:
        proven = getattr(model, "beyond_help", None)
        if proven is not None:
            verdict |= proven(groups, rows)
    return verdict


def publishable(models: Sequence[PrivacyModel], groups: Groups, holds: BoolArray, limit: int) -> BoolArray:
    """Which groups would be published, if at most `limit` rows may be left out: as a rule those that hold.

    Whom a release leaves out must not depend on who is in the table, or it tells: two people who are missing because
    both are in the table are missing in no other case. So where a promise `hides_by_people`, the groups of fewest
    people are left out, whoever of them is in the table (`small_groups`), and no others.
    """
    if limit and hides_by_people(models) and groups.population is not None:
        rows, everybody = int(groups.sizes.sum()) + groups.left_out, int(groups.population.sum()) + groups.elsewhere
        people = rows if groups.owners is None else groups.owners.everybody
        return ~small_groups(groups.population, people, everybody, people_allowed(limit, rows, people))
    return holds


def people_allowed(limit: int, rows: int, people: int) -> int:
    """How many people may be left out where it is `limit` of the rows, if these have as many as others on average.

    >>> people_allowed(10, rows=500, people=100), people_allowed(10, rows=500, people=500)
    (2, 10)
    """
    return limit * people // max(rows, 1)


def small_groups(population: IntArray, rows: int, everybody: int, limit: int) -> BoolArray:
    """The groups of fewest people: as many as would hold clearly fewer than `limit` rows, were all equally likely.

    All groups of a size, or none: it follows from the population, the number of rows and the limit alone. The e rows
    that are expected in them are so few that e + 2 √e, two standard deviations more, is within the limit. (Where people
    have several rows, these are people, and so is the limit.)

    >>> small_groups(np.array([2, 10, 100]), rows=12, everybody=112, limit=2).tolist()
    [True, False, False]
    """
    size, many = np.unique(population, return_counts=True)
    small = size[np.cumsum(size * many) <= _most_people(rows, everybody, limit)]
    found: BoolArray = population <= (small[-1] if len(small) else -1)
    return found


@cache
def _most_people(rows: int, everybody: int, limit: int) -> int:
    """The most people p of whom e = p · rows / everybody are expected in the table with e + 2 √e ≤ limit, exactly."""
    low, high = 0, everybody
    while low < high:
        people = (low + high + 1) // 2
        expected, spare = people * rows, limit * everybody - people * rows  # both times everybody
        if spare >= 0 and 4 * expected * everybody <= spare * spare:
            low = people
        else:
            high = people - 1
    return low


def may_leave_out(models: Sequence[PrivacyModel], groups: Groups, holds: BoolArray, published: BoolArray) -> bool:
    """May the others be left out together, and all of these be published, as far as promises about a population go?

    Whoever is in none of the published groups is one of many of whom so many were left out: they are judged as one
    group. A group that fails without having rows can't be left out because of that: it is not there already.
    """
    if groups.population is None and groups.outside is None:  # told at once, for searches ask at every node
        return True
    groups = groups.in_people()
    filled = groups.sizes > 0
    shown = groups.rest_of(published & filled)
    if groups.population is not None and hides_by_people(models):
        if not holds[published].all():
            return False
        shown = replace(shown, hidden=int(groups.population[~published].sum()))
    elif (~holds & ~filled).any():
        return False
    about = [model for model in models if _is_about_population(model)]
    return all(rest is None or rest[0] for rest in (model.rest(shown) for model in about))


def hides_by_people(models: Sequence[PrivacyModel]) -> bool:
    """Does a promise ask that who is left out follows from the population, and not from who is in the table?"""
    return any(getattr(model, "hides_by_people", False) for model in models)


def _judged(models: Sequence[PrivacyModel], groups: Groups) -> Iterator[tuple[PrivacyModel, Groups, BoolArray | slice]]:
    """Each model with the groups that it has a say in, and where these stand among all; some are empty."""
    some = groups.sizes > 0
    about = [_is_about_population(model) for model in models]
    filled = groups if all(about) else groups.where(some)
    for model, everybody in zip(models, about, strict=True):
        yield (model, groups, slice(None)) if everybody else (model, filled, some)


def _all_have_a_say(models: Sequence[PrivacyModel], groups: Groups) -> bool:
    """Has each model a say in every group? Most have none in groups of a population's people without rows."""
    if groups.population is None or all([_is_about_population(model) for model in models]):
        return True
    return bool(groups.sizes.all())


def _is_about_population(model: PrivacyModel) -> TypeGuard[AboutPopulation]:
    return _are_about_population(type(model))


@cache
def _are_about_population(kind: type) -> bool:
    """Remembered: searches ask at every node, and asking a protocol takes as long as counting a small one."""
    return issubclass(kind, AboutPopulation)
