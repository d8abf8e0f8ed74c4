"""A chain of releases: the same people again, and nobody who holds all of them is surer than was promised.

The first release is made by `anonymize`, the next ones by `apply`, each from the one before: whoever was published
keeps his signature (`search/buckets/signatures.py`), by the ledger that lies in the private folder. What can't be
placed so is held back, never published otherwise.

What is taken to be the same: a person by the text of the column with the role person, a value by its text. Whoever
left and comes back is remembered. Whoever comes with a value that none of his signatures has gets another one, which
has none of their values; whoever comes with another value of the same signature stays in it, and nobody can see that
it changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace as changed
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.arrays import IntArray, number_equal
from discreet.engines.base import Frequencies
from discreet.engines.duckdb.publishing import sha256
from discreet.errors import DataError, DiscreetError, Mistake
from discreet.hierarchies.hierarchy import Value
from discreet.models.groups.m_invariance import MInvariance
from discreet.policy.policy import Policy
from discreet.progress import Progress
from discreet.publications.source.table import value_codes
from discreet.releases.chain_check import unlike_files
from discreet.releases.contents import MANIFEST
from discreet.releases.ledger import AGAIN, LEDGER, OTHER_COLUMNS, Ledger, read_ledger, write_ledger
from discreet.run.anonymize import Target, publish
from discreet.run.intake import Intake, take_in
from discreet.run.release import Release
from discreet.search.buckets.invariant import CHAINED
from discreet.search.buckets.ranks import HELD_BACK
from discreet.search.buckets.signatures import NEW, Placed, Waiting
from discreet.search.plan import Problem

_ONE_ROW = "make one row of each person first"
_BOTH = "give all releases of the chain, oldest first, and nothing else"


@dataclass(frozen=True, eq=False)
class Everybody:
    """The people of a table, one row each: their texts, the combination of each, and the value of each."""

    names: pa.Array
    row: IntArray
    value: IntArray


def promise_of(policy: Policy) -> MInvariance | None:
    """The promise about a chain, if there is one."""
    return next((model for model in policy.models if isinstance(model, MInvariance)), None)


def read_chain(earlier: Sequence[Path], ledger: Path, m: int, database: str | None = None) -> Ledger:
    """The ledger of a chain, if these are its releases, in order, and it agrees with the latest of them."""
    known = read_ledger(ledger, m)
    given = tuple(sha256(folder / MANIFEST) for folder in earlier)
    if given == known.releases:
        if why := unlike_files(known, given, earlier[-1], database):
            raise DataError(Mistake(LEDGER, why, AGAIN))
        return known
    rule = f"is of a chain of {len(known.releases):,}, and not of the {len(given):,} that are given"
    if sorted(given) == sorted(known.releases):
        rule = "has these releases in another order"
    elif len(given) == len(known.releases):
        rule = "is of other releases"
    raise DiscreetError(Mistake(LEDGER, rule, _BOTH))


def publish_link(
    policy: Policy,
    source: Any,
    target: Target,
    *,
    ledger: Ledger | None = None,
    more: dict[str, Any] | None = None,
    progress: Progress,
) -> Release:
    """Publish the next release of a chain, or the first one, if there is no ledger."""
    promise = promise_of(policy)
    assert promise is not None and policy.person is not None, "the policy was checked"
    if ledger is not None and not ledger.is_about(policy.person, promise.attribute):
        raise DataError(Mistake(LEDGER, OTHER_COLUMNS, AGAIN))
    clock = target.clock
    with clock("scan"):
        progress("read", 0, 0, "")
        intake = take_in(policy, source)
        people = _everybody(policy, intake, promise.attribute)
    f = intake.frequency
    leaves = f.sensitive_hierarchies[promise.attribute].leaves
    if ledger is None:
        nobody = np.zeros(0, dtype=np.int64)
        start = np.zeros(1, dtype=np.int64)
        ledger = Ledger((), policy.person, promise.attribute, (), (), start, nobody, nobody)
    values = ledger.values(leaves)
    with clock("search"):
        waiting, known = _waiting(people, ledger, values)
        problem = Problem(f, policy.models, int(policy.suppress * f.rows), policy.utility, policy.seed)
        find = CHAINED[policy.search]
        plan, placed = find(problem, people.row, waiting, progress=progress)
    place = len(ledger.releases) + 1
    notes = _held_back(waiting, placed)
    if ledger.people and (known < 0).all():
        notes.append(
            "nobody here was published before: if that is not so, names are written in another way than before"
        )
    written = _continued(ledger, people, known, placed, values)
    keep = {"chain": {"position": place, "earlier": list(ledger.releases)}}

    def keep_ledger(public: Path, private: Path) -> None:
        own = sha256(public / MANIFEST)
        write_ledger(changed(written, releases=(*ledger.releases, own)), private)

    remark = f"release {place:,} of a chain: whoever was published before keeps the values that are thought possible"
    return publish(
        policy, intake, plan, target, more={**keep, **(more or {})}, notes=notes, remarks=[remark], beside=keep_ledger
    )


def _everybody(policy: Policy, intake: Intake, attribute: str) -> Everybody:
    """The people of the table, each with the combination that the plan will speak of."""
    columns = [*policy.quasi_identifiers, *policy.sensitive]
    counted = intake.engine.frequencies(columns, policy.person)
    _check_one_row(counted, policy.person)
    f = intake.frequency
    hierarchies = [*f.hierarchies, *f.sensitive_hierarchies.values()]
    theirs = [value_codes(h, v)[codes] for h, v, codes in zip(hierarchies, counted.values, counted.codes, strict=True)]
    mine = [*f.codes, *f.sensitive.values()]
    missing = any((codes < 0).any() for codes in theirs) or len(counted.counts) != f.rows
    number = number_equal(
        [np.concatenate([a, np.maximum(b, 0)]) for a, b in zip(mine, theirs, strict=True)], len(f.counts) + f.rows
    ) if not missing else np.zeros(0, dtype=np.int64)  # fmt: skip
    place = np.full(int(number.max(initial=-1)) + 1, -1, dtype=np.int64)
    place[number[: len(f.counts)]] = np.arange(len(f.counts))
    row = place[number[len(f.counts) :]] if not missing else number
    if missing or not np.array_equal(np.bincount(row[row >= 0], minlength=len(f.counts)), f.counts):
        raise DataError(Mistake("source", "changed while it was read", "give a table that stays as it is"))
    # An engine counts in an order of its own, and lots go by it: so in that of the combinations, then of names.
    order = np.lexsort((counted.person, row))
    row = row[order]
    value = f.sensitive[attribute][row].astype(np.int64)
    return Everybody(counted.names.take(pa.array(counted.person[order])), row, value)


def _check_one_row(counted: Frequencies, person: str | None) -> None:
    nameless = int(counted.counts[counted.person < 0].sum()) if counted.person is not None else 0
    if nameless:
        rule = f"{nameless:,} rows name nobody in {person!r}: a chain must know who comes again"
        raise DataError(Mistake("source", rule, "give everybody a number of their own, or leave these rows out"))
    rows = np.bincount(counted.person, weights=counted.counts)
    several = int((rows > 1).sum())
    if several:
        rule = f"{several:,} people have several rows (up to {int(rows.max()):,}): a chain follows one row of each"
        raise DataError(Mistake("source", rule, _ONE_ROW))


def _waiting(people: Everybody, ledger: Ledger, values: Sequence[Value]) -> tuple[Waiting, IntArray]:
    """What everybody asks for, by the ledger, and who in the ledger each one is (−1: nobody)."""
    names = pa.array(ledger.people, type=pa.string())
    known = pc.index_in(people.names.cast(pa.string()), value_set=names)
    person = known.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    matrix = ledger.matrix(values)
    comes = np.flatnonzero(person >= 0)
    many = np.diff(ledger.starts)[person[comes]]
    who = np.repeat(comes, many)
    within = np.arange(len(who)) - np.repeat(np.cumsum(many) - many, many)
    signature = ledger.has[np.repeat(ledger.starts[person[comes]], many) + within]
    wanted = np.full(len(person), NEW, dtype=np.int64)
    fits = matrix[signature, people.value[who]] if len(who) else np.zeros(0, dtype=np.bool_)
    wanted[who[fits]] = signature[fits]
    other = (person >= 0) & (wanted == NEW)
    number = np.cumsum(other) - 1
    theirs = np.flatnonzero(other[who])
    bars = np.zeros((int(other.sum()), len(values)), dtype=np.bool_)
    np.logical_or.at(bars, number[who[theirs]], matrix[signature[theirs]])
    bars, of_bars = np.unique(bars, axis=0, return_inverse=True)
    barred = np.full(len(person), -1, dtype=np.int64)
    barred[other] = of_bars.reshape(-1)
    return Waiting(people.value, wanted, barred, matrix, bars), person


def _continued(ledger: Ledger, people: Everybody, known: IntArray, placed: Placed, values: Sequence[Value]) -> Ledger:
    """The ledger after this release, without its name yet."""
    before = len(ledger.signatures)
    used = np.unique(placed.signature)
    fresh = used[used >= before]
    number = np.arange(len(placed.signatures))
    number[fresh] = before + np.arange(len(fresh))
    made = [tuple(values[v] for v in np.flatnonzero(row).tolist()) for row in placed.signatures[fresh]]
    stands = np.flatnonzero(placed.group != HELD_BACK)
    signature = number[placed.signature[placed.group[stands]]]
    own = known[stands].copy()
    new = own < 0
    own[new] = len(ledger.people) + np.arange(int(new.sum()))
    many = len(ledger.people) + int(new.sum())
    latest = np.full(many, -1, dtype=np.int64)
    latest[own] = signature
    pairs = np.unique(
        np.concatenate([np.stack([ledger.owner, ledger.has], axis=1), np.stack([own, signature], axis=1)]), axis=0
    )
    starts = np.concatenate([[0], np.cumsum(np.bincount(pairs[:, 0].astype(np.int64), minlength=many))])
    names = people.names.take(pa.array(stands[new])).to_pylist()
    return changed(
        ledger,
        signatures=(*ledger.signatures, *made),
        people=(*ledger.people, *names),
        starts=starts.astype(np.int64),
        has=pairs[:, 1].astype(np.int64),
        latest=latest,
    )


def _held_back(people: Waiting, placed: Placed) -> list[str]:
    """For the custodian: how many were held back, and why."""
    out = placed.group == HELD_BACK
    again = int((out & (people.wanted != NEW)).sum())
    other = int((out & (people.barred >= 0)).sum())
    new = int(out.sum()) - again - other
    told = [
        (again, "who were published before: too few come with the other values of their signature"),
        (other, "whose value changed: no group of newcomers has none of the values that they had to do with before"),
        (new, "who are new: their value is too frequent among newcomers"),
    ]
    return [f"{many:,} held back {why}" for many, why in told if many]


def refused_alone(earlier: Sequence[Path]) -> DiscreetError:
    """Several releases hold together only by a promise about all of them."""
    rule = f"{len(earlier):,} releases are given, and the latest promises nothing about several together"
    repair = "make the first one with m_invariance: {m: …}, or name the latest release alone: then pairs are compared"
    return DiscreetError(Mistake(str(earlier[-1]), rule, repair))
