"""Exact values in tables apart: whatever is touched is found out, also by whoever makes all fingerprints right."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import DiscreetError, verify
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.groups.l_diversity import FrequencyDiversity
from discreet.models.robust.given_knowledge import GivenKnowledge
from discreet.models.robust.robust import Robust
from discreet.run.apply import apply
from discreet.search.plan import SUPPRESSED
from tests.releases.making import Columns, planned, put_manifest, release
from tests.releases.reading import manifest_of

SOURCE = {
    "age": [str(20 + i % 6) for i in range(25)],
    "zip": [f"47{i % 4}" for i in range(25)],
    "disease": ["flu", "cold", "HIV", "gout", "ulcer"] * 5,
}
COLUMNS = Columns(("age", "zip"), ("disease",))
GROUP = [i // 6 for i in range(24)] + [SUPPRESSED]
MODELS = (KAnonymity(6), FrequencyDiversity(3, "disease"))
Lines = list[str]


@pytest.fixture(scope="module")
def bucketized(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bucketized") / "r"
    release(planned(SOURCE, COLUMNS, GROUP), folder, MODELS)
    return folder


@pytest.fixture(scope="module")
def ambiguous(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ambiguous") / "r"
    release(planned(SOURCE, COLUMNS, GROUP, tables=[[0], [1]]), folder, MODELS)
    return folder


def copy_of(folder: Path, target: Path) -> Path:
    return Path(shutil.copytree(folder, target / "copy"))


def change(folder: Path, file: str, edit: Callable[[Lines], Lines]) -> None:
    lines = (folder / file).read_text(encoding="utf-8").splitlines()
    changed = edit(list(lines))
    assert changed != lines
    (folder / file).write_text("\n".join(changed) + "\n", encoding="utf-8")


def forge(folder: Path) -> None:
    put_manifest(folder, manifest_of(folder))


def cell(line: int, column: int, new: str) -> Callable[[Lines], Lines]:
    """Another value in one place."""

    def edit(lines: Lines) -> Lines:
        cells = lines[line].split(",")
        cells[column] = new
        return [*lines[:line], ",".join(cells), *lines[line + 1 :]]

    return edit


def test_untouched_releases_are_kept(bucketized: Path, ambiguous: Path) -> None:
    for folder in (bucketized, ambiguous):
        for found in (verify(folder), verify(folder, SOURCE)):
            assert found.kept
            assert [v.holds for v in found.verdicts] == [True, True]
            assert (found.groups, found.smallest_group) == (4, 6)


def test_what_an_outsider_judges_is_what_the_plan_promised(bucketized: Path, ambiguous: Path) -> None:
    for folder in (bucketized, ambiguous):
        levels = [p["level"] for p in manifest_of(folder)["promises"]]
        assert [v.level for v in verify(folder).verdicts] == levels == [6.0, 3.0]


BUCKETIZED = {
    "a row moved to another group": ("quasi_identifiers.csv", cell(1, 2, "2")),
    "a value moved to another group": ("sensitive.csv", cell(1, 0, "2")),
    "a row too many": ("quasi_identifiers.csv", lambda lines: [*lines, lines[-1]]),
    "a value too many": ("sensitive.csv", lambda lines: [*lines, lines[-1]]),
    "a row removed": ("quasi_identifiers.csv", lambda lines: lines[:-1]),
    "a value removed": ("sensitive.csv", lambda lines: lines[:-1]),
    "a group of its own": ("quasi_identifiers.csv", cell(1, 2, "5")),
    "a group with a name": ("sensitive.csv", cell(1, 0, "ward 7")),
    "a group without a number": ("sensitive.csv", cell(1, 0, "")),
    "a number written otherwise": ("quasi_identifiers.csv", cell(1, 2, "01")),
    "a group renumbered": (
        "sensitive.csv",
        lambda lines: ["9" + line[1:] if line[0] == "4" else line for line in lines],
    ),
    "one value for all": ("sensitive.csv", lambda lines: [lines[0], *(line[:2] + "flu" for line in lines[1:])]),
    "a column more": ("quasi_identifiers.csv", lambda lines: [line + ",x" for line in lines]),
    "a column less": ("quasi_identifiers.csv", lambda lines: [line.partition(",")[2] for line in lines]),
    "another header": ("sensitive.csv", cell(0, 1, "illness")),
    "nobody": ("sensitive.csv", lambda lines: lines[:1]),
    "a quote that does not end": ("sensitive.csv", cell(3, 1, '"flu')),
}


@pytest.mark.parametrize("name", BUCKETIZED)
def test_changes_of_bucketized_files_are_found_out(bucketized: Path, tmp_path: Path, name: str) -> None:
    folder = copy_of(bucketized, tmp_path)
    change(folder, *BUCKETIZED[name])
    assert "SHA-256 differs" in str(verify(folder).mistakes)
    forge(folder)
    assert not verify(folder).kept


AMBIGUOUS = {
    "a value moved to another group": ("auxiliary_age.csv", cell(1, 1, "9")),
    "a row twice": ("auxiliary_zip.csv", lambda lines: [*lines, lines[-1]]),
    "more values than people": (
        "auxiliary_age.csv",
        lambda lines: [*lines, "91,1", "92,1", "93,1", "94,1", "95,1", "96,1", "97,1"],
    ),
    "a group without values": ("auxiliary_zip.csv", lambda lines: [line for line in lines if line[-2:] != ",4"]),
    "a count less": ("sensitive.csv", cell(1, 2, "0")),
    "a count that is negative": ("sensitive.csv", cell(1, 2, "-1")),
    "a count that is not whole": ("sensitive.csv", cell(1, 2, "1.0")),
    "a count that is no number": ("sensitive.csv", cell(1, 2, "many")),
    "no count": ("sensitive.csv", cell(1, 2, "")),
    "a count beyond all bounds": ("sensitive.csv", cell(1, 2, "9" * 40)),
    "a changed count": ("sensitive.csv", cell(1, 2, "3")),
    "a value twice": ("sensitive.csv", lambda lines: [*lines, lines[-1]]),
    "a value with two counts": ("sensitive.csv", lambda lines: [*lines, lines[-1][:-1] + "2"]),
    "a row removed": ("sensitive.csv", lambda lines: lines[:-1]),
    "a group of its own": ("sensitive.csv", cell(1, 0, "5")),
    "another column": ("auxiliary_zip.csv", lambda lines: [f"x,{line}" for line in lines]),
}


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_changes_of_ambiguous_files_are_found_out(ambiguous: Path, tmp_path: Path, name: str) -> None:
    folder = copy_of(ambiguous, tmp_path)
    change(folder, *AMBIGUOUS[name])
    assert "SHA-256 differs" in str(verify(folder).mistakes)
    forge(folder)
    assert not verify(folder).kept


@pytest.mark.parametrize(
    ("kind", "file", "edit"),
    [
        ("bucketized", "quasi_identifiers.csv", cell(1, 0, "99")),
        ("bucketized", "quasi_identifiers.csv", cell(1, 1, "")),
        ("bucketized", "quasi_identifiers.csv", lambda lines: [lines[0], *("20,470" + x[-2:] for x in lines[1:])]),
        ("ambiguous", "auxiliary_age.csv", cell(1, 0, "99")),
        ("ambiguous", "auxiliary_zip.csv", cell(1, 0, "")),
    ],
)
def test_people_that_the_source_has_not_are_found_with_the_source(
    request: pytest.FixtureRequest, tmp_path: Path, kind: str, file: str, edit: Callable[[Lines], Lines]
) -> None:
    """The promises hold, so that nobody without the source can tell."""
    folder = copy_of(request.getfixturevalue(kind), tmp_path)
    change(folder, file, edit)
    forge(folder)
    assert verify(folder).kept
    found = verify(folder, SOURCE)
    assert "that the source does not have" in str(found.mistakes)
    assert not found.kept


@pytest.mark.parametrize(
    ("tables", "edit"),
    [
        (None, lambda lines: [*lines[:-1], lines[-1].replace("flu", "cold")]),
        ([[0], [1]], lambda lines: [lines[0], "1,cold,4", "1,flu,2"]),
    ],
)
def test_values_that_the_source_has_less_often_are_found_with_the_source(
    tmp_path: Path, tables: list[list[int]] | None, edit: Callable[[Lines], Lines]
) -> None:
    source = {"age": list("123456"), "zip": list("aabbcc"), "disease": ["cold", "flu"] * 3}
    folder = tmp_path / "r"
    release(planned(source, COLUMNS, [0] * 6, tables=tables), folder, [KAnonymity(6)])
    change(folder, "sensitive.csv", edit)
    forge(folder)
    assert verify(folder).kept
    assert "sensitive.csv: has 1 row that the source does not have" in "\n".join(
        map(str, verify(folder, source).mistakes)
    )


def test_another_source_is_told_apart(bucketized: Path, ambiguous: Path) -> None:
    for folder in (bucketized, ambiguous):
        fewer = {name: values[:-1] for name, values in SOURCE.items()}
        assert "has 24 rows, but the release was made from 25" in str(verify(folder, fewer).mistakes)
        with pytest.raises(DiscreetError, match="has no column 'zip', which the release has") as caught:
            verify(folder, {name: values for name, values in SOURCE.items() if name != "zip"})
        assert caught.value.exit_code == 2
        with pytest.raises(DiscreetError, match="no such file"):
            verify(folder, "nowhere.csv")


@pytest.mark.parametrize("kind", ["bucketized", "ambiguous"])
def test_missing_and_extra_files_are_found_out(request: pytest.FixtureRequest, tmp_path: Path, kind: str) -> None:
    made = request.getfixturevalue(kind)
    for i, file in enumerate(manifest_of(made)["tables"]):
        (tmp_path / str(i)).mkdir()
        folder = copy_of(made, tmp_path / str(i))
        (folder / file).unlink()
        assert f"{file}: is missing" in "\n".join(map(str, verify(folder).mistakes))
        (folder / file).write_bytes(b"\x00\xff" * 100)
        forge(folder)
        assert not verify(folder).kept
    (tmp_path / "extra").mkdir()
    folder = copy_of(made, tmp_path / "extra")
    (folder / "raw.csv").write_text("name\nAnn\n")
    assert "nobody checked it" in str(verify(folder).mistakes)


CHANGES: list[tuple[tuple[Any, ...], Any]] = [
    (("promises", 0, "model"), {"k_anonymity": {"k": 5}}),
    (("promises", 1, "level"), 4.0),
    (("promises",), []),
    (("policy", "require"), [{"k_anonymity": {"k": 9}}]),
    (("policy", "publish"), "generalization"),
    (("publish",), "generalization"),
    (("rows", "published"), 23),
    (("rows", "suppressed"), 2),
    (("groups",), 5),
    (("smallest_group",), 7),
    (("tables",), {}),
    (("group_column",), "zip"),
    (("group_column",), "number"),
    (("columns",), ["age", "disease"]),
    (("roles", "zip"), "other"),
    (("roles", "disease"), "quasi_identifier"),
    (("files",), {}),
]


@pytest.mark.parametrize(("path", "new"), CHANGES, ids=[".".join(map(str, p)) + f"-{n}" for p, n in CHANGES])
@pytest.mark.parametrize("kind", ["bucketized", "ambiguous"])
def test_a_manifest_that_is_wrong_is_found_out(
    request: pytest.FixtureRequest, tmp_path: Path, kind: str, path: tuple[Any, ...], new: Any
) -> None:
    folder = copy_of(request.getfixturevalue(kind), tmp_path)
    put_manifest(folder, with_change(manifest_of(folder), path, new))
    try:
        assert not verify(folder).kept
    except DiscreetError as error:
        assert error.exit_code == 1


def with_change(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    copy = json.loads(json.dumps(value))
    place = copy
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = new
    return copy


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=4,
)


@pytest.mark.parametrize("kind", ["bucketized", "ambiguous"])
@settings(max_examples=15)
@given(data=st.data(), new=_json, forged=st.booleans())
def test_a_mangled_manifest_gives_a_verdict_never_a_crash(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    kind: str,
    data: st.DataObject,
    new: Any,
    forged: bool,
) -> None:
    made = request.getfixturevalue(kind)
    manifest = manifest_of(made)
    parts = [(key,) for key in manifest] + [(k, i) for k, v in manifest.items() if isinstance(v, dict) for i in v]
    changed = with_change(manifest, data.draw(st.sampled_from(parts)), new)
    folder = copy_of(made, tmp_path_factory.mktemp("mangled"))
    try:
        put_manifest(folder, changed)
    except (AttributeError, TypeError, KeyError):
        return  # not even a forger could make this right
    if not forged:
        (folder / "manifest.json").write_text(json.dumps(changed | {"checksum": manifest["checksum"]}))
    for source in (None, SOURCE):
        try:
            kept = verify(folder, source).kept
        except DiscreetError as error:
            assert error.exit_code in (1, 2)
        else:
            assert not kept or forged or changed == manifest


def test_overlapping_tables_are_not_apart(ambiguous: Path, tmp_path: Path) -> None:
    """Whoever joins them has combinations that the promise takes for hidden."""
    folder = copy_of(ambiguous, tmp_path)
    manifest = manifest_of(folder)
    shutil.copy(folder / "auxiliary_age.csv", folder / "auxiliary_age_2.csv")
    manifest["files"]["auxiliary_age_2.csv"] = {}
    manifest["tables"]["auxiliary_age_2.csv"] = ["age"]
    put_manifest(folder, manifest)
    assert "columns that its roles ask for" in str(verify(folder).mistakes)


def test_a_table_that_the_manifest_does_not_list_is_found_out(ambiguous: Path, tmp_path: Path) -> None:
    folder = copy_of(ambiguous, tmp_path)
    manifest = manifest_of(folder)
    del manifest["files"]["auxiliary_age.csv"]
    put_manifest(folder, manifest)
    assert "does not list all published tables" in str(verify(folder).mistakes)


@pytest.mark.parametrize("tables", [None, [[0, 1]]])
def test_messages_name_nobody(tmp_path: Path, tables: list[list[int]] | None) -> None:
    source = {
        "age": [f"Secret-{i}" for i in range(6)],
        "zip": [f"Secret-{i % 2}" for i in range(6)],
        "disease": ["Secret-flu", "Secret-cold"] * 3,
    }
    models = (KAnonymity(3),)
    release(planned(source, COLUMNS, [0, 0, 0, 1, 1, 1], tables=tables), tmp_path / "r", models)
    edits: list[Callable[[Lines], Lines]] = [
        lambda lines: [line.replace("Secret-1", "Secret-7") for line in lines],
        lambda lines: [*lines, lines[-1]],
        lambda lines: [line.replace("1", '"1') for line in lines],
        lambda lines: [*lines, "Secret-8,Secret-9,Secret-1"],
        lambda lines: [line.replace("1", "Secret-x") for line in lines],
    ]
    files = list(manifest_of(tmp_path / "r")["tables"])
    for i, edit in enumerate(edits):
        for file in files:
            (tmp_path / f"{i}{file}").mkdir()
            folder = copy_of(tmp_path / "r", tmp_path / f"{i}{file}")
            lines = (folder / file).read_text().splitlines()
            (folder / file).write_text("\n".join(edit(lines)) + "\n")
            assert "Secret" not in str(verify(folder, source))


def test_a_release_of_nothing_is_kept(tmp_path: Path) -> None:
    for i, tables in enumerate([None, [[0], [1]]]):
        for form in ("csv", "parquet"):
            folder = tmp_path / f"{i}{form}"
            release(planned(SOURCE, COLUMNS, [SUPPRESSED] * 25, tables=tables), folder, MODELS, form)
            assert verify(folder).kept
            assert verify(folder, SOURCE).kept


@pytest.mark.parametrize("kind", ["bucketized", "ambiguous"])
def test_later_rows_can_t_follow_tables_apart(request: pytest.FixtureRequest, tmp_path: Path, kind: str) -> None:
    with pytest.raises(DiscreetError, match="no mapping for later rows to follow; publish old and new") as caught:
        apply(request.getfixturevalue(kind), SOURCE, tmp_path / "new")
    assert caught.value.exit_code == 2


def test_a_promise_about_the_source_is_told_to_need_it(tmp_path: Path) -> None:
    models = (KAnonymity(6), Robust(2, "disease"))
    release(planned(SOURCE, COLUMNS, GROUP), tmp_path / "r", models)
    found = verify(tmp_path / "r")
    assert [v.model for v in found.verdicts] == [models[0]]
    assert found.unjudged == (models[1],)
    assert found.kept is None and not found.mistakes
    [missing] = found.missing
    assert "--source" in missing.repair
    judged = verify(tmp_path / "r", SOURCE)
    assert judged.mistakes == ()
    assert [p["level"] for p in manifest_of(tmp_path / "r")["promises"]] == [6.0, None]  # which the source tells
    assert [v.level for v in judged.verdicts] == [6.0, pytest.approx(1 / 3)]
    assert judged.kept


def test_a_promise_about_given_knowledge_needs_no_source(tmp_path: Path) -> None:
    known = GivenKnowledge([({"zip": "470"}, "HIV", 0.3), ({"zip": "471"}, "HIV", 0.2)])
    models = (Robust(2, "disease", knowledge=known),)
    release(planned(SOURCE, COLUMNS, GROUP), tmp_path / "r", models)
    levels = [[v.level for v in verify(tmp_path / "r", source).verdicts] for source in (None, SOURCE)]
    assert levels[0] == levels[1] == [manifest_of(tmp_path / "r")["promises"][0]["level"]]
    assert verify(tmp_path / "r").kept
