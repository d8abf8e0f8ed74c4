"""Is a mapping that of its release? Later rows are published by it, so nothing in it is believed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from discreet.errors import DiscreetError, Mistake
from discreet.hierarchies.hierarchy import Rule, Value
from discreet.policy.ranges import HIERARCHY, VALUES, chosen
from discreet.publications.mapping import mapped_groups
from discreet.publications.meanings import height, is_name, on_boundaries, rule_as_told, stands_for
from discreet.publications.published import AGAIN, Manifest, names_file, quasi_identifiers_of

_PLACE = "mapping.json"
# What reading a mapping that we did not write can raise.
_NOT_OURS = (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError, RecursionError)
_STRANGE = Mistake(_PLACE, "is not the mapping of this release", AGAIN)


def mapping_mistakes(
    mapping: Mapping[str, Any], manifest: Manifest, texts: Sequence[tuple[Value, ...]]
) -> list[Mistake]:
    """What a mapping says otherwise than its release does; `texts` are what the published groups are published as.

    Its rules and levels must be those of the manifest, its groups the published ones, and every text what its parts are
    written as under the rule. A release that follows an earlier one keeps the groups of that, also those that nobody is
    in any more.
    """
    try:
        return _mistakes(mapping, manifest, texts)
    except (*_NOT_OURS, DiscreetError):
        return [_STRANGE]


def _mistakes(mapping: Mapping[str, Any], manifest: Manifest, texts: Sequence[tuple[Value, ...]]) -> list[Mistake]:
    names = quasi_identifiers_of(manifest)
    words = {name: manifest["hierarchies"][name] for name in names}
    if mapping.get("hierarchies") != words:
        return [Mistake(_PLACE, "has other hierarchies than the manifest", AGAIN)]
    if any(map(names_file, words.values())):
        return [_STRANGE]
    rules = [rule_as_told(words[name]) for name in names]
    node = manifest.get("node")
    if mapping.keys() != ({"hierarchies", "texts", "groups"} if node is None else {"hierarchies", "levels"}):
        return [_STRANGE]
    return (
        _of_groups(mapping, manifest, rules, texts) if node is None else _of_levels(mapping, node, names, rules, texts)
    )


def _of_levels(
    mapping: Mapping[str, Any],
    node: Mapping[str, int],
    names: Sequence[str],
    rules: Sequence[Rule],
    texts: Sequence[tuple[Value, ...]],
) -> list[Mistake]:
    """Is every attribute published at its level?"""
    levels = mapping["levels"]
    if levels != node or [*sorted(node)] != sorted(names) or any(type(level) is not int for level in levels.values()):
        return [Mistake(_PLACE, "has other levels than the manifest", AGAIN)]
    if not all(0 <= levels[name] <= height(rule) for name, rule in zip(names, rules, strict=True)):
        return [Mistake(_PLACE, "has levels that its hierarchies do not have", AGAIN)]
    columns = list(zip(*texts, strict=True)) if texts else [() for _ in names]
    wrong = sum(
        not all(is_name(rule, levels[name], text) for text in dict.fromkeys(column))
        for name, rule, column in zip(names, rules, columns, strict=True)
    )
    rule = f"{wrong} quasi-identifiers are published at another level than it says"
    return [Mistake(_PLACE, rule, AGAIN)] if wrong else []


def _promised(manifest: Manifest, rules: Sequence[Rule]) -> list[bool]:
    """Of which columns ranges end on boundaries, by the manifest or by the policy in it.

    Releases whose manifest and policy have no word of it are older than the word.
    """
    said, policy = manifest.get("ranges", {}), manifest["policy"]
    promised = []
    for name, rule in zip(quasi_identifiers_of(manifest), rules, strict=True):
        about = policy["attributes"][name]
        word = about.get("ranges") or policy.get("ranges")
        by_policy = chosen(word, about.get("hierarchy"), rule) if word or "ranges" in manifest else VALUES
        promised.append(HIERARCHY in (by_policy, said.get(name)))
    return promised


def _of_groups(
    mapping: Mapping[str, Any], manifest: Manifest, rules: Sequence[Rule], texts: Sequence[tuple[Value, ...]]
) -> list[Mistake]:
    """Are its groups the published ones, and do all their texts mean what they say?"""
    names = quasi_identifiers_of(manifest)
    if list(mapping["texts"]) != names:
        return [_STRANGE]
    groups = mapped_groups(mapping, names)
    wrong = elsewhere = idle = 0
    for rule, promised, entries, numbers in zip(
        rules, _promised(manifest, rules), groups.entries, groups.numbers.T, strict=True
    ):
        if type(entries) is not list or any(entry.keys() != {"text", "parts"} for entry in entries):
            return [_STRANGE]
        right = [isinstance(e["parts"], list) and stands_for(rule, e["text"], e["parts"]) for e in entries]
        wrong += right.count(False)
        elsewhere += sum(
            promised and ok and not on_boundaries(rule, e["parts"]) for e, ok in zip(entries, right, strict=True)
        )
        idle += len(entries) - len(np.unique(numbers)) + len(entries) - len(set(map(repr, entries)))
    listed = set(groups.texts())
    published = set(texts)
    counted = [
        (len(groups.numbers) - len(listed), "lists groups twice"),
        (idle, "lists values twice, or without a group that has them"),
        (len(published - listed), "lacks groups of the published table"),
        (0 if "applied" in manifest else len(listed - published), "lists groups that the table does not have"),
        (wrong, "says of published values that they mean what they don't"),
        (elsewhere, "has ranges that end elsewhere than on the boundaries of their hierarchy"),
    ]
    return [Mistake(_PLACE, f"{rule} ({many:,})", AGAIN) for many, rule in counted if many]
