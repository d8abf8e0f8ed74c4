"""Tables that another tool might have published, whatever they do to the promises, and how they are described."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from campaign.promises.case import Case, Row
from campaign.promises.ladders import ladder


def on_levels(random: Random, case: Case) -> tuple[Row, ...]:
    """Every quasi-identifier on some level of its hierarchy."""
    columns = []
    for name in case.names:
        values = case.column(name)
        labels = ladder(case.hierarchy(name), values) if name in case.quasi_identifiers else None
        if labels is not None:
            level = random.randrange(len(labels[values[0]]))
            values = [labels[value][level] for value in values]
        columns.append(values)
    return tuple(zip(*columns, strict=True))


def overlapping(random: Random, rows: Sequence[Row], least: int, most: int) -> tuple[Row, ...]:
    """Tables of one number: every row in some interval that has it, so that intervals may overlap."""
    published = []
    for number, *others in rows:
        low, high = random.randint(least, int(str(number))), random.randint(int(str(number)), most)
        published.append((f"{low}-{high}" if low < high else f"{low}", *others))
    some = [label for label, *_ in published]
    return tuple((random.choice([label for label in some if _holds(label, row[0])]), *row[1:]) for row in rows)


def _holds(label: object, number: object) -> bool:
    low, _, high = str(label).partition("-")
    return int(low) <= int(str(number)) <= int(high or low)


def description(case: Case) -> dict[str, Any]:
    """What is told to the audit of it."""
    kinds = {"intervals": "interval", "cuts": "interval", "prefixes": "prefix", "dates": "date", "flat": "exact"}
    columns, hierarchies = {}, {}
    for name in case.quasi_identifiers:
        [word] = [word for word in case.hierarchy(name) if word in (*kinds, "taxonomy")]
        if word == "taxonomy":
            lines = case.hierarchy(name)["taxonomy"]
            hierarchies[name] = [[*line, "*"] for line in lines]
        else:
            columns[name] = kinds[word]
    return {
        "quasi_identifiers": list(case.quasi_identifiers),
        "sensitive": list(case.sensitive),
        "promises": [_without_files(promise) for promise in case.words["require"]],
        "columns": columns,
    } | ({"hierarchies": hierarchies} if hierarchies else {})


def _without_files(promise: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """The list of a population is given beside a description, and not named in it."""
    return {
        word: {name: value for name, value in about.items() if name != "population"} for word, about in promise.items()
    }
