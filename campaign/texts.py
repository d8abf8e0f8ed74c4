"""The smaller files that policies and audits name: taxonomies, priors, marginals, lists of people, descriptions."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path
from random import Random
from typing import Any

import yaml

from campaign.garden import DESCRIPTION, Garden
from campaign.inputs import Input
from campaign.mutations import ADDRESSES, PATHS, TEXTS, change, places, spoil_bytes, strange_files
from campaign.policies import OUTPUT, VERIFY, bomb, written

_COUNTS = (
    "0",
    "-1",
    "1e999",
    "nan",
    "inf",
    "0.5",
    "1" * 400,
    "1e-99999999",
    "1e99999999",
    "5,5",
    "",
    "x",
    "9" * 5000,
    "1/3",
)


def hierarchies(random: Random, number: int, here: Path, garden: Garden) -> Input:
    """A taxonomy file."""
    kind, name = random.choice((("generalization", "nation.csv"), ("hierarchical", "disease.csv"), ("anatomy",
    "disease.csv"),
                                ("presence", "nation.csv"), ("multidimensional", "nation.csv")))  # fmt: skip
    garden.copy(kind, here)
    strange_files(here)
    what = _spoil(random, here / name)
    argv: tuple[str, ...] = ("anonymize", "policy.yaml", "-o", OUTPUT)
    if random.random() < 0.15:
        argv = ("audit", "theirs.csv", "--description", "description.yaml")
        return Input("hierarchies", f"{kind}, {name}: {what}", argv)
    return Input("hierarchies", f"{kind}, {name}: {what}", argv, after=(VERIFY,), release=OUTPUT)


def lists(random: Random, number: int, here: Path, garden: Garden) -> Input:
    """A prior, marginals, a population or a list of who is in the table."""
    kind, name = random.choice((("realistic", "prior.csv"), ("confident presence", "age_counts.csv"),
                                ("confident presence", "nation_counts.csv"), ("presence among others", "people.csv"),
                                ("enrolled", "enrolled.csv")))  # fmt: skip
    garden.copy(kind, here)
    strange_files(here)
    what = _spoil(random, here / name)
    if name.endswith("_counts.csv") and random.random() < 0.3:
        argv = ("audit", "theirs.csv", "--description", "description.yaml", "--marginals", f"age={name}",
                "--marginals", "nation=nation_counts.csv", "--size", "400")  # fmt: skip
        return Input("priors and lists", f"{kind}, {name}: {what}", argv)
    publish = ("anonymize", "policy.yaml", "-o", OUTPUT)
    return Input("priors and lists", f"{kind}, {name}: {what}", publish, after=(VERIFY,), release=OUTPUT)


_DESCRIBED = places(dict(DESCRIPTION))


def descriptions(random: Random, number: int, here: Path, garden: Garden) -> Input:
    """What is said of another tool's file."""
    garden.copy("generalization", here)
    strange_files(here)
    path = here / "description.yaml"
    draw = random.random()
    if draw < 0.2:
        path.write_bytes(spoil_bytes(random, path.read_bytes()))
        what = "bytes"
    elif draw < 0.3:
        path.write_text(path.read_text(encoding="utf-8") + bomb(), encoding="utf-8")
        what = "bomb"
    else:
        words: Any = yaml.safe_load(path.read_text(encoding="utf-8"))
        words, what = change(random, words, _DESCRIBED[number % len(_DESCRIBED)])
        while random.random() < 0.3:
            words, more = change(random, words, random.choice(places(words)))
            what += f", {more}"
        path.write_bytes(written(random, words))
    argv = ["audit", "theirs.csv", "--description", "description.yaml", "-o", "page.html"]
    if random.random() < 0.3:
        argv += ["--population", random.choice(("people.csv", *PATHS[:-1], *ADDRESSES))]
    if random.random() < 0.2:
        argv += ["--other", "theirs.csv", "--other-description", "description.yaml"]
    if random.random() < 0.3:
        argv += ["--source", random.choice(("patients.csv", "theirs.csv", *PATHS[:-1], *ADDRESSES))]
    if random.random() < 0.3:
        argv.append("--json")
    return Input("descriptions", what, tuple(argv))


def _spoil(random: Random, path: Path) -> str:
    """Make another file of it."""
    text = path.read_text(encoding="utf-8")
    delimiter = ";" if ";" in text else ","
    lines = list(csv.reader(io.StringIO(text), delimiter=delimiter))
    what = random.choice(
        ("bytes", "cells", "ragged", "empty", "one line", "doubled", "counts", "delimiter", "encoding", "pipe",
        "endless", "folder",
         "table", "outside", "circle", "gone", "long", "deep", "giant cell", "swapped", "large")
    )  # fmt: skip
    random_line = random.choice(lines)
    match what:
        case "bytes":
            path.write_bytes(spoil_bytes(random, path.read_bytes()))
            return what
        case "cells":
            for line in lines:
                if random.random() < 0.3:
                    line[random.randrange(len(line))] = random.choice(TEXTS)
        case "ragged":
            for line in lines:
                if random.random() < 0.3:
                    line[:] = line[: random.randrange(len(line))] if random.random() < 0.5 else [*line, "x", "*"]
        case "empty":
            lines = []
        case "one line":
            lines = [random_line]
        case "doubled":
            lines = lines * 2
        case "counts":
            for line in lines[1:]:
                if random.random() < 0.4:
                    line[-1] = random.choice(_COUNTS)
        case "long":
            lines += [[f"v{i}", *random_line[1:]] for i in range(random.choice((1000, 20_000)))]
        case "deep":
            lines = [[*line[:1], *([f"{line[0]} {i}" for i in range(random.choice((50, 500)))]), "*"] for line in lines]
        case "giant cell":
            random_line[0] = random.choice(("x", "9", '"')) * random.choice((50_000, 2_000_000))
        case "swapped":
            lines = [line[::-1] for line in lines]
        case "delimiter":
            delimiter = random.choice("\t|: .")
        case "encoding":
            path.write_bytes(text.replace("a", "ä").encode(random.choice(("utf-16", "latin-1", "utf-8-sig", "utf-32"))))
            return what
        case "large":
            with path.open("ab") as file:
                file.truncate(300_000_000)
            return what
    if what in ("pipe", "endless", "folder", "table", "outside", "circle", "gone"):
        path.unlink()
        _replace(what, path)
        return what
    file_ = io.StringIO()
    csv.writer(file_, delimiter=delimiter, lineterminator="\n").writerows(lines)
    path.write_bytes(file_.getvalue().encode("utf-8", "surrogatepass"))
    return what


def _replace(what: str, path: Path) -> None:
    match what:
        case "pipe":
            os.mkfifo(path)
        case "endless":
            path.symlink_to("/dev/zero")
        case "folder":
            path.mkdir()
        case "table":
            path.symlink_to("patients.csv")
        case "outside":
            path.symlink_to("../outside/secret.csv")
        case "circle":
            path.symlink_to(path.name)
