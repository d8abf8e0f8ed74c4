"""The same for releases whose groups have values of their own, for exact values, and for who is in the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, product
from typing import Any

from tests.folder.cases import FLAT, FOUR, K2, MARCH, PATIENT, SECRET, quasi_identifier, words
from tests.folder.worlds import Case
from tests.releases.reading import Row

NATIONS: dict[str, Any] = {
    "taxonomy": [["Spain", "EU"], ["France", "EU"], ["Italy", "EU"], ["Brazil", "America"], ["Peru", "America"]]
}
PLACE = ("age", "zip", "nation", "disease")
TRAVELLERS: list[Row] = [
    ("20", "11", "Spain", "flu"),
    ("25", "11", "France", "hiv"),
    ("31", "21", "Brazil", "flu"),
    ("38", "22", "Brazil", "cold"),
]
OTHERS: list[Row] = [
    (None, "21", "Peru", None),
    ("20", "11", "Spain", "hiv"),
    ("21", "11", "Spain", "hiv"),
    ("24", "12", "Italy", "flu"),
    ("38", "21", "Peru", "flu"),
    ("78", "22", "Brazil", "hiv"),
    ("31", "93", "Peru", "flu"),
]


def by_group(publish: str, *require: dict[str, Any], sets: bool = False, age: Any = None, **more: Any) -> Case:
    """Groups with values of their own: values are hidden, and rows suppressed if they may be."""
    attributes = {
        "age": quasi_identifier({"intervals": [5, 10, 20]} if age is None else age),
        "zip": quasi_identifier({"prefixes": [1]}),
        "nation": quasi_identifier(NATIONS | {"sets": sets}),
        "disease": SECRET,
    }
    asked = {"attributes": attributes, "require": [*require] or [K2], "publish": publish, "seed": 7} | more
    return Case(asked, PLACE, TRAVELLERS, OTHERS, shows=("suppressed",) if more.get("suppress") else ("hidden",))


def too_common(publish: str, *require: dict[str, Any], **more: Any) -> Case:
    """Too many with the flu: some of them are left out."""
    shared: list[Row] = [("20", "11", "flu"), ("25", "12", "hiv"), ("31", "13", "flu"), ("33", "11", "cold")]
    kinds = [("47", "15", "flu"), ("52", "15", "flu"), ("58", "15", "flu"), ("47", "15", "hiv"), ("20", "11", "flu")]
    asked = words({"alpha_k": {"alpha": 0.5, "k": 2}}, *require, publish=publish, **more)
    return Case(asked, PATIENT, shared, kinds)


# Exact values: worlds differ in whose value is whose, and in who is left out.
def exact(*require: dict[str, Any], publish: str = "bucketization", **more: Any) -> dict[str, Any]:
    return words(*require, age=quasi_identifier(), zip=quasi_identifier(), publish=publish, **more)


def apart(publish: str, *require: dict[str, Any], **more: Any) -> Case:
    """Too many with one value: some of them are left out."""
    asked = exact(*require, publish=publish, **({"suppress": "1/2"} | more))
    shared: list[Row] = [("20", "11", "flu"), ("25", "12", "hiv"), ("31", "13", "flu")]
    kinds = [("47", "15", "flu"), ("52", "15", "flu"), ("58", "15", "flu"), ("47", "15", "hiv"), ("52", "15", "cold")]
    return Case(asked, PATIENT, shared, kinds)


def dealt(publish: str, *require: dict[str, Any], **more: Any) -> Case:
    """The same five people in every world, with their values dealt otherwise."""
    asked = exact(*require, publish=publish, **more)
    people = (("20", "11"), ("25", "12"), ("31", "13"), ("38", "14"), ("20", "12"))
    worlds = [
        tuple((*person, value) for person, value in zip(people, values, strict=True))
        for values in product(("flu", "hiv", "cold"), ("flu", "hiv"), ("flu", "hiv"), ("flu", "hiv"), ("flu",))
    ]
    return Case(asked, PATIENT, (), (), given=worlds)


def known(publish: str, *require: dict[str, Any], **more: Any) -> Case:
    """The same again, and a column says who each of them is."""
    case = dealt(publish, *require, **more)
    attributes = case.words["attributes"] | {"who": {"role": "person"}}
    worlds = [tuple((*row, f"P{i}") for i, row in enumerate(rows)) for rows in case.given]
    return Case(case.words | {"attributes": attributes}, (*PATIENT, "who"), (), (), given=worlds)


# A population of eight; the table is any few of them.
PEOPLE: list[Row] = [
    *product(["20", "23"], ["11", "12"]),
    *product(["34"], ["11", "22"]),
    *product(["55"], ["21", "93"]),
]
HERE = ("age", "zip")


def among(require: dict[str, Any], rows: int = 3, people: Sequence[Row] = PEOPLE, **more: Any) -> Case:
    """Worlds are who of the population is in the table."""
    attributes = {"age": quasi_identifier({"intervals": [10, 20]}), "zip": quasi_identifier({"prefixes": [1]})}
    asked = {"attributes": attributes, "require": [require], "seed": 7} | more
    lines = [",".join(person) for person in [HERE, *people]]
    worlds = list(combinations(people, rows))
    return Case(asked, HERE, (), (), given=worlds, files={EVERYBODY: "\n".join(lines) + "\n"}, shows=())


EVERYBODY = "everybody.csv"
MARGINALS = {name: dict(Counter(person[i] for person in PEOPLE)) for i, name in enumerate(HERE)}

CASES: dict[str, Case] = {
    "multidimensional": by_group("multidimensional"),
    "multidimensional: sets": by_group("multidimensional", {"l_diversity": {"l": 2}}, sets=True),
    "multidimensional: t_closeness": by_group("multidimensional", {"t_closeness": {"t": 0.4, "distance": "equal"}}),
    "multidimensional: quantiles": by_group("multidimensional", age={"quantiles": 4}),
    "multidimensional: instant": by_group("multidimensional", search="instant"),
    "multidimensional: suppressed": by_group("multidimensional", suppress="1/3"),
    "multidimensional: suppressed as stars": by_group("multidimensional", suppress="1/3", suppressed="star"),
    "multidimensional: instant, too common": too_common("multidimensional", search="instant"),
    "multidimensional: too common": too_common("multidimensional"),
    "multidimensional: closeness, suppressed": by_group(
        "multidimensional", {"t_closeness": {"t": 0.4, "distance": "equal"}}, suppress="1/3"
    ),
    "local_recoding: too common": too_common("local_recoding"),
    "local_recoding: too common and closeness": too_common(
        "local_recoding", {"t_closeness": {"t": 0.4, "distance": "equal"}}
    ),
    "multidimensional: other columns": Case(
        words(publish="multidimensional", suppress=0)
        | {"attributes": words()["attributes"] | {"visit": {"role": "other"}}},
        (*PATIENT, "visit"),
        [(*row, f"v{i}") for i, row in enumerate(FOUR)],
        [(age, zip, "flu", "v8") for age in ("20", "21", "24", "34", "55") for zip in ("11", "12")],
        free=1,
        shows=("hidden",),
    ),
    "local_recoding": by_group("local_recoding"),
    "local_recoding: sets": by_group("local_recoding", {"l_diversity": {"l": 2}}, sets=True),
    "local_recoding: flat sets, dates": Case(
        words(
            {"k_anonymity": {"k": 3}},
            age=quasi_identifier({"dates": ["month", "year"]}),
            zip=quasi_identifier({"flat": True, "sets": True}),
            publish="local_recoding",
            suppress=0,
        ),
        PATIENT,
        [*MARCH, ("2024-05-09", "21", "flu"), ("2024-05-09", "21", "flu")],
        [(day, zip, "flu") for day in ("2024-03-05", "2024-03-06", "2024-05-07", "1999-12-31") for zip in ("11", "93")],
        shows=(),
    ),
    "bucketization: anatomy": apart("bucketization", {"l_diversity": {"l": 2}}),
    "bucketization: anatomy, values dealt": dealt("bucketization", {"l_diversity": {"l": 2}}),
    "bucketization: closeness, values dealt": dealt(
        "bucketization", {"l_diversity": {"l": 2}}, {"t_closeness": {"t": 0.5, "distance": "equal"}}
    ),
    "bucketization: injector": dealt("bucketization", {"l_diversity": {"l": 2}}, search="injector"),
    "bucketization: mask": Case(
        exact(K2, {"alpha_k": {"alpha": 0.5, "k": 2}}, search="mask"),
        PATIENT,
        [("20", "11", "flu"), ("25", "12", "hiv"), ("31", "13", "cold"), ("38", "14", "flu")],
        [(age, zip, d) for d in ("flu", "hiv", "zoster", "cold") for age, zip in (("20", "11"), ("47", "15"))],
        shows=(),
    ),
    "bucketization: invariant": known("bucketization", {"m_invariance": {"m": 2}}, suppress="1/2"),
    "numbered_groups": known("numbered_groups", {"m_invariance": {"m": 2}}, suppress="1/2"),
    "bucketization: robust": dealt("bucketization", {"robust": {"r": 2, "min_support": 3}}),
    "bucketization: robust, one value": Case(
        # Without the taxonomy nobody could leave out all who have hiv: the policy would tell that there are some.
        exact(
            {"robust": {"r": 3, "min_support": 1, "values": ["hiv"]}},
            disease=SECRET | {"hierarchy": {"taxonomy": [["flu", "a"], ["hiv", "a"], ["cold", "a"]]}},
        ),
        PATIENT,
        [("20", "11", "flu"), ("25", "12", "hiv"), ("31", "13", "flu"), ("38", "14", "flu")],
        [(age, zip, d) for age, zip in (("47", "15"), ("52", "12")) for d in ("flu", "hiv", "cold")],
    ),
    "bucketization: other columns": Case(
        words({"l_diversity": {"l": 2}}, age=quasi_identifier(), zip=quasi_identifier(), publish="bucketization")
        | {"attributes": {"age": FLAT, "zip": FLAT, "disease": SECRET, "visit": {"role": "other"}}},
        (*PATIENT, "visit"),
        [("20", "11", "flu", "v1"), ("25", "12", "hiv", "v2"), ("31", "13", "flu", "v3")],
        [(age, "15", d, visit) for d in ("flu", "zoster") for visit in ("v8", "v9") for age in ("47", "52")],
    ),
    "ambiguity": dealt("ambiguity", {"ambiguity": {"alpha": 0.8, "beta": 0.5}}),
    "ambiguity: best tables": dealt("ambiguity", {"ambiguity": {"alpha": 1, "beta": 0.5, "tables": "best"}}),
    "presence": among({"presence": {"delta": [0, "1/2"], "population": EVERYBODY}}, suppress="1/3"),
    "presence: groups that fail are left out": among(
        {"presence": {"delta": [0, "1/2"], "population": EVERYBODY, "suppression": "told"}}, suppress="1/3"
    ),
    "presence: multidimensional": among(
        {"presence": {"delta": [0, "1/2"], "population": EVERYBODY}}, rows=2, publish="multidimensional"
    ),
    "k_map": among({"k_map": {"k": 3, "population": EVERYBODY}}, suppress="1/3"),
    "k_map: multidimensional": among({"k_map": {"k": 3, "population": EVERYBODY}}, publish="multidimensional"),
    "confident_presence: marginals": among(
        {"confident_presence": {"delta": [0, 0.6], "confidence": 0.5, "marginals": MARGINALS}}, rows=2, suppress="1/2"
    ),
    "confident_presence: population": among(
        {"confident_presence": {"delta": [0, 0.6], "confidence": 0.5, "population": EVERYBODY}},
        rows=2,
        publish="multidimensional",
    ),
    "confident_presence: pairs": among(
        {
            "confident_presence": {
                "delta": [0, 0.6],
                "confidence": 0.5,
                "population": EVERYBODY,
                "known": "pairs",
                "margin": 0.25,
            }
        },
        rows=2,
        publish="multidimensional",
    ),
}
