"""A promise of another package is read by its own code, if that can be loaded and works; ours can't be replaced."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from discreet.audit.audit import audit_release
from discreet.audit.lines import AT_LEAST, Fault, Level
from discreet.audit.promises.level import exact, size_level
from discreet.audit.promises.levels import levels
from discreet.audit.promises.parameters import number, promise_mistakes
from discreet.audit.promises.registry import READINGS, Beside, Reading, known_words, reading_of
from discreet.audit.reading.view import Promise, ReleaseView
from discreet.errors import DataError, DiscreetError
from discreet.report.pages.audit_words import to_text
from tests.audit.releasing import manifest_of, publish, resign


def even(promise: Promise, view: ReleaseView, beside: Beside) -> list[Level]:
    holds = bool((view.sizes % 2 == 0).all())
    return [Level("even_groups", None, "groups of even size", AT_LEAST, exact(promise.parameters["n"]), 1.0, holds)]


def odd_groups(promise: Promise, view: ReleaseView) -> list[Fault]:
    return [Fault("odd_group", view.file, "a group of odd size", "merge it")] if (view.sizes % 2).any() else []


@pytest.fixture
def even_groups() -> Iterator[None]:
    READINGS.register("even_groups", Reading("even_groups", "even groups", {"n": number()}, even, odd_groups))
    yield
    READINGS.unregister("even_groups")


def view_of(*sizes: int, promise: Promise) -> ReleaseView:
    return ReleaseView("generalization", (), np.array(sizes), (), promises=(promise,))


@pytest.mark.usefixtures("even_groups")
def test_one_call_makes_the_audit_read_a_promise(tmp_path: Path) -> None:
    rows = "age,disease\n20-39,flu\n20-39,cold\n20-39,gout\n"
    (tmp_path / "theirs.csv").write_text(rows)
    said = {"quasi_identifiers": ["age"], "sensitive": ["disease"], "promises": [{"even_groups": {"n": 2}}]}
    audit = audit_release(tmp_path / "theirs.csv", description=said)
    assert audit.kept is False and "odd_group" in {fault.fault for fault in audit.faults}
    assert "even groups: groups of even size" in to_text(audit)
    for wrong, rule in (({}, "needs n"), ({"n": -1}, "must be a number above 0"), ({"n": 2, "m": 1}, "no such word")):
        with pytest.raises(DataError, match=rule):
            audit_release(tmp_path / "theirs.csv", description=said | {"promises": [{"even_groups": wrong}]})


@pytest.mark.usefixtures("even_groups")
def test_a_promise_of_a_manifest_is_read_by_it_too(tmp_path: Path) -> None:
    folder = publish(tmp_path / "release", "generalization", require=[{"k_anonymity": {"k": 2}}])
    resign(folder, promises=[*manifest_of(folder)["promises"], {"model": {"even_groups": {"n": 2}}}])
    level = audit_release(folder).levels[-1]
    assert level.model == "even_groups" and level.holds is not None


def test_ours_can_t_be_replaced() -> None:
    with pytest.raises(DiscreetError, match="already"):
        READINGS.register("k_anonymity", Reading("k_anonymity", "k", {}, even))


def test_every_promise_of_ours_is_read_under_its_own_word() -> None:
    assert all(reading_of(word).word == word for word in known_words())  # type: ignore[union-attr]


def test_code_of_others_that_fails_is_told_and_ours_fails_aloud() -> None:
    def failing(*_: object) -> list[Level]:
        raise KeyError("Ann has flu")

    READINGS.register("failing", Reading("failing", "failing", {"n": number(needed=failing)}, failing, failing))  # type: ignore[arg-type]
    try:
        [level] = levels(view_of(3, promise=Promise("failing", {"n": 1})))
        assert level.holds is None and "KeyError" in level.note and "Ann" not in level.note
        assert promise_mistakes("failing", {}, "failing", ()) == []
    finally:
        READINGS.unregister("failing")
    with pytest.raises(KeyError):
        levels(view_of(3, promise=Promise("k_anonymity", {})))


PACKAGE = """
from discreet.audit.promises.level import exact, size_level
from discreet.audit.promises.parameters import number
from discreet.audit.promises.registry import Reading

def levels(promise, view, beside):
    return [size_level(view, "crowds", exact(promise.parameters["n"]))]

CROWDS = Reading("crowds", "crowds", {"n": number()}, levels, of_values=False)
PACKAGE = "no reading"
"""


def test_entry_points_are_found_and_broken_ones_are_named_and_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "crowds_package.py").write_text(PACKAGE)
    about = tmp_path / "crowds_package-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: crowds-package\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[discreet.audit]\ncrowds = crowds_package:CROWDS\nbroken = no_such_module:READING\n"
        "strange = crowds_package:PACKAGE\nk_anonymity = crowds_package:CROWDS\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    READINGS.look_again()
    try:
        assert reading_of("crowds") is not None and "crowds" in known_words()
        for word in ("broken", "strange"):
            with pytest.warns(UserWarning, match=word):
                assert reading_of(word) is None
        [level] = levels(view_of(3, promise=Promise("crowds", {"n": 2})))
        assert level == size_level(view_of(3, promise=Promise("crowds")), "crowds", exact(2)) and level.holds
        ours = reading_of("k_anonymity")
        assert ours is not None and ours.title == "k-anonymity"
    finally:
        monkeypatch.undo()
        READINGS.look_again()
        sys.modules.pop("crowds_package", None)
