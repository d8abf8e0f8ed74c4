"""The eight patients of the ambiguity paper: who is likely to be in the table, and what it answers."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from discreet.models.ambiguity.alpha_beta import association, presence
from discreet.publications.answers import answers
from discreet.search.plan import Ambiguity
from discreet.studies.claims import Claim
from discreet.studies.data.tables import counted
from discreet.utility.estimates import estimates_generalized, number_line
from discreet.utility.queries import workload

_PATIENTS = {
    "age": ["45", "20", "50", "60", "20", "50", "60", "60"],
    "gender": ["M"] * 4 + ["F"] * 4,
    "zip": ["11000", "12000", "23000", "12000", "54000", "23000", "23000", "21000"],
    "disease": ["diabetes", "flu", "diarrhea", "stroke", "leukemia", "diabetes", "leukemia", "dyspepsia"],
}


def worked_example() -> Iterator[Claim]:
    """Figure 2: eight patients in two groups, men and women."""
    patients = counted({name: {"flat": True} for name in ("age", "gender", "zip")}, "disease", _PATIENTS)
    age, gender, place = patients.hierarchies
    disease = patients.sensitive_hierarchies["disease"]
    women = (patients.codes[1] == gender.index["F"]).astype(np.int64)
    row = np.arange(len(patients.counts))
    plan = Ambiguity(patients, row, patients.counts, women, ((0,), (1,), (2,)))
    there, linked = presence(plan.groups), association(plan.groups, "disease")
    for name, group, is_there, has, what in (
        ("Alan", 0, Fraction(1, 3), Fraction(1, 4), "diabetes"),
        ("Alice", 1, Fraction(4, 9), Fraction(1, 2), "leukemia"),
    ):
        right = np.isclose([there[group], linked[group]], [float(is_there), float(has)], rtol=1e-12)
        yield Claim(
            "sections 1.1 and 5",
            f"Figure 2: {name} is in the table with probability {is_there}, and then has {what} with {has}",
            f"{there[group]:.4f} and {linked[group]:.4f}",
            bool(right.all()),
        )
    leaves = {h.attribute: len(h.leaves) for h in (*patients.hierarchies, disease)}
    stroke_at_45 = {"age": [age.index[a] for a in ("45", "50", "60")], "disease": [disease.index["stroke"]]}
    stroke = workload(leaves, [stroke_at_45])
    diabetes = {"age": [age.index[a] for a in ("50", "60")], "zip": [place.index["23000"]]}
    both = workload(leaves, [diabetes | {"disease": [disease.index["diabetes"]]}])
    apart = float(answers(plan, stroke)[0])
    whole = np.full((2, 1), len(age.leaves) - 1)  # both groups publish [20, 60]
    query = workload({"age": leaves["age"], "disease": leaves["disease"]}, [stroke_at_45])
    sizes, tally = plan.groups.sizes, plan.groups.tallies["disease"]
    coarse = float(estimates_generalized(query, 0 * whole, whole, sizes, tally, [number_line(age)])[0])
    yield Claim(
        "section 1",
        "count(stroke, age ≥ 45), which is 1: ambiguity says 3/4, generalization to ages [20, 60] 3/8",
        f"{apart:.4f} and {coarse:.4f}",
        bool(np.isclose([apart, coarse], [3 / 4, 3 / 8], rtol=1e-12).all()),
    )
    answer = float(answers(plan, both)[0])
    says = "count(age ≥ 50, zip = 23000, diabetes): ambiguity says 7/18"
    yield Claim("example 6.1", says, f"{answer:.4f}", bool(np.isclose(answer, 7 / 18, rtol=1e-12)))
