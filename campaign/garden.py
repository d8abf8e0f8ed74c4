"""Valid inputs of every kind, which the others are grown from: a table, its policies, and their releases."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import yaml

from campaign.planted import PERSON

NATIONS = {
    "Germany": ("West", "Europe"),
    "France": ("West", "Europe"),
    "Spain": ("South", "Europe"),
    "Italy": ("South", "Europe"),
    "Poland": ("East", "Europe"),
    "Peru": ("Andes", "America"),
    "Canada": ("North", "America"),
}
DISEASES = {
    "Asthma": ("Breathing",),
    "Bronchitis": ("Breathing",),
    "Gastritis": ("Digestion",),
    "Gallstones": ("Digestion",),
    "Burn": ("Injury",),
    "Fracture": ("Injury",),
}
WISHES = ("", "{}", "", "each", "", '"Burn" | {{Asthma, Fracture}}', "not Burn")
HEADER = ["name", "age", "sex", "zip", "nation", "admitted", "disease", "remark", "wish"]
ATTRIBUTES: Mapping[str, Any] = {
    "name": {"role": "identifier"},
    "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [10, 20, 40], "top": 80}},
    "sex": {"role": "quasi_identifier", "hierarchy": {"flat": True}},
    "zip": {"role": "quasi_identifier", "hierarchy": {"prefixes": [4, 3, 2]}},
    "nation": {"role": "quasi_identifier", "hierarchy": "nation.csv"},
    "disease": {"role": "sensitive", "hierarchy": "disease.csv"},
}
_DATED = {
    "admitted": {"role": "quasi_identifier", "hierarchy": {"dates": ["month", "year"]}},
    "age": {"role": "quasi_identifier", "hierarchy": {"cuts": [[30, 40, 50, 60], [40, 60]]}},
    "sex": {"role": "quasi_identifier"},
    "disease": {"role": "sensitive"},
    "remark": {"role": "other", "publish_as": {"prefixes": [1]}, "decide": ""},
}
_NUMBERS = {
    "age": {"role": "quasi_identifier", "hierarchy": {"quantiles": 4}},
    "zip": {"role": "quasi_identifier", "hierarchy": {"prefixes": [3]}},
    "nation": {"role": "quasi_identifier", "hierarchy": {"taxonomy": [[n, *up] for n, up in NATIONS.items()]}},
    "disease": {"role": "sensitive", "hierarchy": "disease.csv"},
}
_COARSER = {
    **ATTRIBUTES,
    "disease": {"role": "sensitive", "publish_as": {"taxonomy": "disease.csv", "level": 1}},
    "admitted": {"role": "other", "publish_as": {"dates": ["month"]}},
}
_AMONG = {name: words for name, words in ATTRIBUTES.items() if name not in ("disease", "zip")}
_MARGINALS = {"age": "age_counts.csv", "sex": {"F": 0.5, "M": 0.5}, "nation": "nation_counts.csv"}
_PRIOR = dict.fromkeys(DISEASES, "1/6")
_FREQUENT = {"l_diversity": {"l": 2, "kind": "frequency"}}


def _words(attributes: Mapping[str, Any], *require: Mapping[str, Any], **rest: Any) -> dict[str, Any]:
    words = {"source": "patients.csv", "attributes": attributes, "require": list(require), **rest}
    return json.loads(json.dumps(words))  # type: ignore[no-any-return]


# One of every kind of publication, promise, hierarchy, search, summary and format.
POLICIES: Mapping[str, dict[str, Any]] = {
    "generalization": _words(ATTRIBUTES, {"k_anonymity": {"k": 3}}, {"l_diversity": {"l": 2}}, suppress=0.1),
    "star": _words(
        _DATED,
        {"alpha_k": {"alpha": 0.8, "k": 3}},
        {"t_closeness": {"t": 0.6, "distance": "equal", "attribute": "disease"}},
        suppress=0.2,
        suppressed="star",
        utility="geometric_loss",
        csv={"formulas": "escape"},
    ),
    "as written": _words(
        {
            **_DATED,
            "admitted": {"role": "quasi_identifier", "dates": "YYYY-MM-DD", "hierarchy": {"dates": ["year"]}},
            "age": {"role": "quasi_identifier", "whole": True, "missing": ["-9"], "hierarchy": {"quantiles": 4}},
            "sex": {"role": "quasi_identifier", "decimal": ",", "thousands": "."},
        },
        {"k_anonymity": {"k": 2}},
        missing=["?", "NA", ""],
        decimal=".",
        thousands="'",
        encoding="utf-8",
        delimiter=",",
        suppress=0.2,
    ),
    "hierarchical": _words(
        _NUMBERS,
        {"t_closeness": {"t": 0.5, "distance": "hierarchical"}},
        {"beta_likeness": {"beta": 4, "kind": "enhanced"}},
        search="incognito",
        format="parquet",
    ),
    "recursive": _words(
        _NUMBERS,
        {"l_diversity": {"l": 2, "kind": "recursive", "c": 4}},
        {"delta_disclosure": {"delta": 4}},
        search="optimize",
        time_limit=5,
        suppress=0.1,
    ),
    "others known": _words(
        {**_NUMBERS, "sex": {"role": "sensitive"}},
        {"l_diversity": {"l": 2, "others_known": True, "attribute": "disease"}},
        {"alpha_k": {"alpha": 0.9, "k": 2, "others_known": False}},
        suppress=0.2,
    ),
    "multidimensional": _words(
        ATTRIBUTES,
        {"k_anonymity": {"k": 3}},
        {"l_diversity": {"l": 2, "kind": "entropy"}},
        publish="multidimensional",
        search="mondrian",
    ),
    "local_recoding": _words(
        {**ATTRIBUTES, "sex": {"role": "quasi_identifier", "hierarchy": {"flat": True, "sets": True}}},
        {"k_anonymity": {"k": 3}},
        publish="local_recoding",
        seed=3,
    ),
    "realistic": _words(
        _NUMBERS,
        {"realistic": {"class": "I", "stubbornness": 100, "prior": "prior.csv", "epsilon": 9}},
        {"realistic": {"class": "III", "epsilon": 20, "prior": _PRIOR, "predicates": ["Burn", {"not": "Asthma"}]}},
        publish="multidimensional",
    ),
    "wishes": _words(
        {**_NUMBERS, "wish": {"role": "wishes"}},
        {"realistic": {"class": "II", "stubbornness": 9, "epsilon": 9, "predicates": {"wishes": True}}},
        {"realistic": {"class": "III", "epsilon": 20, "predicates": {"wishes": "united", "also": [{"not": "Burn"}]}}},
        suppress=0.2,
    ),
    "anatomy": _words(ATTRIBUTES, _FREQUENT, publish="bucketization", search="anatomy", suppress=0.1),
    "invariant": _words(
        {**_NUMBERS, "name": {"role": "person"}}, {"m_invariance": {"m": 2}}, publish="bucketization", suppress=0.2
    ),
    "invariant_ranges": _words(
        {**_NUMBERS, "name": {"role": "person"}}, {"m_invariance": {"m": 2}}, publish="numbered_groups", suppress=0.2
    ),
    "robust": _words(
        _NUMBERS,
        {"robust": {"r": 2, "values": ["Burn", ["Asthma", "Fracture"]], "attribute_sets": [["age"]], "min_support": 9}},
        publish="bucketization",
        suppress=0.2,
    ),
    "no_surer": _words(
        _NUMBERS,
        {"robust": {"r": 2, "values": ["Burn"], "min_support": 9, "limit": "prior", "absence": "prior"}},
        publish="bucketization",
        suppress=0.2,
    ),
    "mask": _words(_NUMBERS, _FREQUENT, publish="bucketization", search="mask", suppress=0.2),
    "ambiguity": _words(
        _NUMBERS, {"ambiguity": {"alpha": 0.6, "beta": 0.5, "tables": "separate"}}, publish="ambiguity", suppress=0.2
    ),
    "ambiguity over all groups": _words(
        _NUMBERS, {"ambiguity": {"alpha": 0.9, "beta": 0.5, "presence": "total"}}, publish="ambiguity", suppress=0.2
    ),
    "presence": _words(
        _AMONG,
        {"presence": {"delta": [0, 0.7]}},
        private={"disease": ["Asthma", "Burn"], "age": {"from": 20, "to": 90}},
        publish="multidimensional",
    ),
    "presence among others": _words(
        _AMONG, {"presence": {"delta": [0, 0.8], "population": "people.csv", "suppression": "told"}}, suppress=0.1
    ),
    "map": _words(_AMONG, {"k_map": {"k": 3, "population": "people.csv"}}, publish="multidimensional"),
    "enrolled": _words(
        _AMONG, {"presence": {"delta": [0, "9/10"]}}, private={"name": {"file": "enrolled.csv"}}, suppress=0.1
    ),
    "confident presence": _words(
        _AMONG,
        {"confident_presence": {"delta": [0, 0.8], "confidence": 0.5, "marginals": _MARGINALS, "size": 400}},
        suppress=0.1,
    ),
    "confident pairs": _words(
        _AMONG,
        {"confident_presence": {"delta": [0, 0.8], "confidence": 0.5, "known": "pairs", "margin": 0.1}},
        private={"disease": ["Asthma", "Burn"]},
    ),
    "instant": _words(_NUMBERS, {"k_anonymity": {"k": 3}}, search="instant", summary="histogram", suppress=0.1),
    "coarser": _words(_COARSER, {"k_anonymity": {"k": 3}}, suppress=0.1),
    "summary": _words(ATTRIBUTES, {"k_anonymity": {"k": 3}}, search="instant", summary="summary.npz", suppress=0.1),
    "boxes": _words(
        _NUMBERS,
        {"k_anonymity": {"k": 3}},
        search="instant",
        summary="sample",
        publish="multidimensional",
        threshold=0.9,
        suppress=0.1,
    ),
}
SUMMARIES = ("network", "histogram", "sample", "exact")
# What another tool might have published, and what is said of it.
DESCRIPTION: Mapping[str, Any] = {
    "quasi_identifiers": ["age", "zip", "nation"],
    "sensitive": ["disease"],
    "promises": [{"k_anonymity": {"k": 2}}, {"l_diversity": {"l": 2, "attribute": "disease"}}],
    "hierarchies": {"nation": "nation.csv"},
    "columns": {"age": "interval", "zip": "prefix", "disease": {"source": "disease", "values": {"flu": ["flu"]}}},
    "others": ["remark"],
    "suppressed": "*",
}


@dataclass(frozen=True)
class Garden:
    """The folder with a folder of each policy: its files and its release."""

    folder: Path

    def copy(self, kind: str, target: Path, *, release: bool = False) -> dict[str, Any]:
        """Put the files of a policy into a folder; the policy in words."""
        skipped = shutil.ignore_patterns() if release else shutil.ignore_patterns("release*")
        shutil.copytree(self.folder / kind, target, dirs_exist_ok=True, ignore=skipped)
        return json.loads(json.dumps(POLICIES[kind]))  # type: ignore[no-any-return]

    def bomb(self) -> Path:
        """A small file of a summary that grows to more than a gigabyte."""
        return self.folder / "bomb.npz"


def rows(random: Random, count: int = 90) -> list[list[str]]:
    """Invented patients."""
    table = []
    for i in range(count):
        nation = random.choice(list(NATIONS))
        disease = random.choice(list(DISEASES))
        age, day = random.randrange(18, 95), f"202{random.randrange(4)}-{random.randrange(1, 13):02}-{1 + i % 28:02}"
        zip_code = f"47{random.randrange(4)}{random.randrange(3):02}"
        wish = WISHES[i % len(WISHES)].format(disease)
        table.append([f"{PERSON}{i:03}", str(age), "FM"[i % 2], zip_code, nation, day, disease, f"note {i % 5}", wish])
    return table


def write_csv(path: Path, lines: list[list[str]], delimiter: str = ",") -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows(lines)


def plant(folder: Path, run: Callable[[Path, list[str]], int]) -> Garden:
    """Write every policy into a folder and publish it; `run` runs a command there and gives its exit code."""
    table = rows(Random(15))
    for kind, words in POLICIES.items():
        place = folder / kind
        place.mkdir(parents=True)
        _files(place, table, words)
        (place / "policy.yaml").write_text(yaml.safe_dump(words, sort_keys=False), encoding="utf-8")
        commands = [["anonymize", "policy.yaml", "-o", "release", "--seed", "1", "--quiet"]]
        if words.get("summary") == "summary.npz":
            commands.insert(0, ["summarize", "policy.yaml", "-o", "summary.npz"])
            for summary in SUMMARIES:
                commands.append(["summarize", "policy.yaml", "-o", f"{summary}.npz", "--kind", summary])
        for command in commands:
            if (code := run(place, command)) != 0:
                raise RuntimeError(f"the valid input {kind!r} ends with {code}: discreet {' '.join(command)}")
    from campaign.summaries import write_bomb

    write_bomb(folder / "bomb.npz")
    return Garden(folder)


def _files(place: Path, table: list[list[str]], words: Mapping[str, Any]) -> None:
    """Whatever a policy may name."""
    write_csv(place / "patients.csv", [HEADER, *table])
    write_csv(place / "nation.csv", [[n, *up, "*"] for n, up in NATIONS.items()], ";")
    write_csv(place / "disease.csv", [[n, *up, "*"] for n, up in DISEASES.items()], ";")
    others = [[row[0].replace(PERSON, "Other"), *row[1:]] for row in rows(Random(16), 60)]
    write_csv(place / "people.csv", [HEADER, *table, *others])
    write_csv(place / "enrolled.csv", [["name"], *([row[0]] for row in table[::2])])
    write_csv(place / "prior.csv", [["value", "count"], *([name, "5"] for name in DISEASES)])
    counted = {column: sorted({row[HEADER.index(column)] for row in table}) for column in ("age", "nation")}
    for column, values in counted.items():
        each = str(400 // len(values))
        first = str(400 - (len(values) - 1) * (400 // len(values)))
        write_csv(
            place / f"{column}_counts.csv",
            [["value", "count"], *([v, each if i else first] for i, v in enumerate(values))],
        )
    theirs = [
        [
            f"[{int(row[1]) // 20 * 20}-{int(row[1]) // 20 * 20 + 19}]",
            row[3][:2] + "***",
            NATIONS[row[4]][1],
            row[6],
            row[7],
        ]
        for row in table
    ]
    write_csv(place / "theirs.csv", [["age", "zip", "nation", "disease", "remark"], *theirs])
    (place / "description.yaml").write_text(yaml.safe_dump(dict(DESCRIPTION), sort_keys=False), encoding="utf-8")
