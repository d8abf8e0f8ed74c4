"""What a policy promises of the groups of its table, asked of any grouping of its rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from campaign.promises.case import Case, Row, Value
from campaign.promises.definitions import Counts, Paths, compares, keeps, number
from campaign.promises.ladders import ladder
from campaign.promises.wishes import for_these, one_by_one, read, wishes_of

ABOUT_WORLDS = ("robust", "presence", "confident_presence", "ambiguity")
_NO_VALUES: Counts = Counter()


@dataclass(frozen=True)
class Asked:
    """A promise about one sensitive column (or, with an empty name, about sizes alone)."""

    promise: Mapping[str, Any]
    attribute: str
    paths: Paths | None

    @property
    def word(self) -> str:
        [word] = self.promise
        return word

    @property
    def about(self) -> Mapping[str, Any]:
        [about] = self.promise.values()
        return about  # type: ignore[no-any-return]

    @property
    def named(self) -> frozenset[Value]:
        """Values that the promise names: of each some row must be published, unless a taxonomy lists them anyhow."""
        if self.paths is not None:
            return frozenset()
        listed = self.about.get("values" if self.word == "robust" else "predicates") or []
        if isinstance(listed, Mapping):  # what rows ask for is not named
            listed = listed.get("also") or []
        words = [word.get("not", []) if isinstance(word, Mapping) else word for word in listed]
        return frozenset(value for word in words for value in (word if isinstance(word, list) else [word]))


def asked(case: Case, words: Mapping[str, Any] | None = None) -> list[Asked]:
    """Every promise of a policy, for each sensitive column that it is about."""
    found = []
    for promise in (words or case.words)["require"]:
        [(word, about)] = promise.items()
        named = [about["attribute"]] if "attribute" in about else case.sensitive
        for attribute in [""] if word in ("k_anonymity", "presence", "confident_presence") else named:
            found.append(Asked(promise, attribute, _paths(case, attribute)))
    return found


def _paths(case: Case, attribute: str) -> Paths | None:
    hierarchy = case.hierarchy(attribute)
    if not isinstance(hierarchy, Mapping) or "taxonomy" not in hierarchy:
        return None
    return ladder(hierarchy, case.column(attribute))


@dataclass
class Rules:
    """The promises of a case about the values of groups, with what was found of groups before."""

    case: Case
    asked: list[Asked]
    source: Mapping[str, Counts] = field(init=False)
    known: dict[object, bool] = field(default_factory=dict)
    beside_source: bool = True  # else held against what is published alone, as whoever checks a release does

    def __post_init__(self) -> None:
        self.source = {name: Counter(self.case.column(name)) for name in self.case.sensitive}

    def broken(
        self, size: int, values: Mapping[str, Counts], published: Mapping[str, Counts], rows: Sequence[int] = ()
    ) -> Asked | None:
        """The first promise that a group breaks, held against the source and against what is published.

        `rows` are those of the source that are in it, where promises read what they ask for.
        """
        for place, promise in enumerate(self.asked):
            meant = None if promise.word in ABOUT_WORLDS else self.meant(promise, rows)
            if meant is None:
                continue
            counts = values[promise.attribute] if promise.attribute else Counter[Value]({None: size})
            against = [self.source.get(promise.attribute, _NO_VALUES)]
            if compares(promise.promise):
                against = [*(against if self.beside_source else ()), published[promise.attribute]]
            for table in against:
                key = place, str(meant), frozenset(counts.items()), frozenset(table.items())
                if key not in self.known:
                    self.known[key] = keeps(meant, counts, table, promise.paths)
                if not self.known[key]:
                    return promise
        return None

    def meant(self, promise: Asked, rows: Sequence[int]) -> Mapping[str, Any] | None:
        """The promise to a group of these rows, with what they or (united) all rows ask for; None if it is nothing."""
        if wishes_of(promise.promise) is None:
            return promise.promise
        asking = self.speaking_for(rows) if one_by_one(promise.promise) else range(len(self.wishes))
        some = {str(wish): wish for at in asking for wish in self.wishes[at]}
        return for_these(promise.promise, [some[text] for text in sorted(some)])

    def speaking_for(self, rows: Sequence[int]) -> Sequence[int]:
        """The rows whose wishes count for some rows: their own."""
        return rows

    @cached_property
    def wishes(self) -> list[list[Any]]:
        """What each row asks for."""
        return [read(cell) or [] for cell in self.case.wishes]

    @property
    def reads_wishes(self) -> bool:
        """Is a group judged by what its own rows ask for?"""
        return any(one_by_one(promise.promise) for promise in self.asked)

    @property
    def compares(self) -> bool:
        """Does what is left out change what the others are judged by?"""
        return any(compares(promise.promise) for promise in self.asked if promise.word not in ABOUT_WORLDS)

    def values(self, places: Sequence[int]) -> dict[str, Counts]:
        """How often each value occurs in some rows of the source."""
        return {name: Counter(column[at] for at in places) for name, column in self._columns.items()}

    @property
    def _columns(self) -> Mapping[str, list[Value]]:
        if "columns" not in self.__dict__:
            self.__dict__["columns"] = {name: self.case.column(name) for name in self.case.sensitive}
        columns: Mapping[str, list[Value]] = self.__dict__["columns"]
        return columns

    def holds(self, group: Sequence[int], staying: Sequence[Sequence[int]]) -> bool:
        """Does a group of rows keep all promises, if it and the others that stay are published?"""
        published = self.values([at for places in staying for at in places]) if self.compares else {}
        return self.broken(len(group), self.values(group), published, group) is None

    def people_in(self, group: Sequence[int]) -> int:
        """How many people some rows are."""
        return len(group)

    @cached_property
    def listed(self) -> list[Row]:
        """Everybody on the list of who could be in the table, by the quasi-identifiers."""
        return list(self.case.people or ())

    def names_all(self, staying: Sequence[Sequence[int]]) -> bool:
        """Is a row published of every value that a promise names?"""
        published = self.values([at for places in staying for at in places])
        return all(set(published[a.attribute]) >= a.named for a in self.asked if a.named)


def delta(about: Mapping[str, Any]) -> tuple[Fraction, Fraction]:
    least, most = about["delta"]
    return number(least), number(most)


def among(rows: int, people: int, limits: tuple[Fraction, Fraction]) -> bool:
    """Is the chance of being one of so many rows among so many people within the limits?"""
    return limits[0] * people <= rows <= limits[1] * people


def presence_kept(
    sizes: Sequence[int], covered: Sequence[int], left_out: int, everybody: int, limits: tuple[Fraction, Fraction]
) -> bool:
    """Nergiz & Clifton: n_T / n_P of every published group, and of everybody in none of them as one group."""
    elsewhere = everybody - sum(covered)
    rest = [] if not (elsewhere or left_out) else [(left_out, elsewhere)]
    return all(among(rows, people, limits) for rows, people in [*zip(sizes, covered, strict=True), *rest])
