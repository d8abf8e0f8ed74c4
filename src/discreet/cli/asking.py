"""What `init` asks, one question after the other, in the order of what matters; whoever answers may be a pipe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TextIO

from discreet.errors import DiscreetError, Mistake, did_you_mean, shown

if TYPE_CHECKING:
    from discreet.policy.proposing.owner import Owner
    from discreet.policy.proposing.proposed import Proposed

_QUESTION = "Is every row another person? [y/n/not sure] "
_WHICH = "Which column says whose row it is? [its name; nothing if none does] "
_WHETHER = "  [y/n/not sure] "
_ROLES = {
    "identifier": "left out",
    "quasi_identifier": "others may know it: made coarser",
    "sensitive": "published as it is, protected",
    "other": "published as it is, protected by nothing",
}
_LATER = "later"


def whether(owner: Owner, answers: TextIO, questions: TextIO) -> Owner:
    """What somebody says of the column that seems to tell whose row it is; unsure, the question stays in the policy."""
    assert owner.column is not None
    questions.write(f"{shown(owner.column)}: {owner.why}\n  {owner.decide}\n")
    answer = _answer(_WHETHER, answers, questions).casefold()
    if answer in ("y", "yes"):
        return replace(owner, decide="")
    return owner.nowhere() if answer in ("n", "no") else owner


def asked(owner: Owner, columns: Sequence[str], answers: TextIO, questions: TextIO) -> Owner:
    """What somebody at the terminal says of whose rows they are; unsaid, where there is no answer."""
    answer = _answer(_QUESTION, answers, questions).casefold()
    if answer in ("y", "yes"):
        return replace(owner, one_row_each=True)
    if answer not in ("n", "no"):
        return owner
    while column := _answer(_WHICH, answers, questions):
        if column in columns:
            return replace(owner, column=column)
        questions.write(f"There is no column {shown(column)}; {did_you_mean(column, columns)}\n")
    return replace(owner, several=True)


def decided(seen: Proposed, answers: TextIO, questions: TextIO) -> Proposed:
    """The proposal after every open decision was put to somebody, who may take what is proposed or leave it open.

    Where the answers end before the questions do, nothing is decided: half of the answers would look like all.
    """
    decisions = seen.decisions
    number = len(decisions)
    if decisions:
        listed = "\n".join(f"  {role:<17} {what}" for role, what in _ROLES.items())
        questions.write(
            f"{number} decision{'s' * (number != 1)}, what matters most first. A role, or its first letter:\n{listed}\n"
            f"  {_LATER:<17} leaves the question in the policy\nNothing takes what is proposed.\n"
        )
    for place, p in enumerate(decisions, start=1):
        like = f" (and {len(p.block) - 1} like it)" if p.block else ""
        questions.write(f"\n{place} of {number}: {shown(p.name)}{like}: {p.why}\n  {p.question}\n")
        role = _role(p.role.value, place, number, answers, questions)
        if role != _LATER:
            from discreet.policy.words import Role

            seen = seen.decided(p.name, Role(role))
    return seen


def _role(proposed: str, place: int, number: int, answers: TextIO, questions: TextIO) -> str:
    while True:
        questions.write(f"  [{proposed}] ")
        questions.flush()
        line = answers.readline()
        if not line:
            questions.write("\n")
            rule = f"the answers end at question {place} of {number}; nothing was written"
            raise DiscreetError(Mistake("--ask", rule, f"answer all; '{_LATER}' leaves one open"))
        word = line.strip().casefold().replace("-", "_")
        fitting = [role for role in (*_ROLES, _LATER) if word and role.startswith(word)]
        if not word or len(fitting) == 1:
            return fitting[0] if word else proposed
        questions.write(f"  {did_you_mean(word, [*_ROLES, _LATER])}\n")


def _answer(question: str, answers: TextIO, questions: TextIO) -> str:
    questions.write(question)
    questions.flush()
    return answers.readline().strip()
