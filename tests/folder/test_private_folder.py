"""Figures about the source are the custodian's: in a folder of their own, marked so, and unknown to the public one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from stat import S_IMODE
from typing import Any

import pytest

from discreet import Release, anonymize, policy_from_words
from tests.folder.reading import columns_of
from tests.releases.reading import Row

NAMES = ("age", "zip", "disease")
ROWS: list[Row] = [
    (str(20 + 7 * (i % 5)), ("11", "12", "21")[i % 3], ("flu", "hiv", "cold", "zoster")[i % 4]) for i in range(61)
]
KINDS: dict[str, dict[str, Any]] = {
    "generalization": {"require": [{"k_anonymity": {"k": 6}}, {"t_closeness": {"t": 0.4, "distance": "equal"}}]},
    "multidimensional": {"require": [{"l_diversity": {"l": 2}}]},
    "local_recoding": {"require": [{"k_anonymity": {"k": 3}}]},
    "bucketization": {"require": [{"robust": {"r": 2, "min_support": 3}}], "suppress": 0.2},
    "ambiguity": {"require": [{"ambiguity": {"alpha": 0.9, "beta": 0.5}}], "suppress": 0.2},
}
# What is counted in the source, or follows from how the search went over it.
CUSTODIANS = {"loss", "loss_geometric", "losses", "facts", "scans", "seconds"}


@pytest.fixture(params=KINDS)
def release(tmp_path: Path, request: pytest.FixtureRequest) -> Release:
    attributes = {
        "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [10, 20]}},
        "zip": {"role": "quasi_identifier", "hierarchy": {"prefixes": [1]}},
        "disease": {"role": "sensitive"},
    }
    asked = {"attributes": attributes, "publish": request.param, "suppress": 0.1, "seed": 7} | KINDS[request.param]
    return anonymize(policy_from_words(asked), tmp_path / "release", source=columns_of(NAMES, ROWS))


def keys_of(value: object) -> Iterator[str]:
    """Every key anywhere in a JSON value."""
    if isinstance(value, dict):
        yield from value
        for inner in value.values():
            yield from keys_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys_of(inner)


def numbers_of(value: object) -> Iterator[float]:
    """Every number with a fraction anywhere in a JSON value."""
    if isinstance(value, float) and not value.is_integer():
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from numbers_of(inner)


def test_beside_the_release_stands_a_folder_that_only_its_owner_may_open(release: Release, tmp_path: Path) -> None:
    private = tmp_path / "release.private"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["release", "release.private"]
    assert S_IMODE(private.stat().st_mode) == 0o700
    assert sorted(p.name for p in private.iterdir()) == ["figures.json", "report.html"]


def test_everything_in_it_says_that_it_is_not_for_publication(release: Release, tmp_path: Path) -> None:
    for path in (tmp_path / "release.private").iterdir():
        assert "not for publication" in path.read_text(encoding="utf-8").lower(), path.name
    for path in (tmp_path / "release").iterdir():
        assert "not for publication" not in path.read_text(encoding="utf-8").lower(), path.name


def test_no_public_file_refers_to_it(release: Release, tmp_path: Path) -> None:
    for path in (tmp_path / "release").iterdir():
        text = re.sub("<style>.*?</style>", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        assert [word for word in ("release.private", ".private", "figures.json") if word in text] == [], path.name


def test_a_manifest_has_no_figure_about_the_source(release: Release, tmp_path: Path) -> None:
    for path in (tmp_path / "release").glob("*.json"):
        told = json.loads(path.read_text(encoding="utf-8"))
        assert CUSTODIANS & set(keys_of(told)) == set(), path.name
    manifest = json.loads((tmp_path / "release" / "manifest.json").read_text(encoding="utf-8"))
    assert set(manifest["references"].values()) <= {"published"}


def test_no_number_of_the_private_figures_stands_in_a_public_file(release: Release, tmp_path: Path) -> None:
    """Losses, scores and seconds are fractions that don't meet by chance; the tables tell how large groups are."""
    figures = json.loads((tmp_path / "release.private" / "figures.json").read_text(encoding="utf-8"))
    assert figures.keys() >= CUSTODIANS
    manifest = json.loads((tmp_path / "release" / "manifest.json").read_text(encoding="utf-8"))
    told = {*numbers_of({key: figures[key] for key in CUSTODIANS})} - {manifest["average_group"]}
    assert told
    public = "\n".join(path.read_text(encoding="utf-8") for path in (tmp_path / "release").iterdir())
    assert [x for x in told if len(repr(x)) > 5 and repr(x) in public] == []
