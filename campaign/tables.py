"""Tables that nobody would call tables, given to every command that reads one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

from campaign.garden import POLICIES, Garden
from campaign.inputs import Input
from campaign.mutations import strange_files
from campaign.odd_csv import odd_csv
from campaign.odd_parquet import odd_parquet
from campaign.policies import OUTPUT

# Policies whose hierarchies take any value, and some that don't.
_KINDS = ("star", "generalization", "multidimensional", "local_recoding", "anatomy", "ambiguity", "instant", "robust")
_ANY = {
    "age": {"role": "quasi_identifier"},
    "sex": {"role": "quasi_identifier"},
    "zip": {"role": "quasi_identifier"},
    "disease": {"role": "sensitive"},
}


_MANY = 300_000  # bytes of a table with which nothing is wrong, but all methods on it take a minute


def csv(random: Random, number: int, here: Path, garden: Garden) -> Input:
    """A CSV."""
    return _command(random, "CSV", here, garden, "patients.csv", lambda path: odd_csv(random, number, path))


def parquet(random: Random, number: int, here: Path, garden: Garden) -> Input:
    """A Parquet file."""
    return _command(random, "Parquet", here, garden, "patients.parquet", lambda path: odd_parquet(random, number, path))


Writer = Callable[[Path], tuple[str, dict[str, str]]]


def _command(random: Random, family: str, here: Path, garden: Garden, name: str, write: Writer) -> Input:
    """Write the table, and choose a command that reads it."""
    kind = random.choice(_KINDS)
    command = random.choices(
        ("anonymize", "init", "summarize", "apply", "verify", "audit file", "audit source", "population", "compare"),
        (60, 10, 4, 6, 4, 6, 4, 4, 2),
    )[0]
    release = command in ("apply", "verify", "audit source")
    if command == "apply":
        kind = random.choice(("star", "generalization", "multidimensional"))
    words = garden.copy(kind, here, release=release)
    strange_files(here)
    table = here / (f"odd-{name}" if release else name)
    what, renamed = write(table)
    if random.random() < 0.6 and not release:
        attributes = dict(_ANY) | ({"name": {"role": "identifier"}} if random.random() < 0.5 else {})
        if POLICIES[kind].get("publish") in (None, "generalization", "multidimensional") and random.random() < 0.3:
            attributes["remark"] = {"role": "other"}
        words["attributes"] = attributes
    words["source"] = name
    words["attributes"] = {renamed.get(column, column): about for column, about in words["attributes"].items()}
    (here / "policy.yaml").write_text(json.dumps(words, indent=1), encoding="utf-8")
    options = ("--json",) if random.random() < 0.3 else ()
    what = f"{kind}, {command}: {what}"
    data = table.name
    match command:
        case "anonymize":
            after = (("verify", OUTPUT, "--source", "policy.yaml"),)
            argv = ("anonymize", "policy.yaml", "-o", OUTPUT, *options)
            return Input(family, what, argv, after=after, release=OUTPUT, nameless=not renamed)
        case "init":
            return Input(family, what, ("init", data, "-o", "proposed.yaml", *options))
        case "summarize":
            return Input(family, what, ("summarize", "policy.yaml", "-o", "made.npz", *options))
        case "apply":
            argv = ("apply", "release", data, "-o", OUTPUT, *options)
            return Input(family, what, argv, after=(("verify", OUTPUT),), release=OUTPUT, nameless=not renamed)
        case "verify":
            return Input(family, what, ("verify", "release", "--source", data, *options))
        case "compare" if not table.exists() or table.stat().st_size < _MANY:
            return Input(family, what, ("compare", "policy.yaml", "-o", "page.html", *options))
        case "audit file" | "compare":
            return Input(
                family, what, ("audit", data, "--description", "description.yaml", "-o", "page.html", *options)
            )
        case "audit source":
            return Input(family, what, ("audit", "release", "--source", data, "-o", "page.html", *options))
    argv = ("audit", "theirs.csv", "--description", "description.yaml", "--population", data, *options)
    return Input(family, what, argv)
