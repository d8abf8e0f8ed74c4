"""What the instant paper says of its experiments (section 7), beside the measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean, median

from discreet.studies.claims import Claim
from discreet.studies.figures import value_text
from discreet.studies.instant.paper_figures import loss, scans, seconds
from discreet.studies.instant.runs import (
    ALL,
    ALL_FOUR,
    CUTS,
    EVERY,
    EXACT,
    EXPECTATION,
    EXPECTING,
    HISTOGRAM,
    INCOGNITO,
    NETWORK,
    OPTIMIZE,
    OURS,
    OURS_EXPECTING,
    OURSELVES,
    PROBABILITY,
    SCORES,
    SLOW,
    SUMMARIES,
    UPWARD,
    Case,
    Instant,
    Run,
    Runs,
    switched,
    switching,
)
from discreet.studies.presence.wording import from_to, listed, three_digits, times

_EQUAL = 1e-9  # losses that differ by less are the same: sums of the same numbers in another order
_NEARLY_ALL = 0.9
WORST = 0.06


def claims_of(runs: Runs) -> Iterator[Claim]:
    """In the order of the paper; then what the issue of this system asks for."""
    s = _Study(runs)
    yield s.pruning()
    yield s.faster_over_k()
    yield s.incognito_faster_with_k()
    yield s.independent_of_k()
    yield s.counts_over_k()
    yield s.loss_over_k()
    yield s.faster_over_rows()
    yield s.scales_better()
    yield s.optimal_over_rows()
    yield s.faster_than_optimize()
    yield s.cuts_of_optimize()
    yield s.faster_with_suppression()
    yield s.loss_with_suppression()
    yield s.counts_with_suppression()
    yield s.thresholds("k")
    yield s.faster_for_diversity()
    yield s.probability_is_faster()
    yield s.loss_for_diversity()
    yield s.time_over_rows()
    yield s.cuts_of_l_optimize()
    yield s.switches()
    yield s.slow_switches()
    yield s.thresholds("ℓ")
    yield s.counts_for_diversity()
    yield s.networks_add_little()
    yield s.same_as_optimum()
    yield s.looks()
    yield s.phase_one()
    yield s.phase_one_over_rows()


class _Study:
    def __init__(self, runs: Runs):
        self.runs, self.design = runs, runs.design
        self.over_k, self.over_rows, self.suppressing = (runs.cases(v) for v in ("value", "rows", "suppress"))
        self.of_l = {varied: runs.cases(varied, "ℓ") for varied in ("value", "rows", "attributes")}
        self.diverse = list(dict.fromkeys(case for cases in self.of_l.values() for case in cases))

    def factors(
        self, cases: Sequence[Case], methods: Sequence[Instant] = ALL_FOUR, slower: str = INCOGNITO
    ) -> list[float]:
        """How many times as long another search takes as each of some methods."""
        runs = self.runs.by_case
        return [runs[case, slower].seconds / runs[case, method].seconds for case in cases for method in methods]

    def worse(self, cases: Sequence[Case], methods: Sequence[Instant] = ALL_FOUR, than: str = EXACT) -> list[float]:
        """How much more than the optimum each method loses."""
        runs = self.runs.by_case
        return [max(runs[case, m].loss - runs[case, than].loss, 0.0) for case in cases for m in methods]

    def pruning(self) -> Claim:
        nodes = int(str(self.runs.by_case[self.over_k[0], INCOGNITO].facts["nodes"]))
        down, up = (self.runs.over(self.over_k, method, scans) for method in (INCOGNITO, UPWARD))
        spared = [1 - n / nodes for n in down]
        return Claim(
            "section 7",
            "top-down, Incognito prunes about 2,000 of 2,150 generalizations; bottom-up only about 150",
            f"of {nodes:,}, top-down all but {from_to(down, _whole)}; bottom-up through sets of attributes (which "
            f"the paper does not do) all but {from_to(up, _whole)}",
            min(spared) >= 2000 / 2150 and max(1 - n / nodes for n in up) < 0.5,
        )

    def faster_over_k(self) -> Claim:
        factors = self.factors(self.over_k)
        return Claim(
            "section 7.1, figure 5(a)",
            "S-INSTANT is at least 100 times as fast as Incognito in memory, for k = " + self.values(self.over_k),
            f"{from_to(factors, times)}, median {times(median(factors))}: counting a node takes compiled code "
            f"{_ms(self._per_node())}",
            min(factors) >= 100,
        )

    def _per_node(self) -> float:
        runs = [self.runs.by_case[case, INCOGNITO] for case in self.over_k]
        return fmean(run.seconds / run.scans for run in runs)

    def values(self, cases: Sequence[Case]) -> str:
        return ", ".join(str(case.value) for case in cases)

    def incognito_faster_with_k(self) -> Claim:
        took = self.runs.over(self.over_k, INCOGNITO, seconds)
        return Claim(
            "section 7.1, figure 5(a)",
            "as k grows, Incognito becomes faster",
            f"{listed(took, _seconds)}; nodes counted: {listed(self.runs.over(self.over_k, INCOGNITO, scans), _whole)}",
            took[-1] < took[0],
        )

    def independent_of_k(self) -> Claim:
        took = {m: self.runs.over(self.over_k, m, seconds) for m in ALL_FOUR}
        spread = max(max(v) / min(v) for v in took.values())
        return Claim(
            "section 7.1, figure 5(a)",
            "the time of S-INSTANT does not depend on k",
            "; ".join(f"{m} {listed(v, _seconds)}" for m, v in took.items()),
            spread < 2,
        )

    def counts_over_k(self) -> Claim:
        counted = self.runs.over(self.over_k, INCOGNITO, scans)
        looks = [n for m in ALL_FOUR for n in self.runs.over(self.over_k, m, scans)]
        first = sum(n == 1 for n in looks)
        return Claim(
            "section 7.1, figure 5",
            "Incognito counts more than 100 times; S-INSTANT once, rarely three times",
            f"Incognito {from_to(counted, _whole)} times; S-INSTANT once in {first} of {len(looks)} runs, at most "
            f"{_whole(max(looks))} times",
            min(counted) > 100 and max(looks) <= 3 and first / len(looks) > 0.5,
        )

    def loss_over_k(self) -> Claim:
        return self._same_loss(
            "section 7.1, figure 5(b)",
            "and loses the same as Incognito, but for a little at k = 60 and 80",
            self.over_k,
        )

    def faster_over_rows(self) -> Claim:
        factors = self.factors(self.over_rows)
        return Claim(
            "section 7.1, figure 5(c)",
            "S-INSTANT is at least 65 times as fast as Incognito in memory, whatever the number of rows",
            f"{from_to(factors, times)}, median {times(median(factors))}",
            min(factors) >= 65,
        )

    def scales_better(self) -> Claim:
        ends = [self.over_rows[0], self.over_rows[-1]]
        growth = {m: _growth(self.runs.over(ends, m, seconds)) for m in EVERY}
        others = [g for m, g in growth.items() if isinstance(m, Instant)]
        return Claim(
            "section 7.1, figure 5(c)",
            "with more rows, all take longer, and S-INSTANT grows less than Incognito",
            f"{_ratio(ends)} times as many rows: Incognito takes {times(growth[INCOGNITO])} as long, S-INSTANT "
            f"{from_to(others, times)}",
            max(others) < growth[INCOGNITO],
        )

    def optimal_over_rows(self) -> Claim:
        return self._same_loss(
            "section 7.1, figure 5(d)",
            "it finds the optimum in most cases, whatever the number of rows",
            self.over_rows,
        )

    def _same_loss(self, where: str, says: str, cases: Sequence[Case]) -> Claim:
        worse = self.worse(cases)
        same = sum(d <= _EQUAL for d in worse)
        return Claim(
            where,
            says,
            f"the same in {same} of {len(worse)} runs; at most {max(worse):.3f} more",
            same > len(worse) / 2,
        )

    def faster_than_optimize(self) -> Claim:
        by_k, by_rows = (self.factors(cases, CUTS, OPTIMIZE) for cases in (self.over_k, self.over_rows))
        return Claim(
            "section 7.1, figures 6(a) and (c)",
            "S-INSTANT on cuts is at least 100 times as fast as k-Optimize over k, 65 times over rows",
            f"{from_to(by_k, times)} and {from_to(by_rows, times)}",
            min(by_k) >= 100 and min(by_rows) >= 65,
        )

    def cuts_of_optimize(self) -> Claim:
        cases = [*self.over_k, *self.over_rows]
        return self._beside_optimize("section 7.1, figure 6", "k-Optimize", cases)

    def cuts_of_l_optimize(self) -> Claim:
        cases = [*self.of_l["value"], *self.of_l["rows"]]
        return self._beside_optimize("section 7.2, figure 9", "ℓ-Optimize", cases)

    def _beside_optimize(self, where: str, called: str, cases: Sequence[Case]) -> Claim:
        cases = list(dict.fromkeys(cases))
        counted = self.runs.over(cases, OPTIMIZE, scans)
        looks = [n for m in CUTS for n in self.runs.over(cases, m, scans)]
        published, finer = (self.worse(cases, [m for m in CUTS if m.finer == f], OPTIMIZE) for f in (False, True))
        proven = all(self.runs.by_case[case, OPTIMIZE].facts["optimal"] for case in cases)
        return Claim(
            where,
            f"{called} counts more than 100 times, S-INSTANT on cuts once or rarely more, and mostly loses the same",
            f"{called} ({'proven' if proven else 'not always proven'} optimal) {from_to(counted, _whole)} times, "
            f"S-INSTANT {from_to(looks, _whole)}; the same loss in {_same(published)}, at most {max(published):.3f} "
            f"more; with finer looks in {_same(finer)}, at most {max(finer):.3f} more",
            min(counted) > 100 and max(looks) <= 3 and _share_same(published) > 0.5,
        )

    def faster_with_suppression(self) -> Claim:
        factors = self.factors(self.suppressing, EXPECTING)
        return Claim(
            "section 7.1, figure 7(a)",
            "where 1 to 5% of the rows may be suppressed, μ-expectation is at least 15 times as fast as Incognito",
            f"{from_to(factors, times)}, median {times(median(factors))}",
            min(factors) >= 15,
        )

    def loss_with_suppression(self) -> Claim:
        by_summary = {m.summary: self.worse(self.suppressing, [m]) for m in EXPECTING}
        return Claim(
            "section 7.1, figure 7(b)",
            "and loses at most 0.06 more, at 5% with a histogram",
            "; ".join(f"{name} {listed(v, three_digits)} more" for name, v in by_summary.items()),
            max(max(v) for v in by_summary.values()) <= WORST,
        )

    def counts_with_suppression(self) -> Claim:
        counted = self.runs.over(self.suppressing, INCOGNITO, scans)
        looks = [n for m in EXPECTING for n in self.runs.over(self.suppressing, m, scans)]
        return Claim(
            "section 7.1, figure 7",
            "Incognito then counts thousands of times, S-INSTANT once",
            f"Incognito {listed(counted, _whole)} times, S-INSTANT {from_to(looks, _whole)}",
            max(counted) >= 1000 and max(looks) == 1,
        )

    def thresholds(self, promise: str) -> Claim:
        case = self.runs.middle(promise)
        by_summary = {
            summary: [self.runs.by_case[case, Instant(PROBABILITY, summary, th)] for th in self.design.thresholds]
            for summary in SUMMARIES
        }
        spread = max(max(map(loss, v)) - min(map(loss, v)) for v in by_summary.values())
        told_of = "; ".join(
            f"{summary} loses {listed(list(map(loss, v)), three_digits)} in {listed(list(map(seconds, v)), _seconds)}"
            for summary, v in by_summary.items()
        )
        where = "section 7.1" if promise == "k" else "section 7.2, figure 11"
        kind = "k-anonymity" if promise == "k" else "ℓ-diversity"
        return Claim(
            where,
            f"for {kind}, the threshold hardly matters",
            f"{told_of}; thresholds of {', '.join(map(str, self.design.thresholds))}",
            spread < 0.01,
        )

    def faster_for_diversity(self) -> Claim:
        by_case = [max(self.factors([case])) for case in self.diverse]
        least = [min(self.factors([case])) for case in self.diverse]
        return Claim(
            "section 7.2, figure 8",
            "for ℓ-diversity S-INSTANT is much faster than Incognito in memory, at times 20 times as fast",
            f"{from_to([*least, *by_case], times)}, at best in the median case {times(median(by_case))}",
            max(by_case) >= 20 and min(least) > 1,
        )

    def probability_is_faster(self) -> Claim:
        wins, of = 0, 0
        for case in self.diverse:
            for summary in SUMMARIES:
                p, e = (
                    self.runs.by_case[case, Instant(score, summary)].seconds for score in (PROBABILITY, EXPECTATION)
                )
                wins, of = wins + (p < e), of + 1
        return Claim(
            "section 7.2",
            "μ-probability is generally faster than μ-expectation",
            f"in {wins} of {of} cases",
            wins / of > 0.5,
        )

    def loss_for_diversity(self) -> Claim:
        by_score = {
            score: self.worse(self.diverse, [m for m in ALL_FOUR if m.score == score])
            for score in (PROBABILITY, EXPECTATION)
        }
        mean = {score: fmean(v) for score, v in by_score.items()}
        return Claim(
            "section 7.2, figure 8",
            "μ-probability loses about the same as Incognito, μ-expectation slightly more",
            "; ".join(
                f"μ-{score} {mean[score]:.4f} more on average, at most {max(v):.3f}" for score, v in by_score.items()
            ),
            mean[PROBABILITY] < 0.01 and mean[EXPECTATION] > mean[PROBABILITY],
        )

    def time_over_rows(self) -> Claim:
        took = {m: self.runs.over(self.of_l["rows"], m, seconds) for m in ALL_FOUR}
        return Claim(
            "section 7.2, figure 8(c)",
            "the time of S-INSTANT does not change with the number of rows",
            "; ".join(f"{m} {listed(v, _seconds)}" for m, v in took.items()),
            max(v[-1] / v[0] for v in took.values()) < 1.5,
        )

    def switches(self) -> Claim:
        case, names = switching(self.design, self.runs.rows)[0]
        papers = [name for name in names if name != OURSELVES]
        by_score = {score: {name: self.runs.by_case[case, switched(score, name)] for name in names} for score in SCORES}
        fastest = all(min(papers, key=lambda name: v[name].seconds) == ALL for v in by_score.values())
        losses = [[v[name].loss for name in papers] for v in by_score.values()]
        apart = max(max(v) - min(v) for v in losses)
        return Claim(
            "section 7.2, figure 10",
            "S-INSTANT is fastest with all optimizations, and they cost little or no utility",
            f"{', '.join(names)}: "
            + "; ".join(
                f"μ-{score} {listed([r.seconds for r in v.values()], _seconds)}" for score, v in by_score.items()
            )
            + f"; the paper's losses differ by at most {apart:.3f}",
            fastest and apart < 0.01,
        )

    def slow_switches(self) -> Claim:
        case, _ = switching(self.design, self.runs.rows)[1]
        slower = {
            name: max(
                self.runs.by_case[case, switched(s, name)].seconds / self.runs.by_case[case, switched(s, ALL)].seconds
                for s in SCORES
            )
            for name in SLOW
        }
        return Claim(
            "section 7.2",
            "without HYBRID or without SD_CUT, S-INSTANT does not end in a reasonable time",
            f"{case.rows:,} rows and {case.attributes} attributes: "
            + ", ".join(f"{name} takes {times(factor)} as long as ALL" for name, factor in slower.items()),
            min(slower.values()) > 100,
        )

    def counts_for_diversity(self) -> Claim:
        looks = {
            name: [n for m in ALL_FOUR if m.summary == name for n in self.runs.over(self.diverse, m, scans)]
            for name in SUMMARIES
        }
        counted = self.runs.over(self.diverse, INCOGNITO, scans)
        return Claim(
            "section 7.2",
            "at most 3 counts with a network and 55 with a histogram, where the others take up to thousands",
            f"{max(looks[NETWORK]):.0f} and {max(looks[HISTOGRAM]):.0f}; Incognito up to {_whole(max(counted))}",
            max(looks[NETWORK]) <= 3 and max(looks[HISTOGRAM]) <= 55 and max(counted) >= 1000,
        )

    def networks_add_little(self) -> Claim:
        cases = [*self.over_k, *self.over_rows, *self.diverse]
        more = {name: self.worse(cases, [m for m in ALL_FOUR if m.summary == name]) for name in SUMMARIES}
        return Claim(
            "section 7.2",
            "networks are more accurate than histograms, which matters little",
            "; ".join(f"{name} {fmean(v):.4f} more than the optimum on average" for name, v in more.items()),
            0 <= fmean(more[HISTOGRAM]) - fmean(more[NETWORK]) < 0.01,
        )

    def same_as_optimum(self) -> Claim:
        cases = list(dict.fromkeys([*self.over_k, *self.over_rows, *self.diverse]))
        differences = {
            "as published": [*self.worse(cases), *self.worse(self.suppressing, EXPECTING)],
            "with finer looks": [*self.worse(cases, OURS), *self.worse(self.suppressing, OURS_EXPECTING)],
        }
        same = {name: sum(d <= _EQUAL for d in worse) for name, worse in differences.items()}
        ours = differences["with finer looks"]
        return Claim(
            "ours, all settings",
            "the same loss as the optimum in at least 90% of the settings, and never more than 0.06 more",
            "; ".join(
                f"{name} in {same[name]} of {len(v)}, at most {max(v):.4f} more" for name, v in differences.items()
            ),
            same["with finer looks"] / len(ours) >= _NEARLY_ALL and max(ours) <= WORST,
        )

    def looks(self) -> Claim:
        cases = list(dict.fromkeys([*self.over_k, *self.over_rows, *self.diverse]))
        looks = [n for m in OURS for n in self.runs.over(cases, m, scans)]
        looks += [n for m in OURS_EXPECTING for n in self.runs.over(self.suppressing, m, scans)]
        once = sum(n == 1 for n in looks)
        return Claim(
            "ours, all settings",
            "with finer looks, one look is enough in most settings",
            f"in {once} of {len(looks)}; at most {_whole(max(looks))}",
            once > len(looks) / 2,
        )

    def phase_one(self) -> Claim:
        took = {
            kind: [t for m in OURS for t in self.runs.over(cases, m, _without_data)]
            for kind, cases in (("k-anonymity", [*self.over_k, *self.over_rows]), ("ℓ-diversity", self.diverse))
        }
        return Claim(
            "ours, phase 1",
            "without the data, the first candidate takes less than a second for k-anonymity, a few for ℓ-diversity",
            "; ".join(f"{kind} {from_to(v, _seconds)}" for kind, v in took.items()),
            max(took["k-anonymity"]) < 1 and max(took["ℓ-diversity"]) < 5,
        )

    def phase_one_over_rows(self) -> Claim:
        kinds = (("k-anonymity", self.over_rows), ("ℓ-diversity", self.of_l["rows"]))
        took = {f"{kind}, {m.summary}": self.runs.over(cases, m, _without_data) for kind, cases in kinds for m in OURS}
        return Claim(
            "ours, phase 1",
            "this time does not grow with the number of rows",
            f"{_ratio(self.over_rows)} times as many rows: "
            + "; ".join(f"{name} {listed(v, _seconds)}" for name, v in took.items()),
            median(_growth(v) for v in took.values()) < 1.5,
        )


def _without_data(run: Run) -> float:
    assert run.without_data is not None
    return run.without_data


def _same(worse: Sequence[float]) -> str:
    return f"{sum(d <= _EQUAL for d in worse)} of {len(worse)} runs"


def _share_same(worse: Sequence[float]) -> float:
    return sum(d <= _EQUAL for d in worse) / len(worse)


def _growth(took: Sequence[float]) -> float:
    return took[-1] / took[0]


def _ratio(cases: Sequence[Case]) -> str:
    return f"{cases[-1].rows / cases[0].rows:.3g}"


def _whole(value: float) -> str:
    return f"{round(value):,}"


def _seconds(value: float) -> str:
    return value_text(value, "seconds")


def _ms(value: float) -> str:
    return f"{1000 * value:.2g} ms"
