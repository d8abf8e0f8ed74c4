"""Has everybody kept the signature, in all releases of a chain? Judged from the releases, their ledgers and a table.

The files alone can't tell: they name nobody. The ledger beside a release says who stands in which signature, and is
held against what can be looked at: with the table, for every combination of quasi-identifiers and every signature the
ledger must say of as many people that they stand there as the release has rows; and of each earlier release, for every
signature. Then everybody's signature in an earlier release must be one of those that the latest ledger says he had.
That no two of one person's have a value in common is looked at whenever a ledger is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.arrays import IntArray, number_equal
from discreet.counts.groups import Tally
from discreet.engines.base import Frequencies
from discreet.engines.duckdb.publishing import sha256
from discreet.engines.open import published_tables
from discreet.errors import DataError, DiscreetError, Mistake
from discreet.hierarchies.hierarchy import Value
from discreet.labels.whose import PERSON
from discreet.models.groups.m_invariance import M_INVARIANCE
from discreet.policy.kinds import PUBLICATIONS, Comparing
from discreet.publications.published import (
    AGAIN,
    Manifest,
    Published,
    coarser_columns,
    quasi_identifiers_of,
    unpublished_column,
)
from discreet.publications.source.table import count_source, reading_of
from discreet.releases.contents import MANIFEST, check_contents, read_manifest, read_mapping
from discreet.releases.figures import private_folder
from discreet.releases.ledger import LEDGER, OTHER_COLUMNS, Ledger, read_ledger

Open = tuple[tuple[str, str], ...]
_GIVE = (
    "give the table (--source FILE) and all earlier releases of the chain (--earlier RELEASE, oldest first); the "
    f"ledger of each is looked for in the private folder beside it ({LEDGER})"
)


def check_chain(
    folder: Path,
    published: Published,
    comparing: Comparing | None,
    manifest: Manifest,
    earlier: Sequence[Path],
    database: str | None,
) -> tuple[Open, list[Mistake]]:
    """What of the promise about a chain stays open, with what it would take; and what breaks it."""
    promise, chain = _promise(manifest), manifest.get("chain")
    if promise is None and chain is None:
        return (), []
    if promise is None or chain is None or chain["position"] != len(chain["earlier"]) + 1:
        rule = "what it says of a chain of releases and what it promises of one don't go together"
        return (), [Mistake(MANIFEST, rule, AGAIN)]
    if manifest["publish"] not in M_INVARIANCE.only:
        return (), [Mistake(MANIFEST, "promises of a chain what its kind of publication can't keep", AGAIN)]
    what = f"that everybody keeps the signature in {chain['position']:,} releases"
    if not chain["earlier"] and not earlier:
        return (), []  # one release: its groups tell all
    if comparing is None or len(earlier) != len(chain["earlier"]):
        return ((what, _GIVE),), []
    m, attribute = promise
    named = [sha256(one / MANIFEST) for one in earlier]
    if named != chain["earlier"]:
        rule = "are not the releases that this one was made from, in their order"
        return (), [Mistake("earlier", rule, "give all releases of the chain, oldest first")]
    try:
        latest = _own(folder, m)
        why = _unlike(latest, (*named, sha256(folder / MANIFEST)), attribute, published, comparing)
    except DataError as error:
        return ((what, "; ".join(map(str, error.mistakes))),), []
    if why:
        return ((what, f"{LEDGER} {why}"),), []
    broken: list[Mistake] = []
    for place, one in enumerate(earlier):
        try:
            known = _own(one, m)
            why = unlike_files(known, named[: place + 1], one, database)
            if not known.is_about(latest.person, attribute):
                why = OTHER_COLUMNS
        except DiscreetError as error:
            return ((what, f"release {place + 1}: " + "; ".join(map(str, error.mistakes))),), []
        if why:
            return ((what, f"release {place + 1}: {LEDGER} {why}"),), []
        changed = _changed(known, latest)
        if changed:
            rule = f"{changed:,} people of release {place + 1} stand in another signature than the ledger says they had"
            broken.append(Mistake(f"{attribute}: {m}-invariance", rule, "do not publish it: make it again"))
    return (), broken


def _promise(manifest: Manifest) -> tuple[int, str] | None:
    for entry in manifest["promises"]:
        about = entry["model"].get("m_invariance")
        if about is not None:
            return int(about["m"]), str(about["attribute"])
    return None


def _own(folder: Path, m: int) -> Ledger:
    return read_ledger(private_folder(folder) / LEDGER, m)


def _unlike(ledger: Ledger, releases: Sequence[str], attribute: str, published: Published, comparing: Comparing) -> str:
    """Why the ledger can't be that of this release and this table; empty if it can."""
    if ledger.releases != tuple(releases):
        return "is of another chain"
    manifest = comparing.manifest
    person = unpublished_column(manifest, PERSON)
    if not ledger.is_about(person, attribute):
        return OTHER_COLUMNS
    columns = [*quasi_identifiers_of(manifest), ledger.attribute]
    counted = count_source(comparing.source, columns, coarser_columns(manifest), person, reading=reading_of(manifest))
    if (counted.person < 0).any():
        return "can't be held against a table in which rows name nobody"
    names = counted.names.take(pa.array(counted.person))
    own = pc.index_in(names.cast(pa.string()), value_set=pa.array(ledger.people, type=pa.string()))
    own = own.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    stands = np.append(ledger.latest, -1)[own]
    if len(np.unique(own[own >= 0])) < int((own >= 0).sum()) or int((stands >= 0).sum()) < int(
        (ledger.latest >= 0).sum()
    ):
        return "names people whom the table does not have, or names some twice"
    groups = published.judged(manifest.get("hierarchies", {}))
    values = ledger.values([*counted.values[-1], *groups.tallies[attribute].hierarchy.leaves])
    index = {value: i for i, value in enumerate(values)}
    code = np.array([index[v] for v in counted.values[-1]], dtype=np.int64)[counted.codes[-1]]
    shown = np.flatnonzero(stands >= 0)
    if not ledger.matrix(values)[stands[shown], code[shown]].all():
        return "says of people that they stand where their value is not"
    signature = _signatures(ledger, groups.tallies[attribute], values)
    people = Frequencies(counted.values, tuple(codes[shown] for codes in counted.codes), counted.counts[shown])
    if not PUBLICATIONS[manifest["publish"]].seated(published, comparing, people, stands[shown], signature):
        return "does not say who stands in which group of this release"
    return ""


def _signatures(ledger: Ledger, tally: Tally, values: Sequence[Value]) -> IntArray:
    """Which signature of the ledger each group of a release has (−1: none)."""
    index = {value: i for i, value in enumerate(values)}
    code = np.array([index[v] for v in tally.hierarchy.leaves], dtype=np.int64)[tally.values]
    many = np.diff(tally.offsets)
    groups = np.zeros((len(many), len(values)), dtype=np.bool_)
    groups[np.repeat(np.arange(len(many)), many), code] = True
    known = ledger.matrix(values)
    number = number_equal(list(np.concatenate([known, groups]).T), len(known) + len(groups))
    place = np.full(int(number.max(initial=-1)) + 1, -1, dtype=np.int64)
    place[number[: len(known)]] = np.arange(len(known))
    return place[number[len(known) :]]


def unlike_files(ledger: Ledger, releases: Sequence[str], folder: Path, database: str | None) -> str:
    """Why a ledger can't be that of an earlier release, by its files alone."""
    if ledger.releases != tuple(releases):
        return "is of another chain"
    manifest = read_manifest(folder)
    if mistakes := check_contents(folder, manifest):
        raise DataError(*mistakes)
    tables = published_tables(folder, manifest.get("database"), database, manifest.get("csv"))
    kind = PUBLICATIONS[manifest["publish"]]
    published = kind.read(tables, manifest, None if kind.several else read_mapping(folder), None, None)
    groups = published.judged(manifest.get("hierarchies", {}))
    tally = groups.tallies.get(ledger.attribute)
    if tally is None:
        return OTHER_COLUMNS
    signature = _signatures(ledger, tally, ledger.values(tally.hierarchy.leaves))
    if (signature < 0).any():
        return "does not know the signatures of its release"
    many = len(ledger.signatures)
    people = np.bincount(ledger.latest[ledger.latest >= 0], minlength=many)
    rows = np.bincount(signature, weights=groups.sizes, minlength=many)
    return "" if np.array_equal(people, rows) else "says of another number of people where they stand"


def _changed(known: Ledger, latest: Ledger) -> int:
    """Of how many people of an earlier ledger the latest one does not know that they had their signature."""
    own = pc.index_in(
        pa.array(known.people, type=pa.string()), value_set=pa.array(latest.people, type=pa.string())
    ).fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)  # fmt: skip
    number = {frozenset(signature): s for s, signature in enumerate(latest.signatures)}
    same = np.array([number.get(frozenset(s), -1) for s in known.signatures], dtype=np.int64)
    entry = own[known.owner] * (len(latest.signatures) + 1) + same[known.has]
    has = latest.owner * (len(latest.signatures) + 1) + latest.has
    kept = (own[known.owner] >= 0) & (same[known.has] >= 0) & np.isin(entry, has)
    return len(np.unique(known.owner[~kept]))
