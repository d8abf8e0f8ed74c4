"""Judges a chain of releases by its files, the tables of all months, and the custodian's ledgers.

Troubles: `broken`, a promise is; `untrue`, no way to place people in the groups makes the files true; `leak`, a name is
published; `refusal`, "no release is possible" where the first month has one; `contradiction`, `verify` or `audit` say
otherwise. What takes too long to settle is `more`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from campaign.chains.placing import Person, Seats, placed
from campaign.chains.product import Answer, ledger_of, release_of
from campaign.promises.audited import MORE, Trouble
from campaign.promises.case import Case, Row, Value
from campaign.promises.ladders import covers
from campaign.promises.product import KEPT
from campaign.promises.reading import GROUP, Folder, bucket_groups, read_folder

KINDS = ("fault", "hang", "broken", "untrue", "leak", "refusal", "contradiction", "audit")
_WORLDS = 20_000  # that are gone through, at most
Signature = frozenset[Value]


def judge(case: Case, answer: Answer, folder: Path) -> list[Trouble]:
    """Everything that is wrong with how a run ended, and with the releases that there are."""
    if answer.ended in ("fault", "mistake"):
        return [("fault", answer.message[-600:])]
    troubles = list(_refusal(case, answer))
    stood: list[Mapping[Value, int]] = []
    groups: list[list[Seats]] = []
    for month, rows in enumerate((case.rows, *case.later)[: answer.months]):
        published = read_folder(release_of(folder, month))
        groups.append(seats(case, published))
        people, held = _told(case, rows, json.loads(ledger_of(folder, month).read_text(encoding="utf-8")))
        troubles += _counted(case, published, rows, held, groups[-1])
        try:
            where = placed(people, groups[-1], lambda labels, own: all(map(covers, labels, own, _rules(case))))
        except TimeoutError:
            where = None
            troubles.append((MORE, f"month {month}: too many ways to stand"))
        else:
            if where is None:
                troubles.append(("untrue", f"month {month}: people can't stand in the groups as the ledger says"))
        stood.append(where or {})
        troubles += _leaks(case, rows, release_of(folder, month))
    troubles += _rule(stood, groups)
    if all(stood):
        troubles += _worlds(case, stood, groups)
    kept = not any(kind in ("broken", "untrue") for kind, _ in troubles)
    return [*troubles, *_agreement(case, answer, kept)]


def seats(case: Case, published: Folder) -> list[Seats]:
    """The groups of a release."""
    [attribute] = case.sensitive
    if case.words["publish"] == "bucketization":
        found = bucket_groups(published, case.quasi_identifiers, attribute)
        return [Seats(Counter(group.values[attribute]), Counter(group.people)) for group in found]
    members: dict[Value, list[tuple[Row, Value]]] = {}
    table = published.data
    for (number,), labels, (value,) in zip(
        table.parts([GROUP]), table.parts(case.quasi_identifiers), table.parts([attribute]), strict=True
    ):
        members.setdefault(number, []).append((labels, value))
    return [Seats(Counter(value for _, value in rows), Counter(), rows[0][0]) for rows in members.values()]


def _rules(case: Case) -> list[Any]:
    return [case.hierarchy(name) for name in case.quasi_identifiers]


def _told(case: Case, rows: Sequence[Row], ledger: Mapping[str, Any]) -> tuple[list[Person], int]:
    """Everybody who is published, with the signature that the ledger says; and how many are held back."""
    signatures = [frozenset(signature) for signature in ledger["signatures"]]
    latest = {name: at for name, at in zip(ledger["people"], ledger["latest"], strict=True) if at >= 0}
    assert case.person is not None
    place, [attribute] = case.names.index(case.person), case.sensitive
    quasi = [case.names.index(name) for name in case.quasi_identifiers]
    value = case.names.index(attribute)
    people = [
        Person(row[place], tuple(row[at] for at in quasi), row[value], signatures[latest[row[place]]])
        for row in rows
        if row[place] in latest
    ]
    return people, len(rows) - len(people)


def _asked(case: Case, word: str, of: str, otherwise: int) -> int:
    return next(
        (int(about[of]) for promise in case.words["require"] for at, about in promise.items() if at == word), otherwise
    )


def _counted(
    case: Case, published: Folder, rows: Sequence[Row], held: int, groups: Sequence[Seats]
) -> Iterator[Trouble]:
    """What a release says of itself, and what each group has to keep."""
    m, least = _asked(case, "m_invariance", "m", 0), _asked(case, "k_anonymity", "k", 0)
    total = sum(group.values.total() for group in groups)
    if total + held != len(rows) or published.manifest["rows"]["suppressed"] != held:
        yield "untrue", f"{total} rows are published and {held} held back, of {len(rows)}"
    if held > Fraction(str(case.words["suppress"])) * len(rows):
        yield "broken", f"{held} of {len(rows)} rows are held back"
    for group in groups:
        if len(set(group.values.values())) > 1 or len(group.values) < m or group.values.total() < max(least, m):
            yield "broken", f"a group has {sorted(group.values.values())}, m = {m}, k = {least}"


def _rule(stood: Sequence[Mapping[Value, int]], groups: Sequence[Sequence[Seats]]) -> Iterator[Trouble]:
    """Whoever is published again has a signature of before, or one that has nothing in common with any of them."""
    had: dict[Value, set[Signature]] = {}
    for where, of_month in zip(stood, groups, strict=True):
        for name, g in where.items():
            had.setdefault(name, set()).add(of_month[g].signature)
    for signatures in had.values():
        if sum(map(len, signatures)) != len(frozenset[Value]().union(*signatures)):
            yield "broken", f"somebody has the signatures {sorted(map(len, signatures))}, which overlap"


def _worlds(case: Case, stood: Sequence[Mapping[Value, int]], groups: Sequence[Sequence[Seats]]) -> Iterator[Trouble]:
    """All ways to have a value while one stands in a signature: nobody has one, at any time, with more than 1/m."""
    places = sorted(
        {
            (name, of_month[g].signature)
            for where, of_month in zip(stood, groups, strict=True)
            for name, g in where.items()
        },
        key=str,
    )
    if prod(len(signature) for _, signature in places) > _WORLDS:
        return
    asked = [
        (Counter(seated.values), [(name, seated.signature) for name, at in where.items() if at == g])
        for where, of_month in zip(stood, groups, strict=True)
        for g, seated in enumerate(of_month)
    ]
    had: Counter[tuple[Value, Value]] = Counter()
    worlds = 0
    for values in product(*(sorted(signature, key=str) for _, signature in places)):
        world = dict(zip(places, values, strict=True))
        if all(Counter(world[place] for place in members) <= dealt for dealt, members in asked):
            worlds += 1
            had.update({(name, value) for (name, _), value in world.items()})
    surest = Fraction(max(had.values(), default=0), max(worlds, 1))
    if places and surest > Fraction(1, _asked(case, "m_invariance", "m", 1)):
        yield "broken", f"somebody has a value in {surest} of {worlds} worlds"


def _leaks(case: Case, rows: Sequence[Row], folder: Path) -> Iterator[Trouble]:
    """Nobody's name is in a published file."""
    assert case.person is not None
    place = case.names.index(case.person)
    for path in folder.rglob("*"):
        if path.is_file() and any(str(row[place]).encode() in path.read_bytes() for row in rows):
            yield "leak", f"{path.name} names somebody"


def _refusal(case: Case, answer: Answer) -> Iterator[Trouble]:
    """Could the first month have been published? Its values alone decide, where no group needs more than m rows."""
    m = _asked(case, "m_invariance", "m", 1)
    if answer.ended != "refused" or answer.months or _asked(case, "k_anonymity", "k", 0) > m:
        return
    kept = most_kept(Counter(row[-1] for row in case.rows), m)
    if kept and len(case.rows) - kept <= case.limit:
        yield "refusal", f"{kept} of {len(case.rows)} rows can be published: {answer.message[:300]}"


def most_kept(counts: Mapping[Value, int], m: int) -> int:
    """How many rows can stand in groups of m different values or more.

    Of a value there is one row in each group, so with no value more often than c times there must be c · m rows.

    >>> most_kept({"flu": 5, "cold": 2, "gout": 1}, 2), most_kept({"flu": 3}, 2)
    (6, 0)
    """
    caps = range(1, max(counts.values()) + 1)
    return max((kept for c in caps if (kept := sum(min(n, c) for n in counts.values())) >= c * m), default=0)


def _agreement(case: Case, answer: Answer, kept: bool) -> Iterator[Trouble]:
    """Does the product say of its releases what they are?"""
    for month, said in enumerate(answer.chain):
        if kept and said != KEPT:
            yield "contradiction", f"verify says of month {month}: {said}"
    if answer.ended == "released":
        if kept and answer.audited["all"] != KEPT:
            yield "contradiction", f"audit says {answer.audited['all']}: {answer.why['audit']}"
        m = _asked(case, "m_invariance", "m", 1)
        for line in answer.lines:
            if kept and line.adversary == "intersection" and line.worst > Fraction(1, m) + 1e-9:
                yield "audit", f"intersection: {line.worst} of 1/{m}, {line.precision}"
