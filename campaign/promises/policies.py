"""What is asked of the tables: every promise, kind of publication and search, alone and together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from campaign.promises.case import Case, Value
from campaign.promises.foreign import on_levels, overlapping
from campaign.promises.pairs import listed
from campaign.promises.tables import FILES, Drawn, draw, population
from campaign.promises.wishes import COLUMN, ODD, bad_cell, cells, read

Promise = dict[str, dict[str, Any]]
_SUPPRESS = (0, 0, 0, "1/10", "1/5", "3/10", "2/5", "1/2")
_UTILITIES = ("loss", "loss", "loss", "geometric_loss", "discernibility", "average_group", "height")


def about_values(random: Random, drawn: Drawn) -> Promise:
    """A promise about the values of groups, with limits at which ties are frequent."""
    frequent = {"l_diversity": {"l": random.choice(("3/2", 2, 2, "5/2", 3)), "kind": "frequency"}}
    entropy = {"l_diversity": {"l": random.choice(("3/2", 2, "5/2")), "kind": "entropy"}}
    recursive = {"l_diversity": {"l": 2, "kind": "recursive", "c": random.choice(("1/2", 1, 2, 3))}}
    options: list[Promise] = [
        {"l_diversity": {"l": random.choice((2, 2, 3))}},
        frequent,
        entropy,
        recursive,
        {"alpha_k": {"alpha": random.choice(("1/2", "3/5", "2/3", "3/4")), "k": random.choice((2, 2, 3))}},
        realistic(random, drawn),
        comparing(random, drawn),
        comparing(random, drawn),
    ]
    return _about_one(random, drawn, random.choice(options))


def comparing(random: Random, drawn: Drawn) -> Promise:
    """A promise that holds groups against the table."""
    distances = ["equal", "equal", "ordered"]
    trees = [name for name, about in drawn.attributes.items() if about["role"] == "sensitive" and "hierarchy" in about]
    missing = any(None in column for column in zip(*drawn.rows, strict=True))
    sensitive = [name for name, about in drawn.attributes.items() if about["role"] == "sensitive"]
    options: list[Promise] = [
        {"beta_likeness": {"beta": random.choice(("1/2", 1, "3/2", 2)), "kind": random.choice(("basic", "enhanced"))}},
        {"delta_disclosure": {"delta": random.choice(("1/2", 1, 2))}},
    ]
    distance = random.choice(distances)
    odd = any(value in ODD for row in drawn.rows for value in row)  # in which order they stand is anybody's guess
    if distance == "ordered" and (missing or trees or odd):
        distance = "equal"
    if trees == sensitive and random.random() < 0.5:
        distance = "hierarchical"
    closeness = {"t_closeness": {"t": random.choice(("1/5", "1/4", "1/3", "2/5", "1/2")), "distance": distance}}
    return random.choice([closeness, closeness, *options])


def realistic(random: Random, drawn: Drawn) -> Promise:
    """Adversaries of classes I to III."""
    about: dict[str, Any] = {"class": random.choice(("I", "II", "III")), "epsilon": random.choice((2, 3, "7/2", 5))}
    if about["class"] != "III":
        about["stubbornness"] = random.choice((1, 2, 4, 10))
    if about["class"] != "II":
        about["prior"] = random.choice(("table", "uniform"))
    if random.random() < 0.3:
        about["known"] = 1
    sensitive = [at for at, name in enumerate(drawn.names) if drawn.attributes[name]["role"] == "sensitive"]
    values = sorted({row[sensitive[0]] for row in drawn.rows if row[sensitive[0]]} - {None}, key=str)
    if len(sensitive) == 1 and len(values) > 1 and random.random() < 0.4:
        some = random.sample(values, 2)
        about["predicates"] = random.choice(([some[0]], [some], [{"not": some[0]}, some[1]]))
    return {"realistic": about}


def _about_one(random: Random, drawn: Drawn, promise: Promise) -> Promise:
    """Sometimes about one of several sensitive columns alone."""
    sensitive = [name for name, about in drawn.attributes.items() if about["role"] == "sensitive"]
    [(word, about)] = promise.items()
    return {word: about | {"attribute": random.choice(sensitive)}} if random.random() < 0.3 else promise


def _require(random: Random, drawn: Drawn) -> list[Promise]:
    k: Promise = {"k_anonymity": {"k": random.choice((2, 2, 3, 4))}}
    has_values = any(about["role"] == "sensitive" for about in drawn.attributes.values())
    if not has_values:
        return [k]
    promises = [about_values(random, drawn) for _ in range(random.choice((1, 1, 2)))]
    if len(promises) == 2 and set(promises[0]) == set(promises[1]):
        promises.pop()
    return random.choice(([k], promises, [k, *promises], promises))


def _case(random: Random, family: str, drawn: Drawn, words: Mapping[str, Any], **more: Any) -> Case:
    seed = random.randrange(1000)
    words = {"attributes": drawn.attributes, "seed": seed, **words}
    return Case(family, drawn.names, drawn.rows, words, files=FILES, **more)


def _suppression(random: Random, drawn: Drawn) -> dict[str, Any]:
    """Rows of stars can be told from a group of stars by their sensitive values alone."""
    share = random.choice(_SUPPRESS)
    starred = share and random.random() < 0.3 and "secret0" in drawn.attributes
    return {"suppress": share} | ({"suppressed": "star"} if starred else {})


def _with_ranges(random: Random, drawn: Drawn, words: Mapping[str, Any]) -> tuple[Drawn, Mapping[str, Any]]:
    """Sometimes the policy, or one of its columns, says where ranges end."""
    word, own = random.choice((None, None, "hierarchy", "values")), random.choice((None, None, "hierarchy", "values"))
    measured = [name for name in drawn.names if name.startswith(("age", "day"))]
    if words["publish"] == "generalization":
        return drawn, words
    if own and measured:
        name = random.choice(measured)
        drawn = replace(drawn, attributes={**drawn.attributes, name: {**drawn.attributes[name], "ranges": own}})
    return drawn, {**words, **({"ranges": word} if word else {})}


def _format(random: Random) -> dict[str, Any]:
    return {"format": "parquet"} if random.random() < 0.15 else {}


def optimal(random: Random, search: str = "optimal") -> Case:
    rows = random.choice(((4, 11), (4, 11), (4, 11), (12, 40)))
    drawn = draw(random, rows=rows, sensitive=random.choice(((0, 0), (1, 1), (1, 2))))
    words = {"require": _require(random, drawn), **_suppression(random, drawn), **_format(random)}
    return _case(random, search, drawn, words | {"search": search, "utility": random.choice(_UTILITIES)})


def references(random: Random) -> Case:
    """Promises that compare with the table, and rows that may be left out of it."""
    drawn = draw(random, rows=(5, 10), columns=(1, 2), sensitive=(1, 1))
    words = {"require": [comparing(random, drawn)], "suppress": random.choice(("1/5", "3/10", "2/5", "1/2"))}
    return _case(random, "references", drawn, words | {"search": random.choice(("optimal", "optimal", "incognito"))})


def incognito(random: Random) -> Case:
    return optimal(random, "incognito")


def optimize(random: Random) -> Case:
    drawn = draw(random, rows=(4, 8), columns=(1, 2), sensitive=(1, 1))
    words = {"require": _require(random, drawn), **_suppression(random, drawn)}
    return _case(random, "optimize", drawn, words | {"search": "optimize"})


def instant(random: Random) -> Case:
    drawn = draw(random, sensitive=(1, 1), following=True)
    words = {"require": _require(random, drawn), **_suppression(random, drawn)}
    words |= {"search": random.choice(("instant", "instant", "instant_cuts"))}
    return _case(
        random, "instant", drawn, words | {"summary": random.choice(("network", "histogram", "sample", "exact"))}
    )


def multidimensional(random: Random) -> Case:
    drawn = draw(random, rows=(4, 12), following=True, sets=random.random() < 0.2)
    words = {"require": _require(random, drawn), **_suppression(random, drawn), **_format(random)}
    search = random.choice(("mondrian", "mondrian", "instant"))
    words |= {"publish": "multidimensional", "search": search}
    return _case(random, "multidimensional", *_with_ranges(random, drawn, words))


def local_recoding(random: Random) -> Case:
    drawn = draw(random, rows=(4, 12), following=True, sets=random.random() < 0.2)
    words = {"require": _require(random, drawn), **_suppression(random, drawn), **_format(random)}
    return _case(random, "local_recoding", *_with_ranges(random, drawn, words | {"publish": "local_recoding"}))


def bucketization(random: Random) -> Case:
    drawn = draw(random, rows=(4, 11), sensitive=(1, 1))
    search = random.choice(("anatomy", "anatomy", "injector", "mask", "art", "art"))
    diverse: list[Promise] = [
        {"l_diversity": {"l": 2, "kind": random.choice(("distinct", "frequency", "entropy"))}},
        {"alpha_k": {"alpha": random.choice(("1/2", "2/3")), "k": 2}},
    ]
    require = [random.choice(diverse)]
    if search == "art":
        about: dict[str, Any] = {"r": random.choice(("3/2", 2, 2, 3)), "min_support": random.choice((1, 2, 3))}
        values = sorted({row[-1] for row in drawn.rows if row[-1]})
        if random.random() < 0.4:
            about["values"] = [random.choice(values)]
        if random.random() < 0.3:
            about["attribute_sets"] = [[random.choice(drawn.names[:-1])]]
        if random.random() < 0.4:
            about |= random.choice(({"limit": "prior"}, {"absence": "prior"}))
        require = [{"robust": about}, *(require if random.random() < 0.2 else [])]
    elif random.random() < 0.25:
        require.append({"k_anonymity": {"k": 3}})
    words = {"require": require, "suppress": random.choice(_SUPPRESS), "publish": "bucketization", **_format(random)}
    return _case(random, "bucketization", drawn, words | {"search": search})


def ambiguity(random: Random) -> Case:
    drawn = draw(random, rows=(4, 9), columns=(2, 3), sensitive=(1, 1))
    alpha, beta = random.choice(("1/2", "2/3", "4/5", 1)), random.choice(("1/2", "2/3", "1/3"))
    about = {"alpha": alpha, "beta": beta, "tables": random.choice(("separate", "separate", "best"))}
    if random.random() < 0.5:
        about["presence"] = random.choice(("total", "total", "total", "group"))
    words = {"require": [{"ambiguity": about}], "suppress": random.choice(_SUPPRESS), "publish": "ambiguity"}
    return _case(random, "ambiguity", drawn, words | _format(random))


def presence(random: Random) -> Case:
    drawn = draw(random, rows=(2, 6), columns=(1, 2), sensitive=(0, 1), missing=False)
    width = sum(about["role"] == "quasi_identifier" for about in drawn.attributes.values())
    people = population(random, tuple(row[:width] for row in drawn.rows), most=7)
    least = random.choice((0, 0, 0, "1/10", "1/4"))
    about = {"delta": [least, random.choice(("1/2", "3/5", "2/3", "3/4", "4/5"))], "population": "people.csv"}
    require: list[Promise] = [{"presence": about | random.choice(({}, {"suppression": "told"}))}]
    if random.random() < 0.3:
        require.append({"k_anonymity": {"k": 2}})
    if "secret0" in drawn.attributes and random.random() < 0.5:
        require.append(about_values(random, drawn))
    publish = random.choice(("generalization", "generalization", "multidimensional"))
    suppress = random.choice(_SUPPRESS) if publish == "generalization" else 0
    words = {"require": require, "publish": publish, "suppress": suppress}
    return _case(random, "presence", *_with_ranges(random, drawn, words), people=people)


def confident_presence(random: Random) -> Case:
    drawn = draw(random, rows=(2, 5), columns=(1, 3), sensitive=(0, 0), missing=False)
    people = population(random, drawn.rows, most=9)
    marginals = {
        name: [list(pair) for pair in sorted(Counter(person[at] for person in people).items(), key=str)]
        for at, name in enumerate(drawn.names)
    }
    about: dict[str, Any] = {
        "delta": [random.choice((0, 0, "1/10")), random.choice(("1/2", "2/3", "4/5"))],
        "confidence": random.choice(("1/2", "3/5", "4/5", "9/10")),
        "marginals": marginals,
        "size": len(people),
    }
    if random.random() < 0.4:
        about |= {"pairs": listed(people, drawn.names), "margin": random.choice((0, 0, "1/4"))}
        about["pairs"] = about["pairs"] or None  # one column has none
    publish = random.choice(("generalization", "multidimensional"))
    words = {"require": [{"confident_presence": about}], "publish": publish}
    return _case(random, "confident presence", *_with_ranges(random, drawn, words))


def wishes(random: Random) -> Case:
    """What rows ask for in a column: one by one or united, by every publication, also those that can't keep it."""
    drawn = odd_values(random, draw(random, rows=random.choice(((4, 11), (4, 11), (12, 30))), columns=(1, 2)))
    publish, search = random.choice(_WAYS)
    if publish in ("bucketization", "ambiguity"):
        drawn = odd_values(random, draw(random, rows=(4, 11), columns=(2, 3), sensitive=(1, 1)))
    ways = ([True], [True], [True], ["united"], ["united", True])
    way = random.choice(ways if publish == "generalization" or random.random() < 0.2 else (["united"],))
    require, column, minds = wished(random, drawn, way)
    if publish == "bucketization":
        require.append({"l_diversity": {"l": 2, "kind": "frequency"}})
    elif publish == "ambiguity":
        require.append({"ambiguity": {"alpha": 1, "beta": "2/3"}})
    elif random.random() < 0.4:
        require.append(random.choice(({"k_anonymity": {"k": 2}}, about_values(random, drawn))))
    words = {"require": require, "publish": publish, "search": search, **_suppression(random, drawn)}
    if publish not in ("generalization", "multidimensional", "local_recoding"):
        words.pop("suppressed", None)
    if search == "optimal":
        words["utility"] = random.choice(_UTILITIES)
    return _case(random, "wishes", asking(random, drawn, column), words | _format(random), minds=minds)


def wished(
    random: Random, drawn: Drawn, ways: Sequence[object], bad: float = 0.08
) -> tuple[list[Promise], tuple[Value, ...], tuple[Value, ...] | None]:
    """One or two promises that read wishes about one column, the wishes, and others that rows might have had."""
    sensitive = [name for name, about in drawn.attributes.items() if about["role"] == "sensitive"]
    name = random.choice(sensitive)
    at = drawn.names.index(name)
    values = sorted({row[at] for row in drawn.rows if row[at]} - {None}, key=str) or ["flu"]
    named = [str(value) for value in values]
    require: list[Promise] = []
    for way in ways:
        [about] = realistic(random, drawn).values()
        about = {"epsilon": random.choice((2, 3, 5, 8))} | {n: v for n, v in about.items() if n != "epsilon"}
        also = random.choice(([], [], [], [named[0]], [{"not": named[-1]}, [named[0]]], [{"each": True}]))
        about["predicates"] = {"wishes": way} | ({"also": also} if also else {})
        require.append({"realistic": about | {"attribute": name}})
    count = len(drawn.rows)
    column = cells(random, named, count)
    if random.random() < bad:
        place = random.randrange(count)
        column = (*column[:place], bad_cell(random), *column[place + 1 :])
    minds = cells(random, named, count)
    return require, column, minds if any(map(read, minds)) else None


def asking(random: Random, drawn: Drawn, column: Sequence[Value]) -> Drawn:
    """The table with what each row asks for, somewhere among the columns."""
    at = random.randint(0, len(drawn.names))
    attributes = list(drawn.attributes.items())
    attributes.insert(at, (COLUMN, {"role": "wishes"}))
    rows = [(*row[:at], wish, *row[at:]) for row, wish in zip(drawn.rows, column, strict=True)]
    return Drawn(dict(attributes), tuple(rows))


def odd_values(random: Random, drawn: Drawn) -> Drawn:
    """Sometimes a sensitive value has a name that needs care in a cell."""
    name, about = list(drawn.attributes.items())[-1]
    if "hierarchy" in about or random.random() < 0.7:
        return drawn
    at = drawn.names.index(name)
    old, new = drawn.rows[0][at], random.choice(ODD)
    rows = tuple((*row[:at], new if row[at] == old else row[at], *row[at + 1 :]) for row in drawn.rows)
    return Drawn(drawn.attributes, rows)


_WAYS = (
    *[("generalization", "optimal")] * 6,
    *[("generalization", "incognito")] * 3,
    *[("generalization", "optimize")] * 2,
    ("generalization", "instant"),
    *[("multidimensional", "mondrian")] * 2,
    *[("local_recoding", "local")] * 2,
    ("bucketization", "anatomy"),
    ("ambiguity", "greedy"),
)


def two_releases(random: Random) -> Case:
    """The same few people, published twice."""
    drawn = draw(random, rows=(4, 7), columns=(2, 3), sensitive=(1, 1), missing=False)
    publish = {"publish": random.choice(("generalization", "multidimensional"))}
    second = {"attributes": drawn.attributes, "require": _require(random, drawn), **publish}
    return _case(random, "two releases", drawn, {"require": _require(random, drawn)}, second=second)


def other_tools(random: Random) -> Case:
    drawn = draw(random, rows=(4, 12), missing=False)
    case = _case(
        random, "other tools", drawn, {"require": [_in_decimals(promise) for promise in _require(random, drawn)]}
    )
    return replace(case, theirs=on_levels(random, case))


def overlapping_groups(random: Random) -> Case:
    """A table of another tool whose intervals overlap, and a list of everybody: whoever fits several is in one."""
    most = random.randint(3, 6)
    number: dict[str, Any] = {"role": "quasi_identifier", "hierarchy": {"intervals": [10]}}
    attributes = {"age0": number, "secret0": {"role": "sensitive"}}
    rows = [(str(random.randint(1, most)), random.choice("ab")) for _ in range(random.randint(2, 5))]
    people = [row[:1] for row in rows] + [(str(random.randint(1, most)),) for _ in range(random.randint(0, 3))]
    limit = random.choice((0.5, 0.6, 0.75, 0.8))
    about = {"delta": [random.choice((0, 0, 0.25)), limit], "population": "people.csv"}
    case = _case(random, "overlapping groups", Drawn(attributes, tuple(rows)), {"require": [{"presence": about}]})
    return replace(case, people=tuple(people), theirs=overlapping(random, rows, 1, most))


def _in_decimals(promise: Promise) -> Promise:
    """Limits as descriptions have them: no fractions."""
    [(word, about)] = promise.items()
    parts = {name: str(value).partition("/") for name, value in about.items() if "/" in str(value)}
    return {word: about | {name: round(int(a) / int(b), 2) for name, (a, _, b) in parts.items()}}


# Every family with its share of the runs.
FAMILIES: Mapping[str, tuple[int, Callable[[Random], Case]]] = {
    "optimal": (18, optimal),
    "references": (10, references),
    "incognito": (6, incognito),
    "optimize": (6, optimize),
    "instant": (8, instant),
    "multidimensional": (9, multidimensional),
    "local_recoding": (7, local_recoding),
    "bucketization": (10, bucketization),
    "ambiguity": (6, ambiguity),
    "presence": (8, presence),
    "confident presence": (3, confident_presence),
    "wishes": (8, wishes),
    "two releases": (4, two_releases),
    "other tools": (5, other_tools),
    "overlapping groups": (3, overlapping_groups),
}


def make(family: str, number: int, seed: int) -> Case:
    """The case with this number; the same seed gives the same one."""
    _, maker = FAMILIES[family]
    return maker(Random(f"{seed}:{family}:{number}"))


def families() -> Sequence[str]:
    return list(FAMILIES)
