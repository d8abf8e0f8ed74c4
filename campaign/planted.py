"""Texts that must not come back, and how they are found again."""

from __future__ import annotations

from pathlib import Path

# Each is written into inputs where it belongs; none occurs anywhere else.
PERSON = "Pq7Person"  # the start of everybody's name
PASSWORD = "Vj9Passw0rd"
OUTSIDE = "Xk4Outside"  # in a file beside the folder of the release
SCRIPT = "<script>Wm3Planted()</script>"
IMAGE = "<img src=x onerror=Wm3Planted()>"
BROKEN_OUT = '"><svg/onload=Wm3Planted()>'
CREATED = "pwned"  # the name of a file that only a planted program writes

_MARKUP = ("<script>wm3planted", "<img src=x onerror=wm3planted", "<svg/onload=wm3planted")


def secrets_in(text: str, *, people: bool) -> list[str]:
    """Which planted texts come back in `text`; names of people count where `people` says so.

    >>> secrets_in("can't connect as ann:Vj9Passw0rd", people=True)
    ['a password']
    """
    folded = text.casefold()
    kinds = {"a password": PASSWORD, "a file outside of the folder": OUTSIDE} | ({"a person": PERSON} if people else {})
    return [name for name, secret in kinds.items() if secret.casefold() in folded]


def has_markup(page: str) -> bool:
    """Would a browser run what was planted?

    >>> has_markup(f"<td>{SCRIPT}</td>"), has_markup("<td>&lt;script&gt;Wm3Planted()</td>")
    (True, False)
    """
    folded = page.casefold()
    return any(text in folded for text in _MARKUP)


def plant_outside(folder: Path) -> None:
    """A folder with files that nothing in a release may make us read out."""
    folder.mkdir()
    lines = [f"{OUTSIDE}{i},{OUTSIDE}{i % 7},{OUTSIDE}" for i in range(40)]
    for name in ("secret.txt", "secret.csv"):
        (folder / name).write_text("\n".join([f"{OUTSIDE}a,{OUTSIDE}b,{OUTSIDE}c", *lines]) + "\n", encoding="utf-8")
