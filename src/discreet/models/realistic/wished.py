"""ε-privacy for what people themselves ask for, each in a cell of the table: one by one, or united."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.counts.frequency import FrequencySet
from discreet.counts.groups import Groups, Tally
from discreet.errors import DataError, Mistake
from discreet.hierarchies.hierarchy import Value
from discreet.models.base import PrivacyModel
from discreet.models.exact import decide, pairs
from discreet.models.parameters import Parameter, Parameterized, Threshold, exact
from discreet.models.realistic.adversaries import Adversary
from discreet.models.realistic.predicates import EACH_VALUE, Predicates, membership
from discreet.models.realistic.realistic import Realistic, belief_in_sets, rounded_up, smallest_epsilon
from discreet.models.realistic.wishes import Wishes, read_wishes, wish_mistakes

_PLACE = "realistic.predicates.wishes"
_UNKNOWN = Mistake(_PLACE, "is judged by what was asked for, which only the original table tells, with its wishes")


@dataclass(frozen=True)
class Wished(Parameterized):
    """What both promises share; `also` is promised to everybody, whoever asks."""

    epsilon: Threshold
    adversary: Adversary
    attribute: str
    also: Predicates | None = None
    higher_is_safer = False
    needs_source = True  # who asked for what is not published
    word = "realistic"
    parameters: ClassVar[Mapping[str, Parameter]] = Realistic.parameters
    asks: ClassVar[bool | str]  # in the words of a policy
    scope: ClassVar[str]  # in those of a message

    def require(self) -> str:
        return self._plain.require()

    def describe(self) -> str:
        return f"{self._plain.describe()}, {self.scope}"

    def to_words(self) -> dict[str, dict[str, object]]:
        also = {} if self.also is None else {"also": self.also.to_words()}
        return {self.word: self._plain.to_words()[self.word] | {"predicates": {"wishes": self.asks} | also}}

    def misfits(self, frequency: FrequencySet) -> list[Mistake]:
        """What keeps the promise from fitting a table: as `Realistic`, and wishes that can't be meant."""
        mistakes = self._for(self.also or EACH_VALUE).misfits(frequency)
        wishes = frequency.wishes
        if wishes is None:
            return [*mistakes, _UNKNOWN]
        mistakes += wish_mistakes(wishes, frequency.sensitive_hierarchies[self.attribute])
        if not mistakes and self.also is None and read_wishes(wishes.hierarchy).united() is None:
            rule = f"no row asks for anything in {wishes.hierarchy.attribute}, so nothing would be protected"
            mistakes.append(Mistake(_PLACE, rule, "leave `predicates` out to protect every value"))
        return mistakes

    @property
    def named_values(self) -> frozenset[Value]:
        """Values that the policy names; what people ask for is not told."""
        return frozenset() if self.also is None else self._for(self.also).named_values

    @cached_property
    def _plain(self) -> Realistic:
        """The same promise about every single value, whoever asks."""
        return Realistic(self.epsilon, self.adversary, self.attribute)

    def _for(self, predicates: Predicates) -> Realistic:
        return replace(self._plain, predicates=predicates)


@dataclass(frozen=True)
class OneByOne(Wished):
    """Being in the table changes what the adversary believes of whoever asked, about what she asked, by at most ε.

    ε-privacy as in `Realistic`, with predicates of each person's own (Machanavajjhala, Gehrke & Götz 2009, section 2).
    The adversary can't tell the people of a group apart, so a group is private for all of them if and only if it is for
    every predicate that one of them asks for, or that is promised to everybody (`also`). For others it need not be.

    Not monotone: of two groups, one may tell that all have HIV, where nobody asked for that to be hidden; merged with a
    group where somebody did, it may not. And what is published depends on who asked. The level is the smallest ε.

    >>> from discreet.models.realistic.adversaries import ClassThree
    >>> from discreet.models.examples import wishing_groups
    >>> from discreet.models.realistic.priors import UNIFORM
    >>> sick = [("HIV", ""), ("HIV", ""), ("HIV", ""), ("flu", "")]
    >>> groups = wishing_groups("disease", sick, [*sick[:3], ("flu", "HIV")])
    >>> OneByOne("5/4", ClassThree(UNIFORM), "disease").holds(groups)
    array([ True, False])
    """

    monotone = False
    asks = True
    scope = "what each row asks for"

    def holds(self, groups: Groups) -> BoolArray:
        return self._judged(groups)[0]

    def level(self, groups: Groups) -> FloatArray:
        holds, level = self._judged(groups)
        return np.where(holds, np.minimum(level, float(exact(self.epsilon))), level)

    def least_suppressed(self, groups: Groups) -> IntArray:
        """What everybody is promised is lost as in `Realistic`. For who asks for every single value: the parts that
        such people are in and that hold, put together, hold for every value. So they have at most n − L of the n rows,
        where L are lost at least if all ask; whoever asks is among these or lost, and of n − u who ask, L − u are.
        """
        wishes, of_table = _wishes(groups)
        asking, each = np.zeros(len(groups), dtype=np.int64), of_table.each[wishes.values]
        # The most that one of these wishes has: rows with several of them are not to count twice.
        np.maximum.at(asking, _group_of_pairs(wishes)[each], wishes.counts[each])
        lost = np.maximum(self._plain.least_suppressed(groups) - (groups.sizes - asking), 0)
        return lost if self.also is None else np.maximum(lost, self._for(self.also).least_suppressed(groups))

    def lost_by_people(self, groups: Groups) -> IntArray:
        """Nothing beyond what rows prove: wishes are counted by rows, values by people."""
        return np.zeros(len(groups), dtype=np.int64)

    @property
    def notes(self) -> tuple[str, ...]:
        """What everybody should know of a release that keeps it."""
        return (
            f"what is published of {self.attribute} depends on who asked for what to be hidden: where a group tells "
            "more of a value than the promise allows, none of its rows asked for that; and who asks may be who has it",
        )

    def _judged(self, groups: Groups) -> tuple[BoolArray, FloatArray]:
        from discreet.models.realistic import realistic_kernels, wished_kernels

        t, (wishes, of_table) = groups.tallies[self.attribute], _wishes(groups)
        level = np.ones(len(groups))
        each = np.full(len(groups), self.also is not None and self.also.each_value)
        each[_group_of_pairs(wishes)[of_table.each[wishes.values] & (wishes.counts > 0)]] = True
        if each.any():
            level[each] = smallest_epsilon(groups, self.adversary, self.attribute)[each]
        for_all = () if self.also is None else self.also.listed
        listed = (*for_all, *of_table.listed)
        if listed:
            needed = wished_kernels.epsilon_of_wishes(
                t.pairs,
                groups.sizes,
                realistic_kernels.Named(*membership(listed, t.hierarchy)),
                belief_in_sets(t, self.adversary, listed),
                wishes.pairs,
                wished_kernels.Wanted(of_table.starts, of_table.numbers + np.int32(len(for_all)), len(for_all)),
            )
            level = np.maximum(level, rounded_up(needed))
        return decide(level, float(exact(self.epsilon)), lambda g: self._exactly(t, wishes, of_table, g)), level

    def _exactly(self, t: Tally, wishes: Tally, of_table: Wishes, group: int) -> bool:
        """The verdict on one group in exact arithmetic."""
        wanted = _together([*(of_table.of(wish) for wish, _ in pairs(wishes, group)), self.also])
        return wanted is None or self._for(wanted).holds_exactly(t, group)


@dataclass(frozen=True)
class United(Wished):
    """What anybody asks for is protected for everybody: `Realistic` with all these predicates, and as monotone.

    Who asked makes no difference to what is published; that somebody did may. `everybodys` are the predicates, once the
    wishes of a table are known (`bound`). The level is the smallest ε.
    """

    everybodys: Predicates | None = field(default=None, compare=False, repr=False)
    monotone = True
    asks = "united"
    scope = "what any row asks for, for all rows"

    def holds(self, groups: Groups) -> BoolArray:
        return self._realistic.holds(groups)

    def level(self, groups: Groups) -> FloatArray:
        return self._realistic.level(groups)

    def least_suppressed(self, groups: Groups) -> IntArray:
        return self._realistic.least_suppressed(groups)

    def bound(self, wishes: Tally | None) -> United:
        """The same with the wishes of a table, if they are known."""
        if wishes is None:
            return self
        return replace(self, everybodys=_together([read_wishes(wishes.hierarchy).united(), self.also]))

    @cached_property
    def _realistic(self) -> Realistic:
        if self.everybodys is None:
            raise DataError(_UNKNOWN)
        return self._for(self.everybodys)


def _together(wishes: Iterable[Predicates | None]) -> Predicates | None:
    """All that some wishes ask for; None if it is nothing."""
    some = [wish for wish in wishes if wish is not None]
    return Predicates.of_people(some) if some else None


def _wishes(groups: Groups) -> tuple[Tally, Wishes]:
    """The wishes in each group, and what they mean."""
    if groups.wishes is None:
        raise DataError(_UNKNOWN)
    return groups.wishes, read_wishes(groups.wishes.hierarchy)


def _group_of_pairs(t: Tally) -> IntArray:
    return np.repeat(np.arange(len(t.offsets) - 1), np.diff(t.offsets))


def bound(models: Iterable[PrivacyModel], frequency: FrequencySet | None) -> list[PrivacyModel]:
    """The same promises; those that unite the wishes of a table with the wishes of this one."""
    wishes = None if frequency is None else frequency.wishes
    return [model.bound(wishes) if isinstance(model, United) else model for model in models]
