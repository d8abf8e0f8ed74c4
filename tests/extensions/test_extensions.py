"""What outsiders bring is registered by one call, and goes all the way, from the policy to the audit."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from discreet.audit.audit import audit_release
from discreet.audit.kinds.registry import KINDS
from discreet.audit.promises.registry import READINGS
from discreet.errors import DiscreetError, Infeasible, PolicyError
from discreet.models.registry import MODELS
from discreet.policy.kinds import PUBLICATIONS
from discreet.policy.policy import Policy, policy_from_words
from discreet.report.pages.audit_page import to_html
from discreet.report.sections.registry import SECTIONS
from discreet.report.text import to_json, to_text
from discreet.run.anonymize import anonymize
from discreet.run.verify import verify
from discreet.search.registry import SEARCHES
from tests.extensions.alone_or_not import ALONE_OR_NOT
from tests.extensions.at_most import AT_MOST
from tests.extensions.at_most_audited import READING
from tests.extensions.histogram import HISTOGRAM, ONE_GROUP
from tests.extensions.histogram_audited import AuditedHistogram
from tests.extensions.largest_groups import LARGEST_GROUPS
from tests.extensions.p_sensitive import P_SENSITIVE
from tests.extensions.p_sensitive_audited import READING as P_SENSITIVE_READING

TABLE = {
    "age": ["20", "20", "20", "30", "30", "30", "40", "41"],
    "zip": ["479", "479", "479", "479", "479", "479", "479", "479"],
    "disease": ["flu", "cold", "flu", "flu", "cold", "gout", "flu", "gout"],
}


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    brought: list[tuple[Any, str, Any]] = [
        (MODELS, "at_most", AT_MOST),
        (MODELS, "p_sensitive", P_SENSITIVE),
        (SEARCHES, "alone_or_not", ALONE_OR_NOT),
        (SEARCHES, "one_group", ONE_GROUP),
        (PUBLICATIONS, "histogram", HISTOGRAM),
        (SECTIONS, "largest_groups", LARGEST_GROUPS),
        (READINGS, "at_most", READING),
        (READINGS, "p_sensitive", P_SENSITIVE_READING),
        (KINDS, "histogram", AuditedHistogram),
    ]
    for registry, word, thing in brought:
        registry.register(word, thing)
    yield
    for registry, word, _ in brought:
        registry.unregister(word)


def policy(**words: object) -> Policy:
    attributes = {
        "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [10, 20]}},
        "zip": {"role": "quasi_identifier"},
        "disease": {"role": "sensitive"},
    }
    return policy_from_words({"attributes": attributes, "require": [{"k_anonymity": {"k": 2}}]} | words)


def test_a_promise(tmp_path: Path) -> None:
    asked = [{"at_most": {"rows": 2}}, {"k_anonymity": {"k": 2}}]
    release = anonymize(policy(require=asked, suppress=0.25), tmp_path / "release", source=TABLE)
    [told] = [p for p in release.manifest["promises"] if "at_most" in p["model"]]
    assert told["model"] == {"at_most": {"rows": 2, "attribute": "disease"}}
    assert (told["holds"], told["level"]) == (True, 2)
    assert verify(release.folder, source=TABLE).kept
    page = (release.folder / "report.html").read_text()
    assert "In no group do more than 2 rows have the same disease." in page
    assert "Nothing is promised about disease" not in page  # it is about values


@pytest.mark.parametrize(
    ("publish", "search"),
    [
        *(("bucketization", search) for search in ("anatomy", "injector", "mask")),
        *(("generalization", "optimal"), ("multidimensional", "mondrian"), ("local_recoding", "local")),
        ("ambiguity", "greedy"),
    ],
)
def test_a_promise_leads_the_searches_that_build_groups(publish: str, search: str, tmp_path: Path) -> None:
    asked: list[dict[str, Any]] = [{"p_sensitive": {"k": 4, "p": 2}}]
    asked += [{"ambiguity": {"alpha": 1, "beta": 0.99}}] if publish == "ambiguity" else []
    words = policy(require=asked, publish=publish, search=search, seed=1)
    release = anonymize(words, tmp_path / "release", source=TABLE)
    assert release.manifest["smallest_group"] >= 4
    assert verify(release.folder, source=TABLE).kept
    audit = audit_release(release.folder)
    assert audit.kept and [level.holds for level in audit.levels if level.model == "p_sensitive"] == [True, True]


def test_adversaries_of_all_kinds_are_held_to_a_promise(tmp_path: Path) -> None:
    table = {"age": ["20", "20", "25", "25"], "zip": ["479"] * 4, "disease": ["flu", "flu", "cold", "gout"]}
    release = anonymize(policy(require=[{"p_sensitive": {"k": 2, "p": 2}}]), tmp_path / "release", source=table)
    lines = {line.adversary: line for line in audit_release(release.folder, source=table).lines}
    assert (lines["prosecutor"].promised, lines["homogeneity"].promised) == (0.5, 0)
    assert "minimality" in lines  # she knows what would have been refused
    data = release.folder / "data.csv"
    data.write_text(data.read_text().replace("cold", "flu").replace("gout", "flu"))
    broken = {line.adversary: line for line in audit_release(release.folder).lines}
    assert broken["homogeneity"].breaks


def test_a_promise_that_is_broken_does_not_verify(tmp_path: Path) -> None:
    release = anonymize(policy(require=[{"at_most": {"rows": 2}}]), tmp_path / "release", source=TABLE)
    data = release.folder / "data.csv"
    data.write_text(data.read_text().replace("cold", "flu").replace("gout", "flu"))
    assert not verify(release.folder).kept


def test_mistakes_in_a_promise_are_told_as_ours_are() -> None:
    with pytest.raises(PolicyError) as error:
        policy(require=[{"at_most": {"row": 2}}, {"at_mos": {"rows": 2}}])
    assert [(m.place, m.repair) for m in error.value.mistakes] == [
        ("require[0].at_most.row", "did you mean 'rows'?"),
        ("require[0].at_most.rows", "for example at_most: {rows: 3}"),
        ("require[1].at_mos", "did you mean 'at_most'?"),
    ]


def test_a_search(tmp_path: Path) -> None:
    release = anonymize(policy(search="alone_or_not", suppress=0.25), tmp_path / "release", source=TABLE)
    assert release.manifest["search"] == "alone_or_not"
    assert release.manifest["rows"]["suppressed"] == 2
    assert release.manifest["node"] == {"age": 0, "zip": 0}
    assert verify(release.folder, source=TABLE).kept
    with pytest.raises(Infeasible, match="2 rows would have to be left out"):
        anonymize(policy(search="alone_or_not"), tmp_path / "none", source=TABLE)
    with pytest.raises(PolicyError, match="does not lead to publish: multidimensional"):
        policy(search="alone_or_not", publish="multidimensional")


def test_a_section(tmp_path: Path) -> None:
    release = anonymize(policy(), tmp_path / "release", source=TABLE)
    assert to_json(release.report)["largest_groups"] == {"sizes": (3, 3, 2), "rows": 8}
    assert "largest groups: 3, 3, 2 of 8 rows" in to_text(release.report)
    for page in (release.folder / "report.html", release.private / "report.html"):
        assert '<h2 id="largest">The largest groups</h2>' in page.read_text()
    assert verify(release.folder).kept  # the report is what it has to be


def test_a_kind_of_publication(tmp_path: Path) -> None:
    release = anonymize(policy(publish="histogram"), tmp_path / "release", source=TABLE)
    assert release.manifest["search"] == "one_group"
    assert sorted((release.folder / "histogram.csv").read_text().split()) == [
        "cold,2",
        "disease,rows",
        "flu,4",
        "gout,2",
    ]
    assert (release.manifest["groups"], release.manifest["columns"]) == (1, ["disease"])
    assert verify(release.folder, source=TABLE).kept
    page = (release.private / "report.html").read_text()
    assert "histogram: how often each sensitive value occurs, and nothing else" in page
    other = TABLE | {"disease": ["flu"] * 8}
    assert [str(m) for m in verify(release.folder, source=other).mistakes if "histogram" in m.place] == [
        "histogram.csv: does not count the rows of the source; publish the table again"
    ]
    with pytest.raises(PolicyError, match="'histogram' can't keep the promise 'robust'"):
        policy(publish="histogram", require=[{"robust": {"r": 2}}])


def test_without_its_package_a_release_is_refused_and_not_guessed_at(tmp_path: Path) -> None:
    release = anonymize(policy(publish="histogram"), tmp_path / "release", source=TABLE)
    PUBLICATIONS.unregister("histogram")
    try:
        with pytest.raises(DiscreetError, match="is of no kind of publication that we know"):
            verify(release.folder)
    finally:
        PUBLICATIONS.register("histogram", HISTOGRAM)
    asked = anonymize(policy(require=[{"at_most": {"rows": 4}}]), tmp_path / "other", source=TABLE)
    MODELS.unregister("at_most")
    try:
        assert not verify(asked.folder).kept
    finally:
        MODELS.register("at_most", AT_MOST)


def test_words_of_ours_stay_ours() -> None:
    for registry, word in ((MODELS, "k_anonymity"), (SEARCHES, "optimal"), (PUBLICATIONS, "ambiguity")):
        with pytest.raises(DiscreetError, match="already"):
            registry.register(word, None)  # type: ignore[arg-type]
    with pytest.raises(DiscreetError, match="can't be the word"):
        MODELS.register("At most", AT_MOST)


def test_an_audit_reads_a_promise_by_its_own_code_and_without_it_says_so(tmp_path: Path) -> None:
    asked = [{"at_most": {"rows": 4}}, {"l_diversity": {"l": 2}}]
    release = anonymize(policy(require=asked), tmp_path / "release", source=TABLE)
    audit = audit_release(release.folder, source=TABLE)
    level, promised = audit.levels[0], release.figures["promises"][0]
    assert (level.model, level.achieved, level.holds, audit.kept) == ("at_most", promised["level"], True, True)
    READINGS.unregister("at_most")
    try:
        audit = audit_release(release.folder, source=TABLE)
        [level] = [level for level in audit.levels if level.holds is None]
        assert (level.holds, audit.kept) == (None, None)
        assert "not read" in level.note
    finally:
        READINGS.register("at_most", READING)


def test_an_audit_attacks_a_kind_of_release_by_its_class_and_without_one_refuses(tmp_path: Path) -> None:
    release = anonymize(policy(publish="histogram"), tmp_path / "release", source=TABLE)
    audit = audit_release(release.folder)
    assert audit.kept and audit.people == 8
    assert audit.lines[-1].threat == "association" and {line.worst for line in audit.lines} >= {0.5}  # half have flu
    assert "histogram: how often" in to_html(audit)
    KINDS.unregister("histogram")
    try:
        with pytest.raises(DiscreetError):
            audit_release(release.folder)
    finally:
        KINDS.register("histogram", AuditedHistogram)


def test_a_package_brings_a_promise_through_entry_points(tmp_path: Path) -> None:
    """A promise, and how an audit reads it, installed beside us: the command line does the rest."""
    package = tmp_path / "installed"
    about = package / "at_most-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: at-most\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[discreet.models]\nat_most = at_most:AT_MOST\nk_anonymity = at_most:AT_MOST\n"
        "[discreet.audit]\nat_most = at_most_audited:READING\n"
    )
    for module in ("at_most", "at_most_audited"):
        (package / f"{module}.py").write_text((Path(__file__).parent / f"{module}.py").read_text())
    rows = zip(*TABLE.values(), strict=True)
    (tmp_path / "people.csv").write_text("\n".join([",".join(TABLE), *(",".join(row) for row in rows)]) + "\n")
    (tmp_path / "policy.yaml").write_text(
        "source: people.csv\nattributes:\n  age: {role: quasi_identifier, hierarchy: {intervals: [10, 20]}}\n"
        "  disease: {role: sensitive}\nrequire:\n  - at_most: {rows: 4}\n  - l_diversity: {l: 2}\n"
    )
    installed = {**os.environ, "PYTHONPATH": os.pathsep.join([str(package), os.environ.get("PYTHONPATH", "")])}
    for command in (["anonymize", "policy.yaml", "-o", "release"], ["verify", "release"], ["audit", "release"]):
        run = [sys.executable, "-m", "discreet", *command]
        ended = subprocess.run(run, cwd=tmp_path, env=installed, capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "In no group do more than 4 rows have the same disease." in (tmp_path / "release/report.html").read_text()
    without = [sys.executable, "-m", "discreet", "anonymize", "policy.yaml", "-o", "other"]
    ended = subprocess.run(without, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ended.returncode, "no such promise" in ended.stderr) == (2, True)
