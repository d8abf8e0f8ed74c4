"""A second opinion on a release, from its published files and its manifest alone."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from discreet.counts.frequency import FrequencySet
from discreet.counts.groups import Groups
from discreet.engines.base import DescribedTables, PublishedTables
from discreet.engines.open import published_tables
from discreet.errors import DataError, DiscreetError, Mistake, ReleaseError, Unavailable
from discreet.files.small_files import read_small
from discreet.labels.whose import Whose, whose_of
from discreet.models.base import AboutPopulation, PrivacyModel, needs_source
from discreet.models.by_people import among_people, rows_decide
from discreet.models.presence.confident_presence import ConfidentPresence
from discreet.models.presence.words import needs_population
from discreet.models.realistic.wished import bound
from discreet.models.registry import model_from_words
from discreet.models.verdicts import Verdict, verdict
from discreet.policy.kinds import PUBLICATIONS, Comparing, Publication
from discreet.publications.published import AGAIN, Manifest, Published
from discreet.publications.source.kept_standing import STANDING
from discreet.publications.source.outside import promised_marginals, read_population
from discreet.publications.source.people import judged_by_people
from discreet.publications.source.population import Around, Surroundings, differing
from discreet.publications.source.table import read_source
from discreet.releases.chain_check import check_chain
from discreet.releases.contents import REPORT, check_contents, read_manifest, read_mapping
from discreet.releases.figures import private_folder
from discreet.releases.manifest import checksum, promises
from discreet.releases.references import PUBLISHED

# What reading a manifest that we did not write can raise.
_NOT_OURS = (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError)
_CHANGED = Mistake("manifest.json", "is not what was written: its checksum differs", AGAIN)
_SOURCE = "give the original table: --source FILE (in Python, verify(folder, source=…))"
_SEVERAL_FIT = "several of the source's rows could stand in one place of the release, so that it does not tell whose do"
_UNTOLD = (
    f"{_SEVERAL_FIT}; it was judged when the release was made, and is again beside the custodian's folder "
    "(standing.json)"
)
_UNFIT = (
    "several of the source's rows could stand in one place of the release, and what standing.json in the custodian's "
    "folder says of it can't be true: it is not that of this release and this table"
)
_LARGEST_STANDING = 1_000_000_000  # bytes
_OWN_ROWS = Mistake(
    "confident_presence",
    "needs to know which values there are outside of the table, and the published values are not exact enough to tell",
    "give the private rows too, or the policy that chooses them: --source FILE (in Python, source=…)",
)


@dataclass(frozen=True)
class Findings:
    """What a re-reading found: the verdict on every promise, and everything that does not agree with the manifest.

    `kept` is None where nothing is wrong, but something that is promised could not be judged by what was given.
    """

    verdicts: tuple[Verdict, ...]
    mistakes: tuple[Mistake, ...]
    groups: int
    smallest_group: int
    unjudged: tuple[PrivacyModel, ...] = ()  # that only the source or the population can decide
    missing: tuple[Mistake, ...] = ()  # what each of these would take
    signature: str = ""  # whose it is, as far as that was checked; empty if there is none
    unread: tuple[str, ...] = ()  # parts of the release that could not be compared with the others
    people_open: tuple[
        tuple[str, str], ...
    ] = ()  # what is promised to people and could not be judged, and what it takes
    of_people: tuple[Verdict, ...] = ()  # the same promises by people, as far as a source that names them tells
    published: Published | None = field(default=None, repr=False, compare=False)  # the release as it was counted
    judged: Groups | None = field(default=None, repr=False, compare=False)  # what anybody sees of its groups

    @property
    def kept(self) -> bool | None:
        if self.mistakes or not all(v.holds for v in self.verdicts):
            return False
        return None if self.not_judged else True

    @property
    def not_judged(self) -> tuple[tuple[str, str], ...]:
        """Promises and parts of the release that are open: what, and what it would take."""
        return (
            *((model.describe(), str(why)) for model, why in zip(self.unjudged, self.missing, strict=True)),
            *self.people_open,
            *((REPORT, why) for why in self.unread),
        )


def verify(
    folder: Path | str,
    source: Any = None,
    population: Any = None,
    database: str | None = None,
    earlier: Sequence[Path] = (),
) -> Findings:
    """Re-check every promise of the release in `folder`.

    `source` is the original table (a path or a frame), needed for promises about what an adversary knows of it. With
    it, the release is also compared with the table: is there a row of it for every published one (`against_source`)?
    `population` is everybody who could be in the table, for promises about who is. `database` says where the tables are
    (a URL without credentials), if they are in one that the environment does not name. `earlier` are the other releases
    of a chain, oldest first (see `chain_check`).
    """
    folder = Path(folder)
    manifest = read_manifest(folder)
    if earlier and "chain" not in manifest:
        raise DiscreetError(Mistake("earlier", "is of no use: the release is not of a chain", "leave it out"))
    for one in earlier:
        read_manifest(one)  # what is no release is wrong use, and no fault of this one
    # A database that is not there, or lets nobody in, is no fault of the release.
    tables = published_tables(folder, manifest.get("database"), database, manifest.get("csv"))
    table = None if source is None else _read_source(source, manifest)
    known = None if population is None else _read_population(population, manifest, table)
    try:
        if strange := _check_described(tables, manifest):
            return Findings((), tuple(strange), 0, 0)  # a schema that is no release is not read
        if known is None:
            known = promised_marginals(manifest, _promised(manifest)[0], table)
        kind = PUBLICATIONS[manifest["publish"]]
        mapping = None if kind.several else read_mapping(folder)
        published = kind.read(tables, manifest, mapping, table, known)
        found = recheck(manifest, folder, tables, published, table)
        other = [] if table is None else _check_source(table, manifest)
        wrong = [] if mapping is None else kind.check_mapping(published, manifest, mapping)
        comparing = None if table is None or wrong else Comparing(table, source, tables, manifest, mapping)
        if comparing is not None:
            other += kind.compare(published, comparing)
        other += wrong
        if whose_of(manifest) is Whose.NAMED and not wrong:
            models = [v.model for v in found.verdicts]
            kept = _read_standing(folder, manifest)
            open_to_people, of_people, broken = check_people(kind, models, published, table, mapping, manifest, kept)
            found, other = replace(found, people_open=open_to_people, of_people=of_people), [*other, *broken]
        open_of_chain, broken = check_chain(folder, published, comparing, manifest, earlier, database)
        found = replace(found, people_open=(*found.people_open, *open_of_chain))
        other = [*other, *broken]
        return replace(found, mistakes=(*check_manifest(manifest, found), *found.mistakes, *other))
    except Unavailable:
        raise  # who could not look has found nothing
    except DiscreetError as error:
        return Findings((), (*check_contents(folder, manifest), *error.mistakes), 0, 0)
    except _NOT_OURS:
        return Findings((), (_CHANGED,), 0, 0)


def check_people(
    kind: Publication,
    models: Sequence[PrivacyModel],
    published: Published,
    table: FrequencySet | None,
    mapping: Mapping[str, Any] | None,
    manifest: Manifest,
    kept: Mapping[str, Any] | None = None,
) -> tuple[tuple[tuple[str, str], ...], tuple[Verdict, ...], list[Mistake]]:
    """What is promised to people: what stays open, with what it would take; what is kept; and what is broken.

    `kept` is what the custodian has of which rows stand where, if that is at hand: used where nothing else tells.
    """
    # Where exact values hide whose are whose, nobody may have two rows in a group: that is for every promise.
    models = [model for model in models if kind.exact or not rows_decide(model)]
    if not models:
        return (), (), []
    if table is None:
        return (("what holds of people", f"the files don't tell whose rows they are; {_SOURCE}"),), (), []
    if table.owners is None:  # a row is a person: the files tell all
        return (), (), []
    standing, untold = kind.standing(published, table, mapping, manifest), _UNTOLD
    if kept is not None and (standing is None or not standing.certain.all()):
        proven = kind.proven(kept, published, table, mapping, manifest)
        standing, untold = (standing, _UNFIT) if proven is None else (proven, untold)
    if standing is None:
        return tuple((f"{model.describe()}, by people", untold) for model in models), (), []
    told = judged_by_people(models, standing)
    left_open = tuple((f"{model.describe()}, by people", untold) for model in told.undecided)
    return left_open, told.verdicts, list(told.mistakes)


def _read_standing(folder: Path, manifest: Manifest) -> Mapping[str, Any] | None:
    """What the custodian's folder beside a release says of which rows stand where; None if it says nothing of it."""
    try:
        words = json.loads(read_small(private_folder(folder) / STANDING, STANDING, _LARGEST_STANDING))
    except (DiscreetError, ValueError, RecursionError):
        return None
    return words if isinstance(words, dict) and words.get("release") == manifest.get("checksum") else None


def is_about_population(manifest: Manifest) -> bool:
    """Does the release promise anything about who is in the table?"""
    try:
        return any(isinstance(model, AboutPopulation) for model in _promised(manifest)[0])
    except _NOT_OURS:
        raise ReleaseError(_CHANGED) from None


def recheck(
    manifest: Manifest,
    folder: Path,
    tables: PublishedTables | None,
    published: Published,
    source: FrequencySet | None = None,
) -> Findings:
    """Compare the files in `folder` and the tables, already counted, with what the manifest says of them.

    Without `tables`, fingerprints of tables in a database are taken as told: each is a scan, and they were just made.
    `source` is the original table, where it is given.
    """
    mistakes = check_contents(folder, manifest, tables)
    models, wrong = _promised(manifest)
    mistakes += wrong + _check_counts(published, manifest)
    if any(weights != PUBLISHED for weights in manifest.get("references", {}).values()):
        rule = "compares its groups with another distribution than its own, which would tell of rows that were left out"
        mistakes.append(Mistake("manifest.json", rule, AGAIN))
    if published.around is not None:
        mistakes += differing(published.around, manifest.get("population"))
    hierarchies = manifest.get("hierarchies", {})
    alone = published.alone.judged(hierarchies)
    beside = published.judged(hierarchies) if any(map(needs_source, models)) else alone
    judged, unjudged, missing = [], [], []
    named = whose_of(manifest) is Whose.NAMED
    for model in bound(models, source):
        try:
            if named and among_people(model) and published.around is not None:
                judged.append(verdict(model, _in_people(model, published.around, source)))
            else:
                judged.append(verdict(model, beside if needs_source(model) else alone))
        except Unavailable:
            raise
        except DiscreetError as error:  # it speaks of what others know of the source, which is not here
            unjudged.append(model)
            if isinstance(model, ConfidentPresence) and published.around is not None and not named:
                missing.append(_OWN_ROWS)  # the population is here
            else:
                why = error.mistakes[0]
                missing.append(Mistake(why.place, why.rule, why.repair or _SOURCE))
    return Findings(
        tuple(judged),
        tuple(mistakes),
        published.groups,
        published.smallest,
        tuple(unjudged),
        tuple(missing),
        published=published,
        judged=alone,
    )


def _in_people(model: PrivacyModel, around: Around, source: FrequencySet | None) -> Groups:
    """The groups for a promise about who of a population is in the table, where people may have several rows."""
    if around.inside is None:
        word = next(iter(model.to_words()))
        if source is not None:
            raise DataError(Mistake(word, _SEVERAL_FIT, "give the very table that was published"))
        raise DataError(Mistake(word, "the files don't tell whose rows they are, nor how many people's", _SOURCE))
    return around.beside(around.inside)


def check_manifest(manifest: Manifest, found: Findings) -> list[Mistake]:
    """Does the manifest say what it said when it was written, and what the files say?"""
    mistakes = [] if manifest.get("checksum") == checksum(manifest) else [_CHANGED]
    unjudged = [model.to_words() for model in found.unjudged]
    said = [p for p in manifest["promises"] if p["model"] not in unjudged]
    reached = promises(found.verdicts, whose_of(manifest))
    doubted = any(p["holds"] is not True for p in manifest["promises"] if p["model"] in unjudged)
    if doubted or len(said) != len(reached) or not all(map(_agree, said, reached)):
        rule = "what it says about its promises is not what the files show"
        mistakes.append(Mistake("manifest.json", rule, AGAIN))
    asked, _ = _models(manifest, manifest["policy"]["require"])
    roles = {name: about["role"] for name, about in manifest["policy"]["attributes"].items()}
    judged = [*(v.model for v in found.verdicts), *found.unjudged]
    if (
        roles != manifest["roles"]
        or manifest["policy"].get("publish") != manifest["publish"]
        or sorted(str(m.to_words()) for m in asked) != sorted(str(m.to_words()) for m in judged)
    ):
        rule = "it promises other things than its policy asks for"
        mistakes.append(Mistake("manifest.json", rule, AGAIN))
    return mistakes


def _agree(said: Mapping[str, Any], reached: Mapping[str, Any]) -> bool:
    """The same promise and verdict; levels up to the last digits, which depend on the machine.

    So does which of two groups decides, if both reach nearly the same.
    """
    a, b = said["level"], reached["level"]
    close = a == b or (a is not None and b is not None and math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12))
    return close and all(said.get(k) == v for k, v in reached.items() if k not in ("level", "deciding_group"))


def _check_described(tables: PublishedTables, manifest: Manifest) -> list[Mistake]:
    """Is the manifest beside the tables that of the folder?"""
    try:
        if not isinstance(tables, DescribedTables) or json.loads(tables.manifest()) == manifest:
            return []
    except (ValueError, RecursionError):
        pass
    return [Mistake("the table manifest", "is not the manifest of this folder", AGAIN)]


def _promised(manifest: Manifest) -> tuple[list[PrivacyModel], list[Mistake]]:
    models, mistakes = _models(manifest, [promise["model"] for promise in manifest["promises"]])
    if not models:
        mistakes.append(Mistake("manifest.json", "promises nothing", AGAIN))
    return models, mistakes


def _models(manifest: Manifest, entries: Sequence[Mapping[str, Any]]) -> tuple[list[PrivacyModel], list[Mistake]]:
    """The models that promises in words mean."""
    sensitive = tuple(c for c, role in manifest["roles"].items() if role == "sensitive")
    models: list[PrivacyModel] = []
    mistakes: list[Mistake] = []
    for i, entry in enumerate(entries):
        for word, parameters in entry.items():
            found, wrong = model_from_words(word, parameters, "", sensitive)
            models += found
            if wrong:  # what they are would tell a stranger's words
                mistakes.append(Mistake(f"manifest.json.promises[{i}]", "is not a promise that we know", AGAIN))
    return models, mistakes


def _check_counts(published: Published, manifest: Manifest) -> list[Mistake]:
    rows = manifest["rows"]
    kind = PUBLICATIONS[manifest["publish"]]
    place = "release" if kind.several else manifest["table"]
    star = not kind.exact and manifest.get("suppressed_as") == "star"
    expected = rows["published"] + (rows["suppressed"] if star else 0)
    mistakes = []
    if published.rows != expected or published.starred < expected - rows["published"]:
        rule = f"has {published.rows:,} rows, but the manifest says {expected:,}"
        mistakes.append(Mistake(place, rule, AGAIN))
    if rows["published"] + rows["suppressed"] != rows["source"] or rows["suppressed"] > rows["limit"]:
        mistakes.append(Mistake("manifest.json", "its row counts don't add up", AGAIN))
    if published.groups != manifest["groups"] or published.smallest != manifest["smallest_group"]:
        rule = (
            f"has {published.groups:,} groups, the smallest of {published.smallest:,} rows, "
            f"but the manifest says {manifest['groups']:,} and {manifest['smallest_group']:,}"
        )
        mistakes.append(Mistake(place, rule, AGAIN))
    return mistakes


def _read_source(source: Any, manifest: Manifest) -> FrequencySet:
    try:
        return read_source(source, manifest, rules=not PUBLICATIONS[manifest["publish"]].exact)
    except _NOT_OURS:
        raise ReleaseError(_CHANGED) from None


def _read_population(population: Any, manifest: Manifest, table: FrequencySet | None) -> Surroundings:
    try:
        models, _ = _promised(manifest)
        if not any(map(needs_population, models)):
            rule = "no promise of this release speaks of it"
            raise DataError(Mistake("population", rule, "leave --population out"))
        return read_population(population, manifest, models, table)
    except _NOT_OURS:
        raise ReleaseError(_CHANGED) from None


def _check_source(table: FrequencySet, manifest: Manifest) -> list[Mistake]:
    made = manifest["rows"]["source"]
    if table.rows == made:
        return []
    rule = f"has {table.rows:,} rows, but the release was made from {made:,}"
    return [Mistake("source", rule, "give the very table that was published")]
