"""From a policy to many that differ a little: what each would deliver, all from one count of the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

from discreet.errors import DataError, DiscreetError, Infeasible, Mistake, PolicyError, shown, told_mistakes
from discreet.files.whole import whole_files
from discreet.labels.figures import number
from discreet.models.base import least_rows
from discreet.models.verdicts import verdicts
from discreet.policy.policy import Policy
from discreet.progress import Progress, silent
from discreet.publications.answers import can_answer
from discreet.releases.sweep import Point, SweepFigures, risk
from discreet.report.pages import sweep_page
from discreet.report.sections.answers import answers
from discreet.run.anonymize import find_plan
from discreet.run.intake import Counted, check_named, count, fitted, with_wishes
from discreet.run.varied import axes_of, policies
from discreet.search.plan import Plan
from discreet.search.registry import COUNTS, SEARCHES
from discreet.utility.metrics import arithmetic_loss

ONE_IN = 10  # the limit of risk, where no promise of the policies is about how many look alike
_SUMMARY = "searches a summary and not these counts: it is not run here"


class Sweep(SweepFigures):
    """Points of a sweep, with what can be made of them. A notebook shows the page.

    >>> import discreet
    >>> table = {"age": ["23", "27", "31", "38"] * 3, "disease": ["flu", "cold", "cold", "gout"] * 3}
    >>> attributes = {"age": {"role": "quasi_identifier"}, "disease": {"role": "sensitive"}}
    >>> swept = discreet.sweep(table, attributes=attributes,
    ...                        require=[{"k_anonymity": {"k": 2}}], k=[3, 6], seed=1)
    >>> swept.to_csv().splitlines()[0].split(",")[0]
    'k'
    """

    def to_json(self) -> dict[str, Any]:
        """Every figure; a point that can't be had says why."""
        return sweep_page.to_json(self)

    def to_csv(self) -> str:
        """One line for each point."""
        return sweep_page.to_csv(self)

    def to_text(self) -> str:
        """A table for the terminal."""
        return sweep_page.to_text(self)

    def to_html(self) -> str:
        """The page with the curves. Not for publication: it has figures about the source."""
        return sweep_page.to_html(self)

    def save(self, *, page: Path | str | None = None, csv: Path | str | None = None) -> None:
        """Write the page or the CSV, or both: whole, or not at all."""
        texts = {Path(page): self.to_html()} if page is not None else {}
        whole_files(texts | ({Path(csv): self.to_csv()} if csv is not None else {}))

    def _repr_html_(self) -> str:
        return sweep_page.in_notebook(self)


def sweep(
    policy: Policy,
    varied: Mapping[str, Any],
    *,
    source: Any = None,
    one_in: int | None = None,
    progress: Progress = silent,
) -> Sweep:
    """What each combination of the `varied` values would deliver. `discreet.sweep` says more.

    >>> from discreet.policy.policy import policy_from_words
    >>> policy = policy_from_words({"attributes": {"age": {"role": "quasi_identifier"}},
    ...                             "require": [{"k_anonymity": {"k": 2}}], "seed": 1})
    >>> swept = sweep(policy, {"k": [3, 6]}, source={"age": ["23", "27", "31", "38"] * 3})
    >>> [(point.settings, point.groups) for point in swept.points]
    [((3,), 4), ((6,), 1)]
    """
    if one_in is not None and (isinstance(one_in, bool) or not isinstance(one_in, int) or one_in < 1):
        raise PolicyError(Mistake("one_in", f"must be a whole number of at least 1, got {shown(one_in)}", "write 10"))
    if one_in is None:
        own = least_rows(policy.models)
        one_in = own if own > 1 else ONE_IN
    axes = axes_of(policy, varied)
    planned = list(policies(policy, axes))
    if not any(isinstance(variant, Policy) for _, variant in planned):
        raise PolicyError(
            *dict.fromkeys(m for _, error in planned if isinstance(error, PolicyError) for m in error.mistakes)
        )
    progress("read", 0, 0, "")
    counted = count(policy, source)
    points = []
    for at, (settings, variant) in enumerate(planned):
        name = sweep_page.named(axes, settings)
        points.append(point_of(settings, variant, counted, one_in, within(progress, at, len(planned), name)))
    owners = counted.frequency.owners
    return Sweep(
        axes=axes,
        points=tuple(points),
        rows=counted.frequency.rows,
        people=None if owners is None else owners.people,
        whose=policy.whose,
        one_in=one_in,
        promises=tuple(model.describe() for model in policy.models),
        seeded=policy.seed is not None,
        undecided=tuple(a.name for a in policy.attributes if a.decide),
        scans=counted.engine.scans + (0 if counted.population is None else counted.population.scans),
    )


def point_of(
    settings: tuple[object, ...], policy: Policy | PolicyError, counted: Counted, one_in: int, progress: Progress
) -> Point:
    """One policy about a table that was counted: the plan that `anonymize` would publish, measured."""
    if isinstance(policy, PolicyError):
        return Point(settings, why=_words(policy))
    if SEARCHES[policy.search].reads != COUNTS:
        return Point(settings, search=policy.search, why=f"search: {policy.search} {_SUMMARY}")
    start = perf_counter()
    try:
        progress("search", 0, 0, "")
        intake = fitted(policy, counted)
        policy = with_wishes(policy, intake.frequency)
        plan = find_plan(policy, intake, progress)
        check_named(policy.models, plan.groups)
    except (Infeasible, DataError, PolicyError) as error:
        return Point(settings, search=policy.search, why=_words(error), seconds=perf_counter() - start)
    seconds = perf_counter() - start
    progress("measure", 0, 0, "")
    kept = tuple(f"{v.model.describe()}: reaches {number(v.level)}" for v in verdicts(policy.models, plan.groups))
    return replace(measured(plan, one_in), settings=settings, search=policy.search, promises=kept, seconds=seconds)


def measured(plan: Plan, one_in: int) -> Point:
    """What a plan loses and risks."""
    typical = None
    if plan.frequency.leaf_rows is None and can_answer(plan) and (told := answers(plan)) is not None:
        typical = told.typical
    groups, optimal = plan.groups, plan.facts.get("optimal")
    return Point(
        (),
        loss=arithmetic_loss(plan.losses.tolist()),
        count_error=None if typical is None else typical.median,
        suppressed=plan.suppressed,
        groups=len(groups),
        smallest_group=int(groups.sizes[groups.sizes > 0].min()) if groups.sizes.any() else 0,
        node=None if plan.node is None else dict(zip(plan.frequency.attributes, plan.node, strict=True)),
        risk=risk(groups, one_in),
        proven=optimal if isinstance(optimal, bool) else None,
    )


def _words(error: DiscreetError) -> str:
    """Why a point can't be had: each mistake once, with its repair."""
    return " · ".join(
        m.rule + (f"; {m.repair}" if m.repair else "") for m in dict.fromkeys(told_mistakes(error.mistakes))
    )


def within(progress: Progress, at: int, points: int, name: str) -> Progress:
    """How far the whole is, told by one of its points."""

    def tell(stage: str, done: float, total: float, note: str = "") -> None:
        part = min(done / total, 1.0) if total else 0.0
        progress("sweep", at + part, points, f"{at + 1} of {points}: {name}, {stage}")

    return tell
