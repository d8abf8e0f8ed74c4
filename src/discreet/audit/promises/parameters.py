"""What can be wrong with the parameters of a promise that a release is said to keep."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from discreet.errors import Mistake, did_you_mean, shown
from discreet.files.numbers import exact_number

_CHOICES: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("l_diversity", "kind"): ("distinct", "entropy", "recursive", "frequency"),
    ("t_closeness", "distance"): ("equal", "ordered", "hierarchical"),
    ("beta_likeness", "kind"): ("basic", "enhanced"),
    ("realistic", "class"): ("I", "II", "III"),
}
_NEEDED: Mapping[str, tuple[str, ...]] = {
    "k_anonymity": ("k",),
    "l_diversity": ("l",),
    "t_closeness": ("t",),
    "alpha_k": ("alpha", "k"),
    "beta_likeness": ("beta",),
    "delta_disclosure": ("delta",),
    "presence": ("delta",),
    "confident_presence": ("delta",),
    "realistic": ("class", "epsilon"),
    "robust": ("r",),
    "ambiguity": ("alpha", "beta"),
}


def promise_mistakes(
    model: str, parameters: Mapping[str, Any], place: str, quasi_identifiers: Sequence[str]
) -> list[Mistake]:
    """Everything that keeps a promise from being judged.

    >>> for mistake in promise_mistakes("l_diversity", {"l": 2, "kind": "recursive"}, "l_diversity", ()):
    ...     print(mistake)
    l_diversity: needs c; write {l_diversity: {c: …}}
    """
    return list(_mistakes(model, parameters, place, quasi_identifiers))


def _mistakes(model: str, said: Mapping[str, Any], place: str, names: Sequence[str]) -> Iterator[Mistake]:
    needed = list(_NEEDED.get(model, ()))
    needed += ["c"] if said.get("kind") == "recursive" else []
    needed += ["stubbornness"] if said.get("class") in ("I", "II") else []
    for word in needed:
        if said.get(word) is None:
            yield Mistake(place, f"needs {word}", f"write {{{model}: {{{word}: …}}}}")
    for (of, word), known in _CHOICES.items():
        if of == model and word in said and said[word] not in known:
            yield Mistake(f"{place}.{word}", f"no such word {shown(said[word])}", did_you_mean(said[word], known))
    between = model in ("presence", "confident_presence")
    for word in ("k", "l", "c", "t", "alpha", "beta", "epsilon", "stubbornness", "r", *(() if between else ("delta",))):
        if said.get(word) is not None and (_number(said[word]) or Fraction(0)) <= 0 and (word, said[word]) != ("t", 0):
            yield Mistake(f"{place}.{word}", f"must be a number above 0, got {shown(said[word])}")
    if between and said.get("delta") is not None and not _is_range(said["delta"]):
        yield Mistake(f"{place}.delta", f"must be two shares, got {shown(said['delta'])}", "write [0, 0.1]")
    for word in ("known", "min_support"):
        number = _number(said.get(word, 0))
        if number is None or number < 0 or number.denominator != 1:
            yield Mistake(f"{place}.{word}", f"must be a whole number from 0, got {shown(said[word])}")
    if model == "realistic":
        yield from _prior(said.get("prior"), f"{place}.prior")
        yield from _predicates(said.get("predicates"), f"{place}.predicates")
    if model == "robust":
        yield from _known(said, place, names)


def _number(given: object) -> Fraction | None:
    return exact_number(given)


def _is_range(given: object) -> bool:
    if not isinstance(given, list | tuple) or len(given) != 2:
        return False
    low, high = (_number(bound) for bound in given)
    return low is not None and high is not None and 0 <= low <= high <= 1


def _prior(given: Any, place: str) -> Iterator[Mistake]:
    listed: Any = given
    if isinstance(given, Mapping):
        written = next((given[word] for word in ("counts", "shares") if isinstance(given.get(word), list)), None)
        listed = list(given.items()) if written is None else written
        pairs = [pair for pair in listed if isinstance(pair, list | tuple) and len(pair) == 2]
        numbers = [_number(number) for _, number in pairs]
        if len(pairs) == len(listed) and pairs and all(n is not None and n >= 0 for n in numbers):
            return
    elif given in (None, "table", "uniform"):
        return
    yield Mistake(place, f"can't be read: {shown(given)}", "write table, uniform, or a share for each value")


def _predicates(given: Any, place: str) -> Iterator[Mistake]:
    for predicate in given if isinstance(given, list | tuple) else () if given is None else (None,):
        named = predicate.get("not", predicate.get("each")) if isinstance(predicate, Mapping) else predicate
        if named is None or not isinstance(named, str | bool | list | tuple):
            yield Mistake(place, f"can't be read: {shown(given)}", "write [cancer, [ulcer, gout], {not: flu}]")
            return


def _known(said: Mapping[str, Any], place: str, names: Sequence[str]) -> Iterator[Mistake]:
    """What is wrong with what she is said to know, for robustness."""
    for word in ("values", "attribute_sets"):
        if said.get(word) is not None and not isinstance(said[word], list | tuple):
            yield Mistake(f"{place}.{word}", f"must be a list, got {shown(said[word])}")
    sets = said.get("attribute_sets")
    for columns in sets if isinstance(sets, list | tuple) else ():
        if not isinstance(columns, list | tuple):
            yield Mistake(f"{place}.attribute_sets", f"must be lists of columns, got {shown(columns)}")
            continue
        for name in columns:
            if name not in names:
                rule = f"no such quasi-identifier {shown(name)}"
                yield Mistake(f"{place}.attribute_sets", rule, did_you_mean(name, names))
    given = said.get("knowledge", "table")
    if given == "table":
        return
    rows = given if isinstance(given, list) else [None]
    fine = (
        isinstance(row, list | tuple)
        and len(row) == 3
        and isinstance(row[0], Mapping)
        and _number(row[2]) is not None
        and 0 <= (_number(row[2]) or 0) <= 1
        for row in rows
    )
    if not all(fine):
        yield Mistake(f"{place}.knowledge", "can't be read", "write table, or [[{nation: Japanese}, heart, 0.003], …]")
