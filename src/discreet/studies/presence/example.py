"""The numbers of the presence paper's examples: its tables 1 to 4, and δ from harm (section 6)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product

import numpy as np

from discreet.counts.frequency import Marginals
from discreet.counts.groups import Groups, Outside
from discreet.models.presence.confident_presence import ConfidentPresence
from discreet.models.presence.harm import delta_from_harm
from discreet.models.presence.presence import Presence
from discreet.studies.claims import Claim

_AMERICA, _EUROPE = (3, 6), (2, 3)  # of T, of P
_THREE = (3, 3, 3)  # of D, the people with a2, b2 and c2
_ONE = (1, 1, 1)


def worked_example() -> Iterator[Claim]:
    """Tables 1 to 4, and section 6."""
    sizes, population = (np.array(n) for n in zip(_AMERICA, _EUROPE, strict=True))
    groups = Groups(sizes, population=population)
    held, nearer = Presence(("1/2", "2/3")), (Presence(("1/2", "0.66")), Presence(("0.51", "2/3")))
    kept, tight = bool(held.holds(groups).all()), not any(m.holds(groups).all() for m in nearer)
    yield Claim(
        "tables 1 and 2",
        "T3* is (1/2, 2/3)-present: 3 of 6 people of America, 2 of 3 of Europe",
        f"it {'is' if kept else 'is not'}, and {'not' if tight else 'also'} with a smaller δmax or a larger δmin",
        kept and tight,
    )
    yield _four_people()
    low, high = delta_from_harm("0.07", 100, 4, misuse=100, cost=10_000, misuse_below=200)
    yield Claim(
        "section 6",
        "with 7% of diabetes and 4% of the people in the table, δmax is about 0.05 and δmin about 0.02",
        f"{float(high):.4f} and {float(low):.4f}",
        round(float(high), 2) == 0.05 and round(float(low), 2) == 0.02,
    )


def _four_people() -> Claim:
    """Tables 3 and 4: of four people who are not in the table, three each have a2, b2 and c2."""
    promise = ConfidentPresence(("0.33", 1), "15/16")
    confidence = _all_worlds(_THREE, 2), _all_worlds(_ONE, 2)
    leaves = np.array([1, 3])
    marginals = Marginals((leaves,) * 3, (leaves > 0,) * 3, 4)
    at = np.array([[0, 0, 0], [1, 1, 1]], dtype=np.int32)
    groups = Groups(np.array([1, 1]), outside=Outside(at, at, marginals))
    levels = promise.level(groups)
    kept = bool(promise.holds(groups).all())
    tighter = ConfidentPresence(("0.33", 1), "0.9376").holds(groups).all()
    return Claim(
        "tables 3 and 4",
        "T is (0.33, 1)-present with a confidence of 15/16, which (a2, b2, c2) decides; that of (a1, b1, c1) is 1",
        f"over all possible worlds {confidence[0]} and {confidence[1]}; computed {levels[1]:.6g} and {levels[0]:.6g}; "
        f"at 15/16 the promise is {'kept' if kept else 'broken'}, at 0.9376 {'kept' if tighter else 'broken'}",
        confidence == (Fraction(15, 16), Fraction(1)) and kept and not tighter,
    )


def _all_worlds(sizes: tuple[int, ...], most: int, people: int = 4) -> Fraction:
    """The share of worlds, who of some people has which value, in which at most so many have all of the values."""
    worlds = list(product(*(combinations(range(people), n) for n in sizes)))
    return Fraction(sum(len(set.intersection(*map(set, world))) <= most for world in worlds), len(worlds))
