"""How long-running steps tell how far they are, without knowing who listens."""

from __future__ import annotations

from collections.abc import Callable

# stage, done, total (0 = not known), a short note
Progress = Callable[[str, float, float, str], None]


def silent(stage: str, done: float, total: float, note: str = "") -> None:
    """The listener that doesn't."""
