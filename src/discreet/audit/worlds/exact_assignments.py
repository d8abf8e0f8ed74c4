"""The chance that somebody stands behind some published row, in whole numbers: where a limit is met, or nearly.

The same worlds as in `assignments`, counted without rounding; for few people, since the numbers grow.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb

import numpy as np

from discreet.arrays import IntArray
from discreet.audit.worlds.label_join import Covered

_MOST_STEPS = 2_000_000  # of whole numbers of any length

Groups = tuple[int, ...]
Kind = tuple[Groups, int]  # the groups that some people fit, and how many they are


def exact_chances(covered: Covered, sizes: IntArray, fits: Sequence[Groups]) -> dict[Groups, Fraction]:
    """The chances of people who fit some groups (in order), by these; what is too much to count is left out.

    Rows 2-4 and 1-3, the list 1, 2, 3, 4, 5: of seven worlds, 2 is in four.

    >>> of_entry = np.array([0, 1, 3, 5, 6, 6]), np.array([1, 0, 1, 0, 1, 0], dtype=np.int32)
    >>> covered = Covered(np.ones(5, dtype=np.int64), *of_entry, np.array([3, 3]))
    >>> {groups: str(chance) for groups, chance in exact_chances(covered, np.array([1, 1]), [(1,), (0, 1)]).items()}
    {(1,): '3/7', (0, 1): '4/7'}
    """
    from discreet.audit.worlds.assignment_kernels import components  # late: loads numba

    part = components(covered.starts, covered.groups, len(sizes))
    by_part: dict[int, list[Groups]] = {}
    for groups in fits:
        by_part.setdefault(int(part[groups[0]]), []).append(groups)
    chances: dict[Groups, Fraction] = {}
    for own, wanted in by_part.items():
        chances |= _of_part(covered, sizes, np.flatnonzero(part == own), wanted)
    return chances


def kinds_of(covered: Covered, entries: IntArray) -> tuple[IntArray, list[Kind]]:
    """The kind of each of some entries of a list; of each kind the groups that it fits, and how many people it is."""
    from discreet.audit.worlds.assignment_kernels import Fits, alike  # late: loads numba

    kind, kinds = alike(Fits(covered.starts, covered.groups, covered.people), entries)
    ends = zip(kinds.starts[:-1].tolist(), kinds.starts[1:].tolist(), kinds.people.tolist(), strict=True)
    return kind, [(tuple(kinds.groups[low:high].tolist()), many) for low, high, many in ends]


def _of_part(covered: Covered, sizes: IntArray, members: IntArray, wanted: Sequence[Groups]) -> dict[Groups, Fraction]:
    """The chances in some groups that share people with each other and with no other ones."""
    if len(members) == 1:
        [group] = members.tolist()
        n, had = int(sizes[group]), int(covered.having[group])
        return {(group,): Fraction(min(n, had), had)} if had else {}
    first = np.append(covered.groups, -1)[np.minimum(covered.starts[:-1], len(covered.groups))]
    _, named = kinds_of(covered, np.flatnonzero(np.isin(first, members) & (covered.fits > 0)))
    place = {int(g): i for i, g in enumerate(members)}
    rows = [int(sizes[g]) for g in members]
    kinds = {groups: (tuple(place[g] for g in groups), many) for groups, many in named}
    if _steps([*kinds.values()], rows) * (1 + len(wanted)) > _MOST_STEPS:
        return {}
    worlds = _worlds([*kinds.values()], rows)
    chances = {}
    for groups in wanted if worlds else ():
        others = [(fits, many - (other == groups)) for other, (fits, many) in kinds.items()]
        chances[groups] = 1 - Fraction(_worlds(others, rows), worlds)
    return chances


def _steps(kinds: Sequence[Kind], rows: Sequence[int]) -> int:
    states = 1
    for n in rows:
        states *= n + 1
    return states * sum(len(fits) * (1 + min(many, sum(rows[g] for g in fits))) for fits, many in kinds)


def _worlds(kinds: Sequence[Kind], rows: Sequence[int]) -> int:
    """In how many ways all rows are different people's."""
    ways: dict[tuple[int, ...], int] = {(0,) * len(rows): 1}  # by how many rows of each group are filled
    for fits, many in kinds:
        power, after = ways, dict(ways)
        for j in range(1, min(many, sum(rows[g] for g in fits)) + 1):
            filled: dict[tuple[int, ...], int] = {}
            for state, n in power.items():
                for g in fits:
                    if state[g] < rows[g]:
                        more = (*state[:g], state[g] + 1, *state[g + 1 :])
                        filled[more] = filled.get(more, 0) + n
            power, choices = filled, comb(many, j)
            for state, n in power.items():
                after[state] = after.get(state, 0) + choices * n
        ways = after
    return ways.get(tuple(rows), 0)
