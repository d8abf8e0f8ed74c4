"""A release that was touched is found out, whatever was touched; a manifest is never believed blindly."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from discreet import DiscreetError, anonymize, policy_from_words, verify
from discreet.cli.main import app
from discreet.releases.manifest import checksum
from tests.releases.reading import manifest_of

WORDS = {
    "attributes": {
        "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [10]}},
        "sex": {"role": "quasi_identifier"},
        "disease": {"role": "sensitive"},
        "visit": {"role": "other"},
    },
    "require": [{"k_anonymity": {"k": 3}}, {"l_diversity": {"l": 2}}, {"t_closeness": {"t": 0.45}}],
    "suppress": 0.1,
}
TABLE = {
    "age": [str(20 + i % 20) for i in range(40)] + ["99"],
    "sex": ["f", "m"] * 20 + ["f"],
    "disease": ["flu", "cold", "HIV", "cold"] * 10 + ["flu"],
    "visit": [str(i) for i in range(41)],
}


@pytest.fixture(scope="module", params=["csv", "parquet"])
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("verify") / "release"
    anonymize(policy_from_words(WORDS | {"format": request.param}), folder, source=TABLE)
    return folder


@pytest.fixture
def release(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "release"))


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plain") / "release"
    anonymize(policy_from_words(WORDS), folder, source=TABLE)
    return folder


def exit_code(folder: Path) -> int:
    return CliRunner().invoke(app, ["verify", str(folder), "--quiet"]).exit_code


def rewrite_manifest(folder: Path, manifest: dict[str, Any], *, as_if_right: bool = True) -> None:
    """Put a changed manifest in place; a clever forger makes all its fingerprints right."""
    if as_if_right:
        for name, about in manifest["files"].items():
            if (folder / name).is_file():
                about["sha256"] = sha256((folder / name).read_bytes()).hexdigest()
        manifest["checksum"] = checksum(manifest)
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


def lines(folder: Path) -> list[str]:
    return (folder / "data.csv").read_text().splitlines()


def put(folder: Path, rows: list[str]) -> None:
    (folder / "data.csv").write_text("\n".join(rows) + "\n")


def test_an_untouched_release_is_kept(release: Path) -> None:
    assert exit_code(release) == 0
    found = verify(release)
    assert found.kept
    assert found.smallest_group >= 3


def test_a_manifest_may_be_laid_out_anew(release: Path) -> None:
    manifest = manifest_of(release)
    (release / "manifest.json").write_text(json.dumps(manifest, sort_keys=True), encoding="utf-8")
    assert verify(release).kept


@pytest.mark.parametrize("name", ["data", "mapping.json", "report.html"])
def test_a_missing_or_changed_file_is_found_out(release: Path, name: str) -> None:
    [path] = release.glob(f"{name}*")
    content = path.read_bytes()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    assert exit_code(release) == 1
    path.unlink()
    assert exit_code(release) == 1
    path.mkdir()
    assert exit_code(release) == 1


def test_a_swapped_file_is_found_out(release: Path) -> None:
    [table] = release.glob("data.*")
    table.write_bytes((release / "mapping.json").read_bytes())
    assert exit_code(release) == 1


@pytest.mark.parametrize("name", ["raw.csv", ".DS_Store"])
def test_a_file_that_nobody_checked_is_found_out(release: Path, name: str) -> None:
    (release / name).write_text("name\nAnn\n")
    assert exit_code(release) == 1


def test_every_changed_cell_is_found_out(plain: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(plain, tmp_path / "release"))
    whole = lines(folder)
    for i in range(1, len(whole), 7):
        for column in range(4):
            cells = whole[i].split(",")
            cells[column] += "0"
            put(folder, [*whole[:i], ",".join(cells), *whole[i + 1 :]])
            assert not verify(folder).kept


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: rows[:-1],
        lambda rows: [*rows, rows[-1]],
        lambda rows: [*rows, "50-59,x,flu,7"],
        lambda rows: [rows[0], *rows[:0:-1]],
        lambda rows: [r.replace("HIV", "flu") for r in rows],
        lambda rows: [r.replace("age", "Age") for r in rows],
    ],
    ids=["row removed", "row twice", "row added", "order", "values", "header"],
)
def test_changed_rows_are_found_out(plain: Path, tmp_path: Path, change: Any) -> None:
    folder = Path(shutil.copytree(plain, tmp_path / "release"))
    put(folder, change(lines(folder)))
    assert exit_code(folder) == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: rows[:-1],
        lambda rows: [*rows, rows[-1]],
        lambda rows: [rows[0], "77," + rows[1].partition(",")[2], *rows[2:]],
        lambda rows: [r.replace("HIV", "cold").replace("flu", "cold") for r in rows],
        lambda rows: rows[:1],
    ],
    ids=["row removed", "row twice", "a lone row", "no diversity", "no rows"],
)
def test_right_fingerprints_don_t_hide_a_broken_promise(plain: Path, tmp_path: Path, change: Any) -> None:
    folder = Path(shutil.copytree(plain, tmp_path / "release"))
    put(folder, change(lines(folder)))
    rewrite_manifest(folder, manifest_of(folder))
    assert exit_code(folder) == 1


def numbers(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of all numbers in a JSON value."""
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from numbers(inner, (*path, key))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path


def with_change(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    copy = json.loads(json.dumps(value))
    place = copy
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = new(place[path[-1]]) if callable(new) else new
    return copy


def test_every_changed_number_of_the_manifest_is_found_out(plain: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(plain, tmp_path / "release"))
    manifest = manifest_of(folder)
    places = list(numbers(manifest))
    assert len(places) > 20
    for path in places:
        rewrite_manifest(folder, with_change(manifest, path, lambda n: n + 1), as_if_right=False)
        assert not verify(folder).kept, path


@pytest.mark.parametrize(
    ("path", "new"),
    [
        (("promises", 0, "model"), {"k_anonymity": {"k": 2}}),
        (("promises", 0, "level"), 17.0),
        (("promises", 0, "promise"), "17-anonymity"),
        (("promises",), []),
        (("promises",), lambda said: said[:1]),
        (("policy", "require"), [{"k_anonymity": {"k": 9}}]),
        (("rows", "published"), 41),
        (("rows", "suppressed"), 0),
        (("rows", "limit"), 0),
        (("groups",), 1),
        (("smallest_group",), lambda said: said + 1),
        (("table",), "mapping.json"),
        (("table",), "../release/data.csv"),
        (("columns",), ["age", "sex", "disease"]),
        (("roles", "sex"), "other"),
        (("roles", "disease"), "quasi_identifier"),
        (("files",), lambda said: {k: v for k, v in said.items() if k != "data.csv"}),
    ],
)
def test_right_fingerprints_don_t_hide_a_manifest_that_is_wrong(
    plain: Path, tmp_path: Path, path: tuple[Any, ...], new: Any
) -> None:
    folder = Path(shutil.copytree(plain, tmp_path / "release"))
    rewrite_manifest(folder, with_change(manifest_of(folder), path, new))
    assert exit_code(folder) == 1


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=60)
@given(data=st.data(), new=_json, forged=st.booleans())
def test_a_mangled_manifest_gives_a_verdict_never_a_crash(
    plain: Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, new: Any, forged: bool
) -> None:
    manifest = manifest_of(plain)
    parts = [(key,) for key in manifest] + [(k, i) for k, v in manifest.items() if isinstance(v, dict) for i in v]
    parts += [("promises", 0, key) for key in manifest["promises"][0]]
    path = data.draw(st.sampled_from(parts))
    folder = Path(shutil.copytree(plain, tmp_path_factory.mktemp("mangled") / "release"))
    changed = with_change(manifest, path, new)
    try:
        rewrite_manifest(folder, changed, as_if_right=forged)
    except (AttributeError, TypeError):
        return  # not even a forger could make this right
    try:
        kept = verify(folder).kept
    except DiscreetError as error:
        assert error.exit_code == 1
    else:
        assert not kept or forged or changed == manifest


@pytest.mark.parametrize("content", ["", "[]", "5", '{"files": {}}', "{" * 100_000, "\x00"])
def test_a_manifest_that_is_none_is_a_broken_release(release: Path, content: str) -> None:
    (release / "manifest.json").write_text(content)
    with pytest.raises(DiscreetError) as caught:
        verify(release)
    assert caught.value.exit_code == 1


def test_a_folder_without_a_manifest_is_wrong_use(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "nowhere", Path(__file__)):
        with pytest.raises(DiscreetError, match=r"is not a release|no such folder") as caught:
            verify(place)
        assert caught.value.exit_code == 2
