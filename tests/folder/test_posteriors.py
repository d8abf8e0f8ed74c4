"""What an adversary believes who holds the whole folder: every world that is consistent with it, counted one by one.

She knows everybody's quasi-identifiers, and who of them is in the table or who could be. Tables and the number of
suppressed rows are all that a folder says of the source (`test_function_of_tables`); here each is read as a statement,
and the worlds in which all of them are true are enumerated in plain Python with exact fractions. Nothing is shared with
`discreet`, not even how labels are read.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import prod
from pathlib import Path
from random import Random
from typing import Any

import pytest

from discreet import Infeasible, Policy, anonymize, policy_from_words
from tests.folder.more_cases import PEOPLE  # everybody who could be in the table
from tests.folder.reading import columns_of
from tests.releases.reading import Row, covers, groups_of, manifest_of, read_file, read_table

VALUES = ("flu", "hiv", "cold")
NAMES = ("age", "zip", "disease")
# Everybody in the table. Nobody has another's quasi-identifiers, so that she knows where to look for each of them.
IN_IT: list[Row] = [("20", "11"), ("21", "11"), ("25", "12"), ("34", "21"), ("38", "22"), ("77", "93")]
TABLES = 12  # so many sources of each kind are released

World = tuple[str, ...]
Groups = list[tuple[list[int], Counter[str]]]


def sources(values: Sequence[str] = VALUES, count: int = TABLES) -> list[World]:
    """Some of all the ways to give everybody a value."""
    return Random(15).sample(list(product(values, repeat=len(IN_IT))), count)


def released(policy: Policy, folder: Path, world: World) -> bool:
    rows = [(*person, value) for person, value in zip(IN_IT, world, strict=True)]
    try:
        anonymize(policy, folder, source=columns_of(NAMES, rows))
    except Infeasible:
        return False
    return True


def of_labels(folder: Path) -> Groups:
    """The groups of coarser values: who is covered by each, and which values it has."""
    groups = groups_of(read_table(folder)[1], len(NAMES) - 1)
    return [
        ([i for i, person in enumerate(IN_IT) if all(map(covers, label, person))], Counter(row[0] for row in rows))
        for label, rows in groups.items()
    ]


def of_numbers(folder: Path) -> Groups:
    """The groups of exact values: who is listed in each, and which values it has."""
    people: dict[Any, list[int]] = defaultdict(list)
    values: dict[Any, Counter[str]] = defaultdict(Counter)
    for *person, group in read_file(folder / "quasi_identifiers.csv")[1]:
        people[group].append(IN_IT.index(tuple(person)))
    for group, value in read_file(folder / "sensitive.csv")[1]:
        values[group][value] += 1
    return [(people[group], values[group]) for group in people]


def placements(groups: Groups) -> list[tuple[int | None, ...]]:
    """Every way to put everybody in a group that covers him, or in none, all groups being as large as published."""
    where = [[g for g, (people, _) in enumerate(groups) if i in people] for i in range(len(IN_IT))]
    sizes = Counter({g: found.total() for g, (_, found) in enumerate(groups)})
    ways: Iterator[tuple[int | None, ...]] = product(*([*places, None] for places in where))
    return [way for way in ways if Counter(g for g in way if g is not None) == sizes]


def consistent(groups: Groups, values: Sequence[str]) -> Iterator[World]:
    """Every way to place everybody and to give him a value, in which all groups have the values that are published."""
    for way in placements(groups):
        yield from fillings(groups, way, values)


Belief = dict[str, Fraction]


def posteriors(worlds: Sequence[World], values: Sequence[str], priors: Sequence[Belief]) -> list[Belief]:
    """For everybody the chance of each value: a world weighs the product of its people's chances before."""
    chances = [Counter[str]() for _ in IN_IT]
    total = Fraction(0)
    for world in worlds:
        weight = prod((prior[value] for prior, value in zip(priors, world, strict=True)), start=Fraction(1))
        total += weight
        for chance, value in zip(chances, world, strict=True):
            chance[value] += weight  # type: ignore[assignment]
    return [{value: Fraction(chance[value]) / total for value in values} for chance in chances]


def parted(groups: Groups) -> list[tuple[Belief | None, Belief | None]]:
    """For everybody the chance of each value if he is published, and if he is not; None where that can't be."""
    published, others = [Counter[str]() for _ in IN_IT], [Counter[str]() for _ in IN_IT]
    for way in placements(groups):
        for world in fillings(groups, way):
            for person, (group, value) in enumerate(zip(way, world, strict=True)):
                (others if group is None else published)[person][value] += 1
    return [(shares_of(here), shares_of(elsewhere)) for here, elsewhere in zip(published, others, strict=True)]


def fillings(groups: Groups, way: tuple[int | None, ...], values: Sequence[str] = VALUES) -> Iterator[World]:
    """Every way to give everybody a value, so that the groups that people stand in have the published ones."""
    for world in product(values, repeat=len(IN_IT)):
        dealt: dict[int, Counter[str]] = defaultdict(Counter)
        for group, value in zip(way, world, strict=True):
            if group is not None:
                dealt[group][value] += 1
        if all(dealt[g] == found for g, (_, found) in enumerate(groups)):
            yield world


def shares_of(counts: Counter[str]) -> Belief | None:
    return {value: Fraction(counts[value], counts.total()) for value in VALUES} if counts else None


# Somebody who knows nothing before, and somebody who knows how common each value is in every zip.
NOTHING: list[Belief] = [dict.fromkeys(VALUES, Fraction(1, len(VALUES)))] * len(IN_IT)
BY_ZIP = {"11": (5, 2, 3), "12": (2, 2, 6), "21": (4, 3, 3), "22": (3, 1, 6), "93": (1, 4, 5)}  # tenths, as in VALUES
KNOWN: list[Belief] = [
    {value: Fraction(tenths, 10) for value, tenths in zip(VALUES, BY_ZIP[code], strict=True)} for _, code in IN_IT
]

# Is this belief about somebody within the promise, these values being published?
Judge = Callable[[Belief, Counter[str]], bool]


def at_most(limit: Fraction) -> Judge:
    return lambda belief, published: max(belief.values()) <= limit


def shares(published: Counter[str]) -> Belief:
    return {value: Fraction(published[value], published.total()) for value in VALUES}


def times_its_share(factor: Fraction) -> Judge:
    return lambda belief, published: all(belief[value] <= factor * share for value, share in shares(published).items())


def as_close_as(limit: Fraction) -> Judge:
    return lambda belief, published: (
        sum(abs(belief[value] - share) for value, share in shares(published).items()) / 2 <= limit
    )


def changed_by_less_than(factor: Fraction) -> Judge:
    return lambda belief, published: all(
        share / factor < belief[value] < share * factor for value, share in shares(published).items() if share
    )


PROMISES: dict[str, tuple[dict[str, Any], Judge]] = {
    "l_diversity by frequency": ({"l_diversity": {"l": 2, "kind": "frequency"}}, at_most(Fraction(1, 2))),
    "alpha_k": ({"alpha_k": {"alpha": "2/3", "k": 2}}, at_most(Fraction(2, 3))),
    "beta_likeness": ({"beta_likeness": {"beta": "1/2"}}, times_its_share(Fraction(3, 2))),
    "t_closeness": ({"t_closeness": {"t": "1/3", "distance": "equal"}}, as_close_as(Fraction(1, 3))),
    # e is below 2.7183: every change by less than e is one by less than that.
    "delta_disclosure": ({"delta_disclosure": {"delta": 1}}, changed_by_less_than(Fraction("2.7183"))),
    "robust": ({"robust": {"r": "3/2", "knowledge": "known.csv"}}, at_most(Fraction(2, 3))),
}
KINDS: dict[str, dict[str, Any]] = {
    "generalization": {"suppress": "1/3"},
    "stars": {"suppress": "1/3", "suppressed": "star"},
    "incognito": {"suppress": "1/3", "search": "incognito"},
    "multidimensional": {"publish": "multidimensional"},
    "local_recoding": {"publish": "local_recoding"},
    "multidimensional, suppressed": {"publish": "multidimensional", "suppress": "1/3"},
    "local_recoding, suppressed": {"publish": "local_recoding", "suppress": "1/3"},
    "bucketization": {"publish": "bucketization", "suppress": "1/3", "search": "anatomy"},
    "art": {"publish": "bucketization", "suppress": "1/3", "search": "art"},
}
# There rows are left out one by one, not by group: whoever is left out may fit a published group, too.
ONE_BY_ONE = ("multidimensional, suppressed", "local_recoding, suppressed")
# Anatomy does not know how to part people for a promise that compares with the table; art knows robustness alone.
ANATOMY = ("l_diversity by frequency", "alpha_k")
BOTH = [
    (promise, kind)
    for promise, kind in product(PROMISES, KINDS)
    if (promise == "robust") == (kind == "art") and (kind != "bucketization" or promise in ANATOMY)
]


@pytest.mark.parametrize(("promise", "kind"), BOTH)
def test_nobody_published_is_believed_to_have_a_value_beyond_the_promise_and_of_the_others_nothing_is_told(
    tmp_path: Path, promise: str, kind: str
) -> None:
    require, is_within = PROMISES[promise]
    priors = KNOWN if promise == "robust" else NOTHING
    known = [f"{code},{value},0.{p}" for code, of in BY_ZIP.items() for value, p in zip(VALUES, of, strict=True)]
    (tmp_path / "known.csv").write_text("\n".join(["zip,disease,p", *known]) + "\n", encoding="utf-8")
    attributes = {
        "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [10, 20, 40]}},
        "zip": {"role": "quasi_identifier", "hierarchy": {"prefixes": [1]}},
        "disease": {"role": "sensitive"},
    }
    policy = policy_from_words({"attributes": attributes, "require": [require], "seed": 7} | KINDS[kind], tmp_path)
    judged = left_out = 0
    for i, source in enumerate(sources()):
        folder = tmp_path / str(i)
        if promise == "robust" and set(source) != set(VALUES):
            continue  # refused: the policy names values that this table lacks, so she knows it is another one
        if not released(policy, folder, source):
            continue
        read = of_numbers if kind in ("bucketization", "art") else of_labels
        groups = [group for group in read(folder) if "*" not in group[1]]
        assert sum(found.total() for _, found in groups) == manifest_of(folder)["rows"]["published"]
        published = sum((found for _, found in groups), Counter[str]())
        nowhere = set(range(len(IN_IT))).difference(*(people for people, _ in groups))
        suppressed = manifest_of(folder)["rows"]["suppressed"]
        if kind in ONE_BY_ONE:
            assert len(nowhere) <= suppressed
            for person, (here, elsewhere) in enumerate(parted(groups)):
                assert here is None or is_within(here, published), (source, person)
                assert elsewhere is None or elsewhere == priors[person], (source, person)
            left_out += suppressed
            judged += 1
            continue
        assert len(nowhere) == suppressed
        worlds = list(consistent(groups, VALUES))
        assert source in worlds
        for person, belief in enumerate(posteriors(worlds, VALUES, priors)):
            if person in nowhere:
                assert belief == priors[person], (source, person)
            else:
                assert is_within(belief, published), (source, person)
        left_out += len(nowhere)
        judged += 1
    assert judged, "nothing was released"
    assert left_out or "suppress" not in KINDS[kind], "nobody was suppressed"


def those_who_fit(folder: Path) -> Iterator[frozenset[int]]:
    """Every choice of people that gives the published rows: as many of each group, the suppressed from nowhere else."""
    rows = Counter(read_table(folder)[1])
    covered = {label: [i for i, person in enumerate(PEOPLE) if all(map(covers, label, person))] for label in rows}
    nowhere = set(range(len(PEOPLE))).difference(*covered.values())
    said = manifest_of(folder)["rows"]
    for chosen in map(frozenset, combinations(range(len(PEOPLE)), said["source"])):
        if all(len(chosen.intersection(covered[label])) == n for label, n in rows.items()):
            assert len(chosen & nowhere) == said["suppressed"]
            yield chosen


@pytest.mark.parametrize("more", [{"suppress": "1/3"}, {"publish": "multidimensional"}], ids=["suppressed", "hidden"])
@pytest.mark.parametrize("least", [0, "1/10"])
def test_nobody_of_a_population_is_believed_to_be_in_the_table_beyond_the_promise(
    tmp_path: Path, more: dict[str, Any], least: object
) -> None:
    lines = [",".join(person) for person in [("age", "zip"), *PEOPLE]]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    asked = {
        "attributes": {
            "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [10, 20]}},
            "zip": {"role": "quasi_identifier", "hierarchy": {"prefixes": [1]}},
        },
        "require": [{"presence": {"delta": [least, "1/2"], "population": "people.csv"}}],
        "seed": 7,
    }
    policy = policy_from_words(asked | more, tmp_path)
    judged = 0
    for i, source in enumerate(Random(15).sample(list(combinations(range(len(PEOPLE)), 3)), TABLES)):
        folder = tmp_path / str(i)
        try:
            anonymize(policy, folder, source=columns_of(("age", "zip"), [PEOPLE[j] for j in source]))
        except Infeasible:
            continue
        worlds = list(those_who_fit(folder))
        assert frozenset(source) in worlds
        for person in range(len(PEOPLE)):
            chance = Fraction(sum(person in world for world in worlds), len(worlds))
            assert Fraction(str(least)) <= chance <= Fraction(1, 2), (source, person)
        judged += 1
    assert judged, "nothing was released"
