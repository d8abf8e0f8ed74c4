"""What the instant paper says of databases, and of multidimensional releases (section 7.3), beside the measured."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from discreet.studies.claims import Claim
from discreet.studies.figures import value_text
from discreet.studies.instant.database import IN_DATABASE, MULTIDIMENSIONAL, Boxed, Database, m_at_threshold
from discreet.studies.instant.paper_figures import seconds
from discreet.studies.instant.runs import ALL_FOUR, INCOGNITO, Runs
from discreet.studies.presence.wording import from_to, listed, three_digits, times

_MINUTE = 60.0


def database_claims(runs: Runs, database: Database) -> Iterator[Claim]:
    """First S-INSTANT, then M-INSTANT."""
    s = _Study(runs, database)
    yield s.incognito_takes_minutes()
    yield s.ratio_is_larger()
    yield s.instant_hardly_suffers()
    yield s.mondrian_takes_minutes()
    yield s.m_instant_is_faster()
    yield s.m_instant_loses_little_more()
    yield s.summaries_alike()
    yield s.table_5_loss()
    yield s.table_5_time()
    yield s.slower_than_s_instant()


class _Study:
    def __init__(self, runs: Runs, database: Database):
        self.runs, self.database = runs, database
        self.cases = runs.cases("value")
        self.k = f"k = {', '.join(str(case.value) for case in self.cases)}"

    def incognito_takes_minutes(self) -> Claim:
        searches = [self.database.incognito[case] for case in self.cases]
        case, waited = self.database.waited
        guess = self.database.incognito[case]
        return Claim(
            "section 7",
            "in a database, Incognito takes minutes or hours, not seconds",
            f"{self.k}: {listed([a.seconds for a in searches], _seconds)} (in memory "
            f"{listed(self.runs.over(self.cases, INCOGNITO, seconds), _seconds)}). At k = {case.value} it was waited "
            f"for: {waited.queries:,} queries in {_seconds(waited.seconds)}, extrapolated {_seconds(guess.seconds)}",
            min(a.seconds for a in searches) >= _MINUTE,
        )

    def ratio_is_larger(self) -> Claim:
        parts, larger = [], True
        for called, varied, promise in (("k", "value", "k"), ("ℓ", "value", "ℓ"), ("suppression", "suppress", "k")):
            cases = self.runs.cases(varied, promise)
            methods = [m for case, m in self.database.instant if case == cases[0]]
            both = [(case, method) for case in cases for method in methods]
            runs, database = self.runs.by_case, self.database
            here = [database.incognito[c].seconds / database.instant[c, m].seconds for c, m in both]
            there = [runs[c, INCOGNITO].seconds / runs[c, m].seconds for c, m in both]
            larger = larger and median(here) > median(there)
            parts.append(
                f"{called}: {from_to(here, times)}, median {times(median(here))}; {times(median(there))} in memory"
            )
        return Claim(
            "section 7",
            "what S-INSTANT gains on Incognito in memory is less than what it gains in a database",
            "; ".join(parts),
            larger,
        )

    def instant_hardly_suffers(self) -> Claim:
        both = [(case, method) for case in self.cases for method in IN_DATABASE]
        more = [self.database.instant[key].seconds / self.runs.by_case[key].seconds for key in both]
        slower = [
            a.seconds / self.runs.by_case[c, INCOGNITO].seconds for c in self.cases if (a := self.database.incognito[c])
        ]
        return Claim(
            "section 7, footnote 7",
            "there is little to no difference in speed between S-INSTANT in memory and in a database",
            f"it takes {from_to(more, times)} as long, Incognito {from_to(slower, times)}",
            max(more) < 2,
        )

    def mondrian_takes_minutes(self) -> Claim:
        searches = [self.database.mondrian[case] for case in self.cases]
        memory = [self.database.in_memory[case].seconds for case in self.cases]
        waited = (
            "" if all(a.waited_for for a in searches) else f", extrapolated from {_seconds(self.runs.design.patience)}"
        )
        return Claim(
            "section 7.3",
            "Mondrian takes more than 30 minutes in a database, and 10 to 20 s in memory",
            f"{self.k}: {listed([a.seconds for a in searches], _seconds)}{waited} "
            f"({listed([a.queries for a in searches], _whole)} queries); in memory {listed(memory, _seconds)}",
            min(a.seconds for a in searches) > 30 * _MINUTE,
        )

    def m_instant_is_faster(self) -> Claim:
        factors = [
            self.database.mondrian[case].seconds / self.database.boxed[case, m].seconds
            for case in self.cases
            for m in MULTIDIMENSIONAL
        ]
        memory = [
            self.database.in_memory[case].seconds / self.database.boxed[case, m].seconds
            for case in self.cases
            for m in MULTIDIMENSIONAL
        ]
        return Claim(
            "section 7.3, figure 12(a)",
            "M-INSTANT is at least 25 times as fast as Mondrian in a database",
            f"{from_to(factors, times)}; as Mondrian in memory {from_to(memory, times)}",
            min(factors) >= 25,
        )

    def m_instant_loses_little_more(self) -> Claim:
        worse = {
            m.summary: [self.database.boxed[c, m].loss - self.database.in_memory[c].loss for c in self.cases]
            for m in MULTIDIMENSIONAL
        }
        return Claim(
            "section 7.3, figure 12(b)",
            "and loses at most 0.03 more than Mondrian",
            f"{self.k}: " + "; ".join(f"{name} {listed(v, three_digits)} more" for name, v in worse.items()),
            max(max(v) for v in worse.values()) <= 0.03,
        )

    def summaries_alike(self) -> Claim:
        histogram, network = ([self.database.boxed[c, m].loss for c in self.cases] for m in MULTIDIMENSIONAL)
        apart = [abs(a - b) for a, b in zip(histogram, network, strict=True)]
        return Claim(
            "section 7.3, figure 12(b)",
            "with a histogram M-INSTANT loses almost the same as with a network",
            f"{listed(histogram, three_digits)} and {listed(network, three_digits)}",
            max(apart) <= 0.01,
        )

    def table_5_loss(self) -> Claim:
        losses = [boxed.loss for boxed in self._table_5()]
        return Claim(
            "table V",
            "M-INSTANT loses 0.084, whatever the threshold",
            f"{listed(losses, three_digits)} for {self._thresholds()}",
            max(losses) - min(losses) < 0.001,
        )

    def table_5_time(self) -> Claim:
        took = [boxed.seconds for boxed in self._table_5()]
        return Claim(
            "table V",
            "and takes the less time the higher the threshold: 299, 295, 281, 271, 134 s",
            f"{listed(took, _seconds)} for {self._thresholds()}",
            took[-1] < took[0],
        )

    def _table_5(self) -> list[Boxed]:
        case = self.runs.middle("k")
        return [self.database.boxed[case, m_at_threshold(threshold)] for threshold in self.runs.design.thresholds]

    def _thresholds(self) -> str:
        return ", ".join(map(str, self.runs.design.thresholds))

    def slower_than_s_instant(self) -> Claim:
        pairs = [
            (self.database.boxed[case, m].seconds, self.database.instant[case, s].seconds)
            for case in self.cases
            for m, s in zip(MULTIDIMENSIONAL, ALL_FOUR[:2], strict=True)
        ]
        slower = sum(m > s for m, s in pairs)
        return Claim(
            "section 7.3",
            "M-INSTANT is slower than S-INSTANT",
            f"in {slower} of {len(pairs)} cases; on median {_seconds(median(m for m, _ in pairs))} against "
            f"{_seconds(median(s for _, s in pairs))}",
            slower == len(pairs),
        )


def _seconds(value: float) -> str:
    return value_text(value, "seconds")


def _whole(value: float) -> str:
    return f"{round(value):,}"
