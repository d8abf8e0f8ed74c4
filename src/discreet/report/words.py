"""What a release promises, in words a privacy board can use."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from discreet.models.parameters import exact
from discreet.policy.kinds import EXACT
from discreet.report.marginals import printable, shown

# Parts of a hierarchy that name no value of the column.
WIDTHS = {"intervals", "prefixes", "dates"}


def model_of(promise: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """Name and parameters of the privacy model behind a promise of the manifest."""
    for name, parameters in promise["model"].items():
        return name, parameters or {}
    return "", {}


def attribute_of(parameters: Mapping[str, Any], sensitive: Sequence[str]) -> str | None:
    """The sensitive column a promise is about: the one it names, or the only one there is."""
    named = parameters.get("attribute")
    return str(named) if named is not None else sensitive[0] if len(sensitive) == 1 else None


def promise_in_words(promise: Mapping[str, Any], sensitive: Sequence[str], publish: str = "generalization") -> str:
    """The promise as a sentence; a model without one of its own here is told by its name.

    >>> five = {"model": {"k_anonymity": {"k": 5}}, "promise": "5-anonymity"}
    >>> promise_in_words(five, [])
    'By what others may know, everybody looks the same as at least 4 others.'
    >>> promise_in_words(five, [], "bucketization")
    'Everybody shares a group with at least 4 others.'
    """
    name, p = model_of(promise)
    attribute = attribute_of(p, sensitive)
    of = shown(attribute) if attribute is not None else "each sensitive column"
    match name:
        case "k_anonymity":
            others = int(p["k"]) - 1
            so_many = f"at least {others:,} other{'s' * (others != 1)}."
            if publish in EXACT:  # who they are is plain to see, or any combination of their values
                return f"Everybody shares a group with {so_many}"
            return f"By what others may know, everybody looks the same as {so_many}"
        case "l_diversity" if p.get("kind", "distinct") == "distinct":
            return f"Every group holds at least {p['l']} different values of {of}."
        case "l_diversity" if p["kind"] == "entropy":
            return f"In every group, {of} is as uncertain as {p['l']} equally likely values."
        case "l_diversity" if p["kind"] == "recursive":
            return (
                f"In every group, the most common value of {of} has less than {p.get('c')} times the rows of all "
                f"values from the {_ordinal(int(p['l']))} most common on."
            )
        case "l_diversity":
            return f"In no group does one value of {of} make up more than one row in {p['l']}."
        case "t_closeness":
            return f"In every group, {of} is distributed as in the whole table, up to a distance of {p['t']}."
        case "alpha_k":
            return (
                f"Every group has at least {p['k']} rows, and no value of {of} makes up more than {p['alpha']} of any."
            )
        case "beta_likeness":
            return (
                f"Knowing somebody's group makes no value of {of} more likely by more than {p['beta']} times "
                "its share in the whole table."
            )
        case "delta_disclosure":
            return (
                f"In every group, the share of each value of {of} differs from that in the whole table by less than "
                f"a factor of e to the power of {p['delta']}."
            )
        case "realistic":
            what = "what the policy lists about" if p.get("predicates") else "any value of"
            return (
                f"Being in the table hardly changes what others believe: the belief of {_adversary(p)} in {what} "
                f"somebody's {of}, and the doubt of it, is within a factor of {p['epsilon']} of what it would be "
                "without that person's row."
            )
        case "robust":
            return (
                f"Whoever knows how common each value of {of} is among people of every kind still cannot be surer than "
                f"1 in {p['r']} that somebody has {'what the policy protects' if p.get('values') else 'a certain one'}."
            )
        case "presence":
            return _hidden(p)
        case "confident_presence":
            return (
                f"{_hidden(p)} The publisher, who knows only how common each value is, is sure of that with a "
                f"confidence of {p['confidence']} for each group."
            )
        case "ambiguity":
            return (
                "As far as the release tells, nobody who fits into a group is in the table with a probability above "
                f"{p['alpha']}, and nobody who is in it has a certain value of {of} with a probability above "
                f"{p['beta']}."
            )
    return printable(str(promise["promise"])) + "."


def _hidden(p: Mapping[str, Any]) -> str:
    """What δ promises."""
    low, high = p["delta"]
    if not exact(low):
        chances = f"nobody is in it with a probability above {high}"
    elif exact(high) == 1:
        chances = f"everybody is in it with a probability of at least {low}"
    else:
        chances = f"everybody is in it with a probability of at least {low} and at most {high}"
    return f"Whoever knows everybody in the population still cannot tell who is in the table: {chances}."


def _adversary(p: Mapping[str, Any]) -> str:
    """The adversary of a `realistic` promise."""
    prior = p.get("prior", "table")
    shape = {"table": "the shares of the whole table", "uniform": "equal shares of all values"}
    belief = shape[prior] if isinstance(prior, str) and prior in shape else "shares that the policy lists"
    match p["class"]:
        case "I":
            who = f"an adversary who expects {belief} from data on {_people(p['stubbornness'])}"
        case "II":
            who = f"an adversary who expects anything from data on at most {_people(p['stubbornness'])}"
        case _:
            who = f"an adversary who expects {belief} and whom no data would convince otherwise"
    known = p.get("known", 0)
    return who + (f" and who knows the rows of {_people(known)}" if known else "")


def _people(count: object) -> str:
    number = f"{count:,}" if isinstance(count, int) else str(count)
    return f"{number} {'person' if count == 1 else 'people'}"


def hierarchy_in_words(words: object) -> str:
    """What a column's hierarchy is made of, without the values in it: a taxonomy may list rare ones.

    >>> hierarchy_in_words({"intervals": [5, 10, 20]}), hierarchy_in_words({"taxonomy": [["a", "b"], ["c", "b"]]})
    ('intervals 5, 10, 20', 'taxonomy (2 entries)')
    """
    if not isinstance(words, Mapping):
        return ""
    return "; ".join(f"{key} {_plain(key, value)}".strip() for key, value in words.items() if value)


def _plain(key: str, value: object) -> str:
    """The steps of a rule as they are, anything else as how many there are."""
    if isinstance(value, Sequence | Mapping) and not isinstance(value, str):
        if key in WIDTHS:
            return ", ".join(str(v) for v in value)
        return f"({len(value):,} {'entry' if len(value) == 1 else 'entries'})"
    return "" if value is True else shown(str(value))


def percent(share: float) -> str:
    """A share of something that is no secret, with one decimal.

    >>> percent(0), percent(0.0001), percent(0.1234), percent(0.9999), percent(1)
    ('0%', '<0.1%', '12.3%', '>99.9%', '100%')
    """
    if 0 < share < 0.001:
        return "<0.1%"
    if 0.999 < share < 1:
        return ">99.9%"
    return f"{100 * share:.1f}".removesuffix(".0") + "%"


def chance(share: float) -> str:
    """A probability, as short as it can be told to three digits.

    >>> [chance(x) for x in (0, 0.0002, 1 / 3, 0.05, 1)]
    ['0', '0.02%', '33.3%', '5%', '100%']
    """
    return f"{100 * share:.3g}%" if share else "0"


def between(low: float, high: float) -> str:
    """From one probability to another.

    >>> between(0.05, 0.1), between(0, 0.1), between(0.05, 0.05)
    ('between 5% and 10%', 'between 0 and 10%', '5%')
    """
    first, last = chance(low), chance(high)
    return first if first == last else f"between {first} and {last}"


def number(value: float) -> str:
    """A number for people: counts in full, measures with four digits.

    >>> number(5.0), number(12_345), number(0.123456), number(48.25)
    ('5', '12,345', '0.1235', '48.25')
    """
    return f"{int(value):,}" if float(value).is_integer() else f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"


def _ordinal(n: int) -> str:
    ending = "th" if 10 <= n % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"


def epsilon_text(value: float) -> str:
    """An ε for a table: rounded up, as it is a promise, but for what lies below a hundred-thousandth.

    >>> epsilon_text(1.000003), epsilon_text(2.501), epsilon_text(253.2), epsilon_text(float("inf"))
    ('1', '2.51', '254', 'none')
    """
    if math.isinf(value):
        return "none"
    digits = 0 if value >= 100 else 1 if value >= 10 else 2
    up = math.ceil((value - 1e-5) * 10**digits) / 10**digits
    return f"{up:,.{digits}f}".rstrip("0").rstrip(".") if digits else f"{up:,.0f}"
