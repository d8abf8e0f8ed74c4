"""The report of a release is what its tables and its manifest tell, or verify says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from discreet import anonymize, policy_from_words, read_policy, verify
from discreet.errors import Unavailable
from discreet.releases.manifest import checksum
from discreet.samples.hospital import write_sample
from tests.releases.making import put_manifest
from tests.releases.reading import manifest_of

KINDS = ["policy", "bucketization", "ambiguity", "presence"]


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample")
    write_sample(folder, rows=400)
    for kind in KINDS:
        anonymize(read_policy(folder / f"{kind}.yaml"), folder / kind)
    return folder


def forged(folder: Path, target: Path) -> Path:
    """A copy whose fingerprints can be put right again."""
    target.mkdir()
    for file in folder.iterdir():
        (target / file.name).write_bytes(file.read_bytes())
    return target


@pytest.mark.parametrize("kind", KINDS)
def test_one_more_sentence_in_the_report_is_found_out(sample: Path, kind: str, tmp_path: Path) -> None:
    folder = forged(sample / kind, tmp_path / "release")
    assert not any(m.place == "report.html" for m in verify(folder).mistakes)
    report = folder / "report.html"
    report.write_text(report.read_text(encoding="utf-8").replace("</main>", "<p>Z 10%</p></main>"), encoding="utf-8")
    put_manifest(folder, manifest_of(folder))
    mistakes = verify(folder).mistakes
    assert [m.rule for m in mistakes if m.place == "report.html"] == [
        "is not the report of these tables and this manifest, and may tell more than they do"
    ]


def test_a_report_of_another_version_is_not_called_right(sample: Path, tmp_path: Path) -> None:
    folder = forged(sample / "policy", tmp_path / "release")
    put_manifest(folder, manifest_of(folder) | {"discreet": "0.0.9"})
    findings = verify(folder)
    assert findings.kept is None  # whoever forges the version must not get round the comparison
    why = "report.html was written by discreet 0.0.9, and is not compared with the release"
    assert findings.unread == (why,)
    assert findings.not_judged == (("report.html", why),)


def test_too_little_memory_says_nothing_about_the_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = 100_000
    table = {"age": [str(i % 100) for i in range(rows)], "ill": [f"value {i % 5000} of many" for i in range(rows)]}
    attributes = {"age": {"role": "quasi_identifier"}, "ill": {"role": "sensitive"}}
    policy = policy_from_words({"attributes": attributes, "require": [{"k_anonymity": {"k": 2}}]})
    folder = anonymize(policy, tmp_path / "release", source=table).folder
    monkeypatch.setenv("DISCREET_MEMORY", "1MB")
    with pytest.raises(Unavailable, match="ran out of memory"):
        verify(folder)


def test_a_promise_that_the_manifest_itself_calls_broken_is_not_left_open(sample: Path, tmp_path: Path) -> None:
    folder = forged(sample / "bucketization", tmp_path / "release")
    assert verify(folder).kept is None
    manifest = manifest_of(folder)
    manifest["promises"] = [promise | {"holds": False} for promise in manifest["promises"]]
    put_manifest(folder, manifest)
    assert verify(folder).kept is False


def test_figures_about_the_source_are_in_the_private_folder_alone(sample: Path) -> None:
    figures = json.loads((sample / "policy.private" / "figures.json").read_text(encoding="utf-8"))
    manifest = manifest_of(sample / "policy")
    assert {"loss", "losses", "loss_geometric", "facts", "seconds", "scans"} <= figures.keys()
    assert not {"loss", "losses", "loss_geometric", "facts", "seconds", "scans"} & manifest.keys()
    assert figures["release"] == manifest["checksum"] == checksum(manifest)
    assert "not for publication" in figures["about"]
    page = (sample / "policy.private" / "report.html").read_text(encoding="utf-8")
    assert "Not for publication." in page
    assert "Before and after" in page
    assert "Before and after" not in (sample / "policy" / "report.html").read_text(encoding="utf-8")


def test_what_a_robust_release_reaches_is_told_to_the_custodian_alone(sample: Path) -> None:
    """It follows from the original table, so it would say something of it."""
    promise, _ = manifest_of(sample / "bucketization")["promises"]
    assert (promise["holds"], promise["level"], promise["deciding_group"]) == (True, None, None)
    figures = json.loads((sample / "bucketization.private" / "figures.json").read_text(encoding="utf-8"))
    assert 0 < figures["promises"][0]["level"] <= 1 / 3
    assert verify(sample / "bucketization", sample / "patients.csv").kept
