"""What choosing δ from the harm comes to, for people and for scripts."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from discreet.labels.figures import chance
from discreet.models.parameters import as_text
from discreet.models.presence.harm import Harm


def to_json(harm: Harm) -> dict[str, Any]:
    """Everything as plain numbers and words; `policy` is None where no promise is needed."""
    low, high = harm.delta
    return {
        "prior": float(harm.prior),
        "population": harm.population,
        "table": harm.table,
        "share": float(harm.share),
        "tolerable": {"rise": float(harm.rise), "fall": float(harm.fall)},
        "delta": [float(low), float(high)],
        "delta_exact": [str(low), str(high)],
        "belief": {"in_the_table": 1.0, "not_in_the_table": float(harm.belief(Fraction(0)))}
        | {"at_delta": [float(harm.belief(low)), float(harm.belief(high))]},
        "policy": policy_line(harm),
    }


def to_text(harm: Harm) -> str:
    """The same in sentences, with the line to paste."""
    low, high = harm.delta
    before, after = chance(float(harm.prior)), [chance(float(harm.belief(x))) for x in (low, high)]
    lines = [
        f"Everybody knows: {before} of the {harm.population:,} people have the condition, and {harm.table:,} of those "
        f"who have it are in the table ({chance(float(harm.share))} of all).",
        f"Tolerable: believing that somebody has it by {_points(harm.rise)} more, or by {_points(harm.fall)} less.",
        "",
        _above(harm, before, after[1]),
        _below(harm, before, after[0]),
        "",
    ]
    line = policy_line(harm)
    if line is None:
        return "\n".join([*lines, "So any release is tolerable: there is nothing to promise about presence."])
    return "\n".join(
        [
            *lines,
            "For the policy (FILE lists everybody, those in the table included):",
            "  require:",
            f"    - {line}",
            "The same delta goes with confident_presence, where only marginals are known. Then a group may exceed it, "
            "with a probability of 1 − confidence: a risk of the publisher's, not reckoned with here.",
        ]
    )


def policy_line(harm: Harm) -> str | None:
    """What to require, rounded to the safe side."""
    low, high = harm.rounded
    if low == 0 and high == 1:
        return None
    return f"presence: {{delta: [{as_text(low)}, {as_text(high)}], population: FILE}}"


def _above(harm: Harm, before: str, after: str) -> str:
    high = harm.delta[1]
    if high == 1:
        return "δmax = 1: even somebody who is surely in the table may be known to have it."
    return (
        f"δmax = {float(high):.4g}: somebody who is in the table with a chance of {chance(float(high))} is believed to "
        f"have it with {after} instead of {before}."
    )


def _below(harm: Harm, before: str, after: str) -> str:
    low = harm.delta[0]
    if low == 0:
        surely = chance(float(harm.belief(Fraction(0))))
        return (
            f"δmin = 0: even somebody who is surely not in the table is believed to have it with {surely} "
            f"instead of {before}."
        )
    return (
        f"δmin = {float(low):.4g}: somebody who is in the table with a chance of only {chance(float(low))} is believed "
        f"to have it with {after}."
    )


def _points(moved: Fraction) -> str:
    """A difference of probabilities.

    >>> _points(Fraction(1, 100)), _points(Fraction(1, 40))
    ('1 percentage point', '2.5 percentage points')
    """
    points = f"{float(100 * moved):.3g}"
    return f"{points} percentage point{'' if points == '1' else 's'}"
