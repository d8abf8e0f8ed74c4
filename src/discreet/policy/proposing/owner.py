"""Whose rows they are: finds the column that says so, or leaves the question to whoever knows the table.

Somebody with five rows would fill a group of five alone, so it must be known who has several. A key that repeats and is
called like a person's says it; so does one whose rows agree in what a person keeps (sex, birth, origin). A key with a
value of its own in each row says nothing: it may number the visits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from math import prod

from discreet.engines.profile import ColumnProfile, Ownership
from discreet.errors import DiscreetError, Mistake, did_you_mean, shown
from discreet.hierarchies.dates import parse_date
from discreet.hierarchies.numbers import is_whole, parse
from discreet.labels.whose import Whose
from discreet.policy.proposing.columns import A_PERSON, key_of, meaning_of, names_a_key, words_of
from discreet.policy.proposing.proposals import Proposal, few_values, known_values
from discreet.policy.words import Role

Counting = Callable[[str, Sequence[str]], Ownership]

_TRIED = 5  # columns whose rows are counted by owner: a query each
_TOLD = 6  # columns in which people move
_COMPARED = 50  # quasi-identifiers that are looked at in each
_STEADY = 0.9  # share of owners whose rows agree in a column that people keep
_CHANCE = 0.1  # that two rows of anybody agree as well; above, agreeing proves nothing
_CHANCE_KEPT = 0.6  # the same of what people keep alone: a place has one zip code, but not one sex
_FEW_AGREE = 0.8  # share of owners below which what people keep speaks against a column that is called like theirs
_FOR_LIFE = ("sex or gender", "origin")
_KEPT = (*_FOR_LIFE, "age or birth")  # or nearly
_FULL_NAME = {"full", "fullname", "patient", "customer", "employee", "person", "user", "username", "login"}
# Not where they live: that is not theirs alone.
_REACHED = re.compile(r"e?mail.*|phone.*|telephone.*|mobile.*|telefon.*|handy.*|correo.*|courriel.*")


@dataclass(frozen=True)
class Owner:
    """What is known of whose rows they are: a `column` names the person, or each row is another's, or it is unsaid.

    `number` people, if they can be counted. `notes` say of columns which look like it why they don't name a person;
    `keys` are those that are called like a person's and have a value of their own in each row.
    """

    column: str | None = None
    why: str = ""
    decide: str = ""  # the question, if we are not sure
    one_row_each: bool = False
    number: int | None = None
    several: bool = False  # somebody says that people have several rows, and nobody which
    notes: Mapping[str, str] = field(default_factory=dict)
    keys: tuple[str, ...] = ()

    @property
    def whose(self) -> Whose:
        """Whose rows they are, as texts have to speak of them."""
        if self.column is not None:
            return Whose.NAMED
        return Whose.ONE_EACH if self.one_row_each else Whose.UNSAID

    def nowhere(self) -> Owner:
        """The same if the column that was taken for it is not: nothing says whose rows they are."""
        return replace(self, column=None, why="", decide="", number=None)


def find_owner(
    proposals: Sequence[Proposal],
    counting: Counting,
    *,
    person: str | None = None,
    one_row_per_person: bool = False,
) -> Owner:
    """Whose rows they are, as somebody says (`person`, `one_row_per_person`), or else as the table shows.

    `counting` is an engine's `ownership`: it is asked once for each column that may be it.

    >>> from discreet.engines.open import open_source
    >>> from discreet.policy.proposing.proposals import proposals_of
    >>> visits = open_source({"patient": ["a", "a", "b", "b"], "sex": ["f", "f", "m", "m"]})
    >>> find_owner(proposals_of(visits.profile()), visits.ownership).column
    'patient'
    """
    if person is not None and one_row_per_person:
        rule = f"is of no use: {shown(person)} says whose rows they are"
        raise DiscreetError(Mistake("--one-row-per-person", rule, "leave it out, or leave --person out"))
    if person is not None:
        return _named(person, proposals, counting)
    found = _found(proposals, counting)
    if one_row_per_person and found.column is not None:
        rule = f"the column {shown(found.column)} says otherwise: {found.why}"
        repair = "say --person with its name; if it does not say whose row it is, leave both out and edit the policy"
        raise DiscreetError(Mistake("--one-row-per-person", rule, repair))
    if one_row_per_person:
        return Owner(one_row_each=True, number=proposals[0].profile.rows, notes=found.notes)
    return found


def _named(person: str, proposals: Sequence[Proposal], counting: Counting) -> Owner:
    """Somebody says which column it is."""
    of_column = {p.profile.name: p for p in proposals}
    if person not in of_column:
        repair = did_you_mean(person, list(of_column))
        raise DiscreetError(Mistake("--person", f"the table has no column {shown(person)}", repair))
    profile = of_column[person].profile
    if len(proposals) == 1:
        rule = f"{shown(person)} is the only column, and nothing would be published"
        raise DiscreetError(Mistake("--person", rule, "give a table with the columns that are to be published"))
    if profile.rows and not known_values(profile):
        repair = "name the column that says whose row it is, or say --one-row-per-person"
        raise DiscreetError(Mistake("--person", f"{shown(person)} has no value in any row", repair))
    candidate = _Candidate.of(of_column[person], proposals, counting)
    return Owner(person, f"whose row it is, as you said; {candidate.sentence}", number=candidate.people)


def _found(proposals: Sequence[Proposal], counting: Counting) -> Owner:
    """The column that says whose row it is, by its name or by its values; nothing where none does."""
    if len(proposals) < 2:  # nothing would be left to publish
        return Owner()
    repeated = {p.profile.name: p for p in proposals if 1 < known_values(p.profile) < p.profile.rows - p.profile.nulls}
    keys = tuple(
        p.profile.name
        for p in proposals
        if p.profile.name not in repeated and known_values(p.profile) > 1 and key_of(p.profile.name) == A_PERSON
    )
    notes = {
        name: f"the key of {what} by its name, not of a person"
        for name in repeated
        if names_a_key(name) and (what := key_of(name)) not in ("", A_PERSON)
    }
    called = {name: p for name, p in repeated.items() if _called_a_person(p.profile)}
    others = sorted(repeated.values(), key=lambda p: -known_values(p.profile))
    may_be = (p for p in others if p.profile.name not in called and _may_be(p.profile))
    tried = [_Candidate.of(p, proposals, counting) for p in islice(chain(called.values(), may_be), _TRIED)]
    by_name = sorted((c for c in tried if c.column in called), key=lambda c: (c.against != "", -c.agreement, -c.people))
    by_values = [c for c in tried if c.column not in called and c.steady]
    for c in tried:
        meant = meaning_of(c.column) is not None or names_a_key(c.column)
        if meant and c.column not in called and not c.steady and c.differing:
            notes[c.column] = f"rows with one value of it differ in {c.differing}: it names no person"
    if by_name:
        best = by_name[0]
        rivals = [c.column for c in by_name[1:] if not c.against and c.people != best.people]
        why = f"whose row it is: the key of a person, by its name; {best.sentence}"
        decide = best.against and f"named like the key of a person, but {best.against}: does it say whose row it is?"
        if not decide and rivals:
            decide = f"does it say whose row it is, or does {' or '.join(map(shown, rivals))}?"
        return Owner(best.column, why, decide, number=best.people, notes=notes, keys=keys)
    if by_values:
        best = max(by_values, key=lambda c: c.agreement)
        why = f"perhaps whose row it is: rows with one value of it agree in {best.steady}; {best.sentence}"
        decide = f"does it say whose row it is? Rows with one value of it agree in {best.steady}"
        return Owner(best.column, why, decide, number=best.people, notes=notes, keys=keys)
    return Owner(notes=notes, keys=keys)


def against_one_row_each(
    columns: Sequence[str],
    identifiers: Sequence[str],
    quasi_identifiers: Sequence[ColumnProfile],
    rows: int,
    counting: Counting,
) -> dict[str, str]:
    """Which columns belie that each of so many rows is another person's, and how; a query for each that may.

    Asked are those of the `columns` that are called like a person's key, and `identifiers` whose name says nothing. Of
    these, which may be names that several people share, rows have to agree in what a person keeps.

    >>> from discreet.engines.open import open_source
    >>> visits = open_source({"patient": ["a", "a", "b", "b"], "sex": ["f", "f", "m", "m"]})
    >>> sex = ColumnProfile("sex", 4, 2, 0, (("f", 2), ("m", 2)))
    >>> against_one_row_each(["patient"], [], [sex], 4, visits.ownership)["patient"].split(";")[0]
    '2 people'
    """
    called = [name for name in columns if key_of(name) == A_PERSON]
    maybe = [name for name in identifiers if not key_of(name) and name not in called]
    compared = [p for p in quasi_identifiers if p.distinct > 1][:_COMPARED]
    belied = {}
    for name in [*called, *maybe][:_TRIED]:
        owned = counting(name, [p.name for p in compared])
        if not owned.repeated:
            continue
        nulls = rows - sum(of_each * owners for of_each, owners in zip(owned.rows, owned.owners, strict=True))
        candidate = _Candidate.judged(name, nulls, owned, compared, len(quasi_identifiers))
        by_name = _called_a_person(ColumnProfile(name, rows, owned.number, nulls, ())) and not candidate.against
        if by_name or candidate.steady:
            belied[name] = candidate.sentence
    return belied


def _called_a_person(profile: ColumnProfile) -> bool:
    """By its name a person's key; of few values, a bare ``member`` may be yes and no, a ``subject`` what is taught."""
    bare = len(words_of(profile.name)) == 1 and not names_a_key(profile.name)
    return key_of(profile.name) == A_PERSON and not (bare and few_values(profile))


def _may_be(profile: ColumnProfile) -> bool:
    """Could its values name people, though its name does not say so? Numbers with fractions and days don't."""
    meaning = meaning_of(profile.name)
    words = set(words_of(profile.name))
    texts = [value for value, _ in profile.values if value]
    numbers = [parse(text) for text in texts]
    if any(n is not None and not is_whole(n) for n in numbers) or (texts and all(map(parse_date, texts))):
        return False
    if key_of(profile.name) not in ("", A_PERSON):
        return False
    match meaning.what if meaning else "":
        case "":
            return not few_values(profile)
        case "a name" | "a number of its own" | "an official number":
            return True
        case "a person's name":
            return bool(words & _FULL_NAME)
        case "a way to reach the person":
            return any(map(_REACHED.fullmatch, words))
    return False


@dataclass(frozen=True)
class _Candidate:
    """A column that may say whose row it is, and what its rows say for and against it."""

    column: str
    people: int
    sentence: str  # how many people, rows and movers
    agreement: float  # share of owners with several rows that agree, over the quasi-identifiers
    steady: str = ""  # in which columns they agree, if that is no chance
    against: str = ""
    differing: str = ""  # in which columns most of them differ

    @classmethod
    def of(cls, proposed: Proposal, proposals: Sequence[Proposal], counting: Counting) -> _Candidate:
        """Count the rows of each value, and compare those of one with each other: one query."""
        quasi = [p for p in proposals if p.role == Role.QUASI_IDENTIFIER and p.profile.distinct > 1]
        others = [p for p in quasi if p is not proposed]
        others.sort(key=lambda p: p.decide)  # those that we are sure of first
        profile, compared = proposed.profile, [p.profile for p in others[:_COMPARED]]
        owned = counting(profile.name, [p.name for p in compared])
        return cls.judged(profile.name, profile.nulls, owned, compared, len(others))

    @classmethod
    def judged(
        cls, column: str, nulls: int, owned: Ownership, compared: Sequence[ColumnProfile], quasi_identifiers: int
    ) -> _Candidate:
        """The same from its counted rows, in how many of the quasi-identifiers they were compared."""
        differing = dict(zip((p.name for p in compared), owned.differing, strict=True))
        share = {name: 1 - differs / max(owned.repeated, 1) for name, differs in differing.items()}
        steady = [p for p in compared if share[p.name] >= _STEADY]
        kept = [p for p in steady if _kept(p)]
        proven = owned.repeated > 1 and _by_chance(steady) <= _CHANCE and _by_chance(kept) <= _CHANCE_KEPT
        against = [p.name for p in compared if share[p.name] < _FEW_AGREE and _kept(p, True)]
        return cls(
            column,
            owned.number + nulls,
            _sentence(owned, nulls, differing, quasi_identifiers),
            sum(share.values()) / max(len(share), 1),
            _listed([p.name for p in kept]) if proven else "",
            f"rows with one value of it differ in {_listed(against)}" if against else "",
            _listed([name for name, agree in share.items() if agree < 0.5]),
        )


def _kept(profile: ColumnProfile, for_life: bool = False) -> bool:
    """Is it what people keep, for life (`for_life`) or nearly (an age is another next year)?"""
    meaning = meaning_of(profile.name)
    return meaning is not None and meaning.what in (_FOR_LIFE if for_life else _KEPT)


def _by_chance(profiles: Sequence[ColumnProfile]) -> float:
    """How likely two rows of anybody agree in all these columns, if they have nothing to do with each other."""
    return prod(sum((count / max(p.rows, 1)) ** 2 for _, count in p.values) for p in profiles)


def _sentence(owned: Ownership, nulls: int, differing: Mapping[str, int], quasi_identifiers: int) -> str:
    people = owned.number + nulls
    most = f"a person has {owned.median:,} row{'s' * (owned.median != 1)} in the median, {owned.most:,} at most"
    parts = [f"{people:,} people; {'each has one row' if owned.most <= 1 else most}"]
    if nulls:
        parts.append(f"{nulls:,} rows name nobody, and count as a person each")
    if owned.movers:
        most_first = sorted(differing.items(), key=lambda item: -item[1])
        where = [f"{shown(name)} ({differs:,})" for name, differs in most_first if differs]
        more = f" and {len(where) - _TOLD} more" if len(where) > _TOLD else ""
        parts.append(f"{owned.movers:,} of them move: their rows differ in {', '.join(where[:_TOLD])}{more}")
    elif owned.repeated and differing:
        parts.append("nobody moves: the quasi-identifiers of a person are the same in all rows")
    if len(differing) < quasi_identifiers and owned.repeated:
        parts.append(f"{len(differing)} of {quasi_identifiers:,} quasi-identifiers were compared")
    return "; ".join(parts)


def _listed(names: Sequence[str]) -> str:
    """Some columns' names, in a sentence.

    >>> _listed(["age", "zip"]), _listed(["a", "b", "c", "d"])
    ("'age' and 'zip'", "'a', 'b' and 2 more")
    """
    if len(names) > 3:
        return f"{', '.join(map(shown, names[:2]))} and {len(names) - 2} more"
    return " and ".join(", ".join(map(shown, part)) for part in (names[:-1], names[-1:]) if part)
