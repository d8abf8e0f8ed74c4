"""What the robustness paper says of its experiments (section 5), beside what was measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from discreet.labels.figures import percent
from discreet.studies.claims import Claim
from discreet.studies.figures import Unit, value_text
from discreet.studies.robust.runs import ANATOMY, ART, CLOSENESS, INJECTOR, MASK, METHODS, Outcome, Outcomes

OTHERS = tuple(method for method in METHODS if method != ART)
Measure = Callable[[Outcome], float]


def seconds(o: Outcome) -> float:
    return o.result.seconds


def error(o: Outcome) -> float:
    return o.result.error.mean


def problematic(o: Outcome) -> float:
    """Only what is proven: of large groups a bound may leave it open."""
    return o.result.problematic


def deviation(o: Outcome) -> float:
    return o.result.deviation


def claims_of(outcomes: Outcomes) -> Iterator[Claim]:
    """The statements about figure 1, then about r = 2."""
    s = _Study(outcomes)
    many = "the number of quasi-identifiers"
    yield s.all_grow("figure 1(a)", f"the time grows with {many}", seconds, "seconds", METHODS)
    says = "ART is slower than Anatomy, MASK and t-closeness"
    yield s.above("figure 1(a)", says, seconds, "seconds", ART, (ANATOMY, MASK, CLOSENESS))
    yield s.time_of_art_grows_most()
    yield s.all_grow("figure 1(b)", f"the error grows with {many}", error, "share", METHODS)
    others = (ART, ANATOMY, INJECTOR, MASK)
    yield s.above("figure 1(b)", "t-closeness has the largest error", error, "share", CLOSENESS, others)
    yield s.nobody_in_art()
    yield s.everybody_is_published()
    yield s.somebody_in_the_others()
    yield s.all_grow("figure 1(c)", f"problematic people grow with {many}", problematic, "share", OTHERS)
    says = "MASK has fewer problematic people than t-closeness, Anatomy and Injector"
    yield s.above("figure 1(c)", says, problematic, "share", MASK, (CLOSENESS, ANATOMY, INJECTOR), below=True)
    yield s.all_grow("figure 1(d)", f"the mean Δ grows with {many}", deviation, "number", METHODS)
    yield s.order_of_deviations()
    yield s.against_the_bound()
    yield s.group_sizes()
    yield s.with_low_r("the time is smaller", seconds, "seconds")
    yield s.with_low_r("the error is smaller", error, "share")
    yield s.with_low_r("the mean Δ is larger", deviation, "number", larger=True)


class _Study:
    def __init__(self, outcomes: Outcomes):
        self.outcomes, self.design = outcomes, outcomes.design

    def values(self, method: str, of: Measure, r: int | None = None) -> list[float]:
        """A measure, as far as there are releases; at the high r if no other is named."""
        return [x for x in self.outcomes.values(method, of, r or self.design.high) if x is not None]

    def mean(self, method: str, of: Measure, r: int | None = None) -> float:
        values = self.values(method, of, r)
        return sum(values) / len(values) if values else float("nan")

    def all_grow(self, where: str, says: str, of: Measure, unit: Unit, methods: Sequence[str]) -> Claim:
        """From the fewest quasi-identifiers to the most."""
        ends = {m: (v[0], v[-1]) for m in methods if len(v := self.values(m, of)) > 1}
        return Claim(
            where,
            says,
            f"from {self.design.sizes[0]} to {self.design.sizes[-1]} of them: "
            + "; ".join(f"{m} {value_text(a, unit)} to {value_text(b, unit)}" for m, (a, b) in ends.items()),
            len(ends) == len(methods) and all(a < b for a, b in ends.values()),
        )

    def above(
        self, where: str, says: str, of: Measure, unit: Unit, method: str, others: Sequence[str], *, below: bool = False
    ) -> Claim:
        """One method against others, for every number of quasi-identifiers."""
        high, so, compared = self.design.high, 0, 0
        for other in others:
            both = zip(self.outcomes.values(method, of, high), self.outcomes.values(other, of, high), strict=True)
            pairs = [(a, b) for a, b in both if a is not None and b is not None]
            so += sum(a < b if below else a > b for a, b in pairs)
            compared += len(pairs)
        return Claim(
            where,
            says,
            f"so in {so} of {compared} comparisons; on average "
            + ", ".join(f"{m} {value_text(self.mean(m, of), unit)}" for m in (method, *others)),
            so == compared > 0,
        )

    def time_of_art_grows_most(self) -> Claim:
        more = {m: v[-1] - v[0] for m in METHODS if (v := self.values(m, seconds))}
        return Claim(
            "figure 1(a)",
            "the time of ART grows more than that of the others",
            ", ".join(f"{m} by {value_text(max(x, 0.0), 'seconds')}" for m, x in more.items()),
            ART in more and all(more[ART] > x for m, x in more.items() if m != ART),
        )

    def nobody_in_art(self) -> Claim:
        releases, made = self.by_art()
        most = max((o.result.problematic + o.result.undecided for o in made), default=0.0)
        return Claim(
            "figure 1(c)",
            "ART has no problematic people",
            f"{percent(most)} of those whom it publishes, in {len(made)} of {len(releases)} releases (r = "
            f"{self.design.high} and {self.design.low}), by exact posteriors; whom it does not publish: see below",
            len(made) == len(releases) and most == 0,
        )

    def everybody_is_published(self) -> Claim:
        """Theorem 2 speaks of a release of the whole table."""
        releases, made = self.by_art()
        gone, lost = (self.values(ART, of) for of in (lambda o: o.suppressed, lambda o: o.lost))
        return Claim(
            "theorem 2",
            "ART publishes the whole table so",
            f"at r = {self.design.high} with {_listed(self.design.sizes)} quasi-identifiers, {_percents(gone)} of the "
            f"rows find no group and are suppressed. They are {_percents(lost)} of the people with a protected value",
            len(made) == len(releases) and all(o.suppressed == 0 for o in made),
        )

    def by_art(self) -> tuple[list[Outcome | None], list[Outcome]]:
        releases = [o for (method, _, _), o in self.outcomes.by_case.items() if method == ART]
        return releases, [o for o in releases if o is not None]

    def somebody_in_the_others(self) -> Claim:
        shares = {m: v for m in OTHERS if (v := self.values(m, problematic))}
        return Claim(
            "figure 1(c)",
            "all other methods have problematic people",
            "; ".join(f"{m} {percent(min(v))} to {percent(max(v))}" for m, v in shares.items()),
            len(shares) == len(OTHERS) and all(min(v) > 0 for v in shares.values()),
        )

    def order_of_deviations(self) -> Claim:
        means = {m: self.mean(m, deviation) for m in METHODS}
        first, second = (means[ANATOMY], means[INJECTOR]), (means[MASK], means[CLOSENESS])
        return Claim(
            "figure 1(d)",
            "the mean Δ is largest in Anatomy and Injector, next in MASK and t-closeness",
            "on average " + ", ".join(f"{m} {x:.4f}" for m, x in means.items()),
            min(first) > max(second) and min(second) > means[ART],
        )

    def against_the_bound(self) -> Claim:
        means = {m: self.mean(m, deviation) for m in (ANATOMY, INJECTOR, MASK)}
        bound = self.mean(ART, lambda o: o.bound)
        return Claim(
            "figure 1(d)",
            "the mean Δ of Anatomy and Injector is above the bound Δmax of ART's groups, that of MASK below it",
            f"on average Δmax {bound:.4f}; " + ", ".join(f"{m} {x:.4f}" for m, x in means.items()),
            min(means[ANATOMY], means[INJECTOR]) > bound > means[MASK],
        )

    def group_sizes(self) -> Claim:
        means = {m: self.mean(m, lambda o: o.result.mean_group) for m in (ART, ANATOMY, INJECTOR)}
        return Claim(
            "section 5",
            "ART's groups are larger than those of Anatomy and Injector",
            ", ".join(f"{m} {x:.1f}" for m, x in means.items())
            + " rows on average. ART leaves alone whoever neither has nor is needed to hide a protected value",
            means[ART] > max(means[ANATOMY], means[INJECTOR]),
        )

    def with_low_r(self, says: str, of: Measure, unit: Unit, *, larger: bool = False) -> Claim:
        """Of the methods that r means something to."""
        design = self.design
        means = {m: (self.mean(m, of, design.low), self.mean(m, of, design.high)) for m in METHODS if m != CLOSENESS}
        return Claim(
            "section 5",
            f"with r = {design.low} instead of {design.high}, {says}",
            "on average "
            + "; ".join(
                f"{m} {value_text(low, unit)} against {value_text(high, unit)}" for m, (low, high) in means.items()
            ),
            all(low > high if larger else low < high for low, high in means.values()),
        )


def _percents(values: Sequence[float]) -> str:
    return ", ".join(map(percent, values))


def _listed(values: Sequence[object]) -> str:
    return ", ".join(map(str, values))
