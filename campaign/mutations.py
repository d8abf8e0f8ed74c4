"""Ways to spoil something valid: one value of a tree of words, or some bytes of a file."""

from __future__ import annotations

import copy
import os
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from campaign.planted import BROKEN_OUT, CREATED, IMAGE, PASSWORD, SCRIPT

Path_ = tuple[str | int, ...]
FIFO, ENDLESS, FOLDER = "pipe.csv", "endless.csv", "folder.csv"  # made by `strange_files`

NUMBERS: Sequence[object] = (
    0, 1, 2, -1, 0.5, -0.0, 1e-300, 1e308, -1e308, 0.1 + 0.2, 10**6, 2**31, 2**32, 2**53 + 1, 2**63 - 1, 2**63,
    -(2**63),
    2**64, 10**30, 10**400, -(10**400), 1e16, 3.0000000001, float("inf"), float("-inf"), float("nan"),
)  # fmt: skip
TEXTS: Sequence[str] = (
    "", " ", "\t", "\n", "*", "?", "~", "null", "NaN", "inf", "-inf", "true", "0", "-1", "5.0", "1e5", "1e-99999999",
    "1e99999999", "1/0", "1/3", "-1/2", "1/" + "9" * 5000, "0." + "3" * 5000, "9" * 5000, "0x10", "1_000", "٣", "½",
    "１２",
    "²", "\u202egnp.exe", "\u0000", "\u0007\u001b[31mred", "\ud800", "\U0001f469\u200d\U0001f52c", "e\u0301", "ẞ",
    "a" * 70, "a" * 100_000, "\n" * 3000, "%s%n%x", "{0}", "{{7*7}}", "${HOME}", "$(touch pwned)", "`touch pwned`",
    f"'); COPY (SELECT 1) TO '{CREATED}.csv'; --", 'x"; DROP TABLE t; --', "a'b", 'a"b', "a,b", "a;b", "=1+1",
    SCRIPT, IMAGE, BROKEN_OUT, "</style>" + SCRIPT, "0001-01-01", "9999-12-31", "99999-99-99", "2020-02-30",
    "-5-01-01",
)  # fmt: skip
ADDRESSES: Sequence[str] = (
    f"postgresql://ann:{PASSWORD}@127.0.0.1:1/clinic#patients",
    f"postgresql://ann:{PASSWORD}@127.0.0.1:notaport/clinic#patients",
    f" postgresql://ann:{PASSWORD}@127.0.0.1:1/clinic#patients",
    f"postgresql:ann:{PASSWORD}@127.0.0.1:1/clinic",
    f"postgres://ann:{PASSWORD}@[::1:1/clinic#",
    f"jdbc:postgresql://127.0.0.1:1/clinic?user=ann&password={PASSWORD}",
    f"host=127.0.0.1 port=1 user=ann password={PASSWORD}",
    f"mysql://ann:{PASSWORD}@127.0.0.1/clinic",
    f"https://ann:{PASSWORD}@127.0.0.1:1/patients.csv",
    f"s3://key:{PASSWORD}@bucket/patients.parquet",
    f"file:///tmp/x?password={PASSWORD}",
    f"POSTGRESQL://ann:{PASSWORD}@127.0.0.1:1/clinic#patients",
)
PATHS: Sequence[str] = (
    FIFO, ENDLESS, FOLDER, ".", "..", "/", "/dev/null", "/dev/zero", "/dev/urandom", "/dev/stdin", "/proc/self/mem",
    "/proc/self/environ", "missing.csv", "missing/missing.csv", "patients.csv", "patients.csv/x", "policy.yaml",
    "nation.csv",
    "prior.csv", "people.csv", "../outside/secret.txt", "../outside/secret.csv", "../outside", "loop.csv",
    "empty.csv",
    "x" * 300 + ".csv", "a/" * 2500 + "x.csv", "*.csv", "file:patients.csv", "~/.bashrc", "nul\u0000.csv",
)  # fmt: skip
# Words of policies, manifests and descriptions: valid somewhere else.
WORDS: Sequence[str] = tuple(
    re.findall(
        r"\S+",
        """
    identifier quasi_identifier sensitive other generalization multidimensional local_recoding bucketization
    ambiguity optimal instant instant_cuts incognito optimize mondrian local art anatomy injector mask greedy
    k_anonymity l_diversity alpha_k t_closeness beta_likeness delta_disclosure realistic robust presence
    confident_presence distinct entropy recursive frequency equal ordered hierarchical basic enhanced table
    uniform drop star loss geometric_loss discernibility average_group height csv parquet network histogram
    sample exact statistics intervals cuts quantiles prefixes dates taxonomy flat sets origin top bottom
    decimals day month quarter year decade name age sex zip nation admitted disease remark source attributes
    require suppress suppressed utility seed format schema time_limit summary threshold private folder models
    private_rows class stubbornness epsilon prior known predicates not values attribute_sets min_support
    knowledge r delta population confidence marginals size coverage alpha beta tables separate best total group k l t c
    kind distance attribute role hierarchy file from to I II III interval set prefix date Asthma published
    data.csv
    """,
    )
)


Kin = dict[str, list[Any]]


def kin_of(trees: Iterable[Any]) -> Kin:
    """The values at places that are called the same.

    >>> kin_of([{"k": 3}, {"a": {"k": "x"}}])["k"]
    [3, 'x']
    """
    kin: Kin = {}
    for tree in trees:
        for place in places(tree):
            if place:
                value = tree
                for key in place:
                    value = value[key]
                kin.setdefault(str(place[-1]), []).append(value)
    return kin


def places(tree: object, here: Path_ = ()) -> list[Path_]:
    """Every place in a tree of mappings and lists, the root first.

    >>> places({"k": [5]})
    [(), ('k',), ('k', 0)]
    """
    all_places = [here]
    inner = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in inner:
        all_places += places(value, (*here, key))
    return all_places


def nasty(random: Random) -> Any:
    """A value that nobody expects."""
    draw = random.random()
    if draw < 0.25:
        return random.choice(NUMBERS)
    if draw < 0.45:
        return random.choice(TEXTS)
    if draw < 0.6:
        return random.choice(PATHS)
    if draw < 0.75:
        return random.choice(WORDS)
    if draw < 0.8:
        return random.choice(ADDRESSES)
    if draw < 0.9:
        return random.choice((None, True, False, [], {}, [[]], [None], {"": None}, [{}], {"a": {"b": []}}))
    return _large(random)


def _large(random: Random) -> Any:
    """Deep or long."""
    shape = random.randrange(8)
    depth = random.choice((5, 40, 300, 900))
    tree: Any = random.choice(("x", 1, None))
    match shape:
        case 0:
            for _ in range(depth):
                tree = [tree]
        case 1:
            for _ in range(depth):
                tree = {"not": tree}
        case 2:
            tree = list(range(random.choice((300, 20_000))))
        case 3:
            tree = {f"column {i}": {"role": "quasi_identifier"} for i in range(random.choice((70, 2000)))}
        case 4:
            tree = [[f"leaf {i}", f"part {i // 9}"] for i in range(random.choice((50, 20_000)))]
        case 5:
            tree = [[f"leaf {i}", *(f"level {j}" for j in range(random.choice((60, 400))))] for i in range(3)]
        case 6:
            tree = [
                {random.choice(WORDS): {random.choice(WORDS): nasty(random)}} for _ in range(random.choice((3, 60)))
            ]
        case _:
            tree = {word: nasty(random) for word in random.sample(WORDS, 5)}
    return tree


def _number_nearby(random: Random, value: float) -> object:
    changes: Sequence[Callable[[], object]] = (
        lambda: value + 1, lambda: value - 1, lambda: -value, lambda: value * 10, lambda: value * 10**9,
        lambda: str(value),
        lambda: f" {value} ", lambda: float(value), lambda: [value], lambda: value + 0.5, lambda: value / 3,
        lambda: 0,
    )  # fmt: skip
    return random.choice(changes)()


def change(random: Random, tree: Any, place: Path_, kin: Kin | None = None) -> tuple[Any, str]:
    """The tree with one change at a place, and what was done. `kin` are values that stand at such places elsewhere."""
    tree = copy.deepcopy(tree)
    if not place:
        return nasty(random), "replaced all"
    parent = tree
    for key in place[:-1]:
        parent = parent[key]
    key, name = place[-1], ".".join(map(str, place))
    value = parent[key]
    action = random.choices(
        ("replace", "nearby", "remove", "rename", "add", "wrap", "swap", "repeat", "kin"),
        (46, 14, 10, 8, 8, 5, 5, 4, 40 if kin else 0),
    )[0]
    if action == "nearby" and isinstance(value, int | float) and not isinstance(value, bool):
        parent[key] = _number_nearby(random, value)
    elif action == "kin" and kin and str(key) in kin:
        parent[key] = copy.deepcopy(random.choice(kin[str(key)]))
    elif action == "remove":
        del parent[key]
    elif action == "rename" and isinstance(parent, dict):
        new = random.choice((*WORDS, *TEXTS, str(key)[:-1], str(key).upper(), f" {key}"))
        items = [(new if k == key else k, v) for k, v in parent.items()]
        parent.clear()
        parent.update(items)
    elif action == "add" and isinstance(value, dict):
        value[random.choice(WORDS)] = nasty(random)
    elif action == "add" and isinstance(value, list):
        value.insert(random.randrange(len(value) + 1), nasty(random))
    elif action == "wrap":
        parent[key] = random.choice(([value], {"a": value}, [value, value], {str(key): value}))
    elif action == "swap":
        other = random.choice([p for p in places(tree) if p])
        there: Any = tree
        for step in other:
            there = there[step]
        parent[key] = copy.deepcopy(there)
    elif action == "repeat" and isinstance(value, list) and value:
        parent[key] = value * random.choice((2, 50))
    else:
        action = "replace"
        parent[key] = nasty(random)
    return tree, f"{action} {name}"


def spoil_bytes(random: Random, data: bytes) -> bytes:
    """Some bytes flipped, lost, doubled, moved or put in."""
    content = bytearray(data or b"\n")
    for _ in range(random.choice((1, 1, 2, 5, 30))):
        at = random.randrange(len(content) + 1)
        end = min(len(content), at + random.choice((1, 1, 4, 60)))
        match random.randrange(7):
            case 0 if at < len(content):
                content[at] ^= 1 << random.randrange(8)
            case 1:
                del content[at:end]
            case 2:
                content[at:at] = content[at:end] * random.choice((1, 3, 200))
            case 3:
                content[at:at] = random.randbytes(random.choice((1, 4, 40)))
            case 4:
                content[at:at] = random.choice(
                    (b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b'"', b"'", b"\r", b"\n\n", b"\t", b"*a", b"&a ", b"!!x ",
                    b"---\n",
                     b"[", b"{", b"]", b"}", b": ", b"#", b",", b"%", b"1e999", b"\xed\xa0\x80", b"- ", b"? ",
                     b"|\n", b"<<: ")
                )  # fmt: skip
            case 5:
                del content[at:]
            case _:
                there = random.randrange(len(content) + 1)
                content[there:there] = content[at:end]
        if not content:
            content = bytearray(b"\n")
    return bytes(content)


def strange_files(here: Path) -> None:
    """What paths in inputs lead to besides plain files: a pipe, something endless, a folder, a circle, nothing."""
    os.mkfifo(here / FIFO)
    (here / ENDLESS).symlink_to("/dev/zero")
    (here / FOLDER).mkdir()
    (here / "loop.csv").symlink_to("loop.csv")
    (here / "empty.csv").touch()
