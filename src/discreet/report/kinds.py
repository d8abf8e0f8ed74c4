"""What is said of columns and groups, in the words of the kind of publication."""

from __future__ import annotations

from discreet.policy.kinds import PUBLICATIONS

_ROLES = {
    "identifier": "never published",
    "wishes": "what each row asks to be hidden; never published",
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


def fate(publish: str, role: str, rounded: bool = False) -> str:
    """What becomes of a column, by its role; `rounded`: it is published as less exact values than it has.

    >>> fate("generalization", "sensitive"), fate("generalization", "sensitive", rounded=True)
    ('published as it is, protected by the groups', 'published coarser, protected by the groups')
    """
    if role == "quasi_identifier":
        return PUBLICATIONS[publish].words.quasi_identifiers
    told = _ROLES.get(role, "")
    return told.replace("as it is", "coarser") if rounded else told


def glossary(publish: str) -> tuple[tuple[str, str], ...]:
    """The words of the report and what they mean."""
    kind = PUBLICATIONS[publish]
    return (("group", kind.words.group), *_GLOSSARY, *(() if kind.exact else _COARSER))
