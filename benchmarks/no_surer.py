"""Does ART with the limit `prior` make nobody surer, whom does it hide that `r` can't, and what do COUNT queries lose?

Adult's complete rows (or invented people), low education protected together, r = 10, 3 to 8 quasi-identifiers; up to a
tenth of the rows may be left out by the search, so that it is seen how many it can't hide (a policy would be refused,
since their absence tells). The worst posterior is an outsider's: she goes through the worlds of every group by counting
of her own (of large groups, by angles), in both views and by every set of attributes, and shares no code with the
promise. COUNT queries are about the people whom both limits publish: a random box of quasi-identifiers (5% of the rows)
and half of the educations.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod
from pathlib import Path
from time import process_time

import numpy as np

from benchmarks.adult import data_folder
from benchmarks.measure import Findings, Options, Table
from discreet.models.robust.robust import Robust
from discreet.search.art.art import art
from discreet.search.plan import SUPPRESSED, Bucketization, Problem
from discreet.studies.data.tables import first_attributes
from discreet.studies.robust.data import SENSITIVE, from_folder, invented

SIZES = (3, 4, 5, 6, 7, 8)
R, SUPPORT, QUERIES = 10, 30, 1000
_FEW_STATES = 300  # beyond, arrays are faster than going through them one by one
_MANY_STATES = 100_000  # times people; beyond, worlds are added up as the mean of a wave over angles
_NARROW = 7  # of the width of a wave: beyond, it is below 1e-10
_ANGLES = 3_000_000  # times kinds of people, in memory at a time
Person = tuple[tuple[int, ...], int]  # quasi-identifiers, value
Chances = Mapping[int, float]
Answerer = Callable[[Sequence[Sequence[int]], Sequence[int]], tuple[int, float]]  # of a box and values


@dataclass(frozen=True)
class Measured:
    """One release, as an outsider sees it."""

    lost: int  # protected people who are left out
    beyond: float  # the largest posterior less max(1/r, prior); not above 0 is as promised
    above: float  # the largest posterior at all
    group: float  # the mean size of groups with a protected value
    seconds: float


def measure(options: Options) -> Findings:
    """Publish with both limits, enumerate, and ask both."""
    folder = data_folder()
    study = invented() if folder is None else from_folder(Path(folder))
    about = "left out", "beyond max(1/r, prior)", "largest posterior", "mean group", "CPU s", "COUNT error on both"
    table = Table(f"r = {R}, {study.frequency.rows:,} rows", ("quasi-identifiers", "limit", *about))
    worst = 0.0
    for size in SIZES:
        few = first_attributes(study.frequency, size)
        protected = {few.sensitive_hierarchies[SENSITIVE].index[v] for v in study.protected}
        plans = {}
        for limit in ("r", "prior"):
            model = Robust(R, SENSITIVE, values=(study.protected,), limit=limit)
            problem = Problem(few, (model,), few.rows // 10, seed=7)
            begin = process_time()
            plan = art(problem)
            plans[limit] = rows_of(plan), process_time() - begin
        groups = {limit: plan[0] for limit, plan in plans.items()}
        errors = errors_on_both(groups["r"], groups["prior"], protected)
        for (limit, (parts, seconds)), error in zip(plans.items(), errors, strict=True):
            seen = enumerated(parts, protected, seconds)
            worst = max(worst, seen.beyond)
            cells = [size, limit, seen.lost, f"{seen.beyond:.1e}", f"{seen.above:.3f}", f"{seen.group:.1f}"]
            table.add(*cells, f"{seconds:.1f}", f"{error:.4f}")
    said = "nobody is believed more of than max(1/r, prior)" if worst <= 1e-9 else "SOMEBODY IS BELIEVED MORE OF"
    return Findings(__doc__.splitlines()[0], [table], [f"by the outsider's worlds, {said}"])


def rows_of(plan: Bucketization) -> dict[int, list[Person]]:
    """The people of each group, and those left out."""
    f = plan.frequency
    parts: dict[int, list[Person]] = defaultdict(list)
    columns = [codes[plan.row].tolist() for codes in f.codes]
    values = f.sensitive[SENSITIVE][plan.row].tolist()
    for *q, value, count, group in zip(*columns, values, plan.count.tolist(), plan.group.tolist(), strict=True):
        parts[group] += [(tuple(q), value)] * count
    return parts


def enumerated(parts: Mapping[int, Sequence[Person]], protected: set[int], seconds: float) -> Measured:
    """What she comes to believe of everybody, by every set of attributes and in both views."""
    rows = [person for group in parts.values() for person in group]
    anybody = _shares(Counter(v for _, v in rows))
    groups = [g for number, g in parts.items() if number != SUPPRESSED and any(v in protected for _, v in g)]
    beyond = above = -1.0
    for places in _sets(len(rows[0][0])):
        counts: dict[tuple[int, ...], Counter[int]] = defaultdict(Counter)
        for q, v in rows:
            counts[tuple(q[a] for a in places)][v] += 1
        known = {s: _shares(c) for s, c in counts.items() if c.total() >= SUPPORT}
        if not known:
            continue
        before = {s: sum(p for v, p in of.items() if v in protected) for s, of in known.items()}
        no_one = sum(p for v, p in anybody.items() if v in protected)
        for group in groups:
            signs = [tuple(q[a] for a in places) for q, _ in group]
            own, prior = [known.get(s, anybody) for s in signs], [before.get(s, no_one) for s in signs]
            values = Counter(v for _, v in group)
            two = [{1: p, 0: 1 - p} for p in prior]
            having = sum(n for v, n in values.items() if v in protected)
            views = ((own, values, protected), (two, Counter({1: having, 0: len(group) - having}), {1}))
            for chances, dealt, inside in views:
                for belief, p in zip(dealt_out(chances, dealt, inside), prior, strict=True):
                    beyond, above = max(beyond, belief - max(1 / R, p)), max(above, belief)
    lost = sum(v in protected for _, v in parts.get(SUPPRESSED, ()))
    return Measured(lost, beyond, above, sum(map(len, groups)) / max(len(groups), 1), seconds)


def dealt_out(chances: Sequence[Chances], dealt: Counter[int], inside: set[int]) -> list[float]:
    """Everybody's chance of a value inside, over all worlds: a state is how often each value but one is dealt out."""
    kinds = sorted((v for v in dealt if dealt[v]), key=lambda v: dealt[v])
    scale = {v: dealt[v] / max(sum(of.get(v, 0.0) for of in chances), 1e-300) for v in kinds}
    weights = []
    for of in chances:
        own = [of.get(v, 0.0) * scale[v] for v in kinds]
        weights.append([w / (sum(own) or 1.0) for w in own])
    full, people = tuple(dealt[v] for v in kinds), len(chances)
    if prod(n + 1 for n in full) * people > _MANY_STATES and len(kinds) > 1:
        return _by_angles(chances, full, kinds, [v in inside for v in kinds])
    if prod(n + 1 for n in full) > _FEW_STATES:
        return _by_arrays(weights, full, [v in inside for v in kinds])
    ahead: list[dict[tuple[int, ...], float]] = [{tuple(0 for _ in kinds): 1.0}]
    for own in weights:
        ahead.append(_next(ahead[-1], own, full))
    behind: dict[tuple[int, ...], float] = {full: 1.0}
    beliefs, total = [0.0] * people, ahead[-1].get(full, 0.0)
    if not total:
        return [1.0] * people
    for i in range(people - 1, -1, -1):
        before: dict[tuple[int, ...], float] = {}
        for state, weight in ahead[i].items():
            sum_of_ways = 0.0
            for k, w in enumerate(weights[i]):
                after = (*state[:k], state[k] + 1, *state[k + 1 :])
                if w and (way := w * behind.get(after, 0.0)):
                    sum_of_ways += way
                    beliefs[i] += weight * way / total if kinds[k] in inside else 0.0
            before[state] = sum_of_ways
        behind = before
    return beliefs


def _by_arrays(weights: Sequence[Sequence[float]], full: tuple[int, ...], inside: Sequence[bool]) -> list[float]:
    """The same with a place in an array for every state, where there are many."""
    taken = [tuple(slice(1, None) if k == j else slice(None) for j in range(len(full))) for k in range(len(full))]
    there = [tuple(slice(-1) if k == j else slice(None) for j in range(len(full))) for k in range(len(full))]
    ahead = [np.zeros([n + 1 for n in full])]
    ahead[0][(0,) * len(full)] = 1.0
    for own in weights:
        after = np.zeros_like(ahead[-1])
        for k, w in enumerate(own):
            after[taken[k]] += w * ahead[-1][there[k]]
        ahead.append(after)
    total, behind = float(ahead[-1][full]), np.zeros_like(ahead[-1])
    behind[full] = 1.0
    beliefs = [1.0 if not total else 0.0] * len(weights)
    for i in range(len(weights) - 1 if total else -1, -1, -1):
        before = np.zeros_like(behind)
        for k, w in enumerate(weights[i]):
            ways = w * behind[taken[k]]
            before[there[k]] += ways
            if inside[k]:
                beliefs[i] += float((ahead[i][there[k]] * ways).sum()) / total
        behind = before
    return beliefs


def _by_angles(
    chances: Sequence[Chances], full: tuple[int, ...], kinds: Sequence[int], inside: Sequence[bool]
) -> list[float]:
    """The same for many people, to some eight digits.

    If everybody draws a value by own chances, the weight of all worlds is the chance that each value is drawn as often
    as the group has it: the mean, over a grid of angles for each value but the commonest, of the product of everybody's
    Σ w · exp(i angle), turned back by the wanted numbers. By chances that make these the expected ones it is narrow.
    """
    rows, place = np.unique([[of.get(v, 0.0) for v in kinds] for of in chances], axis=0, return_inverse=True)
    many = np.bincount(place.ravel())
    counts = np.array(full, dtype=np.float64)
    factors = counts / np.maximum(many @ rows, 1e-300)
    for _ in range(20_000):
        w = rows * factors
        w /= np.maximum(w.sum(axis=1, keepdims=True), 1e-300)
        if np.abs(many @ w - counts).max() < 1e-3:
            break
        factors *= counts / np.maximum(many @ w, 1e-300)
    deviation = np.sqrt(many @ (w * (1 - w)))[:-1]
    sizes = [2 * int(4 * s + 6) + 1 for s in deviation]  # aliases are 8 standard deviations away, and 13 draws
    reached = [_NARROW / (2 * s) for s in deviation]  # sin(angle / 2), where the wave has died away
    widths = [
        n // 2 if x >= 1 else min(n // 2, int(n / np.pi * np.arcsin(x)) + 1)
        for n, x in zip(sizes, reached, strict=True)
    ]
    steps = [np.arange(-k, k + 1) for k in widths]
    weight, parts = 0.0, np.zeros(len(many))
    grid = np.stack([axis.ravel() for axis in np.meshgrid(*steps, indexing="ij")], axis=1)
    angles = 2 * np.pi * grid / np.array(sizes)
    angles = angles[len(angles) // 2 :]  # the first half are the negative ones: of these, everything is the conjugate
    angles = angles[((2 * np.sin(angles / 2) * deviation) ** 2).sum(axis=1) <= _NARROW**2]
    for some in np.array_split(angles, len(angles) * len(many) // _ANGLES + 1):
        turned = np.concatenate([np.exp(1j * some), np.ones((len(some), 1))], axis=1)
        z = turned @ w.T
        wave = np.exp(np.log(z + 1e-300) @ many - 1j * some @ counts[:-1])
        wave[~some.any(axis=1)] /= 2
        weight += float(wave.real.sum())
        own = (turned[:, np.array(inside)] @ w[:, np.array(inside)].T) / (z + 1e-300)
        parts += (wave @ own).real
    if not weight > 1e-9:
        return [1.0] * len(chances)
    return (np.clip(parts / weight, 0.0, 1.0)[place.ravel()]).tolist()  # type: ignore[no-any-return]


def _next(
    states: Mapping[tuple[int, ...], float], own: Sequence[float], full: tuple[int, ...]
) -> dict[tuple[int, ...], float]:
    after: dict[tuple[int, ...], float] = {}
    for state, weight in states.items():
        for k, w in enumerate(own):
            if w and state[k] < full[k]:
                place = (*state[:k], state[k] + 1, *state[k + 1 :])
                after[place] = after.get(place, 0.0) + weight * w
    return after


def errors_on_both(
    one: Mapping[int, Sequence[Person]], other: Mapping[int, Sequence[Person]], protected: set[int]
) -> tuple[float, float]:
    """The mean relative error of COUNT queries about the people whom both publish."""
    both = _published(one) & _published(other)
    everybody = list(both.elements())
    draw, width = random.Random(3), len(everybody[0][0])
    leaves = sorted({v for _, v in everybody})
    share = 0.05 ** (1 / width)
    wholes = [sorted({q[a] for q, _ in everybody}) for a in range(width)]
    releases = [_answerer(parts, both) for parts in (one, other)]
    errors: list[tuple[float, ...]] = []
    while len(errors) < QUERIES:
        box = [draw.sample(v, max(1, round(share * len(v)))) for v in wholes]
        values = [*draw.sample(leaves, len(leaves) // 2), draw.choice(sorted(protected))]
        (true, estimate), (_, other_estimate) = (answer(box, values) for answer in releases)
        if true:
            errors.append((abs(estimate - true) / true, abs(other_estimate - true) / true))
    first, second = np.mean(errors, axis=0).tolist()
    return first, second


def _answerer(parts: Mapping[int, Sequence[Person]], both: Counter[Person]) -> Answerer:
    """Answers how many of `both` are in a box and have one of some values: truly, and by the shares of their groups."""
    left: Counter[Person] = both.copy()
    people: list[tuple[int, ...]] = []
    for number, group in parts.items():
        for q, v in group if number != SUPPRESSED else ():
            if left[q, v] > 0:
                left[q, v] -= 1
                people.append((*q, v, number))
    *columns, values, numbers = np.array(people).T
    groups = np.unique(numbers, return_inverse=True)[1]
    having = np.zeros((int(groups.max()) + 1, int(values.max()) + 1))
    np.add.at(having, (groups, values), 1)
    shares = having / having.sum(axis=1, keepdims=True)

    def answer(box: Sequence[Sequence[int]], wanted: Sequence[int]) -> tuple[int, float]:
        inside = np.all([np.isin(c, some) for c, some in zip(columns, box, strict=True)], axis=0)
        true = int(np.isin(values[inside], wanted).sum())
        return true, float(shares[:, sorted(set(wanted))].sum(axis=1)[groups[inside]].sum())

    return answer


def _published(parts: Mapping[int, Sequence[Person]]) -> Counter[Person]:
    return Counter(p for number, group in parts.items() if number != SUPPRESSED for p in group)


def _shares(counts: Counter[int]) -> Chances:
    return {v: n / counts.total() for v, n in counts.items()}


def _sets(width: int) -> Iterator[tuple[int, ...]]:
    """All of up to five attributes; of more, those of up to three, and all together."""
    most = width if width <= 5 else 3
    yield from (s for n in range(1, most + 1) for s in combinations(range(width), n))
    if most < width:
        yield tuple(range(width))
