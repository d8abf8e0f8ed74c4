"""Next month's rows, published the way the first release was.

Anybody who holds both releases can subtract one from the other, so the new rows must keep every promise by themselves
*and* together with what is published already. Rows whose group fails either test are suppressed; when that exceeds
the policy's limit, nothing is published.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace as changed
from pathlib import Path
from typing import Any

import numpy as np

from discreet.addresses import is_address
from discreet.arrays import BoolArray, IntArray
from discreet.engines.base import Frequencies
from discreet.engines.duckdb.publishing import sha256
from discreet.engines.open import published_tables
from discreet.errors import DiscreetError, Infeasible, Mistake, ReleaseError
from discreet.hierarchies.hierarchy import Value
from discreet.models.base import PrivacyModel, all_hold
from discreet.policy.policy import Policy, policy_from_words
from discreet.progress import Progress, silent
from discreet.publications.mapping import recode
from discreet.publications.published import Manifest
from discreet.publications.recoded_tables import Recoded, group_recoded, read_recoded
from discreet.publications.tables import published_values
from discreet.releases.contents import read_manifest, read_mapping
from discreet.releases.verify import is_about_population
from discreet.run.anonymize import Release, paths_among, publish, target_at
from discreet.run.intake import take_in
from discreet.run.verify import verify
from discreet.search.plan import SUPPRESSED, Recoding

_NOT_TAKEN_OVER = ("source", "schema", "summary")  # what names another table or file
_TOGETHER = "publish old and new rows together as a new release"


def apply(
    earlier: Path | str,
    source: Any,
    folder: Path | str,
    *,
    seed: int | None = None,
    private: Path | str | None = None,
    replace: bool = False,
    database: str | None = None,
    sign: Path | str | None = None,
    key: Path | str | None = None,
    progress: Progress = silent,
) -> Release:
    """Publish `source` into `folder` by the mapping of the release in `earlier`, or raise and leave nothing behind.

    `private` is the custodian's folder, as for `anonymize`. `database` says where the earlier tables are, if they are
    in one that the environment does not name (see `verify`). `sign` is the private key for the new release, `key` the
    public one that the earlier must be signed by.
    """
    earlier = Path(earlier)
    read = paths_among(earlier, Path(), source)
    target = target_at(folder, inputs=read, private=private, replace=replace, sign=sign, progress=progress)
    clock = target.clock
    with clock("verify"):
        progress("verify", 0, 0, "")
        manifest = read_manifest(earlier)
        _check_kind(earlier, manifest)
        _check_earlier(earlier, database, key)
        tables = published_tables(earlier, manifest.get("database"), database, manifest.get("csv"))
        before = read_recoded(tables, manifest)
        mapping = read_mapping(earlier)
    policy = _policy_of(manifest, seed, source)
    with clock("scan"):
        progress("read", 0, 0, "")
        intake = take_in(policy, source)
    with clock("search"):
        progress("check", 0, 0, "")
        plan = recode(intake.frequency, mapping)
        plan = _keep_what_holds(plan, policy, before, manifest)
        plan = plan.without(plan.groups.sizes == 0)
        _check_limit(plan, policy)
    more = {"applied": {"manifest_sha256": sha256(earlier / "manifest.json"), "rows": before.rows - before.starred}}
    return publish(policy, intake, plan, target, more=more, mapping=mapping)


def _policy_of(manifest: Manifest, seed: int | None, source: Any) -> Policy:
    """The earlier release's policy, with the hierarchies it actually used, and none besides: it may be a stranger's.

    The new tables stand in a place of their own, and the new rows may be in another engine.
    """
    words = {word: said for word, said in manifest["policy"].items() if word not in _NOT_TAKEN_OVER}
    if words.get("format") == "table" or (isinstance(source, str) and is_address(source)):
        words.pop("format", None)
        words.pop("csv", None)
    attributes = {name: {"role": about["role"]} for name, about in words["attributes"].items()}
    for name, rule in manifest["hierarchies"].items():
        attributes[name]["hierarchy"] = rule
    return policy_from_words(words | {"attributes": attributes, "seed": seed})


def _check_kind(earlier: Path, manifest: Manifest) -> None:
    """Only a recoded table has a mapping that later rows can follow."""
    if "table" not in manifest:
        rule = f"was published by {manifest['publish']}, which has no mapping for later rows to follow"
        raise DiscreetError(Mistake(str(earlier), rule, _TOGETHER))
    if is_about_population(manifest):
        rule = "promises that nobody can tell who is in the table, and later rows change who is"
        raise DiscreetError(Mistake(str(earlier), rule, _TOGETHER))


def _check_earlier(earlier: Path, database: str | None, key: Path | str | None) -> None:
    """The promises of the whole rest on the earlier release, so it must be what it was."""
    findings = verify(earlier, database=database, key=key)
    if findings.kept is False or findings.unjudged:  # that its page is another version's does not matter here
        broken = (Mistake(str(earlier), f"breaks a promise: {v.witness()}") for v in findings.verdicts if not v.holds)
        raise ReleaseError(*findings.mistakes, *findings.missing, *broken)


def _keep_what_holds(plan: Recoding, policy: Policy, before: Recoded, manifest: Manifest) -> Recoding:
    """Suppress new rows until they keep the promises alone and with the earlier rows; then nothing is left to fail."""
    while True:
        new = _as_published(plan, policy)
        failing = ~_verdict(new, policy.models, manifest)[new.group]
        both = _together(before, new)
        whole = ~_verdict(both, policy.models, manifest)
        old_rows = int((before.group >= 0).sum())
        failing |= whole[both.group[old_rows:]]
        stays = plan.group != SUPPRESSED
        if not failing.any():
            broken = int(both.frequencies.counts[:old_rows][whole[both.group[:old_rows]]].sum())
            if broken:
                raise Infeasible(
                    f"{broken:,} rows of the earlier release would no longer keep their promises",
                    repair=_TOGETHER,
                )
            return plan
        group = plan.group.copy()
        group[np.flatnonzero(stays)[failing]] = SUPPRESSED
        plan = changed(plan, group=group)


def _verdict(published: Recoded, models: Sequence[PrivacyModel], manifest: Manifest) -> BoolArray:
    return all_hold(models, published.judged(manifest["hierarchies"]))


def _as_published(plan: Recoding, policy: Policy) -> Recoded:
    """What the plan would publish, counted as a reader of the file would."""
    stays = plan.group != SUPPRESSED
    group, row = plan.group[stays], plan.row[stays]
    values: list[tuple[Value, ...]] = []
    codes: list[IntArray] = []
    for d in range(len(plan.frequency.hierarchies)):
        texts, of_group = published_values(plan, d)
        unique = {text: i for i, text in enumerate(dict.fromkeys(texts))}
        values.append(tuple(unique))
        codes.append(np.array([unique[t] for t in texts], dtype=np.int64)[of_group][group])
    for name, of_row in plan.frequency.sensitive.items():
        values.append(plan.frequency.sensitive_hierarchies[name].leaves)
        codes.append(of_row[row].astype(np.int64))
    frequencies = Frequencies(tuple(values), tuple(codes), plan.count[stays])
    return group_recoded(frequencies, len(plan.frequency.hierarchies), policy.sensitive, star=False)


def _together(before: Recoded, new: Recoded) -> Recoded:
    """Two published tables as one; combinations of `before` come first."""
    kept = before.group >= 0
    values, codes = [], []
    for mine, theirs, a, b in zip(
        before.frequencies.values, new.frequencies.values, before.frequencies.codes, new.frequencies.codes, strict=True
    ):
        unique = {v: i for i, v in enumerate(dict.fromkeys([*mine, *theirs]))}
        values.append(tuple(unique))
        ours = np.array([unique[v] for v in mine], dtype=np.int64)
        others = np.array([unique[v] for v in theirs], dtype=np.int64)
        codes.append(np.concatenate([ours[a[kept]], others[b]]))
    counts = np.concatenate([before.frequencies.counts[kept], new.frequencies.counts])
    width = len(before.frequencies.values) - len(before.sensitive)
    return group_recoded(Frequencies(tuple(values), tuple(codes), counts), width, tuple(before.sensitive), star=False)


def _check_limit(plan: Recoding, policy: Policy) -> None:
    limit = int(policy.suppress * plan.frequency.rows)
    if plan.suppressed > limit:
        raise Infeasible(
            f"{plan.suppressed:,} of {plan.frequency.rows:,} new rows don't fit the earlier release: no group "
            "covers them, or theirs breaks a promise, by itself or together with the earlier rows "
            f"(its policy lets {limit:,} be suppressed)",
            repair=f"wait for more rows, or {_TOGETHER}",
        )
