"""A folder that a stranger made: nothing outside of it is opened, and nothing of what is in it is told."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from discreet import DiscreetError, anonymize, apply, policy_from_words, verify
from discreet.cli.main import app
from discreet.releases.queries import query_error_of
from discreet.releases.verify import verify as verify_promises
from tests.releases.making import put_manifest
from tests.releases.reading import manifest_of

SECRET = "Sekretariat"
TABLE = {
    "age": [str(20 + i % 20) for i in range(40)],
    "zip": [f"4790{i % 3}" for i in range(40)],
    "disease": ["flu", "cold", "HIV", "cold"] * 10,
}


def words(publish: str = "generalization", **more: Any) -> dict[str, Any]:
    attributes = {
        "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [10]}},
        "zip": {"role": "quasi_identifier", "hierarchy": {"prefixes": [4]}},
        "disease": {"role": "sensitive"},
    }
    require = [{"k_anonymity": {"k": 3}}, {"t_closeness": {"t": 0.9}}]
    return {"attributes": attributes, "require": require, "publish": publish, **more}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("made")
    for publish in ("generalization", "multidimensional", "local_recoding"):
        anonymize(policy_from_words(words(publish)), folder / publish, source=TABLE)
    apart = words("bucketization", require=[{"l_diversity": {"l": 2, "kind": "frequency"}}])
    anonymize(policy_from_words(apart), folder / "bucketization", source=TABLE)
    anonymize(policy_from_words(words(format="parquet")), folder / "parquet", source=TABLE)
    return {path.name: path for path in folder.iterdir()}


@pytest.fixture
def copy(made: dict[str, Path], tmp_path: Path) -> Callable[[str], Path]:
    return lambda kind: Path(shutil.copytree(made[kind], tmp_path / "release"))


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file of the reader's own, which no stranger should make us open."""
    path = tmp_path / "secret.csv"
    path.write_text(f"{SECRET},everything\nage,1\n", encoding="utf-8")
    return path


def refused(folder: Path, *arguments: str) -> str:
    """What `verify` says of a release that is none, and `apply` and the queries as well."""
    ran = CliRunner().invoke(app, ["verify", str(folder), *arguments])
    assert ran.exit_code == 1, ran.output
    said = ran.output + (str(ran.exception) if isinstance(ran.exception, DiscreetError) else "")
    assert SECRET not in said
    with pytest.raises(DiscreetError) as caught:
        apply(folder, TABLE, folder.parent / "applied")
    assert SECRET not in str(caught.value)
    return said


def changed_manifest(folder: Path, path: tuple[Any, ...], new: Any) -> dict[str, Any]:
    """What the manifest says, with something else at one place."""
    manifest = manifest_of(folder)
    place = manifest
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = new
    return manifest


def spied_upon(path: Path) -> list[str]:
    """The files of this name that are opened from now on."""
    opened: list[str] = []

    def audit(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str | bytes | os.PathLike):
            name = os.fsdecode(arguments[0])
            if Path(name).name == path.name:
                opened.append(name)

    sys.addaudithook(audit)
    return opened


@pytest.mark.parametrize("named", [lambda p: p, lambda p: {"taxonomy": p}, lambda p: {"taxonomy": p, "sets": True}])
@pytest.mark.parametrize("column", ["disease", "age"])
@pytest.mark.parametrize("absolute", [True, False])
def test_a_hierarchy_that_names_a_file_is_not_opened(
    copy: Callable[[str], Path], secret: Path, monkeypatch: pytest.MonkeyPatch, named: Any, column: str, absolute: bool
) -> None:
    folder = copy("multidimensional")
    monkeypatch.chdir(secret.parent)
    opened = spied_upon(secret)
    manifest = manifest_of(folder)
    manifest["hierarchies"][column] = named(str(secret) if absolute else secret.name)
    put_manifest(folder, manifest)
    assert "manifest.json.hierarchies: names a file" in refused(folder)
    assert not opened


@pytest.mark.parametrize(
    "promise",
    [
        {"realistic": {"class": "III", "epsilon": 9, "prior": "secret.csv"}},
        {"robust": {"r": 2, "knowledge": "secret.csv"}},
        {"confident_presence": {"delta": [0, 1], "confidence": 0.5, "marginals": {"age": "secret.csv"}}},
    ],
    ids=["prior", "knowledge", "marginals"],
)
@pytest.mark.parametrize("place", ["promises", "require"])
def test_a_promise_that_names_a_file_is_not_opened(
    copy: Callable[[str], Path], secret: Path, monkeypatch: pytest.MonkeyPatch, promise: Any, place: str
) -> None:
    folder = copy("generalization")
    monkeypatch.chdir(secret.parent)
    opened = spied_upon(secret)
    manifest = manifest_of(folder)
    if place == "promises":
        manifest["promises"].append({**manifest["promises"][0], "model": promise})
    manifest["policy"]["require"].append(promise)
    put_manifest(folder, manifest)
    assert "names a file" in refused(folder)
    assert not opened


@pytest.mark.parametrize(
    "name", ["../secret.csv", "{absolute}", "..", "*.csv", "data.csv/../../secret.csv", "secret.csv"]
)
def test_a_table_of_another_folder_is_not_read(copy: Callable[[str], Path], secret: Path, name: str) -> None:
    folder = copy("generalization")
    if name == "secret.csv":
        (folder / name).symlink_to(secret)
    manifest = manifest_of(folder)
    manifest["table"] = name.format(absolute=secret)
    manifest["files"][manifest["table"]] = manifest["files"].pop("data.csv")
    (folder / "data.csv").unlink()
    manifest["columns"] = [SECRET, "everything"]
    put_manifest(folder, manifest)
    refused(folder)
    with pytest.raises(DiscreetError):
        query_error_of(folder, TABLE)


def test_a_sign_for_many_files_stands_for_itself(copy: Callable[[str], Path]) -> None:
    """A second part of the table, beside one that is called like all of them."""
    folder = copy("generalization")
    rows = (folder / "data.csv").read_text().splitlines(keepends=True)
    (folder / "data.csv").write_text("".join(rows[:21]))
    (folder / "*.csv").write_text(rows[0] + "".join(rows[21:]))
    manifest = manifest_of(folder)
    manifest["table"] = "*.csv"
    manifest["files"]["*.csv"] = dict(manifest["files"]["data.csv"])
    put_manifest(folder, manifest)
    assert "lists files that no release has" in refused(folder)


def test_a_second_table_of_another_folder_is_not_read(copy: Callable[[str], Path], secret: Path) -> None:
    folder = copy("bucketization")
    manifest = manifest_of(folder)
    manifest["tables"]["../sensitive.csv"] = manifest["tables"].pop("sensitive.csv")
    manifest["files"]["../sensitive.csv"] = manifest["files"].pop("sensitive.csv")
    (folder / "sensitive.csv").rename(folder.parent / "sensitive.csv")
    put_manifest(folder, manifest)
    assert "names a table of another folder" in refused(folder)


@pytest.mark.parametrize("name", ["data.csv", "mapping.json", "report.html", "manifest.json"])
@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_links_pipes_and_folders_are_no_files_of_a_release(copy: Callable[[str], Path], name: str, kind: str) -> None:
    folder = copy("generalization")
    elsewhere = folder.parent / name
    (folder / name).rename(elsewhere)
    if kind == "link":
        (folder / name).symlink_to(elsewhere)
    elif kind == "pipe":
        os.mkfifo(folder / name)
    else:
        (folder / name).mkdir()
    if name == "manifest.json" and kind == "folder":
        with pytest.raises(DiscreetError):
            verify(folder)
        return
    refused(folder)


@pytest.mark.parametrize("kind", ["link", "pipe", "folder", "file"])
def test_a_folder_of_parts_has_nothing_but_its_parts(copy: Callable[[str], Path], secret: Path, kind: str) -> None:
    folder = copy("parquet")
    part = (folder / "data.parquet").rename(folder.parent / "part-00000.parquet")
    (folder / "data.parquet").mkdir()
    shutil.copy(part, folder / "data.parquet" / part.name)
    manifest = manifest_of(folder)
    about = manifest["files"]["data.parquet"]
    sizes = {"sha256": about["sha256"], "bytes": part.stat().st_size}
    manifest["files"]["data.parquet"] = {"parts": {part.name: sizes}}
    put_manifest(folder, manifest)
    assert verify_promises(folder).kept
    other = folder / "data.parquet" / ".hidden"
    if kind == "link":
        other.symlink_to(secret)
    elif kind == "pipe":
        os.mkfifo(other)
    elif kind == "folder":
        other.mkdir()
    else:
        other.write_text(SECRET)
    refused(folder)


@pytest.mark.parametrize("name", [".DS_Store", "raw.csv", "sub/raw.csv", ".git/config", "\x1b[2J.csv"])
def test_whatever_the_manifest_does_not_list_is_refused(copy: Callable[[str], Path], name: str) -> None:
    folder = copy("generalization")
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(SECRET)
    said = refused(folder)
    assert "is not part of the release, and nobody checked it" in said
    assert "\x1b" not in said


def test_a_listed_file_that_no_release_has_is_refused(copy: Callable[[str], Path]) -> None:
    folder = copy("generalization")
    (folder / "names.csv").write_text(SECRET)
    manifest = manifest_of(folder)
    manifest["files"]["names.csv"] = {"bytes": 1}
    put_manifest(folder, manifest)
    assert "lists files that no release has" in refused(folder)


@pytest.mark.parametrize(
    "path",
    [
        (),
        ("rows",),
        ("policy",),
        ("policy", "attributes", "age"),
        ("promises", 0),
        ("files", "data.csv"),
        ("versions",),
    ],
    ids=str,
)
def test_a_manifest_says_nothing_that_we_have_no_word_for(copy: Callable[[str], Path], path: tuple[Any, ...]) -> None:
    folder = copy("generalization")
    manifest = manifest_of(folder)
    place = manifest
    for key in path:
        place = place[key]
    place["names"] = {"Ann": SECRET}
    put_manifest(folder, manifest)
    assert "says more than a manifest does" in refused(folder)


@pytest.mark.parametrize("word", ["seed", "private"])
def test_a_manifest_tells_no_seed_and_names_nobody(copy: Callable[[str], Path], word: str) -> None:
    folder = copy("generalization")
    manifest = manifest_of(folder)
    manifest["policy"][word] = 7
    put_manifest(folder, manifest)
    assert "manifest.json.policy: says more than a manifest does" in refused(folder)


@pytest.mark.parametrize(
    ("path", "new"),
    [
        (("created",), SECRET),
        (("random",), SECRET),
        (("search",), SECRET),
        (("versions", "python"), f"3 {SECRET}"),
        (("rows", "source"), SECRET),
        (("node", "age"), [SECRET]),
        (("files", "data.csv", "sha256"), SECRET),
        (("columns",), [{SECRET: 1}]),
        (("roles", "age"), SECRET),
        (("groups",), True),
        (("smallest_group",), 10**30),
        (("promises", 0, "holds"), SECRET),
    ],
    ids=str,
)
def test_what_stands_in_a_manifest_is_what_its_word_means(
    copy: Callable[[str], Path], path: tuple[Any, ...], new: Any
) -> None:
    folder = copy("generalization")
    manifest = changed_manifest(folder, path, new)
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    assert "is not what a manifest says there" in refused(folder)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace('"groups"', '"groups": 1, "groups"', 1),
        lambda text: text.replace('"groups": ', '"groups": NaN, "x": ', 1),
        lambda text: text.replace('"groups": ', '"groups": 1e999, "x": ', 1),
        lambda text: text.replace('"age"', '"\\ud800"', 1),
        lambda text: text.replace('"groups": ', f'"groups": {"9" * 5000}, "x": ', 1),
    ],
    ids=["a name twice", "no number", "infinite", "half a character", "digits"],
)
def test_json_that_readers_may_take_differently_is_refused(copy: Callable[[str], Path], change: Any) -> None:
    folder = copy("generalization")
    path = folder / "manifest.json"
    text = path.read_text(encoding="utf-8")
    assert change(text) != text
    path.write_text(change(text), encoding="utf-8")
    assert "can't be read" in refused(folder)


@pytest.mark.parametrize(
    ("path", "new"),
    [
        (("promises", 0, "model"), {"k_anonymity": {"k": SECRET}}),
        (("promises", 0, "model"), {SECRET: {"k": 5}}),
        (("hierarchies", "disease"), {"taxonomy": [[SECRET, "all"]]}),
        (("hierarchies", "disease"), {SECRET: 1}),
        (("hierarchies", "disease"), {"intervals": [5]}),
    ],
    ids=str,
)
def test_words_and_values_of_a_stranger_are_not_told(
    copy: Callable[[str], Path], path: tuple[Any, ...], new: Any
) -> None:
    folder = copy("generalization")
    put_manifest(folder, changed_manifest(folder, path, new))
    assert "HIV" not in refused(folder)


@pytest.mark.parametrize("place", ["hierarchy", "summary"])
def test_an_earlier_policy_names_no_file_to_later_rows(
    copy: Callable[[str], Path], secret: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """What `apply` takes over of a policy opens nothing, whatever it is about."""
    monkeypatch.chdir(secret.parent)
    folder = copy("generalization")
    opened = spied_upon(secret)
    manifest = manifest_of(folder)
    about = manifest["policy"] if place == "summary" else manifest["policy"]["attributes"]["age"]
    about[place] = str(secret)
    put_manifest(folder, manifest)
    assert "names a file" in refused(folder)
    assert not opened
