"""A few runs of a campaign by its real command, and what was wrong with any of them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from campaign.promises.audited import MORE

ROOT = Path(__file__).parent.parent


def run_slice(name: str, count: int, kept: Path) -> tuple[list[list[str]], subprocess.CompletedProcess[str]]:
    """The troubles of so many runs of seed 1, but for what could be better; and how the command ended."""
    words = ["--seed", "1", "--count", str(count), "--workers", "1", "--output", str(kept)]
    done = subprocess.run(
        [sys.executable, "-m", f"campaign.{name}", *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    troubles = [
        trouble
        for folder in kept.iterdir()
        for trouble in json.loads((folder / "troubles.json").read_text())["troubles"]
        if trouble[0] != MORE
    ]
    return troubles, done
