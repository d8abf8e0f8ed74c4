"""What a release promises, in words a privacy board can use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from discreet.labels.whose import whose_of
from discreet.models.others_known import OTHERS_KNOWN
from discreet.models.promise import Setting
from discreet.models.registry import MODELS
from discreet.policy.kinds import is_exact
from discreet.policy.levels import read_span
from discreet.policy.ranges import HIERARCHY, VALUES
from discreet.report.marginals import printable, shown

# Parts of a hierarchy that name no value of the column.
WIDTHS = {"intervals", "prefixes", "dates"}
_WORDS = {
    "intervals": "spans of",
    "prefixes": "the first",
    "dates": "a date's",
    "cuts": "spans with ends of their own",
    "quantiles": "spans of equally many rows:",
    "flat": "the value, or *",
    "sets": "or a set of values",
    "bottom": "all below",
    "top": "all from",
    "origin": "counted from",
    "decimals": "written like [20, 30)",
}
_AFTER = {"prefixes": "characters"}
_ENDS = {HIERARCHY: "ranges end on its boundaries", VALUES: "ranges end at values of the table"}


def model_of(promise: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """Name and parameters of the privacy model behind a promise of the manifest."""
    for name, parameters in promise["model"].items():
        return name, parameters or {}
    return "", {}


def attribute_of(parameters: Mapping[str, Any], sensitive: Sequence[str]) -> str | None:
    """The sensitive column a promise is about: the one it names, or the only one there is."""
    named = parameters.get("attribute")
    return str(named) if named is not None else sensitive[0] if len(sensitive) == 1 else None


def promise_in_words(promise: Mapping[str, Any], sensitive: Sequence[str], setting: Setting) -> str:
    """The promise as a sentence; a model without one of its own here is told by its name.

    >>> five = {"model": {"k_anonymity": {"k": 5}}, "promise": "5-anonymity"}
    >>> from discreet.labels.whose import Whose
    >>> promise_in_words(five, [], Setting(exact=False, whose=Whose.ONE_EACH))
    'By what others may know, everybody looks the same as at least 4 others.'
    >>> promise_in_words(five, [], Setting(exact=True, whose=Whose.UNSAID))
    'Every row shares a group with at least 4 other rows.'
    """
    name, parameters = model_of(promise)
    attribute = attribute_of(parameters, sensitive)
    column = shown(attribute) if attribute is not None else "each sensitive column"
    sentence = MODELS[name].sentence if name in MODELS else None
    if sentence is None:
        return printable(str(promise["promise"])) + "."
    beside = f" That also holds for whoever knows the {setting.whose.person}'s other sensitive values."
    return sentence(parameters, column, setting) + (beside if parameters.get(OTHERS_KNOWN) is True else "")


def setting_of(manifest: Mapping[str, Any]) -> Setting:
    """What sentences about the promises of a manifest depend on."""
    return Setting(is_exact(manifest["publish"]), whose_of(manifest))


def hierarchy_in_words(words: object) -> str:
    """What a column's hierarchy is made of, without the values in it: a taxonomy may list rare ones.

    >>> hierarchy_in_words({"intervals": [5, 10, 20]}), hierarchy_in_words({"taxonomy": [["a", "b"], ["c", "b"]]})
    ('spans of 5, 10, 20', 'taxonomy (2 entries)')
    >>> hierarchy_in_words({"prefixes": [4, 3]}), hierarchy_in_words({"flat": True, "sets": True})
    ('the first 4, 3 characters', 'the value, or *; or a set of values')
    """
    if not isinstance(words, Mapping):
        return ""
    parts = [(_WORDS.get(key, key), _plain(key, value), _AFTER.get(key, "")) for key, value in words.items() if value]
    return "; ".join(" ".join(filter(None, part)) for part in parts)


def hierarchies_in_words(manifest: Mapping[str, Any]) -> dict[str, str]:
    """What every column's hierarchy is made of, where ranges of it end, and which levels the policy allowed."""
    ends, policy = manifest.get("ranges", {}), manifest.get("policy", {}).get("attributes", {})
    told = {name: hierarchy_in_words(words) for name, words in manifest["hierarchies"].items()}
    return {
        name: "; ".join(filter(None, (words, _ENDS.get(ends.get(name), ""), _allowed(policy.get(name, {})))))
        for name, words in told.items()
    }


def _allowed(said: Mapping[str, Any]) -> str:
    """Which levels the policy allowed.

    >>> _allowed({"levels": 2}), _allowed({"levels": [0, 1]}), _allowed({})
    ('the policy asks for level 2', 'the policy allows levels 0 to 1', '')
    """
    span = read_span(said.get("levels"))
    if span is None:
        return ""
    low, high = span
    return f"the policy asks for level {low}" if low == high else f"the policy allows levels {low} to {high}"


def _plain(key: str, value: object) -> str:
    """The steps of a rule as they are, anything else as how many there are."""
    if isinstance(value, Sequence | Mapping) and not isinstance(value, str):
        if key in WIDTHS:
            return ", ".join(str(v) for v in value)
        named = "level" if key == "cuts" else "entry" if len(value) == 1 else "entrie"
        return f"({len(value):,} {named}{'s' * (len(value) != 1)})"
    return "" if value is True else shown(str(value))


def roles_of(manifest: Mapping[str, Any]) -> dict[str, str]:
    """What every column of the source is: the published ones first, in their order. A manifest's own says nothing."""
    published = [name for name in manifest["columns"] if name in manifest["roles"]]
    return {name: str(manifest["roles"][name]) for name in dict.fromkeys([*published, *sorted(manifest["roles"])])}
