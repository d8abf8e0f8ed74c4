"""From a table and a policy to a checked release: the whole path, in the order the data takes."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from dataclasses import replace as change
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from discreet.addresses import is_address
from discreet.arrays import IntArray
from discreet.counts.frequency import FrequencySet, Population
from discreet.engines.base import Engine, Tables, TooManyCombinations
from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.duckdb.publishing import about_file
from discreet.engines.open import POSTGRESQL
from discreet.errors import Infeasible, Mistake, PolicyError, ReleaseError, shown
from discreet.models.base import AboutPopulation
from discreet.models.verdicts import verdicts
from discreet.policy.chains import M_INVARIANCE
from discreet.policy.kinds import PUBLICATIONS, Writing, is_exact
from discreet.policy.levels import spans
from discreet.policy.policy import Policy
from discreet.policy.ranges import ranges_notes, ranges_told
from discreet.progress import Progress, silent
from discreet.publications.published import Manifest
from discreet.publications.published_rules import PublishedRule, coarser_notes, published_rules, taxonomy_notes
from discreet.publications.source.kept_standing import STANDING, judged_and_kept
from discreet.releases.contents import MANIFEST, MAPPING, REPORT
from discreet.releases.figures import FIGURES, WARNING, figures, private_folder
from discreet.releases.folder import check_target, whole_folder
from discreet.releases.formulas import formula_notes
from discreet.releases.manifest import checksum, measures, promises, versions
from discreet.releases.policy_words import coarser_words, public_words
from discreet.releases.references import PUBLISHED, settled
from discreet.releases.signature import Signer, read_signer
from discreet.releases.verify import check_manifest, recheck
from discreet.report.data import report_data
from discreet.report.html import custodian_page, release_page
from discreet.report.release import release_data
from discreet.run.cells import cells_read, reading_figures
from discreet.run.intake import Intake, check_named, form_of, take_in, with_wishes
from discreet.run.one_row_each import check_one_row_each
from discreet.run.release import Release
from discreet.search.absence import absence_kept
from discreet.search.out_of_reach import ABOUT_GROUPS, refused
from discreet.search.plan import Plan, Problem
from discreet.search.registry import COUNTS, SEARCHES, SUMMARY

_SOON_COUNTED = 50_000_000  # rows of a file whose combinations are counted sooner than a summary is searched


def anonymize(
    policy: Policy,
    folder: Path | str,
    *,
    source: Any = None,
    private: Path | str | None = None,
    replace: bool = False,
    sign: Path | str | None = None,
    as_proposed: bool = False,
    progress: Progress = silent,
) -> Release:
    """Publish the policy's table (or `source`) into `folder`, promise proven, or raise and leave nothing behind.

    What is known of the source beyond that (losses, how the search went, a report for a privacy board) goes to
    `private`, a folder that is not to be published; if nothing is said, ``<folder>.private``. `sign` is the file of an
    Ed25519 private key, to sign the manifest with. A policy with open decisions (the word ``decide``) is refused;
    `as_proposed` takes their columns as they stand, and the custodian is told which.
    """
    if not isinstance(policy, Policy):
        rule = f"must be a Policy, got {type(policy).__name__}"
        raise PolicyError(Mistake("policy", rule, "use discreet.read_policy(path) or discreet.policy_from_words({…})"))
    if policy.undecided and not as_proposed:
        raise PolicyError(*policy.undecided)
    read = paths_among(policy.folder, policy.location, source)
    target = target_at(folder, inputs=read, private=private, replace=replace, sign=sign, progress=progress)
    if any(model.word == M_INVARIANCE for model in policy.models if hasattr(model, "word")):
        from discreet.run.chain import publish_link  # late: most runs are of one release

        return publish_link(policy, source, target, progress=progress)
    clock = target.clock
    notes: list[str] = []
    if SEARCHES[policy.search].reads == COUNTS:
        try:
            with clock("scan"):
                progress("read", 0, 0, "")
                intake = take_in(policy, source)
                check_one_row_each(policy, intake.engine, intake.frequency)
                policy = with_wishes(policy, intake.frequency)
            with clock("search"):
                plan = find_plan(policy, intake, progress)
        except TooManyCombinations as error:
            policy = _by_a_summary(policy, error)
            notes.append(
                f"the table has about {error.found:,} distinct combinations, more than the {error.limit:,} that leave "
                "the engine: the search worked on a summary of it, and made sure by a look at the table"
            )
    wanted = not notes  # a summary, by the policy
    if SEARCHES[policy.search].reads == SUMMARY:
        try:
            intake, plan = _instantly(policy, source, clock, progress)
        except TooManyCombinations as error:
            if policy.summary is not None:
                raise
            policy = change(policy, summary="sample")
            notes.append(
                f"a summary by pairs of values would ask for about {error.found:,} counts, more than the "
                f"{error.limit:,} that leave the engine: it is a sample of the rows"
            )
            intake, plan = _instantly(policy, source, clock, progress)
        notes += _in_vain(intake) if wanted else []
    return publish(policy, intake, plan, target, notes=[*notes, *_lost_to_priors(plan)])


def _in_vain(intake: Intake) -> list[str]:
    """Does a summary save no time, because the table itself is counted as soon as a summary of it is?"""
    rows = intake.frequency.rows
    if not isinstance(intake.engine, DuckDB) or rows > _SOON_COUNTED:
        return []
    return [
        f"`search` chose from a summary, which saves no time here: a file or frame of {rows:,} rows is counted in one "
        "scan. `search: optimal` takes less time, though more memory, and finds the least loss"
    ]


def _lost_to_priors(plan: Plan) -> list[str]:
    """Of the rows that ART left out, how many no grouping could have hidden, as far as is proven."""
    never, before = plan.facts.get("never_hidden"), plan.facts.get("believed_before")
    protected, share = plan.facts.get("left_out_protected"), plan.facts.get("protected_share")
    if not plan.suppressed or never is None or not isinstance(protected, int):
        return []
    had_to = f"at least {never:,} had to be, whatever the grouping, as too much is known beforehand of rows like them"
    why = had_to if never else "none of them is proven to be beyond every grouping"
    return [
        f"{plan.suppressed:,} rows are suppressed; {why}. {before:,} rows have a value that is believed of them "
        "beforehand with a chance above the promised one: many of these are hard to hide",
        f"what absence tells: {protected:,} of the {plan.suppressed:,} rows that are left out have a protected value "
        f"({protected / plan.suppressed:.1%}; of all rows {share:.1%} do). Whoever knows who should be here can learn "
        "that; `absence: prior` limits it, and `limit: prior` hides whom 1/r can't",
    ]


@dataclass(frozen=True)
class Target:
    """Where a release goes, what may not be overwritten by it, who signs it, and who is told how far it is."""

    folder: Path
    private: Path  # the custodian's folder
    replace: bool
    inputs: Sequence[Path]  # what is read, as far as it is known
    signer: Signer | None
    progress: Progress
    clock: Clock


def target_at(
    folder: Path | str,
    *,
    inputs: Sequence[Path],
    private: Path | str | None,
    replace: bool,
    sign: Path | str | None,
    progress: Progress,
) -> Target:
    """A place where a release can be written, and the key to sign it: before anything is read."""
    folder = Path(folder)
    private = private_folder(folder) if private is None else Path(private)
    check_target(folder, private=private, replace=replace, inputs=inputs)
    return Target(folder, private, replace, inputs, None if sign is None else read_signer(sign), progress, Clock())


def _by_a_summary(policy: Policy, error: TooManyCombinations) -> Policy:
    """The same policy, searched on a summary of the table, where that can be done."""
    try:
        return change(policy, search="instant")
    except PolicyError:
        raise error from None


def _instantly(policy: Policy, source: Any, clock: Clock, progress: Progress) -> tuple[Intake, Plan]:
    """A plan from a summary; what is known of the table in the end is what the looks at it told."""
    from discreet.run.from_summary import corrected, summarize  # late: most runs need no summary
    from discreet.run.looks import Surprised

    with clock("scan"):
        progress("read", 0, 0, "")
        known = summarize(policy, source)
        cells = cells_read(policy, known.engine)
    plan = None
    with clock("search"):
        while plan is None:
            if policy.person is None:  # else a summary does not tell how many people are in the table
                _refuse_at_once(policy, known.summary.rows, known.population)
            limit = int(policy.suppress * known.summary.rows)
            try:
                plan = _settled(policy, limit, partial(SEARCHES[policy.search].find, policy, known, progress=progress))
            except Surprised as surprise:  # a look showed what no estimate knew: with that, it is one no longer
                known = corrected(policy, known, surprise)
    check_one_row_each(policy, known.engine, plan.frequency)
    return Intake(known.engine, plan.frequency, known.counted, cells), plan


def find_plan(policy: Policy, intake: Intake, progress: Progress = silent) -> Plan:
    """Search for what the policy asks; every published group is judged once more at the end.

    A re-check has the published rows alone to compare groups with (see `references`).
    """
    _refuse_at_once(policy, intake.frequency.people, intake.frequency.population)
    _refuse_out_of_reach(policy, intake.frequency)
    chosen = SEARCHES[policy.search]
    allowed = spans(policy.attributes, intake.frequency.hierarchies)
    clock = [policy.time_limit] if chosen.timed else []

    def search(limit: int) -> Plan:
        problem = Problem(intake.frequency, policy.models, limit, policy.utility, policy.seed, True, allowed)
        plan: Plan = chosen.find(problem, progress, *clock)
        return absence_kept(problem, plan)

    return _settled(policy, int(policy.suppress * intake.frequency.rows), search)


def _settled(policy: Policy, limit: int, search: Callable[[int], Plan]) -> Plan:
    """A plan that also keeps its promises if the published rows are all there is: the search's own, with more groups
    left out where the limit allows, or one that suppresses less. With nothing suppressed both are the same table.

    Searches for the best choose among such plans themselves, and are not asked twice; of any other, what it found with
    a smaller limit is the best of nothing."""
    plan = _checked(policy, limit, search)
    asked_again = False
    while (alone := settled(plan, policy.models, limit)) is None or not _keeps(policy, alone):
        try:
            plan, asked_again = _checked(policy, plan.suppressed // 2, search), True
        except Infeasible as error:
            rule = "without the suppressed rows the others break a promise, and with fewer of them suppressed"
            raise Infeasible(
                f"{rule} {shown(policy.search)} found no release that keeps the promises",
                closest=error.closest,
                witness=error.witness,
                repair="ask for less closeness, or give coarser hierarchies",
            ) from None
    if asked_again and alone.facts.get("optimal"):
        alone = change(alone, facts={**alone.facts, "optimal": False})
    return alone


def _keeps(policy: Policy, plan: Plan) -> bool:
    return all(v.holds for v in verdicts(policy.models, plan.groups))


def _refuse_at_once(policy: Policy, inside: int, population: Population | None) -> None:
    """Limits of presence that nothing can keep: a search would say which group is in the way, not why."""
    people = 0 if population is None else population.size
    for model in policy.models if people else ():
        if isinstance(model, AboutPopulation) and (error := model.out_of_reach(inside, people)) is not None:
            raise error


def _refuse_out_of_reach(policy: Policy, frequency: FrequencySet) -> None:
    """Promises that no grouping of these rows keeps. Of exact values more is published, and judged, than groups.

    There a person's rows are in different groups, which all rows together tell nothing about: searches look at that.
    """
    exact = is_exact(policy.publish)
    models = [model for model in policy.models if not exact or isinstance(model, ABOUT_GROUPS)]
    frequency = change(frequency, owners=None) if exact else frequency
    error = refused(models, frequency, int(policy.suppress * frequency.rows))
    if error is not None:
        raise error


def _checked(policy: Policy, limit: int, search: Callable[[int], Plan]) -> Plan:
    plan = search(limit)
    broken = [v for v in verdicts(policy.models, plan.groups) if not v.holds]
    if broken or plan.suppressed > limit:
        raise ReleaseError(
            Mistake("search", f"proposed to suppress {plan.suppressed:,} rows, {limit:,} are allowed"),
            *(Mistake("search", f"proposed a release that fails: {v.witness()}") for v in broken),
        )
    return plan


def publish(
    policy: Policy,
    intake: Intake,
    plan: Plan,
    target: Target,
    *,
    more: Mapping[str, Any] | None = None,
    mapping: Mapping[str, Any] | None = None,
    notes: Sequence[str] = (),
    remarks: Sequence[str] = (),
    beside: Callable[[Path, Path], None] | None = None,
) -> Release:
    """Write the release beside its place, read it back, judge it again from the files, and only then put it there.

    `mapping` is that of an earlier release, where the plan follows it; `more` is what the manifest says besides.
    `notes` are about the source, and for the custodian; `remarks` are for readers of the release. `beside` is given
    both folders when the manifest is written, to add to the private one.
    """
    check_named(policy.models, plan.groups)
    kind = PUBLICATIONS[policy.publish]
    folder = target.folder
    form, schema = form_of(policy, intake.engine), policy.schema or folder.resolve().name
    clock, progress = target.clock, target.progress
    with (
        whole_folder(folder, private=target.private, replace=target.replace, inputs=target.inputs) as work,
        intake.engine.publishing(work.public, form, schema, target.replace, policy.csv is not None) as tables,
    ):
        partial = work.public
        assert work.private is not None
        with clock("publish"):
            progress("publish", 0, 0, "")
            written, numbers = _write_tables(policy, intake, plan, tables)
            rules = published_rules(plan, {a.name: a.hierarchy for a in policy.attributes})
            mapping = kind.mapping(plan, rules) if mapping is None else mapping
            if mapping is not None:
                (partial / MAPPING).write_text(_compact(mapping), encoding="utf-8")
        with clock("verify"):
            progress("verify", 0, 0, "")
            manifest = _draft(policy, intake, plan, rules) | written | dict(more or {})
            manifest["notes"] += remarks
            if form == "table":
                manifest["database"] = {"engine": POSTGRESQL, "schema": schema}
            if policy.csv is not None:
                manifest["csv"] = policy.csv
            published = kind.read(tables, manifest, mapping, intake.frequency, None)
            if form == "csv":
                manifest["notes"] += formula_notes(published, tables, manifest)
            manifest["files"] = {file.name: about_file(file) for file in sorted(partial.iterdir())}
            for name, rows in published.tables.items():
                manifest["files"][name] = tables.about(name) | {"rows": rows}
            manifest["groups"] = published.groups
            manifest["smallest_group"] = published.smallest
            if published.around is not None:
                manifest["population"] = published.around.words()
            findings = recheck(manifest, partial, None, published, intake.frequency)
            if not findings.kept:
                broken = (_broken(v) for v in findings.verdicts if not v.holds)
                raise ReleaseError(*findings.mistakes, *findings.missing, *broken)
            kept = judged_and_kept(policy.models, plan, numbers, published, intake.frequency, mapping, manifest)
            assert findings.judged is not None
            manifest["promises"] = promises(findings.verdicts, policy.whose)
            manifest |= measures(findings.judged.sizes, plan.suppressed)
        progress("report", 0, 0, "")
        release = release_data(manifest, mapping or {}, published.alone, findings.judged)
        (partial / REPORT).write_text(release_page(release), encoding="utf-8")
        manifest["files"][REPORT] = about_file(partial / REPORT)
        about = {"discreet": manifest["discreet"], "created": manifest["created"]}
        notes = [*notes, *taxonomy_notes(plan.frequency), *coarser_notes(intake.engine.labels, policy.published_as)]
        judged = findings.verdicts if plan.frequency.owners is None else verdicts(policy.models, plan.groups)
        about["undecided"] = [a.name for a in policy.attributes if a.decide]
        about |= figures(plan, judged, scans=intake.scans, seconds=clock.seconds, notes=notes)
        about["reading"] = reading_figures(policy, intake.cells)
        data = report_data(plan, manifest, about, release)
        (work.private / REPORT).write_text(custodian_page(data), encoding="utf-8")
        manifest["checksum"] = checksum(manifest)
        if wrong := check_manifest(manifest, findings):
            raise ReleaseError(*wrong)
        in_words = _json(manifest)
        (partial / MANIFEST).write_text(in_words, encoding="utf-8")
        if target.signer is not None:
            target.signer.sign(partial)
        about["release"] = manifest["checksum"]
        (work.private / FIGURES).write_text(_json(about), encoding="utf-8")
        if kept is not None:
            kept = {"about": WARNING, "release": manifest["checksum"], **kept}
            (work.private / STANDING).write_text(json.dumps(kept, ensure_ascii=False) + "\n", encoding="utf-8")
        if beside is not None:
            beside(partial, work.private)
        tables.describe(in_words)
    types = getattr(intake.engine, "scalars", {})
    return Release(folder, manifest, target.private, about, data, types, inputs=tuple(target.inputs))


def paths_among(*named: Any) -> list[Path]:
    """The files that are read, as far as they are known: none of them may lie in a folder that is replaced."""
    return [Path(n) for n in named if isinstance(n, str | Path) and not is_address(str(n))]


def _write_tables(policy: Policy, intake: Intake, plan: Plan, tables: Tables) -> tuple[dict[str, Any], IntArray | None]:
    """Write what the plan publishes; returns what the manifest says about the tables, and numbers that groups got."""
    random = np.random.default_rng(secrets.randbits(128) if policy.seed is None else policy.seed)
    published, columns = tuple(_columns(policy, intake.engine)), tuple(intake.engine.columns)
    kind, star = PUBLICATIONS[policy.publish], policy.suppressed == "star"
    numbers = random.permutation(plan.group_count) + 1 if kind.exact else None
    writing = Writing(columns, published, policy.others, star, policy.person, numbers)
    return kind.write(plan, writing, tables, random), numbers


def _columns(policy: Policy, engine: Engine) -> list[str]:
    """What is published, in the order of the table: nothing that nobody asked for."""
    asked = {*policy.quasi_identifiers, *policy.sensitive, *policy.others}
    return [c for c in engine.columns if c in asked]


def _draft(policy: Policy, intake: Intake, plan: Plan, rules: Mapping[str, PublishedRule]) -> Manifest:
    """Everything the manifest says that does not come from reading the files back."""
    frequency = plan.frequency
    suppressed = plan.suppressed
    columns = _columns(policy, intake.engine)
    alone = f"it may single {policy.whose.people} out"
    how = {c: "coarser" if c in intake.engine.labels else "as it is" for c in policy.others}
    notes = [f"{c} is published {how[c]}: nothing is promised about it, and {alone}" for c in policy.others]
    kind = PUBLICATIONS[policy.publish]
    notes += kind.notes(plan, policy.whose)
    told = {name: rule.rule for name, rule in rules.items()}
    ranges = ranges_told(policy.publish, frequency.hierarchies, told)
    notes += ranges_notes(ranges.get("ranges", {}), {a.name: a.hierarchy for a in policy.attributes}, told)
    notes += [note for model in policy.models for note in getattr(model, "notes", ())]
    return {
        "discreet": versions()["discreet"],
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "publish": policy.publish,
        "search": policy.search,
        "files": {},
        "columns": columns,
        "roles": {a.name: a.role.value for a in policy.attributes},
        "promises": promises(verdicts(policy.models, plan.groups), policy.whose),
        "rows": {
            "source": frequency.rows,
            "published": frequency.rows - suppressed,
            "suppressed": suppressed,
            "limit": int(policy.suppress * frequency.rows),
        },
        "suppressed_as": policy.suppressed,
        "node": kind.levels(plan, rules),
        "hierarchies": {name: rule.words for name, rule in rules.items()},
        **ranges,
        **coarser_words(policy),
        "policy": public_words(policy),
        "random": "operating system" if policy.seed is None else "seed",
        "versions": versions(),
        "references": dict.fromkeys(policy.sensitive, PUBLISHED),
        "notes": notes,
    }


def _broken(v: Any) -> Mistake:
    return Mistake("release", f"the published files break a promise: {v.witness()}", "please report this as a bug")


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False) + "\n"


class Clock:
    """Seconds spent per step."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, step: str) -> Iterator[None]:
        start = perf_counter()
        try:
            yield
        finally:
            self.seconds[step] = round(self.seconds.get(step, 0.0) + perf_counter() - start, 6)
