"""Small tables of visits: people with several rows, of whom none, some or all are another in every row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from campaign.promises.case import Row, Value
from campaign.promises.tables import Drawn, draw

PERSON = "patient"
NONE, SOME, ALL = "none", "some", "all"  # of them move


@dataclass(frozen=True)
class Visits:
    """A table without the column of the person, and that column."""

    drawn: Drawn
    persons: tuple[Value, ...]

    def named(self, random: Random) -> Drawn:
        """The table with that column, somewhere among the others."""
        at = random.randint(0, len(self.drawn.names))
        attributes = list(self.drawn.attributes.items())
        attributes.insert(at, (PERSON, {"role": "person"}))
        rows = [(*row[:at], name, *row[at:]) for row, name in zip(self.drawn.rows, self.persons, strict=True)]
        return Drawn(dict(attributes), tuple(rows))


def visits(
    random: Random,
    *,
    rows: tuple[int, int] = (6, 60),
    most: Sequence[int] = (1, 2, 2, 3, 3, 5, 8),
    moving: str | None = None,
    **more: Any,
) -> Visits:
    """So many rows of people who have one or more each, one of `most` at most.

    `moving`: who has other quasi-identifiers from row to row. `more` is for `draw`, which makes the people. Some rows
    may be nobody's by name.
    """
    count, many_at_most = random.randint(*rows), random.choice(most)
    numbers: list[int] = []
    while sum(numbers) < count:
        numbers.append(min(random.randint(1, many_at_most), count - sum(numbers)))
    people = draw(random, rows=(len(numbers), len(numbers)), **more)
    moving = moving or random.choice((NONE, NONE, SOME, ALL))
    movers = {NONE: 0.0, SOME: random.choice((0.1, 0.3)), ALL: 1.0}[moving]
    loyal = random.choice((0.0, 0.3, 0.7, 1.0))  # how often somebody has the same value again
    nameless = random.choice((0.0, 0.0, 0.1, 0.3))
    made: list[tuple[Row, Value]] = []
    for number, many in enumerate(numbers):
        moves, name = random.random() < movers, f"Ann{number}-{random.randrange(100, 1000)}"
        for visit in range(many):
            row = _visit(random, people, number, visit and moves, 1.0 if not visit else loyal)
            made.append((row, None if random.random() < nameless else name))
    random.shuffle(made)
    return Visits(replace(people, rows=tuple(row for row, _ in made)), tuple(name for _, name in made))


def _visit(random: Random, people: Drawn, number: int, moves: object, loyal: float) -> Row:
    """A row of somebody: one who moves has a quasi-identifier, or all, of somebody else."""
    row = list(people.rows[number])
    quasi = [at for at, about in enumerate(people.attributes.values()) if about["role"] == "quasi_identifier"]
    for at in random.choice(([random.choice(quasi)], quasi)) if moves else ():
        row[at] = random.choice(people.rows)[at]
    for at in range(len(row)):
        if at not in quasi and random.random() >= loyal:
            row[at] = random.choice(people.rows)[at]
    return tuple(row)
