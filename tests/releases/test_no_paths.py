"""Folders of this machine carry the names of users, patients and projects: no public file says where anything lay."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from discreet import anonymize, apply, policy_from_words, verify
from discreet.policy.policy import Policy
from discreet.run.from_summary import save_summary
from tests.releases.reading import manifest_of

TELLTALE = "ann-miller-hiv-study"
FILES = {
    "people.csv": "\n".join(
        [
            "id,age,sex,disease",
            *(f"{i},{30 + i % 4},{'fm'[i // 4 % 2]},{['flu', 'cold', 'ulcer'][i % 3]}" for i in range(96)),
        ]
    ),
    "age.csv": "".join(f"{a};3x;*\n" for a in range(30, 34)),
    "disease.csv": "flu;airways;*\ncold;airways;*\nulcer;stomach;*\n",
    "counts.csv": "flu,40\ncold,30\nulcer,20\n",
    "known.csv": "sex,disease,p\nf,flu,0.4\nm,flu,0.3\n",
    "ids.csv": "id\n" + "".join(f"{i}\n" for i in range(0, 96, 2)),
    "everybody.csv": "\n".join(["age,sex", *(f"{30 + i % 4},{'fm'[i // 4 % 2]}" for i in range(192))]),
    "ages.csv": "".join(f"{a},60\n" for a in range(30, 34)),
}
K = {"k_anonymity": {"k": 4}}
CONFIDENT = {"delta": [0, 0.9], "confidence": 0.1}


def attributes(folder: str, sensitive: bool = True, taxonomy: object = None) -> dict[str, Any]:
    disease = {"role": "sensitive", "hierarchy": f"{folder}disease.csv"} if sensitive else {"role": "identifier"}
    return {
        "age": {"role": "quasi_identifier", "hierarchy": taxonomy or f"{folder}age.csv"},
        "sex": {"role": "quasi_identifier"},
        "disease": disease,
    }


def policies(folder: str) -> dict[str, dict[str, Any]]:
    """Every kind of policy that names files, all of them in `folder`."""
    named = {"attributes": attributes(folder), "require": [K]}
    sets = {"taxonomy": f"{folder}age.csv", "sets": True}
    counted = {"class": "III", "prior": f"{folder}counts.csv", "epsilon": 50}
    exact = {"publish": "bucketization", "suppress": 0.5}
    return {
        "hierarchies": named,
        "suppression": named | {"suppress": 0.1, "suppressed": "star"},
        "multidimensional": named | {"publish": "multidimensional"},
        "sets": {"attributes": attributes(folder, taxonomy=sets), "require": [K], "publish": "local_recoding"},
        "closeness": named | {"require": [{"t_closeness": {"t": 0.9}}]},
        "prior": named | {"require": [{"realistic": counted}]},
        "bucketization": named | exact | {"require": [{"l_diversity": {"l": 2}}]},
        "knowledge": named | exact | {"require": [{"robust": {"r": 2, "knowledge": f"{folder}known.csv"}}]},
        "ambiguity": named | {"publish": "ambiguity", "require": [{"ambiguity": {"alpha": 0.5, "beta": 0.9}}]},
        "private": named
        | {"private": {"id": {"file": f"{folder}ids.csv"}}, "require": [{"presence": {"delta": [0, 0.9]}}]},
        "population": named | {"require": [{"presence": {"delta": [0, 0.9], "population": f"{folder}everybody.csv"}}]},
        "marginals": named
        | {
            "require": [
                {
                    "confident_presence": CONFIDENT
                    | {"marginals": {"age": f"{folder}ages.csv", "sex": {"f": 120, "m": 120}}}
                }
            ]
        },
        "summary": {
            "attributes": attributes(folder),
            "require": [K],
            "search": "instant",
            "summary": f"{folder}saved.npz",
        },
        "written summary": {"attributes": attributes(folder), "require": [K], "search": "instant", "summary": "exact"},
    }


@pytest.fixture
def study(tmp_path: Path) -> Path:
    folder = tmp_path / TELLTALE
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text + "\n")
    return folder


def policy_of(words: dict[str, Any], folder: str, start: Path) -> Policy:
    return policy_from_words({"source": f"{folder}people.csv"} | words, start)


@pytest.mark.parametrize("absolute", [True, False])
@pytest.mark.parametrize("kind", policies(""))
def test_no_public_file_names_a_folder_of_this_machine(study: Path, kind: str, absolute: bool) -> None:
    folder = f"{study if absolute else TELLTALE}/"
    words = policies(folder)[kind]
    if str(words.get("summary", "")).endswith(".npz"):
        save_summary(policy_of(words | {"summary": "exact"}, folder, study.parent), study / "saved.npz")
    release = study.parent / "release"
    anonymize(policy_of(words, folder, study.parent), release)
    assert _naming(release) == []
    people = {"population": "everybody.csv", "private": "people.csv"}.get(kind)
    kept = verify(release, population=people and study / people)
    assert kept.verdicts and all(v.holds for v in kept.verdicts)


def test_a_later_release_does_not_name_it_either(study: Path) -> None:
    folder, first, second = f"{study}/", study.parent / "first", study.parent / "second"
    anonymize(policy_of(policies(folder)["hierarchies"], folder, study), first)
    apply(first, study / "people.csv", second)
    assert _naming(second) == []


def test_hierarchies_of_files_are_written_out_instead(study: Path) -> None:
    release = study.parent / "release"
    anonymize(policy_of(policies("")["hierarchies"], "", study), release)
    manifest = manifest_of(release)
    assert manifest["hierarchies"]["age"] == {"taxonomy": [[str(age), "3x"] for age in range(30, 34)]}
    assert manifest["policy"]["attributes"]["age"] == {"role": "quasi_identifier"}
    assert not any(name in json.dumps(manifest) for name in ("age.csv", "disease.csv"))


def _naming(release: Path) -> list[str]:
    """The files of a release that name the folder, or that could be made to say so by whoever reads them."""
    files = [file for file in release.rglob("*") if file.is_file()]
    assert len(files) > 2
    return [file.name for file in files if TELLTALE.encode() in file.read_bytes()]
