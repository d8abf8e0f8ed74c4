"""Policies: every place of every valid one changed, and the bytes of its YAML."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import yaml

from campaign.garden import POLICIES, Garden
from campaign.inputs import Input
from campaign.mutations import change, kin_of, places, spoil_bytes, strange_files

# Every place once, then again with other values.
_PLACES = [(kind, place) for kind, words in POLICIES.items() for place in places(words)]
_KIN = kin_of(POLICIES.values())
OUTPUT = "out"
VERIFY = ("verify", OUTPUT, "--source", "policy.yaml")


def changed(random: Random, number: int, here: Path, garden: Garden) -> Input:
    """One to three changes."""
    kind, place = _PLACES[number * 7919 % len(_PLACES)]  # a prime: neighbours in time are not neighbours in a policy
    words: Any = garden.copy(kind, here)
    strange_files(here)
    words, what = change(random, words, place, _KIN)
    while random.random() < 0.3:
        words, more = change(random, words, random.choice(places(words)), _KIN)
        what += f", {more}"
    (here / "policy.yaml").write_bytes(written(random, words))
    return _command(random, "policies", f"{kind}: {what}")


def broken_text(random: Random, number: int, here: Path, garden: Garden) -> Input:
    """Text that no other YAML would do: bombs, tags, anchors, encodings, and any bytes."""
    kind = list(POLICIES)[number % len(POLICIES)]
    words = garden.copy(kind, here)
    strange_files(here)
    text = yaml.safe_dump(words, sort_keys=False)
    if random.random() < 0.6:
        data, what = spoil_bytes(random, text.encode()), "bytes"
    else:
        data, what = _spoilt_text(random, text)
    (here / "policy.yaml").write_bytes(data)
    return _command(random, "policy bytes", f"{kind}: {what}")


def written(random: Random, words: object) -> bytes:
    """Words as YAML, or as JSON, which is YAML, too."""
    if random.random() < 0.5:
        try:
            return yaml.safe_dump(words, sort_keys=False, allow_unicode=random.random() < 0.5).encode()
        except (yaml.YAMLError, UnicodeEncodeError, RecursionError):
            pass
    try:
        return json.dumps(words, indent=1).encode()
    except RecursionError:
        return b"[" * 100_000


def bomb(depth: int = 30, width: int = 9) -> str:
    """A few lines of YAML that stand for width ** depth values."""
    lines = ["bomb0: &b0 [x]"]
    lines += [f"bomb{i}: &b{i} [{', '.join([f'*b{i - 1}'] * width)}]" for i in range(1, depth)]
    return "\n".join(lines) + "\n"


_TAGS = ("int", "binary", "set", "omap", "timestamp", "float", "null", "bool")


def _with_value(lines: list[str], at: int, value: str) -> str:
    """The text with another value in a line."""
    return "".join([*lines[:at], f"{lines[at].partition(':')[0]}: {value}\n", *lines[at + 1 :]])


def _spoilt_text(random: Random, text: str) -> tuple[bytes, str]:
    lines = text.splitlines(keepends=True)
    at = random.randrange(len(lines))
    depth = random.choice((3000, 200_000))
    value = lines[at].partition(":")[2]
    ways = {
        "bomb": lambda: text + bomb(random.choice((8, 30)), random.choice((2, 9))),
        "bomb as value": lambda: bomb() + text.replace("suppress:", "suppress: *b29\nother:", 1),
        "merged bomb": lambda: text + "".join(
            f"m{i}: &m{i}\n  <<: *m{i - 1}\n  k{i}: *m{i - 1}\n" if i else "m0: &m0 {x: y}\n" for i in range(25)
        ),
        "itself": lambda: text + "self: &s [*s]\n",
        "doubled line": lambda: "".join([*lines[: at + 1], *lines[at:]]),
        "doubled part": lambda: text + text,
        "documents": lambda: text + "---\n" + text,
        "tag": lambda: _with_value(lines, at, "!!python/object/apply:os.system ['touch pwned']"),
        "other tag": lambda: _with_value(lines, at, f"!!{random.choice(_TAGS)} {value.strip() or 'x'}"),
        "deep list": lambda: text + "deep: " + "[" * depth,
        "deep mapping": lambda: text + "deep: " + "{a: " * depth,
        "deep block": lambda: text + "".join(f"{' ' * i}d:\n" for i in range(2000)),
        "many dashes": lambda: text + "d:\n" + "- " * depth + "x\n",
        "many keys": lambda: text + "".join(f"k{i}: {i}\n" for i in range(20_000)),
        "long key": lambda: text + "k" * 300_000 + ": 1\n",
        "long text": lambda: text.replace("patients.csv", "p" * 3_000_000),
        "many digits": lambda: text + f"suppress: 0.{'3' * 100_000}\nseed: {'9' * 100_000}\n",
        "tabs": lambda: text.replace("  ", "\t"),
        "key that is a list": lambda: text + "? [a, b]\n: c\n",
        "control": lambda: text.replace("age", "a\u0007\u001bge", 1),
        "signs": lambda: text.replace("age", "a\u202eg\u200be"),
        "directive": lambda: "%YAML 9.9\n%TAG ! tag:x,2000:\n---\n" + text,
    }  # fmt: skip
    encodings = {"UTF-16": "utf-16", "Latin-1": "latin-1", "a mark": "utf-8-sig", "UTF-32": "utf-32"}
    what = random.choice([*ways, *encodings])
    if what in encodings:
        return text.replace("Asthma", "Asthmaé").encode(encodings[what]), what
    return ways[what]().encode("utf-8", "surrogatepass"), what


def _command(random: Random, family: str, what: str) -> Input:
    options = ("--json",) if random.random() < 0.3 else ()
    draw = random.random()
    if draw < 0.84:
        argv = ("anonymize", "policy.yaml", "-o", OUTPUT, *options)
        return Input(family, what, argv, after=(VERIFY,), release=OUTPUT)
    if draw < 0.9:
        return Input(family, what, ("compare", "policy.yaml", "-o", "page.html", *options))
    if draw < 0.97:
        return Input(family, what, ("summarize", "policy.yaml", "-o", "made.npz", *options))
    return Input(family, what, ("stats", "policy.yaml", *options))
