"""What is said of columns and groups, in the words of the kind of publication."""

from __future__ import annotations

from collections.abc import Mapping

from discreet.policy.kinds import PUBLICATIONS

_ROLES = {
    "identifier": "never published",
    "wishes": "what each row asks to be hidden; never published",
    "quasi_identifier": "made coarser",
    "sensitive": "published as it is, protected by the groups",
    "other": "published as it is, protected by nothing",
    "person": "never published; says whose row it is",
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
    return _ROLES | {"quasi_identifier": PUBLICATIONS[publish].words.quasi_identifiers}


def glossary(publish: str) -> tuple[tuple[str, str], ...]:
    """The words of the report and what they mean."""
    kind = PUBLICATIONS[publish]
    return (("group", kind.words.group), *_GLOSSARY, *(() if kind.exact else _COARSER))
