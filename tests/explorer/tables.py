"""A small table with values that single people have, policies for it, and a walk through all that a page is told."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from discreet.explorer.figures.candidate import HIDDEN_BELOW
from discreet.policy.policy import Policy, policy_from_words
from discreet.run.intake import Counted, count

Table = dict[str, list[str | None]]
Words = dict[str, Any]

ATTRIBUTES: Words = {
    "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [5, 10, 20, 40]}},
    "zip": {"role": "quasi_identifier", "hierarchy": {"prefixes": [4, 2]}},
    "sex": {"role": "quasi_identifier"},
    "disease": {"role": "sensitive"},
}
RARE = ("rare zip", "rare disease", "rare sex")  # each is one person's


def people(rows: int = 300, seed: int = 3) -> Table:
    """People of whom a few have what nobody else has."""
    rng = np.random.default_rng(seed)
    table: Table = {
        "age": [str(20 + int(a)) for a in rng.integers(0, 40, rows)],
        "zip": [str(47000 + 7 * int(z)) for z in rng.integers(0, 12, rows)],
        "sex": rng.choice(["f", "m"], rows).tolist(),
        "disease": rng.choice(["flu", "cold", "gout", "asthma", "ulcer"], rows, p=[0.3, 0.3, 0.2, 0.1, 0.1]).tolist(),
    }
    for at, (column, value) in enumerate(zip(("zip", "disease", "sex"), RARE, strict=True)):
        table[column][17 * at + 5] = value
    table["sex"][8] = None
    return table


def words(*require: Any, **more: Any) -> Words:
    """A policy in words; seeded, so that it can be compared."""
    return {"attributes": ATTRIBUTES, "require": list(require) or [{"k_anonymity": {"k": 5}}], "seed": 1} | more


def policy(*require: Any, **more: Any) -> Policy:
    return policy_from_words(words(*require, **more))


KINDS: dict[str, tuple[list[Any], Words]] = {
    "generalization": ([{"k_anonymity": {"k": 5}}, {"l_diversity": {"l": 2}}], {"suppress": 0.05}),
    "closeness": ([{"k_anonymity": {"k": 5}}, {"t_closeness": {"t": 0.4}}], {"suppress": 0.1}),
    "multidimensional": ([{"k_anonymity": {"k": 5}}], {"publish": "multidimensional", "suppress": 0.02}),
    "local_recoding": ([{"k_anonymity": {"k": 6}}], {"publish": "local_recoding"}),
    "bucketization": ([{"l_diversity": {"l": 2}}], {"publish": "bucketization"}),
    "ambiguity": ([{"ambiguity": {"alpha": 0.3, "beta": 0.6}}], {"publish": "ambiguity"}),
}


def of_kind(kind: str) -> Policy:
    require, more = KINDS[kind]
    return policy(*require, **more)


def counted(table: Table | None = None, like: Policy | None = None) -> Counted:
    """Counted once, for all policies."""
    return count(like or policy(), table or people())


def changed(words: Words, changes: Sequence[Sequence[Any]]) -> Words:
    """Words with changes in them: a list grows by the index after its last, None takes away what is there."""
    made: Any = {**words, "require": list(words["require"])}
    for path, value in changes:
        here = made
        for step in path[:-1]:
            here[step] = list(here[step]) if isinstance(here[step], list) else dict(here[step])
            here = here[step]
        if value is None and isinstance(here, list):
            del here[path[-1]]
        elif value is None:
            here.pop(path[-1], None)
        elif isinstance(here, list) and path[-1] == len(here):
            here.append(value)
        else:
            here[path[-1]] = value
    return dict(made)


def texts(told: Any) -> Iterator[str]:
    """All texts in an answer, the names of its parts included."""
    if isinstance(told, str):
        yield told
    elif isinstance(told, Mapping):
        for name, inner in told.items():
            yield str(name)
            yield from texts(inner)
    elif isinstance(told, list | tuple):
        for inner in told:
            yield from texts(inner)


def rare_values(table: Table, below: int = HIDDEN_BELOW) -> set[str]:
    """Values of fewer people, but for those that are common in another column."""
    common = {v for column in table.values() for v, n in Counter(column).items() if n >= below}
    return {v for column in table.values() for v, n in Counter(column).items() if n < below and v is not None} - common


def plain(told: Any) -> bool:
    """Is it made of what JSON has, and finite?"""
    return bool(json.loads(json.dumps(told, allow_nan=False)) == told)
