"""Folders that somebody else made: nothing outside of them is opened, nothing of them is echoed, nothing hangs."""

from __future__ import annotations

import json
import os
import random
import shutil

import pytest

import discreet
from discreet.errors import DataError, DiscreetError
from tests.audit.mutations import DEEP, mutated
from tests.audit.releasing import REQUIRE, manifest_of, people, publish, resign
from tests.conftest import how_many

SECRET = "a secret of somebody else"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    return {kind: publish(folder / kind, kind, people(60)) for kind in REQUIRE}


@pytest.fixture
def copied(made, tmp_path):
    def copy(kind):
        return shutil.copytree(made[kind], tmp_path / kind)

    return copy


def refused(folder):
    with pytest.raises(DataError) as error:
        discreet.audit_release(folder)
    assert SECRET not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize(
    "name", ["../outside.csv", "{}/outside.csv", "sub/data.csv", "data*.csv", "?ata.csv", "[d]ata.csv", ".", "", "\0",
             "http://127.0.0.1:9/data.csv", "data.csv.gz", "manifest.json", "data.json", "a" * 5000 + ".csv"]
)  # fmt: skip
def test_a_manifest_names_no_file_outside_of_its_folder(copied, name):
    folder = copied("generalization")
    shutil.copy(folder / "data.csv", folder.parent / "outside.csv")
    (folder / "sub").mkdir()
    shutil.copy(folder / "data.csv", folder / "sub")
    resign(folder, table=name.format(folder.parent))
    assert len(refused(folder)) < 500


@pytest.mark.parametrize("kind", ["bucketization", "ambiguity"])
def test_nor_do_several_tables(copied, kind):
    folder = copied(kind)
    shutil.copy(folder / "sensitive.csv", folder.parent / "outside.csv")
    tables = manifest_of(folder)["tables"]
    resign(folder, tables={"../outside.csv" if n == "sensitive.csv" else n: c for n, c in tables.items()})
    assert "names a table" in refused(folder)


@pytest.mark.parametrize("file", ["data.csv", "manifest.json"])
@pytest.mark.parametrize("what", ["link", "pipe", "device", "folder"])
def test_links_pipes_and_devices_are_not_read(copied, file, what):
    folder = copied("generalization")
    outside = shutil.move(folder / file, folder.parent / f"outside-{file}")
    if what == "link":
        (folder / file).symlink_to(outside)
    elif what == "pipe":
        os.mkfifo(folder / file)
    elif what == "device":
        (folder / file).symlink_to("/dev/zero")
    else:
        (folder / file).mkdir()
    refused(folder)


@pytest.mark.parametrize("file", ["report.html", "mapping.json"])
@pytest.mark.parametrize("what", ["link", "pipe", "device", "large"])
def test_other_files_that_are_none_are_faults(copied, file, what):
    folder = copied("generalization")
    (folder / file).unlink()
    if what == "link":
        (folder.parent / "outside").write_text(SECRET)
        (folder / file).symlink_to(folder.parent / "outside")
    elif what == "pipe":
        os.mkfifo(folder / file)
    elif what == "device":
        (folder / file).symlink_to("/dev/zero")
    else:
        with (folder / file).open("wb") as sparse:
            sparse.truncate(1 << 40)
    found = discreet.audit_release(folder, source=people(60))
    assert {f.fault for f in found.faults if f.grave and f.place == file} & {"missing_file", "changed_file"}
    assert SECRET not in str(found)


@pytest.mark.parametrize(
    "hierarchy", ["/etc/passwd", {"taxonomy": "/etc/passwd"}, {"taxonomy": ["/etc/passwd"]}, ["nation.csv"], 5]
)
def test_hierarchies_that_name_a_file_are_not_read(copied, hierarchy):
    folder = copied("generalization")
    resign(folder, hierarchies=manifest_of(folder)["hierarchies"] | {"nation": hierarchy})
    assert refused(folder) == "manifest.json: is not the manifest of a release; get the whole release again"


def test_listed_files_outside_are_not_there(copied):
    folder = copied("generalization")
    (folder.parent / "outside.txt").write_text(SECRET)
    manifest = manifest_of(folder)
    for name in ("../outside.txt", "/etc/passwd", "a" * 100_000, "\0", "..", "."):
        (folder / "manifest.json").write_text(json.dumps(manifest | {"files": manifest["files"] | {name: {}}}))
        found = [f for f in discreet.audit_release(folder).faults if f.fault == "missing_file"]
        assert len(found) == 1
        assert len(found[0].place) <= 100


@pytest.mark.parametrize(
    "text", ["", "null", "[]", "{", '{"a": NaN}', '{"rows": 1e999}', "[" * 100_000, '{"a":' * 5000 + "1" + "}" * 5000,
             "\ufeff{}", '{"publish": "generalization"}', "9" * 10_000, '{"rows": ' + "9" * 10_000 + "}"]
)  # fmt: skip
def test_manifests_that_are_none_are_mistakes(copied, text):
    folder = copied("generalization")
    (folder / "manifest.json").write_text(text, encoding="utf-8")
    refused(folder)


def test_large_lists_and_deep_ones_end_soon(copied):
    folder = copied("generalization")
    manifest = manifest_of(folder)
    for change in (
        {"references": {"disease": [["flu", 1]] * 1_000_000}},
        {"promises": manifest["promises"] * 100_000},
        {"columns": [f"c{i}" for i in range(1_000_000)]},
        {"notes": ["x"] * 1_000_000},
        {"hierarchies": {"nation": {"taxonomy": [["a"] * 1000] * 1000}}},
        {"node": DEEP},
    ):
        (folder / "manifest.json").write_text(json.dumps(manifest | change))
        try:
            discreet.audit_release(folder)
        except DiscreetError as error:
            assert len(str(error)) < 20_000


@pytest.mark.parametrize("kind", REQUIRE)
def test_no_change_of_a_manifest_makes_us_stumble(copied, kind):
    folder = copied(kind)
    manifest, draw = manifest_of(folder), random.Random(15)
    answers = 0
    for _ in range(how_many(30)):
        words = json.dumps(mutated(manifest, draw))
        (folder / "manifest.json").write_text(words, encoding="utf-8", errors="surrogatepass")
        try:
            answers += bool(discreet.audit_release(folder, source=people(60), population=people(60)).lines)
        except DiscreetError as error:
            assert "root:" not in str(error)
            assert len(str(error)) < 20_000
    assert answers  # else nothing was tried


def test_thousands_of_faults_of_a_kind_are_counted_not_listed(copied):
    folder = copied("generalization")
    for number in range(3000):
        (folder / f"file{number}").touch()
    unlisted = [fault for fault in discreet.audit_release(folder).faults if fault.fault == "unlisted_file"]
    assert len(unlisted) == 11
    assert sum(fault.count for fault in unlisted) == 3000
    assert all(fault.grave for fault in unlisted)
