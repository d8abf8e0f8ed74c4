"""What the presence paper says of its experiments (section 8) and of what may come (section 9), beside the measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import fmean, median

from discreet.labels.figures import percent
from discreet.studies.claims import Claim
from discreet.studies.figures import value_text
from discreet.studies.presence import truth
from discreet.studies.presence.data import DIABETES, RANDOM, SAMPLES
from discreet.studies.presence.runs import (
    ALL,
    EXACT,
    MFALM,
    MPALM,
    NEITHER,
    NO_DC,
    NO_DM,
    NO_PA,
    NO_SD,
    SPALM,
    Case,
    Run,
    Runs,
    delta_told,
)
from discreet.studies.presence.wording import (
    fewer,
    from_to,
    listed,
    mean_pair,
    part_of,
    percents,
    three_digits,
    times,
    two_digits,
)

PRINTED = {2: (0.62, 0.0), 4: (0.36, 0.05), 6: (0.20, 0.05), 8: (0.13, 0.09), 10: (0.11, 0.11)}  # Table 5
_NEARLY_ALWAYS = 0.9


def seconds(run: Run) -> float:
    return run.seconds


def loss(run: Run) -> float:
    return run.loss


def evaluations(run: Run) -> float:
    """How often the paper's search evaluated hyp: its work, whatever the machine."""
    return float(str(run.facts["evaluations"]))


def pruned_by(name: str) -> Callable[[Run], float]:
    """The share of the work that an optimization spared: figure 6."""
    return lambda run: float(str(run.facts[f"pruned_by_{name.lower()}"]))


def claims_of(runs: Runs) -> Iterator[Claim]:
    """In the order of the figures; then what the paper leaves to the future, and ours."""
    s = _Study(runs)
    yield s.faster_than_none()
    yield s.little_worse()
    yield s.worse_at_random()
    yield s.same_output()
    yield s.dominance_changes_nothing()
    yield s.tight()
    yield s.loose()
    yield s.dominance_at_four()
    yield s.both_at_seven()
    yield s.steps_at_seven()
    yield s.steps_are_stronger()
    yield s.random_is_cheaper()
    yield s.pruned()
    yield s.by_confidence()
    yield s.widths_take_less_time()
    yield s.widths_cost_more()
    yield s.with_population()
    yield s.without_population()
    c = runs.design.confidence
    says = f"each of the table's people is δ-present with a probability of {c} (SFALM, exact)"
    yield s.promise_in_truth(EXACT, "definition 9", says)
    yield s.multidimensional()
    yield s.promise_in_truth(MFALM, "not in the paper", "and keeps that in the population that there is, as SFALM does")
    yield s.exact_is_faster()
    yield s.exact_loses_nothing()
    yield from truth.claims_of(runs.truths)


class _Study:
    def __init__(self, runs: Runs):
        self.runs, self.design = runs, runs.design
        self.four = [case for sample in SAMPLES for case in runs.by_delta(sample, self.design.few)]
        self.seven = [case for sample in SAMPLES for case in runs.by_delta(sample, self.design.many)]

    def pairs(
        self, cases: Sequence[Case], one: str, other: str, of: Callable[[Run], float]
    ) -> list[tuple[float, float]]:
        """A measure of two methods' releases."""
        return list(zip(self.runs.over(cases, one, of), self.runs.over(cases, other, of), strict=True))

    def factors(self, cases: Sequence[Case], slower: str, faster: str = ALL) -> list[float]:
        """How many times as long one method takes."""
        return [a / b for a, b in self.pairs(cases, slower, faster, seconds)]

    def worse(self, cases: Sequence[Case], method: str = ALL, than: str = EXACT) -> list[float]:
        """By what share a method's releases lose more."""
        return [a / b - 1 if b else 0.0 for a, b in self.pairs(cases, method, than, loss)]

    def same(self, cases: Sequence[Case], one: str, other: str) -> tuple[int, int]:
        """In how many cases two methods publish the same node, of how many."""
        runs = self.runs.by_case
        both = [(runs[case, one], runs[case, other]) for case in cases]
        return sum(a.node == b.node for a, b in both), len(both)

    def plain(self, of: int, method: str) -> list[float]:
        """How many times as long as a method the plain recursion takes: of all groups (0), or up to a failure (1)."""
        return [self.runs.plain[case][of] / self.runs.by_case[case, method].seconds for case in self.four]

    def of(self, sample: str, cases: Sequence[Case]) -> list[Case]:
        return [case for case in cases if case.sample == sample]

    def faster_than_none(self) -> Claim:
        whole, stopping = (self.plain(of, ALL) for of in (0, 1))
        return Claim(
            "section 8, figure 4",
            f"with {self.design.few} attributes, all four optimizations make it more than 1000 times faster than none",
            f"{from_to(stopping, times)}, median {times(median(stopping))}, where the plain recursion stops at a "
            f"node's first failing group; {from_to(whole, times)} where it does not. Its time is extrapolated",
            median(stopping) > 1000,
        )

    def little_worse(self) -> Claim:
        worse = self.worse(self.of(DIABETES, self.four))
        return Claim(
            "section 8, figure 4(b)",
            "at a loss that is less than 5% worse (diabetes)",
            f"for δ = {self.deltas()}: {percents(worse)} worse than the optimum",
            max(worse) < 0.05,
        )

    def worse_at_random(self) -> Claim:
        by_sample = {s: self.worse(self.of(s, self.four), ALL, NO_DC) for s in SAMPLES}
        faster = {s: self.factors(self.of(s, self.four), NO_DC) for s in SAMPLES}
        measured = "; ".join(
            f"{s}: {percent(fmean(by_sample[s]))} more loss on average, {times(fmean(faster[s]))} as fast"
            for s in SAMPLES
        )
        return Claim(
            "section 8, figure 4(d)",
            "DC costs more at random than of diabetes, and speeds up more",
            measured,
            fmean(by_sample[RANDOM]) > fmean(by_sample[DIABETES]) and fmean(faster[RANDOM]) > fmean(faster[DIABETES]),
        )

    def same_output(self) -> Claim:
        pa, sd = (self.same(self.four, method, ALL) for method in (NO_PA, NO_SD))
        optimum = self.same([*self.four, *self.seven], NO_DC, EXACT)
        return Claim(
            "section 8",
            "PA and SD nearly always leave the output as it is",
            f"PA in {part_of(pa)}, SD in {part_of(sd)} cases with {self.design.few} attributes. With both, and without "
            f"DC, the optimum is found in {part_of(optimum)} cases with {self.design.few} or {self.design.many}",
            min(pa[0] / pa[1], sd[0] / sd[1]) >= _NEARLY_ALWAYS,
        )

    def dominance_changes_nothing(self) -> Claim:
        cases = [*self.four, *self.seven]
        beside_steps, alone = self.same(cases, NO_DM, ALL), self.same(self.seven, NEITHER, NO_DC)
        return Claim(
            "section 8",
            "DM does not change the output",
            f"without DC {part_of(alone)} are the same, with it {part_of(beside_steps)}: DC may take less from a group "
            "than from one that it dominates",
            beside_steps[0] == beside_steps[1] and alone[0] == alone[1],
        )

    def tight(self) -> Claim:
        first = [self.runs.by_delta(s, self.design.few)[0] for s in SAMPLES]
        last = [self.runs.by_delta(s, self.design.few)[-1] for s in SAMPLES]
        without = {m: self.factors(first, m) for m in (NO_SD, NO_PA, NO_DM, NO_DC)}
        dominant = all(max(without, key=lambda m: without[m][i]) == NO_PA for i in range(len(SAMPLES)))
        return Claim(
            "figure 4",
            "PA is the most effective of the four for tight δ",
            f"at δ = {delta_told(self.design.deltas[0])}, "
            + ", ".join(f"{m} takes {listed(v, times)} as long as ALL" for m, v in without.items())
            + f"; at {delta_told(self.design.deltas[-1])}, {NO_PA} takes {listed(self.factors(last, NO_PA), times)}",
            dominant,
        )

    def loose(self) -> Claim:
        parts, grows = [], True
        for method in (NO_SD, NO_DC):
            ends = [self.factors([self.runs.by_delta(s, self.design.few)[i] for s in SAMPLES], method) for i in (0, -1)]
            parts.append(
                f"{method} takes {listed(ends[0], times)} as long as ALL at first, {listed(ends[1], times)} at last"
            )
            grows = grows and all(b > a for a, b in zip(*ends, strict=True))
        return Claim("figure 4", "as δ is loosened, SD and DC become more effective", "; ".join(parts), grows)

    def dominance_at_four(self) -> Claim:
        factors = self.factors(self.four, NO_DM)
        return Claim(
            "figure 4",
            f"DM is not significant with {self.design.few} attributes",
            f"{NO_DM} takes {from_to(factors, times)} as long as ALL, median {times(median(factors))}",
            0.5 < median(factors) < 2,
        )

    def both_at_seven(self) -> Claim:
        factors = self.factors(self.seven, NEITHER)
        spared = [a / b for a, b in self.pairs(self.seven, NEITHER, ALL, evaluations)]
        return Claim(
            "section 8, figure 5",
            f"with {self.design.many} attributes, DM and DC together make it 100 times faster",
            f"{from_to(factors, times)}; it evaluates hyp {from_to(spared, times)} less often",
            max(factors) >= 100,
        )

    def steps_at_seven(self) -> Claim:
        worse = {s: self.worse(self.of(s, self.seven), ALL, NO_DC) for s in SAMPLES}
        return Claim(
            "section 8, figures 5(b) and (d)",
            "DC then loses 8% more",
            f"for δ = {self.deltas()}: " + "; ".join(f"{s} {percents(v)}" for s, v in worse.items()),
            max(max(v) for v in worse.values()) <= 0.08,
        )

    def steps_are_stronger(self) -> Claim:
        last = [self.runs.by_delta(s, self.design.many)[-1] for s in SAMPLES]
        dm, dc = self.factors(last, NO_DM), self.factors(last, NO_DC)
        return Claim(
            "figure 5",
            f"with {self.design.many} attributes DC speeds up more than DM does",
            f"at the loosest δ, without DC it takes {listed(dc, times)} as long, without DM {listed(dm, times)}",
            all(b > a for a, b in zip(dm, dc, strict=True)),
        )

    def random_is_cheaper(self) -> Claim:
        pairs = []
        for method in (EXACT, ALL):
            both = (self.runs.over(self.runs.by_delta(s, self.design.many), method, loss) for s in (RANDOM, DIABETES))
            pairs.append(list(zip(*both, strict=True)))
        flat = [pair for of in pairs for pair in of]
        lower = sum(a < b for a, b in flat)
        return Claim(
            "section 8, figure 5(d)",
            "the random table loses less than the biased one",
            f"in {lower} of {len(flat)} cases; at the optimum {listed([a for a, _ in pairs[0]], three_digits)} against "
            f"{listed([b for _, b in pairs[0]], three_digits)}",
            lower == len(flat),
        )

    def pruned(self) -> Claim:
        rates = {name: self.runs.over(self.seven, ALL, pruned_by(name)) for name in ("SD", "PA", "DM")}
        return Claim(
            "section 8, figure 6",
            "SD and PA prune 80 to 95%",
            ", ".join(f"{name} {from_to(v, percent)}" for name, v in rates.items())
            + ": of the pairs of a step, of the nodes, of the groups",
            min(*rates["SD"], *rates["PA"]) >= 0.8,
        )

    def by_confidence(self) -> Claim:
        cases, c = self.runs.by_confidence(DIABETES), self.design.confidences
        with_all, exact = (self.runs.over(cases, method, loss) for method in (ALL, EXACT))
        return Claim(
            "section 9, figure 7(b)",
            f"a confidence of {c[-1]} costs more than one of {self.design.confidence} (diabetes)",
            f"at c = {', '.join(c)}, the loss with all four is {listed(with_all, three_digits)}; at the optimum "
            f"{listed(exact, three_digits)}",
            with_all[-1] > with_all[c.index(self.design.confidence)],
        )

    def widths_take_less_time(self) -> Claim:
        took, work = ({s: self.runs.by_width(s, of) for s in (DIABETES, RANDOM)} for of in (seconds, evaluations))
        return Claim(
            "table 5",
            f"wider steps of DC take less time: {self.printed(0, str)} of that without, for widths of {self.widths()}",
            "; ".join(f"{s} {listed(v, two_digits)}" for s, v in took.items())
            + "; of the evaluations of hyp "
            + "; ".join(f"{s} {listed(v, two_digits)}" for s, v in work.items()),
            took[DIABETES][-1] < took[DIABETES][0] < 1,
        )

    def widths_cost_more(self) -> Claim:
        more_loss = {s: [x - 1 for x in self.runs.by_width(s, loss)] for s in (DIABETES, RANDOM)}
        return Claim(
            "table 5",
            f"and lose more: {self.printed(1, percent)}",
            "; ".join(f"{s} {percents(v)}" for s, v in more_loss.items()),
            more_loss[DIABETES][-1] > more_loss[DIABETES][0],
        )

    def printed(self, place: int, tell: Callable[[float], str]) -> str:
        return ", ".join(tell(PRINTED[width][place]) for width in self.design.widths)

    def widths(self) -> str:
        return ", ".join(map(str, self.design.widths))

    def with_population(self) -> Claim:
        d = self.design
        losses = {s: self.runs.by_case[Case(s, d.many, d.delta, d.confidence), SPALM].loss for s in SAMPLES}
        return Claim(
            "section 9",
            "where the population is known, SPALM loses less than 0.6 in the scenario of figure 7(b)",
            f"{d.many} attributes, δ = {delta_told(d.delta)}: " + ", ".join(f"{s} {v:.3f}" for s, v in losses.items()),
            losses[DIABETES] < 0.6,
        )

    def without_population(self) -> Claim:
        parts, so, compared = [], 0, 0
        for attributes, cases in ((self.design.few, self.four), (self.design.many, self.seven)):
            one_sided = [case for case in cases if float(case.delta[0]) == 0]  # else SPALM promises more: absence
            pairs = self.pairs(one_sided, SPALM, EXACT, loss)
            more = sum(b > a for a, b in pairs)
            parts.append(f"{attributes} attributes: in {more} of {len(pairs)} cases, on average {mean_pair(pairs)}")
            so, compared = so + more, compared + len(pairs)
        return Claim(
            "section 9",
            "not to know the population costs utility",
            "with δmin = 0 and "
            + "; ".join(parts)
            + ". Where it costs less, δ is broken in the population that there is",
            so == compared,
        )

    def promise_in_truth(self, method: str, where: str, says: str) -> Claim:
        made = [self.runs.by_case[case, method] for case in (*self.four, *self.seven)]
        kept, expected = [run.kept for run in made], [run.expected for run in made]
        certain = max(run.certain for run in made)
        return Claim(
            where,
            says,
            f"in the population that there is, {from_to(kept, percent)} of a release's groups keep δ, with "
            f"{from_to([run.people for run in made], percent)} of its people; if attributes were independent, "
            f"{from_to(expected, percent)} of the groups would. "
            + (
                f"Of up to {certain} people it can be told for sure" if certain else "Of nobody can it be told for sure"
            ),
            min(kept) >= float(self.design.confidence),
        )

    def multidimensional(self) -> Claim:
        cases = [*self.four, *self.seven]
        marginals, population = self.pairs(cases, MFALM, EXACT, loss), self.pairs(cases, MPALM, SPALM, loss)
        return Claim(
            "section 9, future work",
            "multidimensional generalization improves c-confident δ-presence as it does δ-presence",
            f"on average MFALM loses {mean_pair(marginals)} of SFALM (less in {part_of(fewer(marginals))} cases), "
            f"MPALM {mean_pair(population)} of SPALM (less in {part_of(fewer(population))})",
            all(a < b for a, b in marginals),
        )

    def exact_is_faster(self) -> Claim:
        pairs = self.pairs([*self.four, *self.seven], ALL, EXACT, seconds)
        all_four, exact = (sum(times) for times in zip(*pairs, strict=True))
        took = self.runs.over(self.seven, EXACT, seconds)
        return Claim(
            "our goal",
            "the exact answer is found faster than with all of the paper's optimizations",
            f"ALL takes {times(all_four / exact)} as long in all, {from_to([a / b for a, b in pairs], times)} in each "
            f"case; the exact answer is faster in {part_of(fewer([(b, a) for a, b in pairs]))}, and takes "
            f"{from_to(took, lambda x: value_text(x, 'seconds'))} with {self.design.many} attributes. The plain "
            f"recursion takes {from_to(self.plain(1, EXACT), times)} as long with {self.design.few}",
            all_four > exact,
        )

    def exact_loses_nothing(self) -> Claim:
        cases = [*self.four, *self.seven, *(case for s in SAMPLES for case in self.runs.by_confidence(s))]
        worse = self.worse(cases)
        proven = all(self.runs.by_case[case, EXACT].facts["optimal"] is True for case in cases)
        return Claim(
            "our goal",
            "at no loss of utility",
            f"all {len(cases)} optima are {'proven' if proven else 'not proven'}; ALL loses "
            f"{from_to(worse, percent)} more, {percent(fmean(worse))} on average",
            proven and min(worse) >= 0,
        )

    def deltas(self) -> str:
        return ", ".join(map(delta_told, self.design.deltas))
