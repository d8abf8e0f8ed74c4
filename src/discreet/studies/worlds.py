"""Possible worlds: everything that a release leaves open, one by one. Slow and simple; every posterior is tested by it.

A world gives each person of a group one of its published values. `enumerate` lists the worlds with their weights in the
eyes of an adversary, `belief` adds up those in which something is true of them.
"""

from __future__ import annotations

import builtins
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import TypeVar

Values = tuple[Hashable, ...]  # of the first person, the second, …
Weight = Callable[[Values], Fraction]
W = TypeVar("W")


def enumerate(values: Iterable[Hashable], weight: Weight) -> Iterator[tuple[Values, Fraction]]:
    """Every way in which these values may belong to as many people, with its weight.

    Equal values are interchangeable: each world is listed once.

    >>> half = independent([{"x": Fraction(1, 2), "y": Fraction(1, 2)}] * 3)
    >>> [("".join(world), str(w)) for world, w in enumerate("xyy", half)]
    [('xyy', '1/8'), ('yxy', '1/8'), ('yyx', '1/8')]
    """

    def arrange(left: Counter[Hashable], before: Values) -> Iterator[Values]:
        if not left:
            yield before
        for value in list(left):
            yield from arrange(left - Counter([value]), (*before, value))

    for world in arrange(Counter(values), ()):
        yield world, weight(world)


def tables(auxiliary: Sequence[Iterable[Hashable]], values: Sequence[Hashable]) -> Iterator[dict[Values, Hashable]]:
    """Every table that a group of an ambiguous release may stand for: who is in it, with which sensitive value.

    `auxiliary` are the values of each quasi-identifier in the group. A person is a combination of them; as many
    different people are in the table as it has sensitive values, and every auxiliary value is somebody's.

    >>> for table in tables([["20", "60"], ["F", "M"]], ["flu", "cold"]):
    ...     print(sorted(table.items()))
    [(('20', 'F'), 'flu'), (('60', 'M'), 'cold')]
    [(('20', 'F'), 'cold'), (('60', 'M'), 'flu')]
    [(('20', 'M'), 'flu'), (('60', 'F'), 'cold')]
    [(('20', 'M'), 'cold'), (('60', 'F'), 'flu')]
    """
    listed = [tuple(dict.fromkeys(column)) for column in auxiliary]
    for people in combinations(product(*listed), len(values)):
        if all({person[i] for person in people} == set(column) for i, column in builtins.enumerate(listed)):
            for world, _ in enumerate(values, lambda _: Fraction(1)):
                yield dict(zip(people, world, strict=True))


def fillings(groups: Sequence[tuple[Iterable[Hashable], int]]) -> Iterator[tuple[frozenset[Hashable], ...]]:
    """Every way to find different people for all rows of a release: for each group whom it covers, and how many rows.

    Two groups of one row, which both fit Bo:

    >>> for found in fillings([(["Al", "Bo"], 1), (["Bo", "Cy"], 1)]):
    ...     print(*(name for people in found for name in people))
    Al Bo
    Al Cy
    Bo Cy
    """
    if not groups:
        yield ()
        return
    (covered, rows), *others = groups
    for people in combinations(list(covered), rows):
        left = [([person for person in those if person not in people], n) for those, n in others]
        for filling in fillings(left):
            yield (frozenset(people), *filling)


def belief(worlds: Iterable[tuple[W, Fraction]], of: Callable[[W], bool]) -> Fraction:
    """The share of the weight of those worlds in which something is true.

    Where priors differ, people of one group do too: the first of these four has x with probability 0.24 / 0.33.

    >>> half, fifth = {"x": Fraction(1, 2), "y": Fraction(1, 2)}, {"x": Fraction(1, 5), "y": Fraction(4, 5)}
    >>> belief(enumerate("xxyy", independent([half, half, fifth, fifth])), lambda world: world[0] == "x")
    Fraction(8, 11)
    """
    total = true = Fraction(0)
    for world, weight in worlds:
        total += weight
        true += weight if of(world) else 0
    return true / total


def independent(priors: Sequence[Mapping[Hashable, Fraction]]) -> Weight:
    """She has a belief of her own about each person, and nothing she sees of others changes it."""

    def weight(world: Values) -> Fraction:
        product = Fraction(1)
        for prior, value in zip(priors, world, strict=True):
            product *= prior.get(value, Fraction(0))
        return product

    return weight


def dirichlet(sigmas: Mapping[Hashable, Mapping[Hashable, Fraction]], signatures: Sequence[Hashable]) -> Weight:
    """She has a Dirichlet prior for people of each signature, and learns about them from one another.

    `sigmas` are the priors, `signatures` says which one is meant for each person. The weight of a world is the chance
    of drawing its values one after the other: each with (σ(s) + how often it came) / (σ + how many came before).

    >>> flat = dirichlet({"all": {"x": Fraction(1), "y": Fraction(1)}}, ["all"] * 3)
    >>> str(flat(("x", "x", "y"))), str(flat(("x", "y", "x")))
    ('1/12', '1/12')
    """

    def weight(world: Values) -> Fraction:
        product = Fraction(1)
        came: Counter[tuple[Hashable, Hashable]] = Counter()
        drawn: Counter[Hashable] = Counter()
        for signature, value in zip(signatures, world, strict=True):
            sigma = sigmas[signature]
            product *= (sigma.get(value, Fraction(0)) + came[signature, value]) / (
                sum(sigma.values()) + drawn[signature]
            )
            came[signature, value] += 1
            drawn[signature] += 1
        return product

    return weight
