"""Commands that nobody should type, and some that anybody might."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from typer.main import get_command

from campaign.garden import Garden
from campaign.inputs import Input
from campaign.mutations import ADDRESSES, PATHS, TEXTS, strange_files
from campaign.policies import OUTPUT

_FILES = (
    "policy.yaml",
    "patients.csv",
    "nation.csv",
    "release",
    "theirs.csv",
    "description.yaml",
    "people.csv",
    "missing.yaml",
)
_NUMBERS = (
    "0",
    "1",
    "-1",
    "2",
    "1.5",
    "nan",
    "inf",
    "-inf",
    "1e308",
    "1e-308",
    "9" * 30,
    "9" * 400,
    "1e99999999",
    "",
    "x",
    "0x10",
    "1/3",
    "٣",
)
_SIGNS = tuple(text for text in TEXTS if "\0" not in text and "\ud800" not in text and len(text) < 10_000)
_STRANGE = (
    "\udcff.yaml",
    "\udcff",
    "-",
    "--",
    "-o",
    "@policy.yaml",
    "-qq",
    "--json=x",
    "--",
    "--help",
    "--version",
    "-h",
)
_ENDLESS = ("explore",)  # a server; what strangers may send it has tests of its own
_NOT_HERE = ("--rows",)  # whoever wants a billion rows may have them
_USUAL = {
    "anonymize": ("policy.yaml",), "verify": ("release",), "apply": ("release", "patients.csv"),
    "summarize": ("policy.yaml",),
    "init": ("patients.csv",), "audit": ("release",), "compare": ("policy.yaml",), "stats": ("policy.yaml",),
    "hierarchy": ("patients.csv", "nation"),
    "sweep": ("policy.yaml", "--k", "2,5"),
}  # fmt: skip


@cache
def _options() -> Mapping[str, Mapping[str, bool]]:
    """The options of every command, as the program itself tells them, and whether a value follows."""
    from discreet.cli.main import app

    commands: Any = get_command(app)
    return {
        name: {max(p.opts, key=len): not p.is_flag for p in command.params if p.opts[0].startswith("-")}
        for name, command in commands.commands.items()
        if name not in _ENDLESS
    }


def command_lines(random: Random, number: int, here: Path, garden: Garden) -> Input:
    """A command with arguments and options of which some make sense."""
    garden.copy(
        random.choice(("generalization", "multidimensional", "anatomy", "instant", "presence")), here, release=True
    )
    strange_files(here)
    commands = list(_options())
    command = commands[number % len(commands)]
    argv = [command]
    for usual in _USUAL.get(command, ()):
        argv.append(usual if random.random() < 0.6 else _value(random, ""))
    if command == "harm":
        usual_numbers = {
            "--prior": "0.07",
            "--misuse": "100",
            "--cost": "10000",
            "--population": "45222",
            "--table": "1957",
        }
        for option, usual in usual_numbers.items():
            if random.random() < 0.95:
                argv += [option, usual if random.random() < 0.6 else random.choice(_NUMBERS)]
    elif command == "reproduce":  # never a whole study
        argv += [random.choice((*_SIGNS, *_STRANGE, "realistic --rows 5", *_FILES))]
    elif command in ("anonymize", "apply", "summarize") and random.random() < 0.8:
        argv += ["-o", OUTPUT]
    elif command == "sample":
        argv += ["--rows", random.choice(("0", "-1", "1", "3", "50", "x", "9" * 30, "1e3", ""))]
    known = {name: valued for name, valued in _options()[command].items() if name not in _NOT_HERE}
    for option in random.sample(list(known), min(len(known), random.choice((0, 0, 1, 1, 2, 3)))):
        argv += [option, _value(random, option)] if known[option] else [option]
    if random.random() < 0.1:
        argv.insert(random.randrange(len(argv) + 1), random.choice((*_STRANGE, *_SIGNS)))
    if random.random() < 0.05:
        argv.remove(random.choice(argv))
    return Input("command lines", command, tuple(argv))


def _value(random: Random, option: str) -> str:
    """What follows an option, or stands for an argument."""
    if option in ("--output", "--private", "--directory"):
        return random.choice((OUTPUT, "release", "missing/deep/out", "patients.csv", ".", "..", "", "/dev/null",
        "/proc/out", "pipe.csv",
                              "out/", "x" * 300, "a\nb", "\udcff", "loop.csv", "folder.csv",
                              "page.html"))  # fmt: skip
    if option in (
        "--size",
        "--confidence",
        "--known-rows",
        "--stubbornness",
        "--threshold",
        "--seed",
        "--time-limit",
        "--epsilon",
    ):
        return random.choice(_NUMBERS)
    if option == "--table":
        return random.choice(("-", "-", "-", OUTPUT, "", *_SIGNS))
    if option == "--person":
        return random.choice(("patient", "name", "age", "disease", "Age", "", "*", "a\nb", *_SIGNS))
    if option == "--marginals":
        return random.choice(("age=age_counts.csv", "age", "=", "age=", "=x", *(f"age={path}" for path in _paths())))
    draw = random.random()
    if draw < 0.3:
        return random.choice(ADDRESSES)
    if draw < 0.6:
        return random.choice(_paths())
    if draw < 0.8:
        return random.choice(_FILES)
    return random.choice((*_SIGNS, *_STRANGE))


def _paths() -> tuple[str, ...]:
    return tuple(path for path in PATHS if "\0" not in path)
