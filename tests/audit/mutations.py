"""Manifests as somebody who wishes us ill would write them: ours, with hostile values at any place."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

DEEP: Any = []
for _ in range(300):
    DEEP = [DEEP]
HOSTILE: list[Any] = [
    None, True, False, 0, -1, 1, 2**63, 10**30, -(10**30), 0.5, -0.5, 1e308, 5e-324, "", "x", "*", "1e-99999999",
    "1e99999999", "9" * 5000, "1/0", "NaN", "../../etc/passwd", "/etc/passwd", "/dev/zero", "http://127.0.0.1:9/x.csv",
    "data*.csv", "\0", "\ud800", "{{7*7}}", "<script>", "a" * 100_000, [], {}, [[]], [None], [[None, None]], [{}],
    {"": None}, {"x": {}}, {"k_anonymity": {"k": "1e9999999"}}, [1] * 1000, [["a", "b"]] * 1000, DEEP,
    {"taxonomy": "/etc/passwd"}, {"taxonomy": [[]]}, {"taxonomy": [["a"], ["a", "b", "c"]]}, {"intervals": ["x", None]},
    {"dates": 5}, {"prefixes": [10**30]}, {"cuts": [[1, 2], ["x"]]}, "generalization", "bucketization", "ambiguity",
]  # fmt: skip


def places(words: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path to every place of a JSON."""
    inside = words.items() if isinstance(words, dict) else enumerate(words) if isinstance(words, list) else ()
    for name, inner in inside:
        yield (*above, name)
        yield from places(inner, (*above, name))


def mutated(manifest: dict[str, Any], draw: random.Random) -> dict[str, Any]:
    """A manifest that was changed in one to three places: another value, something gone, something more."""
    changed = copy.deepcopy(manifest)
    for _ in range(draw.randint(1, 3)):
        known = [*places(changed)]
        shallow = [place for place in known if len(place) <= 2]
        place = draw.choice(shallow if draw.random() < 0.5 else known)
        inside: Any = changed
        for name in place[:-1]:
            inside = inside[name]
        way, value = draw.random(), copy.deepcopy(draw.choice(HOSTILE))
        if way < 0.15:
            del inside[place[-1]]
        elif way < 0.25 and isinstance(inside, dict):
            inside[draw.choice(["x", "loss", "/etc/passwd", "../x.csv", "", "a" * 10_000])] = value
        elif way < 0.35 and isinstance(inside, list):
            inside += [value, *copy.deepcopy(inside)]
        elif way < 0.45:
            inside[place[-1]] = [inside[place[-1]]]
        else:
            inside[place[-1]] = value
        if not changed:
            break
    return changed
