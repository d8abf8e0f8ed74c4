"""A column that says whose row it is changes nothing where every row is another person's."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from discreet import Release, anonymize, policy_from_words

DIVERSE = {"l_diversity": {"l": 2, "kind": "frequency"}}
CLOSE = {"t_closeness": {"t": "1/2", "distance": "equal"}}
WAYS: dict[str, dict[str, Any]] = {
    "optimal": {"require": [{"k_anonymity": {"k": 3}}, DIVERSE], "suppress": "1/10"},
    "incognito": {"require": [{"k_anonymity": {"k": 3}}, CLOSE], "search": "incognito"},
    "optimize": {"require": [{"alpha_k": {"alpha": "2/3", "k": 2}}], "search": "optimize"},
    "instant": {"require": [{"k_anonymity": {"k": 3}}, DIVERSE], "search": "instant", "summary": "histogram"},
    "instant_cuts": {"require": [{"k_anonymity": {"k": 3}}], "search": "instant_cuts"},
    "mondrian": {"require": [{"k_anonymity": {"k": 3}}, DIVERSE], "publish": "multidimensional", "suppress": "1/10"},
    "instant mondrian": {"require": [{"k_anonymity": {"k": 3}}], "publish": "multidimensional", "search": "instant"},
    "local": {"require": [{"k_anonymity": {"k": 3}}, DIVERSE], "publish": "local_recoding", "suppress": "1/10"},
    "anatomy": {"require": [DIVERSE], "publish": "bucketization", "search": "anatomy"},
    "injector": {"require": [DIVERSE], "publish": "bucketization", "search": "injector"},
    "mask": {"require": [DIVERSE], "publish": "bucketization", "search": "mask"},
    "art": {"require": [{"robust": {"r": "3/2", "min_support": 5}}], "publish": "bucketization", "suppress": "1/10"},
    "greedy": {"require": [{"ambiguity": {"alpha": "4/5", "beta": "2/3"}}], "publish": "ambiguity", "suppress": "1/5"},
}
ATTRIBUTES: dict[str, Any] = {
    "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [10, 20, 40]}},
    "zip": {"role": "quasi_identifier", "hierarchy": {"prefixes": [2, 1]}},
    "disease": {"role": "sensitive"},
}
PERSON = {"patient": {"role": "person"}}
TOLD = {"manifest.json", "report.html"}  # files in which it is said whose rows they are
# What manifests may differ in: the time, and fingerprints of files that tell it.
_TIMES = ("created", "checksum", "files", "release")


def table(rows: int = 40) -> dict[str, list[str | None]]:
    """Everybody once, some without a name."""
    random = Random(3)
    return {
        "age": [str(random.randrange(20, 60)) for _ in range(rows)],
        "zip": [f"4{random.randrange(3)}{random.randrange(3)}" for _ in range(rows)],
        "disease": random.choices(["flu", "cold", "gout", "burn"], k=rows),
        "patient": [f"Ann{n}" if n % 7 else None for n in random.sample(range(rows), rows)],
    }


def published(folder: Path, way: str, person: dict[str, Any], **more: Any) -> Release:
    source = table() if person else {name: column for name, column in table().items() if name != "patient"}
    words = {"attributes": ATTRIBUTES | person, "seed": 5, **WAYS[way], **more}
    return anonymize(policy_from_words(words), folder, source=source)


@pytest.mark.parametrize("way", WAYS)
def test_a_table_with_one_row_a_person_is_released_as_without_the_column(way: str, tmp_path: Path) -> None:
    one, other = (published(tmp_path / name, way, person) for name, person in (("named", PERSON), ("not", {})))
    files = {path.name for path in one.folder.iterdir()}
    assert files == {path.name for path in other.folder.iterdir()}
    assert any(name.endswith(".csv") for name in files)
    for name in files - TOLD:
        assert (one.folder / name).read_bytes() == (other.folder / name).read_bytes(), name


@pytest.mark.parametrize("way", WAYS)
def test_a_statement_that_every_row_is_anothers_says_the_same_as_a_column(way: str, tmp_path: Path) -> None:
    """The whole folder but for what names the role, and the page, which says what a column of people means."""
    named = published(tmp_path / "named", way, PERSON)
    stated = published(tmp_path / "stated", way, {}, one_row_per_person=True)
    for name in {path.name for path in named.folder.iterdir()} - TOLD:
        assert (named.folder / name).read_bytes() == (stated.folder / name).read_bytes(), name
    assert _lasting(named.manifest) == _lasting(stated.manifest)


def _lasting(manifest: Any) -> Any:
    """A manifest without times, and without how it is said whose rows they are."""
    if isinstance(manifest, dict):
        left_out = (*_TIMES, "one_row_per_person", "patient")
        return {name: _lasting(part) for name, part in manifest.items() if name not in left_out}
    return [_lasting(part) for part in manifest] if isinstance(manifest, list) else manifest
