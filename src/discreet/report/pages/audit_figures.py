"""What the further figures of an audit's line are called: the names that `--json` has, in words."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, str] = {
    "gain": "largest rise of a value's share in a group",
    "ratio": "largest factor by which a value's share rises",
    "distance": "largest distance of a group's shares from the table's (t)",
    "beta": "largest relative rise of a value's share (β)",
    "delta": "largest change of a value's share, as a logarithm (δ)",
    "highest": "largest chance",
    "lowest": "smallest chance",
    "average": "chance on average",
    "mean": "chance on average",
    "share_at_highest": "share of those with the largest chance",
    "groups": "such groups",
    "known": "rows she knows",
    "rows_until_certain": "rows she must know to be certain",
    "nearly": "nearly certain is above",
    "smallest_epsilon": "how many times more she believes (ε), by the size of her other data",
    "min_support": "fewest of a kind whose shares she knows",
    "confidence": "how sure that is",
    "m": "different values that a group has at least",
    "l": "different values that a group has at least",
    "any": "however many",
    "worst_exact": "largest chance that was worked out exactly",
    "largest_share_of_rows_that_are_one_person_s": "largest share of rows that are one person's",
}
