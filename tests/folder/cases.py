"""What is asked of the releases of small worlds: every kind, promise and rule that could tell more than its tables."""

from __future__ import annotations

from itertools import product
from typing import Any

from tests.folder.worlds import Case
from tests.releases.reading import Row

AGE: dict[str, Any] = {"role": "quasi_identifier", "hierarchy": {"intervals": [10, 20]}}
ZIP: dict[str, Any] = {"role": "quasi_identifier", "hierarchy": {"prefixes": [1]}}
SECRET: dict[str, Any] = {"role": "sensitive"}
PATIENT = ("age", "zip", "disease")
K2: dict[str, Any] = {"k_anonymity": {"k": 2}}


def words(
    *require: dict[str, Any], age: Any = AGE, zip: Any = ZIP, disease: Any = SECRET, **more: Any
) -> dict[str, Any]:
    """A policy about patients, a third of whom may be suppressed; always with a seed, so that runs are comparable."""
    attributes = {"age": age, "zip": zip, "disease": disease}
    return {"attributes": attributes, "require": [*require] or [K2], "suppress": "1/3", "seed": 7} | more


def quasi_identifier(hierarchy: Any = None) -> dict[str, Any]:
    return {"role": "quasi_identifier"} | ({} if hierarchy is None else {"hierarchy": hierarchy})


FLAT = quasi_identifier({"flat": True})
# Four people in two groups; whoever comes besides joins them, is hidden, or is left out.
FOUR: list[Row] = [("20", "11", "flu"), ("20", "11", "hiv"), ("34", "21", "flu"), ("34", "21", "cold")]
SOME: list[Row] = [
    ("21", "11", "hiv"),
    ("34", "22", "cold"),
    ("55", "93", "flu"),
    ("55", "94", "hiv"),
    ("78", "11", "zoster"),
    (None, None, None),
    ("20", "11", "flu"),
    ("25", "12", "hiv"),
]
# The same with days.
MARCH: list[Row] = [("2024-03-05", "11", "flu"), ("2024-03-07", "11", "hiv")]
MAY: list[Row] = [("2024-05-05", "21", "flu"), ("2024-05-09", "21", "x")]
DAYS: list[Row] = [
    (day, zip, "flu") for day in ("2024-03-06", "1999-12-31", None, "2024-04-01") for zip in ("11", "93")
]
# Six and more with all three values: promises that compare with the whole table leave something to be kept.
SIX: list[Row] = [(age, zip, d) for age, zip in (("20", "11"), ("34", "21")) for d in ("flu", "hiv", "cold")]


def about_values(*require: dict[str, Any], **more: Any) -> Case:
    """Promises about values, with rows that can't be published without breaking them."""
    return Case(words(*require, **more), PATIENT, SIX, SOME)


CASES: dict[str, Case] = {
    "generalization: intervals and prefixes": Case(words(), PATIENT, FOUR, SOME),
    "generalization: suppressed as stars": Case(words(suppressed="star"), PATIENT, FOUR, SOME),
    "generalization: taxonomy and flat, NULL and nothing": Case(
        words(
            age=quasi_identifier(
                {"taxonomy": [["20", "low"], ["21", "low"], ["34", "high"], ["55", "high"], ["", "?"]]}
            ),
            zip=FLAT,
        ),
        PATIENT,
        FOUR,
        [*product(["21", "55", "", None], ["11", None], ["hiv", "cold"])],
        free=1,
    ),
    "generalization: quantiles": Case(
        words(age=quasi_identifier({"quantiles": 4}), zip=FLAT), PATIENT, FOUR, [row for row in SOME if row[0]]
    ),
    "generalization: no hierarchy given, many numbers": Case(
        words({"k_anonymity": {"k": 4}}, age=quasi_identifier(), zip=FLAT, suppress="1/8"),
        PATIENT,
        [(str(20 + i), "11", ("flu", "hiv")[i % 2]) for i in range(22)],
        [(age, zip, "cold") for age in ("9", "21", "530", None) for zip in ("11", "93")],
    ),
    "generalization: no hierarchy given, dates": Case(
        words(age=quasi_identifier(), zip=FLAT),
        PATIENT,
        MARCH + MAY,
        DAYS,
    ),
    "generalization: dates": Case(
        words(age=quasi_identifier({"dates": ["month", "year", "decade"]}), zip=FLAT),
        PATIENT,
        MARCH + MAY,
        DAYS,
    ),
    "generalization: decimals": Case(
        words(age=quasi_identifier({"intervals": ["2.5", 5, 10], "decimals": True}), zip=FLAT),
        PATIENT,
        [("20.5", "11", "flu"), ("21", "11", "hiv"), ("34.1", "21", "flu"), ("33", "21", "cold")],
        [(age, zip, "flu") for age in ("20.75", "71.25", "34.9", "23") for zip in ("11", "93")],
    ),
    "generalization: decimals or not, as the data are": Case(
        words(age=quasi_identifier({"intervals": [5, 10]}), zip=FLAT),
        PATIENT,
        FOUR,
        [(age, zip, "flu") for age in ("20.75", "71.25", "34", "23") for zip in ("11", "93")],
    ),
    "generalization: two sensitive columns": Case(
        {
            "attributes": {"age": AGE, "disease": SECRET, "income": SECRET},
            "require": [{"l_diversity": {"l": 2}}],
            "suppress": "1/3",
            "seed": 7,
        },
        ("age", "disease", "income"),
        [("20", "flu", "1"), ("20", "hiv", "2"), ("34", "flu", "1"), ("34", "cold", "3")],
        [(age, disease, income) for age in ("21", "78") for disease in ("flu", "hiv") for income in ("2", "9")],
    ),
    "generalization: two sensitive columns, each beside the other": Case(
        {
            "attributes": {"age": AGE, "disease": SECRET, "income": SECRET},
            "require": [{"l_diversity": {"l": 2, "others_known": True}}],
            "suppress": "1/3",
            "seed": 7,
        },
        ("age", "disease", "income"),
        [("20", "flu", "1"), ("20", "hiv", "1"), ("20", "flu", "2"), ("34", "hiv", "2")],
        [(age, disease, income) for age in ("21", "78") for disease in ("flu", "hiv") for income in ("2", "9")],
    ),
    "generalization: other columns": Case(
        words() | {"attributes": {"age": AGE, "zip": ZIP, "disease": SECRET, "visit": {"role": "other"}}},
        (*PATIENT, "visit"),
        [(*row, f"v{i}") for i, row in enumerate(FOUR)],
        [(*row, visit) for row in SOME[:6] for visit in ("v8", "v9")],
        free=1,
    ),
    "generalization: parquet": Case(words(format="parquet"), PATIENT, FOUR, SOME),
    "generalization: discernibility": Case(words(utility="discernibility"), PATIENT, FOUR, SOME),
    "generalization: a time limit": Case(words(time_limit=60), PATIENT, FOUR, SOME),
    "generalization: no sensitive column": Case(
        {"attributes": {"age": AGE, "zip": ZIP}, "require": [K2], "suppress": "1/3", "seed": 7},
        PATIENT[:2],
        [row[:2] for row in FOUR],
        [row[:2] for row in SOME],
    ),
    "generalization: incognito": Case(words(search="incognito"), PATIENT, FOUR, SOME),
    "generalization: optimize": Case(words(search="optimize"), PATIENT, FOUR, SOME),
    "generalization: instant_cuts": Case(words(search="instant_cuts"), PATIENT, FOUR, SOME),
    **{
        f"generalization: instant by {summary}": Case(words(search="instant", summary=summary), PATIENT, FOUR, SOME)
        for summary in ("network", "histogram", "sample", "exact")
    },
    "l_diversity": about_values({"l_diversity": {"l": 2}}),
    "l_diversity: entropy": about_values({"l_diversity": {"l": 2, "kind": "entropy"}}),
    "l_diversity: recursive": about_values({"l_diversity": {"l": 2, "kind": "recursive", "c": 2}}),
    "l_diversity: frequency": about_values({"l_diversity": {"l": 2, "kind": "frequency"}}),
    "alpha_k": about_values({"alpha_k": {"alpha": 0.5, "k": 2}}),
    "t_closeness: equal": about_values({"t_closeness": {"t": 0.3, "distance": "equal"}}),
    "beta_likeness: where the published shares alone would not do": Case(
        words({"beta_likeness": {"beta": 0.5}}),
        PATIENT,
        [("34", "11", "cold"), ("34", "11", "flu"), ("34", "21", "cold"), ("34", "21", "hiv")],
        [("20", zip, d) for zip in ("11", "21") for d in ("flu", "hiv", "cold", "zoster")],
    ),
    "t_closeness: ordered": Case(
        words({"t_closeness": {"t": 0.3, "distance": "ordered"}}),
        PATIENT,
        [(age, zip, d) for age, zip in (("20", "11"), ("34", "21")) for d in ("1", "2", "3")],
        [(age, zip, d) for d in ("1", "8", None, "2") for age, zip in (("21", "11"), ("78", "93"))],
    ),
    "t_closeness: hierarchical": about_values(
        {"t_closeness": {"t": 0.3, "distance": "hierarchical"}},
        disease=SECRET
        | {"hierarchy": {"taxonomy": [["flu", "a"], ["hiv", "a"], ["cold", "b"], ["zoster", "b"], ["", "c"]]}},
    ),
    **{
        f"publish_as: {kind}": Case(
            words({"l_diversity": {"l": 2}}, disease=SECRET | {"publish_as": {"intervals": [10], "top": 50}}, **more),
            PATIENT,
            [(age, zip, d) for age, zip in (("20", "11"), ("34", "21")) for d in ("1.5", "13")],
            [(age, zip, d) for d in ("2", "27.25", None, "77") for age, zip in (("20", "11"), ("78", "93"))],
        )
        for kind, more in (("generalization", {}), ("multidimensional", {"publish": "multidimensional"}))
    },
    "publish_as: other columns": Case(
        words(disease={"role": "other", "publish_as": {"cuts": [[10, 20]]}}),
        PATIENT,
        [("20", "11", "1.5"), ("20", "11", "13"), ("34", "21", "2"), ("34", "21", "2")],
        [(age, zip, d) for d in ("1", "27.25", None, "77") for age, zip in (("20", "11"), ("78", "93"))],
    ),
    "beta_likeness": about_values({"beta_likeness": {"beta": 0.5}}),
    "beta_likeness: enhanced": about_values({"beta_likeness": {"beta": 1, "kind": "enhanced"}}),
    "delta_disclosure": about_values({"delta_disclosure": {"delta": 1}}),
    "realistic: II": about_values({"realistic": {"class": "II", "stubbornness": 4, "epsilon": 3}}),
    "realistic: I, the table's own prior": about_values(
        {"realistic": {"class": "I", "stubbornness": 4, "epsilon": 2, "prior": "table"}}
    ),
    "realistic: III, a uniform prior": about_values({"realistic": {"class": "III", "epsilon": 3, "prior": "uniform"}}),
    **{
        f"realistic: wishes, {kind}": Case(
            words({"realistic": {"class": "II", "stubbornness": 3, "epsilon": 4, "predicates": {"wishes": asked}}})
            | {"attributes": {"age": AGE, "zip": ZIP, "disease": SECRET, "wish": {"role": "wishes"}}},
            (*PATIENT, "wish"),
            [(*row, "hiv" if row[2] == "flu" else "") for row in SIX],
            [(*row, wish) for row in SOME[:3] for wish in ("hiv", "", "not flu")],
        )
        for kind, asked in (("one by one", True), ("united", "united"))
    },
    "realistic: III, the table's own prior": about_values(
        {"realistic": {"class": "III", "epsilon": 3, "prior": "table"}}
    ),
}
