"""Roles that somebody says for several columns at once: a regular expression and what its columns are."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from discreet.errors import DiscreetError, Mistake, did_you_mean, shown
from discreet.policy.proposing.columns import meaning_of
from discreet.policy.proposing.hierarchy_proposals import hierarchy_words
from discreet.policy.proposing.proposals import Proposal, different
from discreet.policy.words import Role

ROLES = (Role.IDENTIFIER, Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.OTHER)
_EXAMPLE = "for example 'q[0-9]+=sensitive'"


@dataclass(frozen=True)
class SaidRoles:
    """What somebody says of columns by their names: patterns that the whole name matches. The last that does wins."""

    patterns: tuple[tuple[str, Role], ...] = ()

    def of(self, columns: Sequence[str]) -> dict[str, Role]:
        """The role of each column that one of the patterns matches; all patterns that match none are refused."""
        mistakes = [
            Mistake("--role", f"no column matches {shown(pattern)}", did_you_mean(pattern, columns))
            for pattern, _ in self.patterns
            if not any(re.fullmatch(pattern, column) for column in columns)
        ]
        if mistakes:
            raise DiscreetError(*mistakes)
        return {c: role for pattern, role in self.patterns for c in columns if re.fullmatch(pattern, c)}


def said_roles(words: Sequence[str]) -> SaidRoles:
    """The patterns of a command line, PATTERN=ROLE each; all mistakes at once.

    >>> said_roles(["q[0-9]+=sensitive"]).of(["q1", "q2", "age"])
    {'q1': <Role.SENSITIVE: 'sensitive'>, 'q2': <Role.SENSITIVE: 'sensitive'>}
    """
    patterns, mistakes = [], []
    for word in words:
        pattern, is_there, role = word.rpartition("=")
        if not is_there or not pattern:
            mistakes.append(Mistake("--role", f"must be PATTERN=ROLE, got {shown(word)}", _EXAMPLE))
            continue
        wrong = _wrong_pattern(pattern)
        if wrong:
            rule = f"is not a regular expression: {shown(pattern)} ({wrong})"
            mistakes.append(
                Mistake("--role", rule, f"put a \\ before characters that stand for themselves; {_EXAMPLE}")
            )
        if role.strip() in ROLES:
            patterns.append((pattern, Role(role.strip())))
        elif role.strip() == Role.PERSON:
            mistakes.append(Mistake("--role", "a person's column is said by its name", "say --person COLUMN"))
        else:
            repair = did_you_mean(role.strip(), [r.value for r in ROLES])
            mistakes.append(Mistake("--role", f"no such role {shown(role)}", repair))
    if mistakes:
        raise DiscreetError(*mistakes)
    return SaidRoles(tuple(patterns))


def _wrong_pattern(pattern: str) -> str:
    """What is wrong with a regular expression, in the words of the engine; nothing if it is one."""
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        return getattr(error, "msg", "") or "too large"
    return ""


def with_roles(proposals: Sequence[Proposal], said: Mapping[str, Role]) -> list[Proposal]:
    """The proposals with roles as somebody said them: nothing of these is left to decide.

    Where the column that spoke for a block is decided, the next that is not does.
    """
    changed = [said_proposal(p, said[p.name]) if p.name in said else p for p in proposals]
    for p in proposals:
        left = [name for name in p.block if name not in said]
        if left and p.name in said:
            question = f"{len(left)} more columns like {shown(p.name)}, {shown(left[0])} to {shown(left[-1])}: {_MORE}"
            changed = [
                replace(q, decide=True, question=question, block=tuple(left)) if q.name == left[0] else q
                for q in changed
            ]
        elif p.block and p.name not in said and len(left) < len(p.block):
            changed = [replace(q, block=tuple(left)) if q.name == p.name else q for q in changed]
    return changed


_MORE = (
    "are they answers of a questionnaire that nobody else knows (then they stay sensitive)? Say quasi_identifier where "
    "others may know them, identifier where nobody needs them"
)


def said_proposal(proposed: Proposal, role: Role) -> Proposal:
    """A column in a role that somebody chose for it."""
    meaning = meaning_of(proposed.name)
    hierarchy, note = "", ""
    if role == Role.QUASI_IDENTIFIER:
        hierarchy, note = hierarchy_words(proposed.profile, meaning.what if meaning else "")
    why = "; ".join(part for part in ("as you said", different(proposed.profile), note) if part)
    return Proposal(proposed.profile, role, why, hierarchy)
