"""What absence tells: a bucketized release shows exactly who is in it, and so who was left out.

She knows everybody in the original table (by name, with exact quasi-identifiers) and finds who is not in the table of
people: they were left out. A search leaves out those whom it can't hide, and these are not people like all others. She
wants to know what they have, and has won where a value is more frequent among the left out than the limit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray, number_equal
from discreet.audit.association.association import line_about
from discreet.audit.lines import AT_MOST, EXACT, Line
from discreet.audit.presence.listed_exact import same_values
from discreet.audit.reading.exact_tables import Population
from discreet.audit.reading.tallies import protected_among, whole_table
from discreet.audit.reading.view import ReleaseView, Tally
from discreet.audit.worst_case.knowledge import MIN_SUPPORT, Counted, Knowledge
from discreet.engines.base import Frequencies

_EVERYBODY = "all who were left out"


def left_out(
    view: ReleaseView, tally: Tally, knowledge: Knowledge | None, threshold: float | None = None
) -> list[Line]:
    """The line about people of the source who are not published; none where nobody is left out, or it is not plain who.

    How often each value is among them is what the source has, less what is published; where promises name the values
    that they protect, these count together. By each quasi-identifier alone, too: among people with one value of it, if
    at least 30 of them were left out. Where some people with the same quasi-identifiers are published and others are
    not, it is not told which ones, and the share is a bound.
    """
    exact_people = not view.kind.labelled and view.kind.rows_are_people
    if not exact_people or not isinstance(knowledge, Counted):
        return []
    if tally.attribute in (view.manifest.get("distorted") or ()):  # its values are not the source's
        return []
    said = view.manifest.get("rows", {}).get("source")
    if said is not None and int(said) != int(knowledge.frequencies.counts.sum()):  # some were never to be published
        return []
    people = who_is_missing(view, tally, knowledge)
    out = people.out > 0
    if not out.any() or (people.missing < 0).any():
        return []
    shares = [share for those in _asked(view, tally, people) for share in _shares(people, those)]
    worst = max(shares, key=lambda share: float(share.most[out].max()))
    chance, sure = (np.max(several, axis=0) for several in zip(*((s.most, s.least) for s in shares), strict=True))
    place = int(np.argmax(np.where(out, worst.most, -1.0)))
    named = protected_among(view, tally.attribute, people.values)
    return [
        line_about(
            view,
            tally,
            adversary="left_out",
            title="knows who was left out",
            knows="Everybody in the original table, with exact quasi-identifiers. "
            + view.whose.told(
                "Who is not among the published people was left out.", "Rows that are not published were left out."
            ),
            assumes="That she knows how frequent each value is among those who were left out: whoever knows how the "
            "release was made can guess it.",
            chance=chance[out],
            people=people.out[out],
            group=np.full(int(out.sum()), -1, dtype=np.int64),
            threshold=threshold,
            precision=EXACT if np.array_equal(chance[out], sure[out]) else AT_MOST,
            details={
                "left_out": int(people.out.sum()),
                "of_them_with_a_protected_value": int(people.missing[named].sum()),
                "share_of_these_in_the_source": float(people.source[named].sum() / max(people.source.sum(), 1)),
                "worst_among": worst.among,
                "its_share_in_the_source": float(worst.before[place]),
            },
        )
    ]


@dataclass(frozen=True, eq=False)
class _People:
    """Distinct people of the source: their `codes`, how many are published and how many were left `out`.

    ``having[v][i]`` of the i-th have value v. `source` counts the values in the source, `missing` those not published.
    """

    columns: tuple[str, ...]
    codes: tuple[IntArray, ...]
    published: IntArray
    out: IntArray
    person: IntArray
    value: IntArray
    count: IntArray
    source: IntArray
    missing: IntArray
    values: tuple[str | None, ...]

    def having(self, those: BoolArray) -> IntArray:
        """How many of each have one of some values."""
        chosen = self.count * those[self.value]
        return np.bincount(self.person, weights=chosen, minlength=len(self.out)).astype(np.int64)


@dataclass(frozen=True, eq=False)
class _Share:
    """How frequent some values are among the left out who are like each person; and among all people like them."""

    among: str
    most: FloatArray
    least: FloatArray
    before: FloatArray


def who_is_missing(view: ReleaseView, tally: Tally, knowledge: Counted) -> _People:
    """Who of the source is published and who is not, and how often each value is missing."""
    frequencies = knowledge.frequencies
    *own, value = frequencies.codes
    person = number_equal(own, len(frequencies.counts))
    first = np.unique(person, return_index=True)[1]
    counts = np.bincount(person, weights=frequencies.counts, minlength=len(first)).astype(np.int64)
    codes = tuple(np.asarray(column[first], dtype=np.int64) for column in own)
    listed = Population(knowledge.columns, Frequencies(frequencies.values[:-1], codes, counts))
    same = same_values(view, listed)
    published = np.minimum(same.rows, counts)
    values = frequencies.values[-1]
    source = np.bincount(value, weights=frequencies.counts, minlength=len(values)).astype(np.int64)
    whole = whole_table(tally)
    shown = dict(zip(whole.values, whole.weight.tolist(), strict=True))
    missing = source - np.array([shown.get(each, 0) for each in values], dtype=np.int64)
    of_row = np.asarray(frequencies.counts, dtype=np.int64)
    own_values = np.asarray(value, dtype=np.int64)
    rest = (person, own_values, of_row, source, missing, values)
    return _People(knowledge.columns, codes, published, counts - published, *rest)


def _asked(view: ReleaseView, tally: Tally, people: _People) -> list[BoolArray]:
    """What she asks for: any protected value, where some are named; else each value."""
    named = protected_among(view, tally.attribute, people.values)
    if named.any() and not named.all():
        return [named]
    return list(np.eye(len(people.values), dtype=np.bool_))


def _shares(people: _People, those: BoolArray) -> Iterator[_Share]:
    """How frequent some values are among the left out: all of them, and those who are alike in one attribute."""
    having, total = people.having(those), int(people.missing[those].sum())
    least, most = np.maximum(having - people.published, 0), np.minimum(having, people.out)
    everybody = np.full(len(people.out), total / int(people.out.sum()))
    before = np.full(len(people.out), float(having.sum() / max(people.count.sum(), 1)))
    yield _Share(_EVERYBODY, everybody, everybody, before)
    everybody_in = people.published + people.out
    for column, codes in zip(people.columns, people.codes, strict=True):
        out = _sum(people.out, codes)
        enough = out >= MIN_SUPPORT
        if enough.any():
            high, low = (
                np.minimum(_sum(most, codes), total) / np.maximum(out, 1),
                _sum(least, codes) / np.maximum(out, 1),
            )
            prior = _sum(having, codes) / np.maximum(_sum(everybody_in, codes), 1)
            yield _Share(
                f"those with the same {column}",
                np.where(enough, high, 0.0)[codes],
                np.where(enough, low, 0.0)[codes],
                prior[codes],
            )


def _sum(counts: IntArray, codes: IntArray) -> IntArray:
    return np.bincount(codes, weights=counts).astype(np.int64)
