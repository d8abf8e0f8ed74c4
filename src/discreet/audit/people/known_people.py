"""People with several rows, for her who knows what people of a kind tend to have: what she believes of all their rows.

A row's posterior is worked out by the worlds of its group (see `worst_case`). Somebody has a value if one of his rows
has it: with the largest of their posteriors at least, and with their sum at most, however the worlds hang together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray, number_equal
from discreet.audit.lines import ASSOCIATION, AT_LEAST, AT_MOST, EXACT, ROUNDED, Line
from discreet.audit.people.people_lines import BELIEVED, limit_of_line, line_of_people
from discreet.audit.people.persons import Persons
from discreet.audit.reading.equal_values import alike
from discreet.audit.reading.tallies import Summed, summed_up
from discreet.audit.reading.view import ReleaseView, Tally
from discreet.audit.worst_case.knowledge import MIN_SUPPORT, Knowledge, Known, People, domain, learnt
from discreet.audit.worst_case.worst_case import (
    WORDS,
    Beliefs,
    Judging,
    given_knowledge,
    protected_sets,
    sets_of,
    shares_of_sets,
    worst_case,
)

_MOST_ASKED = 3_000_000  # values, sets of attributes and people that are looked at one value at a time


@dataclass(frozen=True, eq=False)
class OwnRows:
    """Person ``person[i]`` has from ``sure[i]`` to ``most[i]`` rows among the people of ``entry[i]``, by person.

    Person p of those who are `named` has the pairs ``ends[p]:ends[p + 1]``.
    """

    person: IntArray
    entry: IntArray
    sure: IntArray
    most: IntArray
    named: IntArray
    ends: IntArray

    @property
    def known(self) -> BoolArray:
        """Of whom it is plain which rows they have."""
        return np.logical_and.reduceat(np.append(self.sure == self.most, True), self.ends[:-1])

    @property
    def rows(self) -> IntArray:
        """How many rows each of them may have."""
        return np.add.reduceat(np.append(self.most, 0), self.ends[:-1])

    def largest(self, of_entry: FloatArray) -> FloatArray:
        """The largest that is believed of one of somebody's rows."""
        return np.maximum.reduceat(np.append(of_entry[self.entry], 0.0), self.ends[:-1])

    def sums(self, of_entry: FloatArray, table_rows: IntArray) -> FloatArray:
        """What is believed of all rows of each, at most: they stand where most is told, as many as may."""
        owner = np.repeat(np.arange(len(self.named)), np.diff(self.ends))
        order = np.lexsort((-of_entry[self.entry], owner))
        many = self.most[order]
        before = np.cumsum(many) - many
        left = table_rows[self.named][owner] - (before - before[self.ends[:-1]][owner])
        weights = np.clip(left, 0, many) * of_entry[self.entry[order]]
        return np.bincount(owner, weights=weights, minlength=len(self.named)).astype(np.float64)


def own_rows(persons: Persons, people: People) -> OwnRows:
    """Whose rows stand among the people of groups that she sees, by the source's."""
    table, reach, owners = persons.table, persons.owners.reach, persons.owners
    strange = not persons.rows.manifest  # of another tool
    kinds = len(table.frequencies.counts)
    columns = []
    for name, values, codes in zip(people.columns, people.values, people.codes, strict=True):
        place = alike(values, table.values(name), blank_is_null=strange)
        columns.append(np.concatenate([table.codes(name), place[codes]]) + 1)
    number = number_equal(columns, kinds + len(people.group))
    of_kind, of_entry = number[:kinds], number[kinds:]
    groups = len(persons.rows.sizes)
    if reach.like is None:  # whoever has these quasi-identifiers is in one group
        assert table.owners is not None
        own, whose = of_kind[table.owners.kind], table.owners.person
        sure = most = table.owners.rows
        key = of_entry
    else:
        own = of_kind[reach.like[owners.unit]] * groups + reach.group[owners.unit]
        whose, sure, most = owners.person, owners.sure, owners.most
        key = of_entry * groups + people.group
    order = np.argsort(key, kind="stable")
    at = np.minimum(np.searchsorted(key[order], own), max(len(key) - 1, 0))
    there = key[order][at] == own if len(key) else np.zeros(len(own), dtype=np.bool_)
    entry = order[at[there]] if len(key) else np.empty(0, dtype=np.int64)
    pair, place = np.unique(whose[there] * max(len(key), 1) + entry, return_inverse=True)
    counts = [np.bincount(place, weights=c[there], minlength=len(pair)).astype(np.int64) for c in (sure, most)]
    person, entry = np.divmod(pair, max(len(key), 1))
    named, first = np.unique(person, return_index=True)
    return OwnRows(person, entry, counts[0], counts[1], named, np.append(first, len(person)).astype(np.int64))


def largest_sums(
    persons: Persons, people: People, own: OwnRows, summed: Summed, known: Sequence[Known], protected: BoolArray,
    beliefs: Callable[[Beliefs], FloatArray], of_any: FloatArray,
) -> FloatArray:  # fmt: skip
    """What each of those who are `named` is believed of at most, all rows of his together: value by value.

    In large tables by what is believed `of_any` value, which adds up what is believed of different ones.
    """
    published = np.zeros(protected.shape[1], dtype=np.bool_)
    published[summed.tally.value] = True
    asked = protected[(protected & published).any(axis=1)]
    if len(asked) * len(known) * len(people.group) > _MOST_ASKED:
        return own.sums(of_any, persons.table_rows)
    largest = np.zeros(len(own.named))
    nothing = Beliefs.before(people, np.zeros(len(people.group)), len(summed.total))
    for s in range(len(asked)):
        those = asked[s : s + 1]
        worst = shares_of_sets(summed, those)[people.group]
        judging = Judging(people, summed, those, len(asked) * len(known))
        for each in known:
            worst = np.maximum(worst, beliefs(judging.judged(each, nothing)))
        np.maximum(largest, own.sums(worst, persons.table_rows), out=largest)
    return largest


def worst_case_of_people(
    persons: Persons, tally: Tally, knowledge: Knowledge | None, threshold: float | None
) -> list[Line]:
    """The line of an adversary with worst-case knowledge, about people."""

    def tell(
        view: ReleaseView,
        tally: Tally,
        name: str,
        posterior: Beliefs,
        said: Mapping[str, Any],
        promised: float | None,
        threshold: float | None,
    ) -> Line:
        before = knowledge if knowledge is not None else given_knowledge(said)
        before = learnt(posterior.people, tally) if before is None else before
        return _line(persons, tally, name, posterior, said, promised, threshold, before)

    return worst_case(persons.rows, tally, knowledge, threshold, tell)


def _line(
    persons: Persons,
    tally: Tally,
    name: str,
    posterior: Beliefs,
    said: Mapping[str, Any],
    promised: float | None,
    threshold: float | None,
    before: Knowledge,
) -> Line:
    people, own = posterior.people, own_rows(persons, posterior.people)
    placed, by_bound = int(people.many.sum()), posterior.bound > posterior.chance
    largest = own.largest(posterior.chance)
    summed = summed_up(tally, len(persons.rows.sizes))
    protected = protected_sets(said.get("values"), domain(before, tally))
    beliefs = _of_one_value if name.endswith("_one_value") else _of_all_values
    known = sets_of(persons.rows, tally, people, before, said)
    sums = largest_sums(persons, people, own, summed, known, protected, beliefs, posterior.at_most)
    sums = np.minimum(sums, 1.0)
    some_bound = np.logical_or.reduceat(np.append(by_bound[own.entry], False), own.ends[:-1])
    is_bound = (own.rows > 1) | ~own.known | some_bound
    precision = AT_LEAST if placed < persons.rows.people else AT_MOST if is_bound.any() else EXACT
    chance = largest if precision == AT_LEAST else sums
    by_chance = np.lexsort((posterior.at_most[own.entry], own.person))
    decides = people.group[own.entry[by_chance[own.ends[1:] - 1]]]
    title, knows, assumes = WORDS[name.removesuffix("_one_value")]
    if name.endswith("_one_value"):
        title, assumes = f"{title}, one value at a time", f"She looks at one value against all others. {assumes}"
    if precision == AT_MOST:
        assumes += " Of somebody with several rows what she believes of each is added up: the most that it can be."
    return line_of_people(
        persons,
        chance,
        decides,
        True,
        precision=precision,
        threat=ASSOCIATION,
        attribute=tally.attribute,
        adversary=name,
        title=title,
        knows=f"{persons.rows.kind.finds} {knows} She knows which rows of it have this person's quasi-identifiers.",
        assumes=assumes,
        threshold=limit_of_line(threshold, promised, BELIEVED),
        promised=promised,
        rounded=ROUNDED,
        details={
            "worst_of_one_row": float(posterior.chance.max(initial=0.0)),
            "people_decided_by_a_bound": int(is_bound.sum()),
            "rows_not_placed": persons.rows.people - placed,
            "groups_that_contradict_her": int(posterior.contradicted.sum()),
            "min_support": int(said.get("min_support", MIN_SUPPORT)),
        },
    )


def _of_all_values(beliefs: Beliefs) -> FloatArray:
    return beliefs.at_most


def _of_one_value(beliefs: Beliefs) -> FloatArray:
    return beliefs.one_value.at_most
