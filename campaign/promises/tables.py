"""Small tables of many kinds: numbers, codes, names and days, some of them missing, and what others know of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from campaign.promises.case import Row, Value

NATIONS = [["Spain", "South", "Europe"], ["Italy", "South", "Europe"], ["Poland", "East", "Europe"],
           ["Peru", "Andes", "America"], ["Chile", "Andes", "America"], ["Canada", "North", "America"]]  # fmt: skip
DISEASES = [["flu", "chest"], ["cough", "chest"], ["ulcer", "belly"], ["colic", "belly"], ["burn", "skin"]]
_NUMBERS: list[Mapping[str, Any]] = [
    {"intervals": [10, 20]},
    {"intervals": [1, 10]},
    {"intervals": [5, 10, 40]},
    {"intervals": [10, 20, 40], "top": 50},
    {"intervals": [10], "bottom": 25, "top": 55},
    {"cuts": [[30, 40, 50], [40]]},
]
_FOLLOWING: list[Mapping[str, Any]] = [{"quantiles": 2}, {"quantiles": 4}]
_CODES: list[Mapping[str, Any]] = [{"prefixes": [2, 1]}, {"prefixes": [1]}]
_DAYS: list[Mapping[str, Any]] = [
    {"dates": ["month", "year"]},
    {"dates": ["day", "month"]},
    {"dates": ["quarter", "year", "decade"]},
]
NATION_FILE = "nation.csv"
FILES = {NATION_FILE: "".join(";".join([*line, "*"]) + "\n" for line in NATIONS)}
_NAMES: list[Any] = [{"taxonomy": NATIONS}, {"flat": True}, NATION_FILE]


@dataclass(frozen=True)
class Drawn:
    """Columns with their rules, and rows."""

    attributes: Mapping[str, Mapping[str, Any]]
    rows: tuple[Row, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.attributes)


def draw(
    random: Random,
    *,
    rows: tuple[int, int] = (4, 11),
    columns: tuple[int, int] = (1, 3),
    sensitive: tuple[int, int] = (1, 2),
    missing: bool = True,
    following: bool = False,
    sets: bool = False,
) -> Drawn:
    """A table of so many rows, quasi-identifiers and sensitive columns.

    `missing`: some values are NULL or empty; `following`: some rules follow the data; `sets`: some allow for sets.
    """
    count, width = random.randint(*rows), random.randint(*columns)
    kinds = random.sample(["number", "code", "name", "day", "number"], width)
    attributes: dict[str, Mapping[str, Any]] = {}
    values: list[list[Value]] = []
    for at, kind in enumerate(kinds):
        name, pool, rule = _column(random, kind, following=following)
        if sets and kind == "name" and not isinstance(rule, str):
            rule = {**rule, "sets": True}
        attributes[f"{name}{at}"] = {"role": "quasi_identifier"} | ({"hierarchy": rule} if rule else {})
        values.append(_values(random, pool, count, missing and random.random() < 0.25))
    for at in range(random.randint(*sensitive)):
        pool = random.choice(
            ([line[0] for line in DISEASES][: random.randint(2, 5)], list("12345")[: random.randint(2, 5)])
        )
        tree = pool[0] == "flu" and random.random() < 0.4
        rule = {"hierarchy": {"taxonomy": DISEASES}} if tree else {}
        attributes[f"secret{at}"] = {"role": "sensitive"} | rule
        values.append(_skewed(random, pool, count, missing and not tree and random.random() < 0.15))
    return Drawn(attributes, tuple(zip(*values, strict=True)))


def _column(random: Random, kind: str, *, following: bool) -> tuple[str, list[str], Any]:
    """A name, the values to choose from, and a rule."""
    match kind:
        case "number":
            rule = random.choice([*_FOLLOWING, {}] if following and random.random() < 0.5 else _NUMBERS)
            return "age", [str(random.randrange(20, 62)) for _ in range(random.randint(2, 6))], rule
        case "code":
            pool = [f"4{random.randrange(3)}{random.randrange(3)}" for _ in range(random.randint(2, 5))]
            return "zip", pool, random.choice(_CODES)
        case "day":
            pool = [
                f"20{random.choice((11, 23, 24))}-{random.randint(1, 6):02}-05" for _ in range(random.randint(2, 5))
            ]
            return "day", pool, random.choice([*_DAYS, {}] if following else _DAYS)
    pool = [line[0] for line in random.sample(NATIONS, random.randint(2, 5))]
    return "nation", pool, random.choice(_NAMES)


def _values(random: Random, pool: list[str], count: int, missing: bool) -> list[Value]:
    some: list[Value] = [*pool, None, ""] if missing else [*pool]
    return [random.choice(some) for _ in range(count)]


def _skewed(random: Random, pool: list[str], count: int, missing: bool) -> list[Value]:
    """Often one value is frequent: promises are about that."""
    some: list[Value] = [*pool, None] if missing else [*pool]
    weights = [random.choice((1, 1, 2, 4)) for _ in some]
    return random.choices(some, weights, k=count)


def population(random: Random, people: tuple[Row, ...], most: int) -> tuple[Row, ...]:
    """Everybody in the table and others, made of the values that occur."""
    others = random.randint(1, most)
    made = [tuple(random.choice(people)[d] for d in range(len(people[0]))) for _ in range(others)]
    everybody = [*people, *made]
    random.shuffle(everybody)
    return tuple(everybody)
