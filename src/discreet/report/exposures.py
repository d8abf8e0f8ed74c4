"""What a release does not protect, each with its figure: what stands on the first screen, beside the promises.

Every figure follows from the published tables and the manifest alone, so that the published page may tell it. A kept
promise is no safety: one about k people says nothing of what they have in common, one about some values nothing of the
others. What is beyond one of the limits below is grave, and no page and no first line is green that has it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.arrays import number_equal
from discreet.counts.groups import Groups, People, Tally
from discreet.labels.figures import chance, percent
from discreet.labels.whose import Whose
from discreet.models.promise import PRESENCE, VALUES
from discreet.models.registry import MODELS
from discreet.policy.kinds import is_exact
from discreet.report.marginals import shown
from discreet.report.sections.ambiguous import Ambiguous
from discreet.report.words import attribute_of, model_of

# Shares of the published rows from which on it is grave that …
CERTAIN = 0.01  # … their group agrees on a sensitive value: it is known of everybody in it
NEARLY_CERTAIN = 0.05  # … more than nine in ten of their group have a value that fewer of all rows have
LIKELY = 0.2  # … more than half of their group have a value that fewer of all rows have
ALONE = 0.01  # … no other row looks like them
FOUND_BY_VALUE = 0.1  # … no other row has their sensitive value: it finds the row
FOUND_AMONG_FEW = 0.5  # … fewer rows than k, and than `_FEW`, have their sensitive value
LITTLE_LEFT = 0.9  # … and from such a loss of exactness on, a release is of little use, however safe it is
_FEW = 11  # rows of one value: from these on nobody is found by it, whatever k is promised
TOLD = 0.01  # a smaller share of rows with rare values is no news: there are rare diseases

UNSAID = (
    "Nothing says whose rows these are. What is promised is promised of rows, and a person with several of them may be "
    "less protected. A policy can say it: role: person for the column that tells whose row it is, or "
    "one_row_per_person: true."
)
STATED = (
    "That every row is another person's is stated by who made the release, and no file of it can show it: a person "
    "with several rows is less protected than is said here."
)
NONE_LIKELY = "in no group does the chance of a value rise above one half"
NONE_LIKELY_BY_ROWS = (
    f"by rows, {NONE_LIKELY}; a person with several rows is likelier to have a given value in one of them"
)
NONE_LIKELIER_THAN_NOT = "l_diversity: {l: 2, kind: frequency} would have prevented it"


@dataclass(frozen=True)
class Exposure:
    """Something that is not protected: in a sentence, with the share of the published rows if one can be counted."""

    sentence: str
    share: float | None
    grave: bool

    def to_json(self) -> dict[str, Any]:
        return {"text": self.sentence, "share": self.share, "grave": self.grave}


def exposures(
    promises: Sequence[Mapping[str, Any]],
    roles: Mapping[str, str],
    publish: str,
    groups: Groups,
    k: int | None,
    whose: Whose,
) -> tuple[Exposure, ...]:
    """What promises of a manifest leave open in these groups, which have rows; the grave ones first.

    `groups` are what anybody counts of the published tables; `k` is how many rows a group was promised to have.
    """
    if not len(groups):
        return ()
    sensitive = [name for name, role in roles.items() if role == "sensitive"]
    kinds = [model_of(p) for p in promises]
    hidden = any(PRESENCE in _about(word) for word, _ in kinds)
    unknown = {Whose.UNSAID: UNSAID, Whose.ONE_EACH: STATED}
    told = [Exposure(unknown[whose], None, False)] if whose in unknown else []
    told += [
        one
        for name in sensitive
        if name in groups.tallies
        for one in (
            *(
                _of_one_value(name, whose)
                if hidden and _is_constant(groups.tallies[name])
                else _of_values(name, _about_values(name, kinds, sensitive), groups, whose, publish != "ambiguity")
            ),
            *_of_rare_values(name, groups.tallies[name], k, whose),
        )
    ]
    told += _of_rows(groups, is_exact(publish))
    if not hidden:
        told += _of_presence(groups.people, whose)
    return tuple(sorted(told, key=lambda one: not one.grave))


def over_all_groups(unclear: Ambiguous | None, whose: Whose) -> tuple[Exposure, ...]:
    """That somebody whom several groups cover is in the table with more than was promised of each group."""
    if unclear is None or not unclear.is_open or unclear.presence.limit is None:
        return ()
    sentence = (
        f"Being in the table: at most {chance(unclear.presence.limit)} is promised of each group by itself. "
        f"{whose.somebody.capitalize()} that several groups cover may be in any of them, and over all groups together "
        f"it comes to {'' if unclear.total_is_exact else 'at most '}{chance(unclear.total)}."
    )
    return (Exposure(sentence, None, False),)


def likely_shares(groups: Groups, tally: Tally) -> tuple[float, float, float]:
    """The shares of rows in groups where one value is everybody's; more than 9/10 of the rows'; more than half's.

    The second and third leave groups out whose value is as common among all published rows: whoever looks at such a
    group learns nothing new by it.

    >>> from discreet.models.examples import groups_of
    >>> groups = groups_of("ill", ["flu", "flu"], ["flu", "cold", "cold"], ["flu", "cold", "gout", "gout", "gout"])
    >>> likely_shares(groups, groups.tallies["ill"])
    (0.2, 0.2, 1.0)
    """
    rows = max(int(groups.sizes.sum()), 1)
    size = np.repeat(groups.sizes, np.diff(tally.offsets))
    value_rows = np.bincount(tally.values, weights=tally.counts, minlength=len(tally.reference)).astype(np.int64)

    def above(limit: Fraction) -> float:
        n, d = limit.numerator, limit.denominator
        news = d * value_rows[tally.values] <= n * rows
        return float(size[(d * tally.counts > n * size) & news].sum() / rows)

    certain = float(size[tally.counts == size].sum() / rows)
    return certain, above(Fraction(9, 10)), above(Fraction(1, 2))


def rare_share(tally: Tally, fewest: int) -> float:
    """The share of rows whose value fewer than so many rows have.

    >>> from discreet.models.examples import groups_of
    >>> rare_share(groups_of("cost", ["1.05", "7.20"], ["1.05", "3.99"]).tallies["cost"], 2)
    0.5
    """
    value_rows = np.bincount(tally.values, weights=tally.counts)
    return float(value_rows[value_rows < fewest].sum() / max(value_rows.sum(), 1))


def unique_share(people: People) -> float:
    """The share of rows whose exact quasi-identifiers no other published row has, in whatever group."""
    number = number_equal(list(people.codes), len(people.counts))
    rows = np.bincount(number, weights=people.counts)
    return float((rows == 1).sum() / max(rows.sum(), 1))


def _about(word: str) -> frozenset[str]:
    return MODELS[word].about if word in MODELS else frozenset()


def _about_values(
    name: str, kinds: Sequence[tuple[str, Mapping[str, Any]]], sensitive: Sequence[str]
) -> list[tuple[str, Mapping[str, Any]]]:
    """The promises about the values of a column."""
    return [(w, p) for w, p in kinds if VALUES in _about(w) and attribute_of(p, sensitive) in (name, None)]


def _is_constant(tally: Tally) -> bool:
    """Do all rows have the same value?"""
    return bool((tally.values == tally.values[0]).all())


def _of_one_value(name: str, whose: Whose) -> list[Exposure]:
    """A column that says of everybody what the table is about, where a promise hides who is in the table."""
    known = whose.either("Whoever is", "A row that is")
    sentence = f"{shown(name)}: all rows have the same value. {known} known to be in the table has it."
    return [Exposure(sentence, 1.0, False)]


def _of_values(
    name: str, about: Sequence[tuple[str, Mapping[str, Any]]], groups: Groups, whose: Whose, repairable: bool
) -> list[Exposure]:
    """What a group tells of the values of a column, whatever is promised; if grave, what promise prevents it."""
    tally = groups.tallies[name]
    certain, nearly, likely = likely_shares(groups, tally)
    parts = [f"in groups with {percent(certain)} of the rows a value is certain"] if certain else []
    if nearly and nearly != certain:
        parts.append(f"in groups with {percent(nearly)} of the rows the chance of a value rises above 90%")
    if likely and likely not in (certain, nearly):
        parts.append(f"in groups with {percent(likely)} of the rows the chance of a value rises above one half")
    chances = [", ".join(parts)] if parts else []
    grave = certain >= CERTAIN or nearly >= NEARLY_CERTAIN or likely >= LIKELY
    repair = [NONE_LIKELIER_THAN_NOT] if grave and repairable else []
    subject = f"{shown(name)}: "
    if not about:
        subject += "nothing is promised about it inside a group"
        chances = chances or [NONE_LIKELY_BY_ROWS if whose.several else NONE_LIKELY]
    elif (others := _others(about, tally)) is not None:
        subject += f"only listed values are protected, and {percent(others)} of the rows have other ones"
    elif not chances:
        return []
    else:
        return [Exposure(f"{subject}{'; '.join([*chances, *repair])}.", max(certain, nearly, likely), grave)]
    return [Exposure(f"{'; '.join([subject, *chances, *repair])}.", max(certain, nearly, likely), grave)]


def _others(about: Sequence[tuple[str, Mapping[str, Any]]], tally: Tally) -> float | None:
    """The share of rows whose value no promise lists, where each promise lists some."""
    if not all(parameters.get("values") for _, parameters in about):
        return None
    listed = {
        value
        for _, parameters in about
        for entry in parameters["values"]
        for value in (entry if isinstance(entry, list | tuple) else [entry])
    }
    value_rows = np.bincount(tally.values, weights=tally.counts, minlength=len(tally.hierarchy.leaves))
    protected = [tally.hierarchy.index[value] for value in listed if value in tally.hierarchy.index]
    return float(1 - value_rows[protected].sum() / max(value_rows.sum(), 1))


def _of_rare_values(name: str, tally: Tally, k: int | None, whose: Whose) -> list[Exposure]:
    """A column of values that hardly anybody shares finds people by itself."""
    many = min(k or 2, _FEW)
    once, few = rare_share(tally, 2), rare_share(tally, many)
    if few < TOLD:
        return []
    parts = [f"{percent(once)} of the rows have a value that no other row has"] if once else []
    also = "one" if once else "of the rows have a value"
    parts += [f"{percent(few)} {also} that fewer than {many} rows have"] if few > once else []
    sentence = (
        f"{shown(name)}: {', '.join(parts)}. Whoever knows such a value finds the row by it, "
        f"and that values differ within a group protects {whose.nobody}. With publish_as, a policy "
        "publishes and judges rounder values."
    )
    return [Exposure(sentence, few, once >= FOUND_BY_VALUE or few >= FOUND_AMONG_FEW)]


def _of_rows(groups: Groups, exact: bool) -> list[Exposure]:
    """Rows that nobody hides among."""
    alone = float((groups.sizes == 1).sum() / max(groups.sizes.sum(), 1))
    if not alone:
        return []
    where = "in their group" if exact else "by what others may know: no other row looks the same"
    return [Exposure(f"{percent(alone)} of the rows are alone {where}.", alone, alone >= ALONE)]


def _of_presence(people: People | None, whose: Whose) -> list[Exposure]:
    """Who is in the table, where nothing is promised about it."""
    if people is None:
        sentence = f"Nothing is promised about {whose.either('who is', 'being')} in the table."
        return [Exposure(sentence, None, False)]
    share = unique_share(people)
    seen = whose.either("people sees which of them are", "the population sees which of it is")
    several = " (several rows may be one person's)" if whose.several else ""
    sentence = (
        f"Quasi-identifiers are published exactly, and {percent(share)} of the rows are the only ones with "
        f"theirs{several}: whoever holds a list of {seen} in the table."
    )
    return [Exposure(sentence, share, False)]
