"""A release of which nothing useful is left keeps its promises, and no first screen of its audit is green."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from discreet import anonymize, policy_from_words, verify
from discreet.audit.audit import audit_release
from discreet.report.pages.audit_page import to_html
from discreet.report.pages.audit_words import headline, to_text
from tests.audit.releasing import first_screen

TABLE = {"age": [str(20 + n % 30) for n in range(60)], "ill": ["flu", "cold", "gout"] * 20}


def released(folder: Path, k: int, **more: Any) -> Path:
    words: dict[str, Any] = {
        "attributes": {"age": {"role": "quasi_identifier"}, "ill": {"role": "sensitive"}},
        "require": [{"k_anonymity": {"k": k}}],
        "one_row_per_person": True,
        **more,
    }
    return anonymize(policy_from_words(words), folder, source=TABLE).folder


@pytest.mark.parametrize("suppressed", ["drop", "star"])
@pytest.mark.parametrize("require", ["k_anonymity", "l_diversity"])
def test_an_empty_release_breaks_nothing_and_is_of_no_use(require: str, suppressed: str, tmp_path: Path) -> None:
    more: dict[str, Any] = {"suppress": 1, "suppressed": suppressed}
    if require == "l_diversity":
        more["require"] = [{"k_anonymity": {"k": 61}}, {"l_diversity": {"l": 2}}]
    folder = released(tmp_path / "release", 61, **more)
    audit = audit_release(folder)
    # Verify and audit agree.
    assert verify(folder).kept is True and audit.kept is True and audit.faults == ()
    assert headline(audit).startswith("Nothing is published, so no promise is broken;")
    assert "A release of nothing is of no use." in headline(audit)
    assert "not judged" not in to_text(audit)
    assert 'class="verdict warned"' in first_screen(to_html(audit))


@pytest.mark.parametrize("publish", ["generalization", "local_recoding"])
def test_stars_alone_are_told(publish: str, tmp_path: Path) -> None:
    folder = released(
        tmp_path / "stars", 60, publish=publish, **({"ranges": "hierarchy"} if publish != "generalization" else {})
    )
    whole = {line.split(",")[0] for line in (folder / "data.csv").read_text().splitlines()[1:]}
    audit = audit_release(folder)
    left = [fault for fault in audit.faults if fault.fault == "nothing_left"]
    assert bool(left) is (whole == {"*"})
    assert audit.kept is True and all(not fault.grave for fault in left)
    if left:
        assert "nothing is left of the quasi-identifiers: all of their values are *." in headline(audit)
        assert 'class="verdict warned"' in first_screen(to_html(audit))


def test_where_something_is_left_nothing_is_said(tmp_path: Path) -> None:
    more = {
        "attributes": {
            "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [10]}},
            "ill": {"role": "sensitive"},
        }
    }
    audit = audit_release(released(tmp_path / "release", 5, **more))
    assert "nothing_left" not in {fault.fault for fault in audit.faults} and "no use" not in headline(audit)
