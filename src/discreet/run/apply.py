"""Next month's rows, published the way the first release was.

Anybody who holds both releases can subtract one from the other (see `subtraction`). So the new rows must keep every
promise by themselves, together with what is published already, and if as many people stayed as the rows allow: then who
came, who left and who stayed must each keep it. Rows of groups that fail are held back; when that exceeds the policy's
limit, nothing is published.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace as changed
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from discreet.addresses import is_address
from discreet.arrays import IntArray
from discreet.engines.base import Frequencies
from discreet.engines.duckdb.publishing import sha256
from discreet.engines.frames import kind_of
from discreet.engines.open import published_tables
from discreet.engines.reading_words import OF_COLUMN
from discreet.errors import DiscreetError, Infeasible, Mistake, ReleaseError
from discreet.hierarchies.hierarchy import Value
from discreet.policy.policy import Policy, policy_from_words
from discreet.policy.ranges import VALUES, has_ranges
from discreet.progress import Progress, silent
from discreet.publications.mapping import recode
from discreet.publications.published import Manifest
from discreet.publications.recoded_tables import Recoded, group_recoded, read_recoded
from discreet.publications.source.table import count_source
from discreet.publications.tables import published_values
from discreet.releases.contents import read_manifest, read_mapping
from discreet.releases.figures import private_folder
from discreet.releases.ledger import LEDGER
from discreet.releases.verify import is_about_population
from discreet.run.anonymize import Target, paths_among, publish, target_at
from discreet.run.came_and_left import BothTables, both_tables, texts_of
from discreet.run.chain import promise_of, publish_link, read_chain, refused_alone
from discreet.run.intake import take_in
from discreet.run.one_row_each import check_one_row_each
from discreet.run.release import Release
from discreet.run.subtraction import HeldBack, TwoTables, hold_back, side_by_side
from discreet.run.verify import verify
from discreet.search.plan import SUPPRESSED, Recoding

_NOT_TAKEN_OVER = ("source", "schema", "summary")  # what names another table or file
_TOGETHER = "publish old and new rows together as a new release"
_IF_NEW = "; if you know that none of them is in the earlier release, say --all-new (in Python, all_new=True)"


def apply(
    earlier: PathLike[str] | str | Sequence[PathLike[str] | str],
    source: Any,
    folder: Path | str,
    *,
    seed: int | None = None,
    private: Path | str | None = None,
    replace: bool = False,
    database: str | None = None,
    sign: Path | str | None = None,
    key: Path | str | None = None,
    all_new: bool = False,
    earlier_source: Any = None,
    ledger: Path | str | None = None,
    progress: Progress = silent,
) -> Release:
    """Publish `source` into `folder` by the mapping of the release in `earlier`, or raise and leave nothing behind.

    `all_new` is what the custodian knows and no table tells: that nobody in `source` is in the earlier release. Then
    nothing is learnt by subtracting, and it is not judged; the release says that this was said.

    Where a column says whose rows they are, that is looked up: `earlier_source` is the table that the earlier release
    was made from. Whoever is in both counts once (see `came_and_left`).

    `private` is the custodian's folder, as for `anonymize`. `database` says where the earlier tables are, if they are
    in one that the environment does not name (see `verify`). `sign` is the private key for the new release, `key` the
    public one that the earlier must be signed by.

    >>> import discreet, pathlib, tempfile
    >>> here = pathlib.Path(tempfile.mkdtemp())
    >>> people = {"age": [23, 27, 31, 38], "disease": ["flu", "cold", "flu", "asthma"]}
    >>> attributes = {"age": {"role": "quasi_identifier", "hierarchy": {"intervals": [10, 20]}},
    ...               "disease": {"role": "sensitive"}}
    >>> first = discreet.anonymize(people, attributes=attributes, require=[{"k_anonymity": {"k": 2}}])
    >>> newcomers = {"age": [21, 22, 35, 36], "disease": ["gout", "cold", "flu", "flu"]}
    >>> second = discreet.apply(first, newcomers, here / "second", all_new=True)
    >>> sorted(second.frame["age"])
    ['20-29', '20-29', '30-39', '30-39']
    """
    given = [earlier] if isinstance(earlier, str | PathLike) else list(earlier)
    releases = [Path(one) for one in given]
    if not releases:
        raise DiscreetError(Mistake("releases", "none is given", "name the earlier release, or all of its chain"))
    *before_it, earlier = releases
    kept = [Path(getattr(one, "private", private_folder(Path(one)))) / LEDGER for one in given]
    read = [*paths_among(earlier, Path(), source), *before_it, *kept, *([] if ledger is None else [Path(ledger)])]
    target = target_at(folder, inputs=read, private=private, replace=replace, sign=sign, progress=progress)
    clock = target.clock
    with clock("verify"):
        progress("verify", 0, 0, "")
        manifest = read_manifest(earlier)
        if "chain" in manifest:
            if all_new or earlier_source is not None:
                rule = "is of no use in a chain: its ledger says who was published before"
                raise DiscreetError(Mistake("all new" if all_new else "earlier source", rule, "leave it out"))
            if ledger is None:  # a release that was made here knows where its private part is
                ledger = kept[-1]
            return _next_of(releases, manifest, source, target, seed, Path(ledger), database, key, progress)
        if before_it:
            raise refused_alone(releases)
        if ledger is not None:
            raise DiscreetError(Mistake("ledger", "is of no use: the release is not of a chain", "leave it out"))
        _check_kind(earlier, manifest)
        _check_earlier(earlier, database, key)
        tables = published_tables(earlier, manifest.get("database"), database, manifest.get("csv"))
        before = read_recoded(tables, manifest)
        mapping = read_mapping(earlier)
    policy = _policy_of(manifest, seed, source)
    with clock("scan"):
        progress("read", 0, 0, "")
        intake = take_in(policy, source)
        check_one_row_each(policy, intake.engine, intake.frequency)
    with clock("search"):
        progress("check", 0, 0, "")
        plan = recode(intake.frequency, mapping)
        both = None
        if policy.person is not None:
            both = _both_tables(policy, manifest, mapping, before, earlier_source, source)
            if all_new and both.in_both:  # the release would repeat what the tables belie
                rule = f"is not so: {policy.whose.so_many(both.in_both)} of these rows are in the earlier table, too"
                raise DiscreetError(Mistake("all new", rule, "leave --all-new out"))
        plan, notes = _keep_what_holds(plan, policy, before, manifest, all_new=all_new, both=both)
    applied = {
        "manifest_sha256": sha256(earlier / "manifest.json"),
        "rows": before.rows - before.starred,
        "all_new": all_new,
    }
    release = publish(policy, intake, plan, target, more={"applied": applied}, mapping=mapping, notes=notes)
    return changed(release, kind=kind_of(source))


def _next_of(
    releases: Sequence[Path],
    manifest: Manifest,
    source: Any,
    target: Target,
    seed: int | None,
    ledger: Path,
    database: str | None,
    key: Path | str | None,
    progress: Progress,
) -> Release:
    """The next release of a chain, if all earlier ones are what they were."""
    for folder in releases:
        _check_earlier(folder, database, key)
    policy = _policy_of(manifest, seed, source)
    promise = promise_of(policy)
    if promise is None:
        rule = "says that it is of a chain, and promises nothing about several releases"
        raise ReleaseError(Mistake(str(releases[-1]), rule, _TOGETHER))
    known = read_chain(releases, ledger, promise.m, database)
    made = publish_link(policy, source, target, ledger=known, progress=progress)
    return changed(made, kind=kind_of(source))


def _policy_of(manifest: Manifest, seed: int | None, source: Any) -> Policy:
    """The earlier release's policy, with the hierarchies it actually used, and none besides: it may be a stranger's.

    The new tables stand in a place of their own, and the new rows may be in another engine.
    """
    words = {word: said for word, said in manifest["policy"].items() if word not in _NOT_TAKEN_OVER}
    if words.get("format") == "table" or (isinstance(source, str) and is_address(source)):
        words.pop("format", None)
        words.pop("csv", None)
    kept = ("role", *OF_COLUMN)
    attributes = {
        name: {word: said for word, said in about.items() if word in kept}
        for name, about in words["attributes"].items()
    }
    for name, rule in manifest["hierarchies"].items():
        attributes[name]["hierarchy"] = rule
    for name, level in manifest.get("published_as", {}).items():
        attributes[name]["publish_as"] = level
    if "ranges" not in manifest and has_ranges(manifest["publish"]):
        words["ranges"] = VALUES  # as all were that don't say it
    for name, ends in manifest.get("ranges", {}).items():
        attributes[name]["ranges"] = ends
    return policy_from_words(words | {"attributes": attributes, "seed": seed})


def _check_kind(earlier: Path, manifest: Manifest) -> None:
    """Only a recoded table has a mapping that later rows can follow."""
    if "table" not in manifest:
        rule = f"was published by {manifest['publish']}, which has no mapping for later rows to follow"
        raise DiscreetError(Mistake(str(earlier), rule, _TOGETHER))
    if "wishes" in manifest["roles"].values():
        rule = "promises what its rows asked for, and that is not in the release"
        raise DiscreetError(Mistake(str(earlier), rule, _TOGETHER))
    if is_about_population(manifest):
        rule = "promises to hide who is in the table, and later rows change who is"
        raise DiscreetError(Mistake(str(earlier), rule, _TOGETHER))


def _check_earlier(earlier: Path, database: str | None, key: Path | str | None) -> None:
    """The promises of the whole rest on the earlier release, so it must be what it was."""
    findings = verify(earlier, database=database, key=key)
    if findings.kept is False or findings.unjudged:  # that its page is another version's does not matter here
        broken = (Mistake(str(earlier), f"breaks a promise: {v.witness()}") for v in findings.verdicts if not v.holds)
        raise ReleaseError(*findings.mistakes, *findings.missing, *broken)


def _keep_what_holds(
    plan: Recoding,
    policy: Policy,
    before: Recoded,
    manifest: Manifest,
    *,
    all_new: bool,
    both: BothTables | None = None,
) -> tuple[Recoding, list[str]]:
    """Hold new rows back until everything that two releases tell keeps the promises; then nothing is left to fail.

    Returns what is published, and what the custodian is told of the rest. Where it is known whose rows they are (in
    `both` tables), groups are held back whole: rows that look alike are different people's.
    """
    tables = side_by_side(before, _as_published(plan, tuple(before.sensitive)))
    held = hold_back(tables, policy.models, manifest["hierarchies"], all_new=all_new)
    if held.broken.any():
        rows = int(tables.earlier[held.broken[tables.group]].sum())
        raise Infeasible(f"{rows:,} rows of the earlier release would no longer keep their promises", repair=_TOGETHER)
    by_itself = held
    if not all_new:
        by_itself = hold_back(tables, policy.models, manifest["hierarchies"], all_new=True)
    if both is None:
        kept = _without(plan, tables.later_row, held.published)
    else:
        kept = _without_groups(plan, both, policy, tables, held)
    unfit = int((tables.later - by_itself.published).sum())
    _check_limit(kept, policy, uncovered=plan.suppressed, unfit=unfit)
    exposed = kept.suppressed - plan.suppressed - unfit
    many = f"{exposed:,} new row{'s' * (exposed != 1)}"
    notes = [f"{many} held back for {policy.whose.people} that came, left or stayed"] if exposed > 0 else []
    return kept.without(kept.groups.sizes == 0), notes


def _both_tables(
    policy: Policy, manifest: Manifest, mapping: Mapping[str, Any], before: Recoded, earlier_source: Any, source: Any
) -> BothTables:
    if earlier_source is None:
        rule = f"{policy.person} says whose rows they are: people who are in the earlier release, too, count once"
        repair = "give the table that it was made from: --earlier-source FILE (in Python, earlier_source=…)"
        raise DiscreetError(Mistake("earlier source", rule, repair))
    columns = [*policy.quasi_identifiers, *policy.sensitive]
    later = count_source(source, columns, policy.published_as, policy.person, reading=policy.reading)
    return both_tables(policy, manifest, mapping, before, earlier_source, later)


def _without_groups(plan: Recoding, both: BothTables, policy: Policy, tables: TwoTables, held: HeldBack) -> Recoding:
    """The plan without the groups of which rows have to be held back, by what readers see or by people."""
    texts = texts_of(plan)
    place = {text: g for g, text in enumerate(both.texts)}
    touched = np.zeros(tables.groups, dtype=np.bool_)
    touched[tables.group[held.published < tables.later]] = True
    stays = plan.group != SUPPRESSED
    of_plan = np.zeros(plan.group_count, dtype=np.bool_)
    of_plan[plan.group[stays]] = touched[tables.group[tables.later_row]]
    by_rows = np.zeros(len(both.texts), dtype=np.bool_)
    by_rows[[place[texts[g]] for g in np.flatnonzero(of_plan).tolist()]] = True
    by_people = both.held_back(policy.models, by_rows)
    return plan.without(np.array([bool(by_people[place[text]]) for text in texts], dtype=np.bool_))


def _without(plan: Recoding, row: IntArray, published: IntArray) -> Recoding:
    """The plan with each published row (that of the assignments which stay) as often as `published` says.

    Equal rows can't be told apart by what is judged, so any of them are held back.
    """
    stays = np.flatnonzero(plan.group != SUPPRESSED)
    order = np.argsort(row, kind="stable")
    ends = np.cumsum(plan.count[stays][order])
    starts = ends - plan.count[stays][order]
    first = np.searchsorted(row[order], row[order])  # where the same published row begins
    kept = np.zeros(len(stays), dtype=np.int64)
    kept[order] = np.clip(published[row[order]] - (starts - starts[first]), 0, plan.count[stays][order])
    count, group = plan.count.copy(), plan.group.copy()
    group[stays[kept == 0]] = SUPPRESSED
    parted = (kept > 0) & (kept < plan.count[stays])
    rest = plan.count[stays[parted]] - kept[parted]
    count[stays[parted]] = kept[parted]
    return changed(
        plan,
        row=np.concatenate([plan.row, plan.row[stays[parted]]]),
        count=np.concatenate([count, rest]),
        group=np.concatenate([group, np.full(len(rest), SUPPRESSED, dtype=group.dtype)]),
    )


def _as_published(plan: Recoding, sensitive: Sequence[str]) -> Recoded:
    """What the plan would publish, counted as a reader of the file would; `sensitive` columns in this order."""
    stays = plan.group != SUPPRESSED
    group, row = plan.group[stays], plan.row[stays]
    values: list[tuple[Value, ...]] = []
    codes: list[IntArray] = []
    for d in range(len(plan.frequency.hierarchies)):
        texts, of_group = published_values(plan, d)
        unique = {text: i for i, text in enumerate(dict.fromkeys(texts))}
        values.append(tuple(unique))
        codes.append(np.array([unique[t] for t in texts], dtype=np.int64)[of_group][group])
    for name in sensitive:
        values.append(plan.frequency.sensitive_hierarchies[name].leaves)
        codes.append(plan.frequency.sensitive[name][row].astype(np.int64))
    frequencies = Frequencies(tuple(values), tuple(codes), plan.count[stays])
    return group_recoded(frequencies, len(plan.frequency.hierarchies), sensitive, star=False)


def _check_limit(plan: Recoding, policy: Policy, *, uncovered: int, unfit: int) -> None:
    limit = int(policy.suppress * plan.frequency.rows)
    if plan.suppressed <= limit:
        return
    exposed = plan.suppressed - uncovered - unfit
    raise Infeasible(
        f"{plan.suppressed:,} of {plan.frequency.rows:,} new rows don't fit the earlier release: no group covers "
        f"{uncovered:,}; the groups of {unfit:,} break a promise, by themselves or together with the earlier rows; "
        f"those of {max(exposed, 0):,} more would break one for {policy.whose.people} that came, left or stayed, once "
        f"somebody subtracts the earlier release (its policy lets {limit:,} be suppressed)",
        repair=f"wait for more rows, or {_TOGETHER}" + (_IF_NEW if exposed > 0 else ""),
    )
