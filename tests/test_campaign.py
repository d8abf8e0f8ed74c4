"""A slice of the campaign of bad inputs, and proof that the campaign notices what it looks for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from campaign.crew import Crew, Result
from campaign.garden import Garden
from campaign.inputs import HERE, Input, families, make
from campaign.workers import Job

# In `make test-deep` as many as there once were in `make test`; `make campaign` looks at ten thousand.
COUNT = {"deep": "150"}.get(os.environ.get("DISCREET_EXAMPLES", ""), "60")
ROOT = Path(__file__).parent.parent


def ended(folder: Path, *argv: str, after: tuple[tuple[str, ...], ...] = ()) -> Result:
    """How one input ends with the programs of `campaign_entries`."""
    case = folder / "case"
    (case / HERE).mkdir(parents=True)
    Input("test", "", argv, after=after, release="out", nameless=True).save(case)
    [result] = Crew(folder / "garden", 1, "tests.campaign_entries:run", limit=2.0).run([Job(0, case)])
    return result


@pytest.mark.parametrize(
    ("what", "kind"),
    [
        ("raise", "fault"),
        ("fault", "fault"),
        ("code", "fault"),
        ("die", "fault"),
        ("hang", "hang"),
        ("memory", "memory"),
        ("long", "long"),
        ("password", "secret"),
        ("person", "secret"),
        ("name", "secret"),
        ("silent", "other"),
        ("program", "other"),
        ("markup", "other"),
        ("partial", "other"),
    ],
)
def test_what_no_command_may_do_is_noticed(what: str, kind: str, tmp_path: Path) -> None:
    assert {found for found, _ in ended(tmp_path, what).troubles} == {kind}


def test_an_ordinary_refusal_is_fine(tmp_path: Path) -> None:
    result = ended(tmp_path, "fine")
    assert (result.outcomes[0].code, result.troubles) == (2, ())


def test_an_answer_that_is_not_json_is_noticed(tmp_path: Path) -> None:
    assert ended(tmp_path, "json", "--json").troubles == (("other", "not JSON"),)


def test_a_release_that_does_not_verify_is_noticed(tmp_path: Path) -> None:
    [(kind, told)] = ended(tmp_path, "nothing", after=(("after",),)).troubles
    assert kind == "other"
    assert told.startswith("a release that does not verify")


def test_the_same_seed_gives_the_same_inputs(tmp_path: Path) -> None:
    crew = Crew(tmp_path / "garden", 1)
    crew.grow()
    for family in families():
        one, two = (make(family, 3, 1, tmp_path / name / family, Garden(tmp_path / "garden")) for name in ("a", "b"))
        assert one == two
        assert contents(tmp_path / "a" / family) == contents(tmp_path / "b" / family)
        other = make(family, 3, 2, tmp_path / "c" / family, Garden(tmp_path / "garden"))
        assert (one, contents(tmp_path / "a" / family)) != (other, contents(tmp_path / "c" / family))


def contents(folder: Path) -> dict[str, bytes]:
    """Plain files; saved summaries hold the time of day."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink() and path.suffix != ".npz"
    }


def test_no_input_of_a_slice_is_answered_with_a_fault_a_hang_or_a_secret(tmp_path: Path) -> None:
    words = ["--seed", "1", "--count", COUNT, "--workers", "1", "--output", str(tmp_path / "kept")]
    done = subprocess.run(
        [sys.executable, "-m", "campaign", *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
