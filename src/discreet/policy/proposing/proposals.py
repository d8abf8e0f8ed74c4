"""Proposes what each column of a table is that nobody has described yet. What we are unsure of is marked.

A column published as it is can't be taken back, so a role in doubt is identifier (left out) or quasi_identifier (made
coarser), never other; or, of a whole block of questions, sensitive. Whatever is in doubt stops a run until somebody
has decided. A release can carry some ten quasi-identifiers: what nobody is known to know beyond these is left out.
See docs/decisions/0017-proposals.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from discreet.engines.profile import ColumnProfile
from discreet.errors import DataError, Mistake, shown
from discreet.hierarchies.dates import parse_date
from discreet.hierarchies.numbers import is_whole, parse
from discreet.policy.proposing.columns import (
    A_WEIGHT,
    Meaning,
    meaning_of,
    names_a_key,
    names_a_part,
    stem_of,
    words_of,
)
from discreet.policy.proposing.hierarchy_proposals import hierarchy_words, with_points
from discreet.policy.words import Role

MANY = 10  # with more quasi-identifiers than this a release becomes coarse everywhere
_FREE_TEXT = 40  # characters; what is longer is a sentence
_BLOCK = 5  # columns of one name and different numbers are a block of questions
_ANSWERS = 15  # different answers to a question, at most
_LOPSIDED = 0.95  # share of the rows with one answer, above which another in each group costs too much
_PARTS = {"train", "training", "test", "testing", "valid", "validation", "dev", "eval", "holdout"}
_SURELY_WEIGHTS = {"sample", "sampling", "survey", "design", "final", "weighting", "expansion"}
_UNKNOWN = "its name says nothing to us"


@dataclass(frozen=True)
class Proposal:
    """What we take a column for, why, and whether the user has to decide.

    `question` is what is to be decided; it stops a run. `block` are the columns that are decided with this one. Where
    the table was asked, `alone` is the share of its rows that this column makes unique by itself, and `beyond` the
    share that it makes unique beyond the quasi-identifiers.
    """

    profile: ColumnProfile
    role: Role
    why: str
    hierarchy: str = ""  # in YAML
    decide: bool = False
    question: str = ""
    block: tuple[str, ...] = ()
    alone: float | None = None
    beyond: float | None = None
    publish_as: str = ""  # in YAML: coarser values that are published instead

    @property
    def name(self) -> str:
        """The column's name."""
        return self.profile.name


def proposals_of(profiles: Sequence[ColumnProfile]) -> list[Proposal]:
    """What each column of a table seems to be."""
    if not profiles:
        raise DataError(Mistake("source", "has no columns", "give a table about people"))
    twice = [name for name, count in Counter(p.name for p in profiles).items() if count > 1]
    if twice:
        raise DataError(*(Mistake("source", f"several columns are called {shown(n)}", "rename them") for n in twice))
    return _within_reason(_with_blocks([proposal(p) for p in profiles]))


def proposal(profile: ColumnProfile) -> Proposal:
    """What a column seems to be, by its name first and by its values where the name says nothing."""
    meaning = meaning_of(profile.name)
    if profile.distinct <= 1 and not _surely_identifies(meaning):
        return quasi_identifier(profile, "the same in all rows: tells none of them apart and costs nothing")
    texts = [value for value, _ in profile.values if value]
    texts = with_points(texts) or texts
    if texts and sum(map(len, texts)) > _FREE_TEXT * len(texts):
        question = "long texts may name people: are you sure that they don't? Then say what it is"
        return Proposal(profile, Role.IDENTIFIER, "long texts: they may name people", decide=True, question=question)
    if names_a_part(profile.name) and known_values(profile) <= 20:
        return _part(profile, texts)
    if meaning is None:
        return _by_values(profile, texts)
    named = f"{meaning.what}, by its name"
    few = few_values(profile)
    if meaning.what == A_WEIGHT:
        return _weight(profile, texts)
    if names_a_key(profile.name) and not few:
        return Proposal(profile, Role.IDENTIFIER, "a key, by its name")
    if meaning.role == Role.IDENTIFIER:
        if few and not _surely_identifies(meaning):
            return quasi_identifier(profile, f"{named}, but it has few values", decide=True)
        return Proposal(profile, Role.IDENTIFIER, named)
    if meaning.role == Role.SENSITIVE:
        return _sensitive(profile, named, texts)
    return quasi_identifier(profile, named, meaning)


def _sensitive(profile: ColumnProfile, named: str, texts: list[str]) -> Proposal:
    """What must be protected; a date is still known to others, and exact values find the row."""
    if texts and all(map(parse_date, texts)):
        return quasi_identifier(profile, f"{named}, but a time that others may know")
    exact = known_values(profile) * 2 > profile.rows
    if exact and not _numbers(texts):
        why = f"{named}, but something else in nearly every row: it may name people"
        question = "nearly every row has a text of its own: may it name people? Then it stays identifier"
        return Proposal(profile, Role.IDENTIFIER, why, decide=True, question=question)
    question = _found_by(profile) if exact else ""
    return Proposal(profile, Role.SENSITIVE, f"{named}; {different(profile)}", decide=exact, question=question)


def _part(profile: ColumnProfile, texts: list[str]) -> Proposal:
    """Which part of a data set a row belongs to: left out, since it says nothing about the person."""
    sure = bool(texts) and all(word in _PARTS for text in texts for word in words_of(text))
    why = "marks a part of the data set, by its name" + (" and its values" if sure else "") + "; nothing about people"
    question = "" if sure else "does it mark a part of the data set? Then it stays left out; else say what it is"
    return Proposal(profile, Role.IDENTIFIER, why, decide=not sure, question=question)


def _weight(profile: ColumnProfile, texts: list[str]) -> Proposal:
    """How many people a row stands for: it tells the stratum, and nearly every row has one of its own. Or kilograms."""
    numbers = [parse(text) for text in texts]
    positive = bool(numbers) and all(n is not None and n >= 0 for n in numbers)
    words = set(words_of(profile.name))
    sure = bool(words & _SURELY_WEIGHTS) or any("wgt" in word or word.startswith("pond") for word in words)
    fine = any(len(text.partition(".")[2]) > 2 for text in texts) or known_values(profile) * 2 > profile.rows
    if not positive or known_values(profile) <= 20 or not (sure or fine):
        return quasi_identifier(profile, "a weight, by its name", decide=not positive)
    why = f"{A_WEIGHT}, by its name; {different(profile)}; it tells how somebody was drawn, and from where"
    question = (
        "is it a sampling weight? It stays left out, unless the readers of the release weight their figures: "
        "then round it in the table, and call it quasi_identifier"
    )
    return Proposal(profile, Role.IDENTIFIER, why, decide=True, question=question)


def _by_values(profile: ColumnProfile, texts: list[str]) -> Proposal:
    """The name says nothing: the user has to decide, and we propose what gives least away."""
    numbers = _numbers(texts)
    dates = bool(texts) and all(parse_date(t) for t in texts)
    decimals = numbers and not all(is_whole(parse(t) or 0) for t in texts)
    if _unique(profile) and not dates and not decimals:
        return Proposal(profile, Role.IDENTIFIER, "a value of its own in each row: as good as a name")
    if dates:
        return quasi_identifier(profile, "dates, by its values: others may know them")
    if not numbers and known_values(profile) > max(50, (profile.rows - profile.nulls) // 2):
        why = "nearly a value of its own in each row: it may single people out"
        question = "nearly every row has a value of its own: may it name people? Then it stays identifier"
        return Proposal(profile, Role.IDENTIFIER, why, decide=True, question=question)
    return quasi_identifier(profile, _UNKNOWN, decide=True)


def _with_blocks(proposals: list[Proposal]) -> list[Proposal]:
    """The same, where the questions of a questionnaire are answers that nobody else knows, decided together."""
    of_stem: dict[str, list[Proposal]] = {}
    for p in proposals:
        if p.decide and p.role == Role.QUASI_IDENTIFIER and p.why.startswith(_UNKNOWN) and _few_answers(p.profile):
            of_stem.setdefault(stem_of(p.name), []).append(p)
    changed: dict[str, Proposal] = {}
    for stem, members in of_stem.items():
        if not stem or len(members) < _BLOCK:
            continue
        told = [p for p in members if _most_common(p.profile) <= _LOPSIDED]
        changed |= {p.name: _lopsided(p.profile) for p in members if p not in told}
        changed |= {p.name: _answer(p.profile, told) for p in told}
    return [changed.get(p.name, p) for p in proposals]


def _few_answers(profile: ColumnProfile) -> bool:
    return known_values(profile) <= _ANSWERS and few_values(profile)


def _answer(profile: ColumnProfile, block: Sequence[Proposal]) -> Proposal:
    """One of several questions: sensitive, and asked about once for all of them."""
    first, last = block[0].name, block[-1].name
    together = f"one of {len(block)} columns like {shown(first)}: answers of a questionnaire"
    if profile.name != first:
        why = f"{together}; {different(profile)}"
        return Proposal(profile, Role.SENSITIVE, why)
    question = (
        f"{len(block)} columns, {shown(first)} to {shown(last)}, seem to be answers of a questionnaire, and are "
        "published as they are: is there none that others may know of somebody (then quasi_identifier) or that "
        "is not needed (then identifier)?"
    )
    why = f"{together}; {different(profile)}"
    return Proposal(profile, Role.SENSITIVE, why, decide=True, question=question, block=tuple(p.name for p in block))


def _lopsided(profile: ColumnProfile) -> Proposal:
    why = "an answer that nearly all rows share: to hide who has another, each group would need one; left out"
    question = "nearly all rows have the same answer: is it needed? Then say sensitive; else it stays left out"
    return Proposal(profile, Role.IDENTIFIER, why, decide=True, question=question)


def _within_reason(proposals: list[Proposal]) -> list[Proposal]:
    """The same with at most ten quasi-identifiers, as far as those allow that others know: the rest is left out.

    Of what we don't understand, columns of few values stay: they cost the others least.
    """
    quasi = [p for p in proposals if p.role == Role.QUASI_IDENTIFIER and p.profile.distinct > 1]
    doubtful = sorted((p for p in quasi if p.decide), key=lambda p: p.profile.distinct)
    room = max(MANY - (len(quasi) - len(doubtful)), 0)
    left_out: Mapping[str, Proposal] = {
        p.name: replace(
            p,
            role=Role.IDENTIFIER,
            hierarchy="",
            why=f"{p.why}; left out, since {len(quasi)} quasi-identifiers would leave hardly anything exact",
            question="is it needed? Then say what it is, perhaps in place of another; else it stays left out",
        )
        for p in doubtful[room:]
    }
    return [left_out.get(p.name, p) for p in proposals]


def _numbers(texts: list[str]) -> bool:
    return bool(texts) and all(parse(text) is not None for text in texts)


def quasi_identifier(
    profile: ColumnProfile, why: str, meaning: Meaning | None = None, *, decide: bool = False
) -> Proposal:
    """A column that others may know, with a hierarchy that suits it."""
    hierarchy, note = hierarchy_words(profile, meaning.what if meaning else "")
    why = "; ".join(part for part in (why, different(profile), note) if part)
    question = (
        "may others know it of somebody? Then it stays quasi_identifier; if it is what must be protected, say "
        "sensitive; if nobody needs it, identifier"
    )
    return Proposal(profile, Role.QUASI_IDENTIFIER, why, hierarchy, decide, question if decide else "")


def _surely_identifies(meaning: Meaning | None) -> bool:
    return meaning is not None and meaning.what == "a person's name"


def known_values(profile: ColumnProfile) -> int:
    """How many different values there are beside NULL."""
    return profile.distinct - (profile.nulls > 0)


def few_values(profile: ColumnProfile) -> bool:
    """Has it so few values that each stands for many rows?"""
    return known_values(profile) <= 100 and known_values(profile) * 10 <= profile.rows


def _most_common(profile: ColumnProfile) -> float:
    """The share of rows with the commonest value."""
    return max((count for _, count in profile.values), default=0) / max(profile.rows, 1)


def _unique(profile: ColumnProfile) -> bool:
    return 1 < known_values(profile) == profile.rows - profile.nulls


def different(profile: ColumnProfile) -> str:
    """How many values a column has, in words."""
    missing = f", {profile.nulls:,} missing" if profile.nulls else ""
    return f"{known_values(profile):,} different value{'' if known_values(profile) == 1 else 's'}{missing}"


def _found_by(profile: ColumnProfile) -> str:
    """Why a sensitive column with so many values must not be published without a thought. No promise sees to it."""
    return (
        f"nearly every row has a value of its own ({known_values(profile):,} in {profile.rows:,} rows): whoever "
        "knows it finds the row, and l_diversity is kept by itself; round the values in the table, give it the role "
        "quasi_identifier, or leave it out"
    )
