"""What is said differently of each kind of publication."""

from __future__ import annotations

from collections.abc import Mapping

from discreet.policy.kinds import EXACT

KINDS = {
    "generalization": "generalization: every row of a column at the same level",
    "multidimensional": "multidimensional: each region of the data as coarse as it needs to be",
    "local_recoding": "local recoding: each group as coarse as it needs to be",
    "bucketization": "bucketization: quasi-identifiers and sensitive values exact, in tables apart",
    "ambiguity": "ambiguity: every value exact, in tables apart that hide which of them belong together",
}
# What being in one group means.
HIDDEN = {
    "bucketization": "Inside a group nobody can tell whose sensitive value is whose. The larger the group, the better "
    "they are hidden, and the less is known about them.",
    "ambiguity": "Inside a group nobody can tell which values belong together. The larger the group, the better its "
    "people are hidden, and the less is known about them.",
}
TOGETHER = (
    "Rows of a group cannot be told apart. The larger the group, the better its people are hidden, and the less is "
    "known about them."
)
COARSER = (
    "Each row is one row of the original table, with coarser values: a range such as 20-39, a name of several values, "
    "the first characters of a code (479**), a set {a, b}, or * for anything.",
    "The sensitive values are exact, so counts by published values are. Within a range nothing is told: take its "
    "values as evenly spread only if nothing better is known, and let models see ranges as ranges.",
    "Rows are in random order. Their place in the file means nothing.",
)
HOW_TO_USE = {
    "bucketization": (
        "Everybody's exact quasi-identifiers are in one table, the sensitive values of each group in another. Join "
        "them by the group: a person of a group of n has a value that b of them have with a chance of b / n.",
        "Counts by quasi-identifiers alone, or by sensitive values alone, are exact. Counts by both are estimates: sum "
        "up a · b / n over the groups, where a people of the group have the quasi-identifiers.",
        "The numbers of the groups are random and mean nothing.",
    ),
    "ambiguity": (
        "Each table lists what occurs in a group, each value once; the last one tells how many rows of the group have "
        "each sensitive value.",
        "Which values of a group belong together, and how often a quasi-identifier occurs in it, is not told: take "
        "each of the m entries of a table for n / m of the n rows of its group.",
        "The numbers of the groups are random and mean nothing.",
    ),
}
_ROLES = {
    "identifier": "never published",
    "quasi_identifier": "made coarser",
    "sensitive": "published as it is, protected by the groups",
    "other": "published as it is, protected by nothing",
}
_EXACT_ROLES = {
    "bucketization": "published as it is, apart from the sensitive values",
    "ambiguity": "published as it is, apart from the other columns",
}
_GROUP = {
    "bucketization": "people whose sensitive values are published together, without saying whose is whose",
    "ambiguity": "rows whose values are listed together, without saying which belong to the same person",
}
_GLOSSARY = (
    ("quasi-identifier", "a column that others may know about a person, such as age or postcode"),
    ("sensitive", "a column that nobody should learn about a person from the release"),
    ("suppressed", "left out of the release because no group could hold the row safely"),
)
_COARSER = (
    ("level", "how far a column was made coarser: 0 is the value itself, the last level is * (anything)"),
    ("loss", "how vague the published values are: 0% is unchanged, 100% is all *"),
)


def roles(publish: str) -> Mapping[str, str]:
    """What becomes of a column, by its role."""
    return _ROLES if publish not in EXACT else _ROLES | {"quasi_identifier": _EXACT_ROLES[publish]}


def glossary(publish: str) -> tuple[tuple[str, str], ...]:
    """The words of the report and what they mean."""
    group = ("group", _GROUP.get(publish, "published rows that cannot be told apart by their quasi-identifiers"))
    return (group, *_GLOSSARY, *(() if publish in EXACT else _COARSER))
