"""The promises as their papers define them, in the plainest Python: slow, exact, and sharing no code with `discreet`.

`keeps(model, values_by_group, reference)` says for each group whether it keeps the promise. A group is the list of its
sensitive values, `reference` the list of those of the whole table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

Values = Sequence[Hashable]
Paths = Mapping[Hashable, Sequence[Hashable]]


def keeps(
    model: object,
    values_by_group: Mapping[Hashable, Values],
    reference: Values,
    order: Values = (),
    paths: Paths | None = None,
) -> dict[Hashable, bool]:
    """Does each group keep the promise?

    `order` are the values of the domain in order (for ordered distances); `paths` what each value becomes on level
    1, 2, … without the final everything (for hierarchical distances).
    """
    return {group: keeps_one(model, values, reference, order, paths or {}) for group, values in values_by_group.items()}


def keeps_one(model: object, group: Values, table: Values, order: Values = (), paths: Paths | None = None) -> bool:
    """Does one group keep the promise?"""
    [(word, parameters)] = model.to_words().items()  # type: ignore[attr-defined]
    if word == "realistic":
        return realistic(group, table, parameters)
    parameters = {name: exact(value) for name, value in parameters.items() if name != "attribute"}
    kind = parameters.pop("kind", parameters.pop("distance", ""))
    if kind == "ordered":
        return ordered_distance(group, table, order) <= parameters["t"]
    if kind == "hierarchical":
        return hierarchical_distance(group, table, paths or {}) <= parameters["t"]
    return PROMISES[word, kind](group, table, **parameters)


Owned = Sequence[tuple[Hashable, Hashable]]  # whose a row is, and its value


def keeps_by_people(model: object, group: Owned, table: Owned, order: Values = (), paths: Paths | None = None) -> bool:
    """Does one group keep the promise, by its rows and by the people whose they are?

    Of a promise about a value's chance, all worlds are gone through; any other is asked of the rows, and of a table in
    which everybody has one row for each value that he has.
    """
    [(word, parameters)] = model.to_words().items()  # type: ignore[attr-defined]
    people = {person for person, _ in group}
    if word == "k_anonymity":
        return len(people) >= parameters["k"]
    if word == "alpha_k":
        return len(people) >= parameters["k"] and surest(group) <= Fraction(str(parameters["alpha"]))
    if parameters.get("kind") == "frequency":
        return surest(group) <= 1 / Fraction(str(parameters["l"]))
    views = [(group, table), (sorted(set(group), key=str), sorted(set(table), key=str))]
    return all(
        keeps_one(model, [value for _, value in some], [value for _, value in all_], order, paths)
        for some, all_ in views
    )


def surest(group: Owned) -> Fraction:
    """The largest chance that somebody has some value, for whoever knows how many of the group's rows are whose."""
    values = [value for _, value in group]
    return max(
        had_by_chance(values, value, [person for person, _ in group].count(owner))
        for owner in {person for person, _ in group}
        for value in set(values)
    )


def had_by_chance(values: Values, value: Hashable, own: int) -> Fraction:
    """In which share of the worlds somebody with so many rows has a value: the values dealt to the rows in all ways.

    The first rows are his; which they are makes no difference. A world is given by which rows have the value.
    """
    worlds = list(combinations(range(len(values)), list(values).count(value)))
    return Fraction(sum(any(row < own for row in having) for having in worlds), len(worlds))


def exact(value: object) -> object:
    """Numbers as fractions; words as they are."""
    return value if isinstance(value, str) and value.isalpha() else Fraction(str(value))


def share(values: Values, value: Hashable) -> Fraction:
    return Fraction(list(values).count(value), len(values))


def k_anonymity(group: Values, table: Values, k: Fraction) -> bool:
    return len(group) >= k


def invariance(group: Values, table: Values, m: Fraction) -> bool:
    often = {list(group).count(value) for value in group}
    return len(set(group)) >= m and len(often) == 1


def distinct_diversity(group: Values, table: Values, l: Fraction) -> bool:  # noqa: E741
    return len(set(group)) >= l


def entropy_diversity(group: Values, table: Values, l: Fraction) -> bool:  # noqa: E741
    # Σ q ln(1/q) ≥ ln l  ⇔  Π q^(−q n) ≥ l^n  ⇔  1 ≥ l^n · Π q^(n q), all of them rational
    product = Fraction(l) ** len(group)
    for count in Counter(group).values():
        product *= Fraction(count, len(group)) ** count
    return product <= 1


def recursive_diversity(group: Values, table: Values, c: Fraction, l: Fraction) -> bool:  # noqa: E741
    counts = sorted(Counter(group).values(), reverse=True)
    return counts[0] < c * sum(counts[int(l) - 1 :])


def frequency_diversity(group: Values, table: Values, l: Fraction) -> bool:  # noqa: E741
    return all(share(group, value) <= 1 / l for value in group)


def alpha_k(group: Values, table: Values, alpha: Fraction, k: Fraction) -> bool:
    return len(group) >= k and all(share(group, value) <= alpha for value in group)


def basic_likeness(group: Values, table: Values, beta: Fraction) -> bool:
    gains = [(share(group, s) - share(table, s)) / share(table, s) for s in set(table)]
    return all(gain <= beta for gain in gains if gain > 0)


def enhanced_likeness(group: Values, table: Values, beta: Fraction) -> bool:
    for s in set(table):
        p, q = share(table, s), share(group, s)
        # −ln p to 60 digits: it is irrational unless p = 1, and never within 10⁻⁵⁰ of a gain of a table this small
        if q > p and not ((q - p) / p <= beta and decimal((q - p) / p) <= -log(p)):
            return False
    return True


def delta_disclosure(group: Values, table: Values, delta: Fraction) -> bool:
    if set(group) != set(table):
        return False
    return all(abs(log(share(group, s) / share(table, s))) < decimal(delta) for s in set(table))


def realistic(group: Values, table: Values, words: Mapping[str, Any]) -> bool:
    """R1 and R2 of theorems 1 to 3, predicate by predicate. No share is given by σ(φ) = σ alone: nothing to learn."""
    prior = shape(table, words.get("prior"))
    everything = {*table, *group, *prior}
    predicates = [members(word, everything) for word in words.get("predicates", [{"each": True}])]
    satisfied = {s: [value in s for value in group].count(True) for sets in predicates for s in sets}
    return all(
        private(words, len(group), count, sum((prior.get(v, Fraction(0)) for v in s), Fraction(0)))
        for s, count in satisfied.items()
        if count
    )


def shape(table: Values, prior: Any) -> dict[Hashable, Fraction]:
    """The shares that a prior in words stands for."""
    if prior == "table":
        return {s: share(table, s) for s in set(table)}
    if prior == "uniform":
        return {s: Fraction(1, len(set(table))) for s in set(table)}
    pairs = [] if prior is None else prior["shares"] if "shares" in prior else [(s, c + 1) for s, c in prior["counts"]]
    total = sum((Fraction(str(w)) for _, w in pairs), Fraction(0))
    return {s: Fraction(str(w)) / total for s, w in pairs}


def members(word: Any, everything: set[Hashable]) -> list[frozenset[Hashable]]:
    """The sets of values that a predicate in words stands for."""
    if isinstance(word, Mapping) and "each" in word:
        return [frozenset([s]) for s in everything]
    if isinstance(word, Mapping):
        return [frozenset(everything).difference(*members(word["not"], everything))]
    return [frozenset(word if isinstance(word, list) else [word])]


def private(words: Mapping[str, Any], n: int, satisfied: int, p: Fraction) -> bool:
    epsilon, b, kind = Fraction(str(words["epsilon"])), words["known"], words["class"]
    if p == 1 and kind != "II":
        return True
    if n <= b or (p == 0 and kind != "II"):
        return False
    x = Fraction(satisfied, n - b)
    if kind == "III":
        return x <= epsilon * p and x <= 1 - (1 - p) / epsilon
    sigma = Fraction(str(words["stubbornness"]))
    of_predicate = sigma * p if kind == "I" else Fraction(1)
    delta, prime = (epsilon - 1) * (n - b) / (sigma + b), epsilon * (1 - 1 / (sigma + b))
    if of_predicate < 1:  # left out in the paper, whose "or delta >= 1" is too weak here: see test_realistic.py
        first = satisfied + of_predicate > 1 and x * (sigma + n) <= epsilon * (satisfied + of_predicate - 1)
    else:
        first = delta >= 1 or x <= epsilon / (1 - delta) * (of_predicate - 1) / (sigma + b)
    # 1 - (1 - (σ(s)-1)/(σ+b)) / (ε' + δ), where ε' + δ may be 0 for σ + b = 1
    return first and (1 - x) * (prime + delta) >= 1 - (of_predicate - 1) / (sigma + b)


def equal_closeness(group: Values, table: Values, t: Fraction) -> bool:
    return equal_distance(group, table) <= t


def equal_distance(group: Values, table: Values) -> Fraction:
    return sum((abs(share(group, s) - share(table, s)) for s in set(table)), Fraction(0)) / 2


def ordered_distance(group: Values, table: Values, order: Values) -> Fraction:
    domain = [value for value in order if value in set(table)]
    longest = max(len(domain) - 1, 1)
    return earth_movers(group, table, lambda a, b: Fraction(abs(domain.index(a) - domain.index(b)), longest))


def hierarchical_distance(group: Values, table: Values, paths: Paths) -> Fraction:
    def distance(a: Hashable, b: Hashable) -> Fraction:
        climb = list(zip([a, *paths.get(a, ())], [b, *paths.get(b, ())], strict=True))
        common = next((level for level, (x, y) in enumerate(climb) if x == y), len(climb))
        return Fraction(common, len(climb))

    return earth_movers(group, table, distance)


def earth_movers(group: Values, table: Values, distance: Callable[[Hashable, Hashable], Fraction]) -> Fraction:
    """The least work that turns one distribution into the other: a transport problem, solved by shortest paths.

    Every unit of the group goes to a unit of the table, in integers: `len(table)` units a row of the group, and the
    reverse. Successive cheapest paths (Bellman–Ford, so that units may be taken back) are optimal.
    """
    supply = {("from", v): c * len(table) for v, c in Counter(group).items()}
    demand = {("to", v): c * len(group) for v, c in Counter(table).items()}
    flow = {(a, b): 0 for a in supply for b in demand}
    cost = {(a, b): distance(a[1], b[1]) for a, b in flow}
    while any(supply.values()):
        reached: dict[Hashable, tuple[Fraction, tuple[Hashable, ...]]] = {
            a: (Fraction(0), (a,)) for a, left in supply.items() if left
        }
        changed = True
        while changed:
            changed = False
            for (a, b), used in flow.items():
                for x, y, step in [(a, b, cost[a, b])] + ([(b, a, -cost[a, b])] if used else []):
                    if x in reached and (y not in reached or reached[x][0] + step < reached[y][0]):
                        reached[y] = reached[x][0] + step, (*reached[x][1], y)
                        changed = True
        end = min((b for b, open_ in demand.items() if open_), key=lambda b: reached[b][0])
        path = reached[end][1]
        steps = list(pairwise(path))
        back = [flow[y, x] for x, y in steps if x[0] == "to"]
        moved = min(supply[path[0]], demand[end], *back)
        for x, y in steps:
            if x[0] == "from":
                flow[x, y] += moved
            else:
                flow[y, x] -= moved
        supply[path[0]] -= moved
        demand[end] -= moved
    return sum((cost[e] * used for e, used in flow.items()), Fraction(0)) / (len(group) * len(table))


def decimal(number: Fraction) -> Decimal:
    with localcontext() as context:
        context.prec = 60
        return Decimal(number.numerator) / Decimal(number.denominator)


def log(number: Fraction) -> Decimal:
    with localcontext() as context:
        context.prec = 60
        return Decimal(number.numerator).ln() - Decimal(number.denominator).ln()


PROMISES: dict[tuple[str, str], Callable[..., bool]] = {
    ("k_anonymity", ""): k_anonymity,
    ("m_invariance", ""): invariance,
    ("l_diversity", "distinct"): distinct_diversity,
    ("l_diversity", "entropy"): entropy_diversity,
    ("l_diversity", "recursive"): recursive_diversity,
    ("l_diversity", "frequency"): frequency_diversity,
    ("alpha_k", ""): alpha_k,
    ("beta_likeness", "basic"): basic_likeness,
    ("beta_likeness", "enhanced"): enhanced_likeness,
    ("delta_disclosure", ""): delta_disclosure,
    ("t_closeness", "equal"): equal_closeness,
}


def cuts(count: int) -> Iterator[tuple[int, ...]]:
    """Every way to cut so many rows into parts, once: each goes to a part that has been begun, or to the next one."""
    ways: list[tuple[int, ...]] = [()]
    for _ in range(count):
        ways = [(*way, part) for way in ways for part in range(max(way, default=-1) + 2)]
    yield from ways
