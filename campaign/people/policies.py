"""What is asked of tables of visits: every promise that has a meaning in people, every publication and search."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random
from typing import Any

from campaign.people.tables import ALL, NONE, Visits, visits
from campaign.promises.case import Case
from campaign.promises.policies import Promise, asking, comparing, realistic, wished
from campaign.promises.tables import FILES, population

_SUPPRESS = (0, 0, "1/10", "1/5", "3/10")
_SELDOM = (1, 2, 2, 2, 3)  # rows of a person, where each of them adds to what is known of him
_UTILITIES = ("loss", "loss", "loss", "geometric_loss", "discernibility", "average_group", "height")


def _about_values(random: Random, table: Visits) -> Promise:
    """A promise about values. Whoever has several rows is sure to have a value sooner: limits are wide."""
    options: list[Promise] = [
        {"l_diversity": {"l": random.choice((2, 2, 3))}},
        {"l_diversity": {"l": random.choice(("10/9", "5/4", "3/2", 2)), "kind": "frequency"}},
        {"l_diversity": {"l": random.choice(("10/9", "4/3", "3/2", 2)), "kind": "frequency"}},
        {"l_diversity": {"l": random.choice(("3/2", 2, "5/2")), "kind": "entropy"}},
        {"l_diversity": {"l": 2, "kind": "recursive", "c": random.choice((1, 2, 3))}},
        {"alpha_k": {"alpha": random.choice(("1/2", "2/3", "3/4", "4/5", "9/10")), "k": random.choice((2, 2, 3))}},
        {"alpha_k": {"alpha": random.choice(("1/2", "2/3", "4/5", "9/10", "14/15")), "k": random.choice((2, 4))}},
        realistic(random, table.drawn),
        comparing(random, table.drawn),
        comparing(random, table.drawn),
    ]
    promise = random.choice(options)
    sensitive = [name for name, about in table.drawn.attributes.items() if about["role"] == "sensitive"]
    [(word, about)] = promise.items()
    return {word: about | {"attribute": random.choice(sensitive)}} if random.random() < 0.3 else promise


def _require(random: Random, table: Visits) -> list[Promise]:
    k: Promise = {"k_anonymity": {"k": random.choice((2, 2, 3, 4, 5))}}
    promises = [_about_values(random, table) for _ in range(random.choice((1, 1, 2)))]
    if len(promises) == 2 and set(promises[0]) == set(promises[1]):
        promises.pop()
    return random.choice(([k], promises, [k, *promises], promises))


def _case(random: Random, family: str, table: Visits, words: Mapping[str, Any]) -> Case:
    drawn = table.named(random)
    words = {"attributes": drawn.attributes, "seed": random.randrange(1000), **words}
    if random.random() < 0.15:
        words["format"] = "parquet"
    return Case(family, drawn.names, drawn.rows, words, files=FILES)


def _coarser(random: Random, family: str, table: Visits, more: Mapping[str, Any]) -> Case:
    """Any promises of coarser values."""
    words: dict[str, Any] = {"require": _require(random, table), "suppress": random.choice(_SUPPRESS)}
    if words["suppress"] and random.random() < 0.3:
        words["suppressed"] = "star"
    return _case(random, family, table, {**words, **more})


def optimal(random: Random, search: str = "optimal") -> Case:
    more = {"search": search, "utility": random.choice(_UTILITIES)}
    return _coarser(random, search, visits(random), more)


def incognito(random: Random) -> Case:
    return optimal(random, "incognito")


def few_rows(random: Random) -> Case:
    """So few that every generalization is tried with every set of groups left out."""
    table = visits(random, rows=(4, 10), sensitive=(1, 1))
    return _coarser(random, "few rows", table, {"search": random.choice(("optimal", "optimal", "incognito"))})


def optimize(random: Random) -> Case:
    table = visits(random, rows=(6, 14), columns=(1, 2), sensitive=(1, 1))
    return _coarser(random, "optimize", table, {"search": "optimize"})


def instant(random: Random) -> Case:
    table = visits(random, rows=(6, 40), sensitive=(1, 1), following=True)
    summary = random.choice(("network", "histogram", "sample", "exact"))
    more = {"search": random.choice(("instant", "instant", "instant_cuts")), "summary": summary}
    return _coarser(random, "instant", table, more)


def multidimensional(random: Random) -> Case:
    table = visits(random, following=True, sets=random.random() < 0.2)
    search = random.choice(("mondrian", "mondrian", "instant"))
    return _coarser(random, "multidimensional", table, {"publish": "multidimensional", "search": search})


def local_recoding(random: Random) -> Case:
    table = visits(random, following=True, sets=random.random() < 0.2)
    return _coarser(random, "local_recoding", table, {"publish": "local_recoding"})


def everybody_moves(random: Random) -> Case:
    """Of nobody are the quasi-identifiers the same in all rows."""
    publish, search = random.choice(
        (
            ("generalization", "optimal"),
            ("generalization", "incognito"),
            ("multidimensional", "mondrian"),
            ("local_recoding", "local"),
        )
    )
    return _coarser(
        random, "everybody moves", visits(random, moving=ALL, columns=(2, 3)), {"publish": publish, "search": search}
    )


def presence(random: Random) -> Case:
    """Who is in the table is the secret. A list names everybody who could be, some of them more than once."""
    table = visits(random, rows=(4, 14), moving=NONE, columns=(1, 2), sensitive=(0, 1), missing=False)
    width = sum(about["role"] == "quasi_identifier" for about in table.drawn.attributes.values())
    inside = [(*row[:width], name) for row, name in zip(table.drawn.rows, table.persons, strict=True)]
    others = [
        (*row[:width], f"Eve{number}-{random.randrange(100, 1000)}")
        for number, row in enumerate(population(random, table.drawn.rows, most=12))
    ]
    listed = [row for row in dict.fromkeys(inside) if row[-1] is not None] + [row for row in inside if row[-1] is None]
    listed += random.sample(inside, len(inside) // 4) if random.random() < 0.5 else []
    limits = [random.choice((0, 0, 0, "1/10", "1/4")), random.choice(("1/2", "2/3", "3/4", "4/5"))]
    require: list[Promise] = [{"presence": {"delta": limits, "population": "people.csv"}}]
    if random.random() < 0.3:
        require.append({"k_anonymity": {"k": 2}})
    if "secret0" in table.drawn.attributes and random.random() < 0.5:
        require.append(_about_values(random, table))
    case = _case(random, "presence", table, {"require": require})
    return replace(case, people=tuple(random.sample(listed + others, len(listed + others))))


def wishes(random: Random) -> Case:
    """What rows ask for, one by one or united; what somebody asks for in one row counts for all of hers."""
    table = visits(random, rows=(4, 24), columns=(1, 2))
    way = random.choice(([True], [True], ["united"], ["united", True]))
    require, column, _ = wished(random, table.drawn, way, bad=0.0)
    if random.random() < 0.4:
        require.append(random.choice(({"k_anonymity": {"k": 2}}, _about_values(random, table))))
    words = {"require": require, "suppress": random.choice(_SUPPRESS), "utility": random.choice(_UTILITIES)}
    return _case(random, "wishes", replace(table, drawn=asking(random, table.drawn, column)), words)


def bucketization(random: Random) -> Case:
    search = random.choice(("anatomy", "anatomy", "injector", "mask", "art", "art"))
    table = visits(random, rows=random.choice(((4, 7), (8, 20), (16, 40))), most=_SELDOM, sensitive=(1, 1))
    diverse: list[Promise] = [
        {"l_diversity": {"l": random.choice(("10/9", "10/9", "5/4", "3/2", 2)), "kind": "frequency"}},
        {"l_diversity": {"l": 2, "kind": random.choice(("distinct", "entropy"))}},
        {"alpha_k": {"alpha": random.choice(("1/2", "2/3", "4/5", "9/10", "9/10")), "k": 2}},
    ]
    require = [random.choice(diverse)]
    if search == "art":
        about: dict[str, Any] = {
            "r": random.choice(("10/9", "10/9", "5/4", "3/2")),
            "min_support": random.choice((2, 3, 5)),
        }
        values = sorted({row[-1] for row in table.drawn.rows if row[-1]})
        if random.random() < 0.4:
            about["values"] = [random.choice(values)]
        require = [{"robust": about}, *(require if random.random() < 0.2 else [])]
    elif random.random() < 0.25:
        require.append({"k_anonymity": {"k": 3}})
    words = {"require": require, "suppress": random.choice(_SUPPRESS), "publish": "bucketization", "search": search}
    return _case(random, "bucketization", table, words)


def ambiguity(random: Random) -> Case:
    table = visits(
        random, rows=random.choice(((4, 7), (8, 20), (16, 30))), most=_SELDOM, columns=(2, 3), sensitive=(1, 1)
    )
    about = {"alpha": random.choice(("1/2", "2/3", "4/5", 1)), "beta": random.choice(("1/2", "2/3", "4/5", "9/10"))}
    about["tables"] = random.choice(("separate", "separate", "best"))
    words = {"require": [{"ambiguity": about}], "suppress": random.choice(_SUPPRESS), "publish": "ambiguity"}
    return _case(random, "ambiguity", table, words)


# Every family with its share of the runs.
FAMILIES: Mapping[str, tuple[int, Callable[[Random], Case]]] = {
    "optimal": (20, optimal),
    "few rows": (12, few_rows),
    "incognito": (6, incognito),
    "optimize": (6, optimize),
    "instant": (8, instant),
    "multidimensional": (12, multidimensional),
    "local_recoding": (10, local_recoding),
    "everybody moves": (10, everybody_moves),
    "presence": (4, presence),
    "wishes": (8, wishes),
    "bucketization": (12, bucketization),
    "ambiguity": (4, ambiguity),
}


def make(family: str, number: int, seed: int) -> Case:
    """The case with this number; the same seed gives the same one."""
    _, maker = FAMILIES[family]
    return maker(Random(f"people:{seed}:{family}:{number}"))
