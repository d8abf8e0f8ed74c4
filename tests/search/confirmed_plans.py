"""Every plan that a re-check can confirm, by trying all nodes and all ways to leave groups out; on random tables."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import chain, combinations, product

from discreet.models.base import PrivacyModel
from discreet.models.groups.beta_likeness import BetaLikeness
from discreet.models.groups.delta_disclosure import DeltaDisclosure
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.groups.t_closeness import TCloseness
from tests.models.cases import ATTRIBUTE
from tests.oracles import keeps_one
from tests.search.brute_force import Candidate
from tests.strategies import Node, Table

LEAVES = ("a", "b", "c", "d")
TREE = {"a": ("ab",), "b": ("ab",), "c": ("c",), "d": ("d",)}  # of several widths: rows don't all cost the same
PAIRS = {"a": ("ab",), "b": ("ab",), "c": ("cd",), "d": ("cd",)}
CUTS = ["abcd", "ab cd", "a b cd", "ab c d", "a b c d"]


def random_table(seed: int, tree: Mapping[str, tuple[str, ...]] = TREE) -> tuple[Table, tuple[PrivacyModel, ...], int]:
    chance = random.Random(seed)
    rows = chance.randint(6, 14)
    few = chance.choice([LEAVES, LEAVES[:3]])
    width = chance.choice([1, 2])
    columns = [tuple(chance.choice(few) for _ in range(rows)) for _ in range(width)]
    values = tuple(chance.choice(chance.choice([["flu", "cold"], ["flu", "cold", "gout"]])) for _ in range(rows))
    paths = dict.fromkeys(("flu", "cold", "gout"), ("ill",))
    table = Table((tree,) * width, tuple(zip(*columns, strict=True)), {ATTRIBUTE: values}, {ATTRIBUTE: paths})
    promise: PrivacyModel = chance.choice(
        [
            TCloseness(chance.choice([0.15, 0.25, 0.3, 0.4]), ATTRIBUTE, chance.choice(["equal", "ordered"])),
            BetaLikeness(chance.choice([0.3, 0.5, 1]), ATTRIBUTE, chance.choice(["basic", "enhanced"])),
            DeltaDisclosure(chance.choice([0.4, 0.7, 1]), ATTRIBUTE),
        ]
    )
    models = (promise, KAnonymity(2)) if chance.random() < 0.3 else (promise,)
    return table, models, chance.randint(1, rows // 2)


@cache
def case(seed: int) -> tuple[Table, tuple[PrivacyModel, ...], int, list[Candidate]]:
    """A table, what is asked of it, and every plan that may be published."""
    table, models, limit = random_table(seed)
    looks = [(node, table.generalized(node)) for node in table.nodes]
    return table, models, limit, list(plans(table, models, limit, looks))


@cache
def case_of_cuts(seed: int) -> tuple[Table, tuple[PrivacyModel, ...], int, list[Candidate]]:
    """The same where values of an attribute may be published on several levels."""
    table, models, limit = random_table(seed, PAIRS)
    cuts = [{leaf: frozenset(part) for part in cut.split() for leaf in part} for cut in CUTS]
    every = product(cuts, repeat=len(table.paths))
    looks = [((), [tuple(cut[d][v] for d, v in enumerate(row)) for row in table.rows]) for cut in every]
    return table, models, limit, list(plans(table, models, limit, looks))


def plans(
    table: Table, models: Sequence[PrivacyModel], limit: int, shown: Iterable[tuple[Node, list[tuple[object, ...]]]]
) -> Iterator[Candidate]:
    """Every way to show the rows with every set of groups left out that may be: the others keep their promises against
    the table, and against each other."""
    column = table.sensitive[ATTRIBUTE]
    order = list(table.sensitive_paths[ATTRIBUTE])

    def keeps(rows: Sequence[int], reference: Sequence[int]) -> bool:
        values, among = [column[r] for r in rows], [column[r] for r in reference]
        return all(keeps_one(m, values, among, order, table.sensitive_paths[ATTRIBUTE]) for m in models)

    everybody = range(len(column))
    for node, looks in shown:
        members = defaultdict(list)
        for row, look in enumerate(looks):
            members[look].append(row)
        holding = [rows for rows in members.values() if keeps(rows, everybody)]
        for kept in chain.from_iterable(combinations(holding, n) for n in range(len(holding) + 1)):
            published = sorted(row for rows in kept for row in rows)
            if len(column) - len(published) > limit or not all(keeps(rows, published) for rows in kept):
                continue
            losses = []
            for d, paths in enumerate(table.paths):
                widest = len(paths) - 1
                spread = sum(len(look[d]) - 1 if row in published else widest for row, look in enumerate(looks))
                losses.append(Fraction(spread, widest * len(looks)))
            yield Candidate(node, tuple(map(tuple, kept)), len(column) - len(published), tuple(losses))
