"""How much does a policy lose that `init` proposed and nobody edited, compared with what it proposed before?

Before: at commit cab5816, every decision taken as proposed (Adult 48,842 rows; the two others of `init_tables`). The
losses of its columns are recorded here; a search over 59 quasi-identifiers was stopped by its clock, after 30 s.

One number would reward whoever leaves columns out. So the loss is told three times: of the quasi-identifiers of each
policy (what `anonymize` says); of the columns that are quasi-identifiers in both; and of all columns but keys, where
one that is left out has lost everything and one that is published as it is, or as intervals by publish_as, nothing.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.adult import data_folder
from benchmarks.init_tables import claims, survey
from benchmarks.measure import Findings, Options, Table
from discreet.policy.policy import Policy, read_policy
from discreet.policy.proposing.proposed import proposed_for
from discreet.run.anonymize import anonymize

_ANSWERS = {f"q{n}": 1.0 for n in range(1, 46)} | {"q9": 0.2795, "q18": 0.3971, "q20": 0.4016}
_SURVEY = dict.fromkeys(["intdate", "region", "urban", "age", "marital", "educ", "isco", "hhincome", "weight"], 1.0)
_SURVEY |= {"wave": 0.0131, "version": 0.0131, "sex": 0.0131, "hhsize": 0.1148, "children": 0.2105} | _ANSWERS
_CLAIMS = dict.fromkeys(["date_of_birth", "zip", "plan", "cpt"], 1.0)
_CLAIMS |= {"gender": 0.0153, "service_date": 0.507, "paid_date": 0.4553, "place_of_service": 0.0153}
_CLAIMS |= {"length_of_stay": 0.2615, "charged_amount": 0.5076, "paid_amount": 0.5076}
_ADULT = dict.fromkeys(
    ["age", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship", "native-country"],
    1.0,
)
_ADULT |= dict.fromkeys(["workclass", "race", "sex", "part"], 0.0193)
_ADULT |= {"capital-gain": 0.0971, "capital-loss": 0.0625, "hours-per-week": 0.4097}


@dataclass(frozen=True)
class Before:
    """What was proposed at cab5816: the loss of each quasi-identifier, and how many decisions were open."""

    losses: Mapping[str, float]
    decisions: int
    sensitive: tuple[str, ...]
    keys: tuple[str, ...] = ()  # that nobody would publish

    def of_all(self, columns: list[str]) -> float:
        """The loss over all columns but keys."""
        return _mean([0.0 if c in self.sensitive else self.losses.get(c, 1.0) for c in columns])


BEFORE = {
    "Adult": Before(_ADULT, 4, ("income",)),
    "survey": Before(_SURVEY, 55, (), ("respid",)),
    "claims": Before(_CLAIMS, 6, ("icd10",), ("claim_id", "member_id", "provider_id")),
}


def measure(options: Options) -> Findings:
    """The three losses of each table, before and now, and what became of its columns."""
    losses = Table("loss, decisions taken as proposed", ("table", "of", "columns", "before", "now", "ratio"))
    columns = Table("columns now", ("table", "quasi-identifiers", "sensitive", "left out"))
    effort = Table("effort", ("table", "decisions before", "now", "init, seconds", "anonymize, seconds"))
    worst = 0.0
    folder = data_folder()
    tables: dict[str, Any] = {} if folder is None else {"Adult": folder / "adult" / "adult.csv"}
    for name, source in (tables | {"survey": survey(), "claims": claims()}).items():
        before = BEFORE[name]
        policy, now, decisions, seconds = _published(source)
        all_columns = [a.name for a in policy.attributes if a.name not in before.keys]
        both = [c for c in now if c in before.losses]
        whole = [now.get(c, 0.0 if c in policy.sensitive else 1.0) for c in all_columns]
        lines = (
            ("the quasi-identifiers of each", len(now), _mean(list(before.losses.values())), _mean(list(now.values()))),
            (
                "quasi-identifiers in both",
                len(both),
                _mean([before.losses[c] for c in both]),
                _mean([now[c] for c in both]),
            ),
            ("all columns but keys", len(all_columns), before.of_all(all_columns), _mean(whole)),
        )
        for of, number, was, is_now in lines:
            losses.add(name, of, number, was, is_now, is_now / was)
        worst = max(worst, *(is_now / was for _, _, was, is_now in lines[:2]))
        left_out = [c for c in all_columns if c not in now and c not in policy.sensitive]
        columns.add(name, ", ".join(now), _short(policy.sensitive), ", ".join(left_out) or "none")
        effort.add(name, before.decisions, decisions, *seconds)
    says = [f"what the proposal loses is at most {worst:.2f} of what it lost before, also of the same columns"]
    if folder is None:
        says.append("without DISCREET_DATA, Adult was not measured")
    return Findings(__doc__.splitlines()[0], [losses, columns, effort], says)


def _published(source: Any) -> tuple[Policy, dict[str, float], int, tuple[float, float]]:
    """The policy that is proposed, what each quasi-identifier loses by it, open decisions, and seconds."""
    start = perf_counter()
    seen, _ = proposed_for(source)
    proposing = perf_counter() - start
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "policy.yaml"
        path.write_text(seen.text("table.csv"), encoding="utf-8")
        policy = read_policy(path)
        start = perf_counter()
        release = anonymize(policy, Path(place) / "release", source=source, as_proposed=True)
        losses = {c: float(loss) for c, loss in release.figures["losses"].items()}
    return policy, losses, len(policy.undecided), (proposing, perf_counter() - start)


def _short(names: tuple[str, ...]) -> str:
    return ", ".join(names) if len(names) <= 6 else f"{names[0]}, {names[1]} … {names[-1]} ({len(names)})"


def _mean(numbers: list[float]) -> float:
    return sum(numbers) / max(len(numbers), 1)
