"""What is wrong with how an input ended, if anything."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

from campaign.inputs import HERE, Input
from campaign.planted import CREATED, OUTSIDE, has_markup, secrets_in
from campaign.worker import Outcome

MOST_MEMORY = 1 << 30
LONGEST = 20_000  # bytes of a message
# In the order of the summary's columns.
KINDS = ("fault", "hang", "memory", "long", "secret", "other")
_FAULT = re.compile(r'a fault of ours: (.*?)(?:; |"|\n|$)|^Traceback \(most recent call last\)|^\S*Warning: ', re.M)


def judge(made: Input, outcomes: Sequence[Outcome], folder: Path, before: frozenset[str]) -> list[tuple[str, str]]:
    """Kinds of trouble, each with its place; `before` are the names that were in the folder before the command."""
    troubles: list[tuple[str, str]] = []
    for number, outcome in enumerate(outcomes):
        printed, complained = (_read(folder / f"{number}.{name}") for name in ("stdout", "stderr"))
        troubles += _ended(outcome, printed, complained, first=number == 0, folder=folder)
    failed = outcomes[0].code != 0
    here = folder / HERE
    names = {path.name for path in here.iterdir()} | {path.name for path in folder.iterdir()}
    troubles += [
        ("other", f"left {name}") for name in sorted(names - before) if ".partial" in name or name == ".discreet"
    ]
    if failed and outcomes[0].code is not None and {made.release, f"{made.release}.private"} & (names - before):
        troubles.append(("other", "a release though it failed"))
    if any(name.startswith(CREATED) for name in names):
        troubles.append(("other", "a planted program ran"))
    if not failed:
        troubles += _written(made, here)
    return troubles


def _ended(outcome: Outcome, printed: str, complained: str, *, first: bool, folder: Path) -> list[tuple[str, str]]:
    troubles = []
    said = printed + complained
    if outcome.code is None:
        troubles.append((outcome.trouble, _where_it_hung(folder)))
    elif match := _FAULT.search(said):
        troubles.append(("fault", match.group(1) or said[match.start() :].strip()[-300:]))
    elif outcome.trouble or outcome.code not in (0, 1, 2, 3):
        troubles.append(("fault", f"exit {outcome.code} {outcome.trouble.strip()[-300:]}"))
    if outcome.code is not None and outcome.peak > MOST_MEMORY:
        troubles.append(("memory", f"{outcome.peak / 1e9:.1f} GB"))
    if len(complained.encode()) > LONGEST or (outcome.code != 0 and len(printed.encode()) > LONGEST):
        troubles.append(("long", f"{len(said.encode()):,} bytes"))
    if any("outside" in word for word in outcome.argv):
        complained = complained.replace(OUTSIDE, "")  # the user's own words
    # An audit that finds a fault says in which columns of the table, as an answer; a message names nobody.
    people = outcome.code != 0 and outcome.argv[:1] != ("audit",)
    troubles += [("secret", f"{secret} in a message") for secret in secrets_in(complained, people=outcome.code != 0)]
    troubles += [("secret", f"{secret} in an answer") for secret in secrets_in(printed, people=people)]
    if outcome.code == 2 and not said.strip():
        troubles.append(("other", "refused without a word"))
    if "--json" in outcome.argv and outcome.code is not None and not troubles and not _is_json(printed):
        troubles.append(("other", "not JSON"))
    # Presence of what can't be judged from here is no broken promise.
    if not first and outcome.code not in (0, 3) and not troubles:
        troubles.append(("other", f"a release that does not verify: {said.strip()[:300]}"))
    return troubles


def _written(made: Input, here: Path) -> list[tuple[str, str]]:
    """What is in the files of a command that went well."""
    troubles = []
    pages = [here / "page.html"]
    for folder in [here / made.release, here / f"{made.release}.private"] if made.release else []:
        if not folder.is_dir():
            continue
        for path in sorted(p for p in folder.rglob("*") if p.is_file()):
            if made.nameless and "a person" in secrets_in(_read(path), people=True):
                troubles.append(("secret", f"a person in {path.relative_to(here)}"))
            pages += [path] if path.suffix == ".html" else []
    troubles += [
        ("other", f"markup that runs in {page.name}") for page in pages if page.is_file() and has_markup(_read(page))
    ]
    return troubles


def _is_json(text: str) -> bool:
    def never(constant: str) -> None:
        raise ValueError(constant)

    try:
        return isinstance(json.loads(text, parse_constant=never), dict)
    except ValueError:
        return False


def _where_it_hung(folder: Path) -> str:
    """The innermost lines of ours on the stack."""
    lines = [line.strip() for line in _read(folder / "stack").splitlines() if "/discreet/" in line]
    return re.sub(r'File "\S*/discreet/', '"', " < ".join(lines[:3])) or "somewhere"


def is_compiling(folder: Path) -> bool:
    """Was a command busy with compiling when its time was over?"""
    return "numba/core/" in _read(folder / "stack")


def _read(path: Path) -> str:
    """The start of a file, as text; the longest files are tables."""
    try:
        with path.open("rb") as file:
            return file.read(20_000_000).decode("utf-8", "replace")
    except OSError:
        return ""
