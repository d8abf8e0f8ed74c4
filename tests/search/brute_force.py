"""Every node of a lattice, judged row by row in the plainest Python. Shares no code with the search."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log, prod

from discreet.models.base import PrivacyModel
from tests.oracles import keeps_one
from tests.strategies import Node, Table


@dataclass(frozen=True)
class Candidate:
    """One node with its failing groups suppressed: which rows stay together, which go, what each attribute loses."""

    node: Node
    kept: tuple[tuple[int, ...], ...]  # the rows of each group
    suppressed: int
    losses: tuple[Fraction, ...]
    divergence: float = 0.0

    def score(self, utility: str) -> float:
        rows = sum(map(len, self.kept)) + self.suppressed
        if utility == "loss":
            return float(sum(self.losses) / len(self.losses))
        if utility == "geometric_loss":
            return float(prod(1 + loss for loss in self.losses)) ** (1 / len(self.losses)) - 1
        if utility == "discernibility":
            return sum(len(group) ** 2 for group in self.kept) + self.suppressed * rows
        if utility == "average_group":
            return (rows - self.suppressed) / len(self.kept) if self.kept else float("inf")
        if utility == "kl_divergence":
            return self.divergence
        assert utility == "height"
        return sum(self.node)


def candidates(table: Table, models: Sequence[PrivacyModel], nodes: Sequence[Node] | None = None) -> list[Candidate]:
    """All nodes (or those that are given), whatever they suppress."""
    verdicts: dict[object, bool] = {}
    return judged(table, lambda rows: all(_keeps(table, model, rows, verdicts) for model in models), nodes)


def judged(
    table: Table, private: Callable[[Sequence[int]], bool], nodes: Sequence[Node] | None = None
) -> list[Candidate]:
    """The same for any verdict on the rows of a group."""
    found = []
    for node in table.nodes if nodes is None else nodes:
        members = defaultdict(list)
        looks = table.generalized(node)
        for row, look in enumerate(looks):
            members[look].append(row)
        kept = [tuple(rows) for rows in members.values() if private(rows)]
        published = {row for rows in kept for row in rows}
        losses = []
        for d, paths in enumerate(table.paths):
            widest = len(paths) - 1
            spread = sum(len(look[d]) - 1 if row in published else widest for row, look in enumerate(looks))
            losses.append(Fraction(spread, widest * len(looks)) if widest else Fraction(0))
        divergence = _divergence(table, looks, published)
        found.append(Candidate(node, tuple(kept), len(looks) - len(published), tuple(losses), divergence))
    return found


def _divergence(table: Table, looks: Sequence[tuple[object, ...]], published: set[int]) -> float:
    """Σ p ln(p / p̂) row by row: a published row is spread over what it looks like, a suppressed one over everything."""
    rows = len(looks)
    thin = Fraction(rows - len(published), prod(len(paths) for paths in table.paths))
    alike, equal = Counter(looks[row] for row in published), Counter(table.rows)
    surprise = 0.0
    for row, look in enumerate(looks):
        own = Fraction(alike[look], prod(map(len, look))) if row in published else Fraction(0)  # type: ignore[arg-type]
        surprise += log(equal[table.rows[row]]) - log(own + thin)
    return surprise / rows if rows else 0.0


def partitions(rows: list[int]) -> Iterator[list[list[int]]]:
    """All ways to put rows into groups."""
    if not rows:
        yield []
        return
    first, *others = rows
    for rest in partitions(others):
        yield [[first], *rest]
        for i, group in enumerate(rest):
            yield [*rest[:i], [first, *group], *rest[i + 1 :]]


def _keeps(table: Table, model: PrivacyModel, rows: Sequence[int], known: dict[object, bool]) -> bool:
    column = table.sensitive.get(model.attribute, (None,) * len(table.rows))
    group = sorted((column[row] for row in rows), key=str)
    key = model, tuple(group)
    if key not in known:
        paths = table.sensitive_paths.get(model.attribute, {})
        known[key] = keeps_one(model, group, column, order=list(paths), paths=paths)
    return known[key]
