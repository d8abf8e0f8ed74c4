"""What is said differently of each kind of publication."""

from __future__ import annotations

from collections.abc import Mapping

from discreet.publications import EXACT

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
