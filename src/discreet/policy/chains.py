"""What a policy must say so that a chain of releases can keep its promise."""

from __future__ import annotations

from collections.abc import Sequence

from discreet.errors import Mistake, shown
from discreet.models.base import PrivacyModel
from discreet.models.registry import word_of

M_INVARIANCE = "m_invariance"
_SEARCHES = ("invariant", "invariant_ranges")
_ONE_RELEASE = ("robust", "realistic")  # what several releases tell together of their knowledge is not known


def chain_misfits(
    models: Sequence[PrivacyModel], search: str, person: str | None, sensitive: Sequence[str]
) -> list[Mistake]:
    """A chain follows people, by one sensitive attribute, and is found by searches of its own."""
    promised = [word_of(model) for model in models]
    if M_INVARIANCE not in promised:
        return []
    mistakes = []
    if person is None:
        rule = f"{M_INVARIANCE} is about people who are in several releases, and no column says who is who"
        repair = "give the column that says whose row it is the role person; else ask for other promises of one release"
        mistakes.append(Mistake("attributes", rule, repair))
    if len(sensitive) != 1:
        rule = f"{M_INVARIANCE} is about one sensitive attribute, the policy has {len(sensitive)}"
        mistakes.append(Mistake("attributes", rule, "give exactly one column the role sensitive"))
    elif promised.count(M_INVARIANCE) > 1:
        mistakes.append(Mistake("require", f"{M_INVARIANCE} is promised several times", "keep one of them"))
    if search not in _SEARCHES:
        rule = f"{shown(search)} does not look who was in which group before"
        mistakes.append(Mistake("search", rule, "leave `search` out"))
    for word in dict.fromkeys(promised):
        if word in _ONE_RELEASE:
            rule = f"{shown(word)} is about one release, and nothing is known of it for a chain of them"
            mistakes.append(Mistake("require", rule, f"leave it out, or leave {M_INVARIANCE} out"))
    return mistakes
