"""More combinations than may leave Spark: the search takes a summary, and the release says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from discreet import anonymize, policy_from_words, verify
from discreet.engines.base import TooManyCombinations
from discreet.run import from_summary as instant

pytestmark = pytest.mark.spark

# 1,000 combinations, and 450 pairs of values.
PEOPLE = "SELECT id % 10 AS a, id div 10 % 10 AS b, id div 100 AS c, (id + id div 100) % 5 AS ill FROM range(1000)"


def policy(**more: Any) -> Any:
    intervals = {"role": "quasi_identifier", "hierarchy": {"intervals": [2, 4]}}
    attributes = {"a": intervals, "b": intervals, "c": intervals, "ill": {"role": "sensitive"}}
    return policy_from_words({"attributes": attributes, "require": [{"k_anonymity": {"k": 5}}], **more})


def limited(monkeypatch: pytest.MonkeyPatch, limit: int) -> None:
    monkeypatch.setenv("DISCREET_SPARK_COMBINATIONS", str(limit))
    monkeypatch.setattr(instant, "SAMPLE", 100)


@pytest.mark.parametrize("limit, said", [(999, 1), (400, 2)])
def test_the_search_takes_a_summary_and_the_release_says_so(
    sail: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int, said: int
) -> None:
    limited(monkeypatch, limit)
    made = anonymize(policy(), tmp_path / "release", source=sail.sql(PEOPLE))
    assert made.manifest["search"] == "instant"
    told = [note for note in made.figures["notes"] if "that leave the engine" in note]
    page = (tmp_path / "release.private" / "report.html").read_text()
    assert len(told) == said and all(note in page for note in told)
    assert verify(tmp_path / "release").kept


def test_what_no_summary_helps_with_is_refused(sail: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limited(monkeypatch, 400)
    for more in ({"publish": "local_recoding"}, {"search": "instant", "summary": "network"}):
        with pytest.raises(TooManyCombinations, match="use fewer columns"):
            anonymize(policy(**more), tmp_path / "release", source=sail.sql(PEOPLE))
    assert not list(tmp_path.iterdir())
