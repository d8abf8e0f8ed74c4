"""What a release says of itself: everything here follows from its published tables and its manifest alone.

This is the page that is published with the release. Whoever holds the release could compute every figure of it, so it
tells adversaries nothing that they don't have already. What is known of the source is in `data`, for the custodian.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from discreet.arrays import IntArray
from discreet.counts.groups import Groups
from discreet.labels.figures import number, percent
from discreet.labels.whose import Whose, whose_of
from discreet.models.base import AboutPopulation, PrivacyModel, needs_source
from discreet.models.by_people import rows_decide
from discreet.models.promise import PRESENCE, Risk
from discreet.models.registry import MODELS, model_from_words
from discreet.policy.kinds import is_exact
from discreet.publications.published import Published
from discreet.releases.contents import REPORT
from discreet.releases.manifest import told
from discreet.report.exposures import Exposure, exposures, over_all_groups
from discreet.report.marginals import printable, shown
from discreet.report.sections.ambiguous import Ambiguous
from discreet.report.sections.beliefs import Belief
from discreet.report.sections.error_bars import ErrorBar
from discreet.report.sections.open_risks import open_risks
from discreet.report.sections.presence_risks import presence_risks_in_general
from discreet.report.sections.registry import Public, public_figures
from discreet.report.sections.tied_values import tied_risks
from discreet.report.sections.values import PublishedColumn
from discreet.report.words import (
    hierarchies_in_words,
    hierarchy_in_words,
    model_of,
    promise_in_words,
    roles_of,
    setting_of,
)

FEW_SIZES = 8  # so many have a place each
_UNTOLD = "known to the publisher alone, who has the original table"


@dataclass(frozen=True)
class PromiseLine:
    """One promise: in words, what was asked, what was achieved, and the size of the group that decides."""

    sentence: str
    name: str
    asked: str
    achieved: float | None  # None: no number can say it, or only the custodian knows it
    holds: bool | None  # None: it takes more than the release to judge it
    deciding_group: int | None
    in_words: str = ""  # what was achieved, where one number does not say it all

    @property
    def told(self) -> str:
        """What was achieved, for people."""
        if self.in_words:
            return self.in_words
        if self.deciding_group is None:
            return "none, as there is no group"
        return "beyond all bounds" if self.achieved is None else number(self.achieved)


@dataclass(frozen=True)
class SizeBin:
    """Published groups of `low` to `high` rows: how many, and how many rows they hold together."""

    low: int
    high: int
    groups: int
    rows: int


@dataclass(frozen=True)
class Column:
    """A column of the source and what happens to it."""

    name: str
    role: str
    hierarchy: str
    rounded: bool = False  # is it published as less exact values than it has?


@dataclass(frozen=True, kw_only=True)
class ReleaseData:
    """What anybody may read of a release."""

    keeps_promises: bool
    promises: tuple[PromiseLine, ...]
    source: int
    published: int
    suppressed: int
    limit: int
    suppressed_as: str
    groups: int
    smallest_group: int | None
    average_group: float | None
    discernibility: float
    k: int | None
    sizes: tuple[SizeBin, ...]
    sections: Mapping[str, Any]  # the figures of each section, in the order of the page
    columns: tuple[Column, ...]
    open_risks: tuple[Risk, ...]
    exposures: tuple[Exposure, ...]  # what is not protected, with figures, the grave first
    notes: tuple[str, ...]
    publish: str
    search: str
    created: str
    version: str
    seeded: bool
    settings: Mapping[str, str]
    versions: Mapping[str, str]
    files: Mapping[str, Mapping[str, Any]]
    whose: Whose  # whose rows they are, as far as anybody said
    hides_presence: bool  # is something promised about who is in the table?
    needs_source: bool  # is there a promise that only whoever has the original table can judge?
    needs_population: bool  # is there one about who is in the table?

    @property
    def kept(self) -> bool | None:
        """Are all promises kept? None: nothing is broken, and it takes more than the release to judge one."""
        if not self.keeps_promises:
            return False
        return None if self.unjudged else True

    @property
    def unjudged(self) -> tuple[str, ...]:
        """Promises that nobody can judge by the release alone."""
        return tuple(p.name for p in self.promises if p.holds is None)

    @property
    def of_no_use(self) -> str:
        """Why the release is of no use, or of little; empty if nothing is known to say so."""
        if not self.published:
            return "Nothing is published: every row had to be left out."
        columns = [column for column in self.values if column.role == "quasi_identifier"]
        if columns and all(column.hidden == 1 for column in columns):
            return "Nothing is left of the quasi-identifiers: all of their values are *."
        if self.suppressed > self.published:
            return f"More rows are left out than published: {percent(self.suppressed / self.source)}."
        return ""

    @property
    def warnings(self) -> tuple[Exposure, ...]:
        """What has to be read before anybody is glad of kept promises, the grave first."""
        useless = [Exposure(self.of_no_use, None, True)] if self.of_no_use else []
        return (*useless, *self.exposures)

    @property
    def colour(self) -> str:
        """Of the first screen: good, warned (something is open or grave), or broken."""
        if self.kept is False:
            return "broken"
        return "warned" if self.kept is None or any(one.grave for one in self.warnings) else "good"

    @property
    def ambiguous(self) -> Ambiguous | None:
        figures: Ambiguous | None = self.sections["ambiguous"]
        return figures

    @property
    def beliefs(self) -> tuple[Belief, ...]:
        figures: tuple[Belief, ...] = self.sections["beliefs"]
        return figures

    @property
    def values(self) -> tuple[PublishedColumn, ...]:
        figures: tuple[PublishedColumn, ...] = self.sections["values"]
        return figures

    @property
    def error_bars(self) -> tuple[ErrorBar, ...]:
        figures: tuple[ErrorBar, ...] = self.sections["error_bars"]
        return figures


def release_data(
    manifest: Mapping[str, Any], mapping: Mapping[str, Any], published: Published, groups: Groups
) -> ReleaseData:
    """What the page says of a release that was read back.

    `groups` are what anybody sees of it (`Findings.judged`); the `mapping` of a release without one is empty.
    """
    roles, whose = roles_of(manifest), whose_of(manifest)
    promises, rows = manifest["promises"], manifest["rows"]
    kinds = [model_of(p) for p in promises]
    models = [model for promise in promises for model in _models(promise, manifest)]
    exact = is_exact(manifest["publish"])
    filled = groups.where(groups.sizes > 0)
    sections = public_figures(Public(manifest, mapping, published, filled))
    achieved = achieved_in_words(manifest, sections["ambiguous"])
    k = max((int(p["k"]) for _, p in kinds if "k" in p), default=None)
    return ReleaseData(
        keeps_promises=all(p["holds"] for p in promises),
        promises=tuple(
            replace(line, holds=None)
            if line.holds and any(_takes_more(m, exact, whose) for m in _models(promise, manifest))
            else line
            for line, promise in zip(promise_lines(manifest, achieved), promises, strict=True)
        ),
        source=rows["source"],
        published=rows["published"],
        suppressed=rows["suppressed"],
        limit=rows["limit"],
        suppressed_as=manifest["suppressed_as"],
        groups=manifest["groups"],
        smallest_group=manifest["smallest_group"] if len(filled) else None,
        average_group=manifest["average_group"] if len(filled) else None,
        discernibility=manifest["discernibility"],
        k=k,
        sizes=size_bins(filled.sizes, k),
        sections=sections,
        columns=columns_of(manifest),
        open_risks=open_risks(
            promises,
            roles,
            manifest["publish"],
            agreeing(filled),
            whose,
            seeded=manifest["random"] == "seed",
            stars=rows["suppressed"] if manifest["suppressed_as"] == "star" else 0,
            exchanged="some of the published rows" if manifest.get("distorted") else "",
            who=presence_risks_in_general([kind for kind, _ in kinds], roles, whose),
            tied=tied_risks(sections["tied_values"]),
            applied=manifest.get("applied"),
        ),
        exposures=(
            *exposures(promises, roles, manifest["publish"], filled, k, whose),
            *over_all_groups(sections["ambiguous"], whose),
        ),
        notes=tuple(printable(note) for note in manifest["notes"]),
        publish=manifest["publish"],
        search=manifest["search"],
        created=manifest["created"],
        version=manifest["discreet"],
        seeded=manifest["random"] == "seed",
        settings=settings_of(manifest),
        versions={str(name): str(v) for name, v in sorted(manifest["versions"].items())},
        files={str(name): dict(about) for name, about in sorted(manifest["files"].items()) if name != REPORT},
        whose=whose,
        hides_presence=any(word in MODELS and PRESENCE in MODELS[word].about for word, _ in kinds),
        needs_source=any(needs_source(m) or (whose is Whose.NAMED and _takes_more(m, exact, whose)) for m in models),
        needs_population=any(isinstance(model, AboutPopulation) for model in models),
    )


def promise_lines(manifest: Mapping[str, Any], achieved: Mapping[str, str]) -> tuple[PromiseLine, ...]:
    """Every promise of a manifest; `achieved` has what was achieved in words, by the word of the promise."""
    sensitive = [name for name, role in roles_of(manifest).items() if role == "sensitive"]
    setting = setting_of(manifest)
    return tuple(
        PromiseLine(
            promise_in_words(p, sensitive, setting),
            printable(p["promise"]),
            printable(p["required"]),
            None if p["level"] is None else float(p["level"]),
            bool(p["holds"]),
            p["deciding_group"],
            achieved.get(model_of(p)[0], _UNTOLD if _is_untold(p, manifest) else ""),
        )
        for p in manifest["promises"]
    )


def _is_untold(promise: Mapping[str, Any], manifest: Mapping[str, Any]) -> bool:
    """Was something achieved that the release does not tell?"""
    open_to_all = promise["deciding_group"] is not None or not manifest["groups"]
    return not open_to_all and not all(told(model, whose_of(manifest)) for model in _models(promise, manifest))


def _takes_more(model: PrivacyModel, exact: bool, whose: Whose) -> bool:
    """Does it take the original table, or the people around it, to judge a promise? The files don't tell which rows are
    one person's, where people have several."""
    by_people = whose is Whose.NAMED and (exact or not rows_decide(model))
    return by_people or needs_source(model) or isinstance(model, AboutPopulation)


def _models(promise: Mapping[str, Any], manifest: Mapping[str, Any]) -> list[PrivacyModel]:
    """The models behind a promise; none if they are nothing that we know."""
    word, parameters = model_of(promise)
    sensitive = [name for name, role in roles_of(manifest).items() if role == "sensitive"]
    return model_from_words(word, parameters, "", sensitive)[0]


def achieved_in_words(manifest: Mapping[str, Any], unclear: Ambiguous | None) -> dict[str, str]:
    """What was achieved of promises that one number does not tell."""
    words = {"ambiguity": unclear.in_words} if unclear is not None else {}
    around = manifest.get("population")
    if isinstance(around, Mapping) and "presence" in around:
        least, most = around["presence"]
        words["presence"] = f"between {number(least)} and {number(most)}"
    return words


def columns_of(manifest: Mapping[str, Any]) -> tuple[Column, ...]:
    """Every column of the source, with its hierarchy in words."""
    words, roles = hierarchies_in_words(manifest), roles_of(manifest)
    as_it_is = [name for name, role in roles.items() if role != "quasi_identifier"]
    words |= {name: "" for name in as_it_is if _says_nothing(manifest["hierarchies"].get(name))}
    coarser = manifest.get("published_as", {})
    words |= {name: f"published as {hierarchy_in_words(w)}" for name, w in coarser.items()}
    return tuple(Column(shown(name), role, words.get(name, ""), name in coarser) for name, role in roles.items())


def _says_nothing(words: object) -> bool:
    """Is this the hierarchy of a column that has none? One that is published as it is needs none either."""
    return isinstance(words, Mapping) and {word for word, value in words.items() if value} == {"flat"}


def settings_of(manifest: Mapping[str, Any]) -> dict[str, str]:
    """What the policy says in one word or number. The source is left out: its name may say where the raw data lie."""
    return {name: str(said) for name, said in scalars(manifest["policy"]).items() if name != "source"}


def scalars(words: Mapping[str, Any]) -> dict[str, str | int | float | bool]:
    """The entries that are one number or one word. Longer ones may list values, and have a place of their own."""
    return {str(name): said for name, said in sorted(words.items()) if isinstance(said, str | int | float | bool)}


def agreeing(groups: Groups) -> dict[str, float]:
    """Per sensitive column, the share of published rows in groups where all rows have the same value."""
    total = max(int(groups.sizes.sum()), 1)
    return {name: float(groups.sizes[np.diff(t.offsets) == 1].sum() / total) for name, t in groups.tallies.items()}


def size_bins(sizes: IntArray, k: int | None = None) -> tuple[SizeBin, ...]:
    """Groups by size in steps of 1, 2, 5, 10, 20, 50, …, and one at k, from the smallest size in use to the largest.

    Sizes that differ by a few rows only have a step each.

    >>> [(b.low, b.high, b.groups, b.rows) for b in size_bins(np.array([3, 4, 5, 12]), k=3)]
    [(3, 4, 2, 7), (5, 9, 1, 5), (10, 19, 1, 12)]
    >>> [(b.low, b.high, b.groups, b.rows) for b in size_bins(np.array([10, 10, 11]))]
    [(10, 10, 2, 20), (11, 11, 1, 11)]
    """
    sizes = sizes[sizes > 0]
    if not len(sizes):
        return ()
    edges = {m * 10**e for e in range(len(str(sizes.max())) + 1) for m in (1, 2, 5)} | ({k} if k else set())
    if sizes.max() - sizes.min() < FEW_SIZES:
        edges |= set(range(int(sizes.min()), int(sizes.max()) + 2))
    ordered = np.array(sorted(edges), dtype=np.int64)
    first, last = np.searchsorted(ordered, [sizes.min(), sizes.max()], side="right") - 1
    ordered = ordered[first : last + 2]
    place = np.searchsorted(ordered, sizes, side="right") - 1
    groups = np.bincount(place, minlength=len(ordered) - 1)
    rows = np.bincount(place, weights=sizes, minlength=len(ordered) - 1)
    return tuple(
        SizeBin(int(low), int(high) - 1, int(g), int(r))
        for low, high, g, r in zip(ordered[:-1], ordered[1:], groups, rows, strict=True)
    )
