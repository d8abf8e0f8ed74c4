"""Tables of months about the same people, and what is asked of their releases.

Some people leave, some of them come back, others are new; some have another value, or other quasi-identifiers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Any

from campaign.promises.case import Case, Row
from campaign.promises.tables import FILES, Drawn, draw

PERSON = "patient"
_SUPPRESS = (0, "1/5", "1/2", "1/2", "3/4", "9/10")


@dataclass(frozen=True)
class Turnover:
    """Which share of the people leaves from one month to the next, comes back, has another value, or moves."""

    leave: float
    back: float
    change: float
    move: float


def chain(random: Random, publish: str, *, rows: tuple[int, int], months: Sequence[int]) -> Case:
    """A chain of so many months, of tables with about as many rows."""
    drawn = draw(random, rows=(3 * rows[1], 3 * rows[1]), columns=(1, 2), sensitive=(1, 1))
    turnover = Turnover(
        random.choice((0.0, 0.1, 0.3)),
        random.choice((0.2, 0.6)),
        random.choice((0, 0, 0.1, 0.3)),
        random.choice((0, 0.2)),
    )
    tables = _months(random, drawn, random.randint(*rows), random.choice(months), turnover)
    m = random.choice((2, 2, 3))
    more: list[Any] = [[], [], [{"k_anonymity": {"k": m + random.choice((0, 1))}}], [{"l_diversity": {"l": m}}]]
    words = {
        "attributes": {PERSON: {"role": "person"}, **drawn.attributes},
        "require": [{"m_invariance": {"m": m}}, *random.choice(more)],
        "publish": publish,
        "suppress": random.choice(_SUPPRESS),
        "seed": random.randrange(1000),
    }
    names = tuple(words["attributes"])  # type: ignore[arg-type]
    return Case(publish, names, tables[0], words, files=FILES, later=tables[1:])


def _months(random: Random, drawn: Drawn, people: int, months: int, turnover: Turnover) -> tuple[tuple[Row, ...], ...]:
    """The table of each month: a name, quasi-identifiers, a value."""
    coming = [(f"Ann{i}-{random.randrange(100, 1000)}", *row) for i, row in enumerate(drawn.rows)]
    here, gone, tables = [coming.pop() for _ in range(people)], list[Row](), list[tuple[Row, ...]]()
    for _ in range(months):
        tables.append(tuple(random.sample(here, len(here))))
        leaving = [row for row in here if random.random() < turnover.leave]
        back = [row for row in gone if random.random() < turnover.back]
        new = [coming.pop() for _ in range(min(len(coming), random.randint(0, 1 + len(leaving))))]
        gone = [row for row in gone if row not in back] + leaving
        here = [_later(random, row, drawn, turnover) for row in here if row not in leaving] + back + new
        here = here or [coming.pop()]
    return tuple(tables)


def _later(random: Random, row: Row, drawn: Drawn, turnover: Turnover) -> Row:
    """Somebody a month later."""
    name, *own = row
    for at, share in enumerate([turnover.move] * (len(own) - 1) + [turnover.change]):
        if random.random() < share:
            own[at] = random.choice(drawn.rows)[at]
    return (name, *own)


# Every family with its share of the runs.
FAMILIES: Mapping[str, tuple[int, Callable[[Random], Case]]] = {
    "exact values": (6, partial(chain, publish="bucketization", rows=(6, 16), months=(2, 3, 3, 4))),
    "coarser values": (6, partial(chain, publish="numbered_groups", rows=(6, 16), months=(2, 3, 3, 4))),
    "few people": (4, partial(chain, publish="bucketization", rows=(3, 6), months=(2, 2, 3))),
    "few people, coarser": (4, partial(chain, publish="numbered_groups", rows=(3, 6), months=(2, 2, 3))),
}


def make(family: str, number: int, seed: int) -> Case:
    """The case with this number; the same seed gives the same one."""
    _, maker = FAMILIES[family]
    return replace(maker(Random(f"chains:{seed}:{family}:{number}")), family=family)
