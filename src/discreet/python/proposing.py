"""`propose`: a policy for a table that nobody has described yet, with the reason for each choice, to be decided on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import Any

from discreet.engines.base import Engine
from discreet.errors import DiscreetError, Mistake, PolicyError, did_you_mean, shown
from discreet.files.temporary import temporary_folder
from discreet.files.whole import whole_files
from discreet.policy.policy import Policy, read_policy
from discreet.policy.proposing.owner import find_owner
from discreet.policy.proposing.proposed import Proposed, proposed_for
from discreet.policy.showing import framed, table
from discreet.policy.words import Role
from discreet.python.arguments import changed

_SOURCE = "source: "
_ROLES = [role.value for role in Role if role is not Role.WISHES]


def propose(source: Any, *, person: str | None = None, one_row_per_person: bool = False) -> Proposal:
    """Propose a policy for a table: roles, hierarchies and promises, each with the reason. Read it, and decide.

    The table is a pandas, polars or Arrow frame, a mapping of columns, a path or an address. `person` is the column
    that says whose row it is, `one_row_per_person` says that every row is another person's; if neither is said, the
    table is asked.

    >>> import discreet
    >>> frame = {"age": [20, 30, 40, 50] * 30, "sex": ["f", "m"] * 60, "disease": ["flu", "cold", "gout"] * 40}
    >>> proposal = discreet.propose(frame, one_row_per_person=True)
    >>> proposal.roles
    {'age': 'quasi_identifier', 'sex': 'quasi_identifier', 'disease': 'sensitive'}
    >>> release = discreet.anonymize(frame, proposal.policy())
    >>> release.kept
    True
    """
    seen, engine = proposed_for(source, person=person, one_row_per_person=one_row_per_person)
    return Proposal(seen, str(source) if isinstance(source, str | Path) else None, engine)


@dataclass(frozen=True, eq=False, repr=False)
class Proposal:
    """A proposed policy: its text with the reason for each choice, what is open, and the policy once that is decided.

    Printed, it is the YAML that `discreet init` writes; in a notebook, a table.

    >>> import discreet
    >>> proposal = discreet.propose({"age": [20, 30, 40] * 20, "x17": ["a", "b"] * 30}, one_row_per_person=True)
    >>> proposal.open
    ('x17',)
    >>> decided = proposal.answer(x17="identifier")
    >>> decided.open, decided.policy(suppress=0.05).quasi_identifiers
    ((), ('age',))
    """

    seen: Proposed
    source: str | None
    engine: Engine = field(compare=False)

    @property
    def roles(self) -> dict[str, str]:
        """What each column seems to be."""
        person = self.seen.owner.column
        return {p.name: "person" if p.name == person else p.role.value for p in self.seen.proposals}

    @property
    def open(self) -> tuple[str, ...]:
        """Columns that somebody has to decide on, what matters most first."""
        undecided = {a.name for a in self._read().attributes if a.decide}
        first = [p.name for p in self.seen.decisions if p.name in undecided]
        return (*first, *(name for name in self.roles if name in undecided and name not in first))

    def answer(self, roles: Mapping[str, str] | None = None, /, **columns: str) -> Proposal:
        """The same after somebody decided: a role for each of some columns, as keywords or in a mapping.

        Columns that are decided together (answers of one questionnaire) are, by the first of them.
        """
        given = {**(roles or {}), **columns}
        names = list(self.roles)
        mistakes = [
            Mistake(shown(column)[1:-1], "no such column", did_you_mean(column, names))
            for column in given
            if column not in names
        ]
        mistakes += [
            Mistake(shown(column)[1:-1], f"no such role {shown(role)}", did_you_mean(role, _ROLES))
            for column, role in given.items()
            if role not in _ROLES
        ]
        if mistakes:
            raise PolicyError(*mistakes)
        seen = self.seen
        for column, role in given.items():
            if role == Role.PERSON:
                owner = find_owner(seen.proposals, self.engine.ownership, person=column)
                seen = replace(seen, owner=owner)
            else:
                if column == seen.owner.column:
                    seen = replace(seen, owner=seen.owner.nowhere())
                seen = seen.decided(column, Role(role))
        return replace(self, seen=seen)

    def policy(self, *, as_proposed: bool = False, **words: Any) -> Policy:
        """The policy, once nothing is open; `as_proposed` takes what is as it stands. `words` go before its own."""
        read = self._read()
        if read.undecided and not as_proposed:
            repair = (
                f"say proposal.answer({', '.join(f'{name}=…' for name in self.open[:3])}), or policy(as_proposed=True)"
            )
            raise PolicyError(*(Mistake(m.place.removesuffix(".decide"), m.rule, repair) for m in read.undecided))
        decided = tuple(replace(a, decide="") for a in read.attributes)
        return changed(replace(read, attributes=decided), {w: said for w, said in words.items() if said is not None})

    def to_yaml(self) -> str:
        """The text that `discreet init` writes; of a frame, without a source."""
        text = self.seen.text(self.source or "frame")
        lines = text.split("\n")
        return text if self.source else "\n".join(line for line in lines if not line.startswith(_SOURCE))

    def save(self, file: Path | str) -> None:
        """Write the text to a file, to be edited."""
        if Path(file).exists():
            raise DiscreetError(Mistake(str(file), "already exists", "choose another file, or remove it"))
        whole_files({Path(file): self.to_yaml()})

    def __repr__(self) -> str:
        return self.to_yaml()

    def _repr_html_(self) -> str:
        still = self.open
        rows = []
        for p in self.seen.proposals:
            name, owner = p.name, self.seen.owner
            why = owner.why if name == owner.column else p.why
            role = escape(self.roles[name])
            hierarchy = f"<code>{escape(p.hierarchy)}</code>" if p.hierarchy and name != owner.column else ""
            mark = "<b class=open>decide:</b> " if name in still else ""
            rows.append((f"<b>{escape(name)}</b>", role, hierarchy, mark + escape(why)))
        first = ", ".join(map(escape, still)) or "nothing"
        models = "; ".join(escape(model.describe()) for model in self._read().models)
        columns = table(("column", "role", "hierarchy", "why"), rows)
        body = f"<p><b>to decide:</b> {first}</p>{columns}<p><b>promises:</b> {models}</p>"
        return framed(body, 2 * len(rows) + 5)

    def _read(self) -> Policy:
        """What the text says."""
        with temporary_folder() as folder:
            file = folder / "policy.yaml"
            file.write_text(self.to_yaml(), encoding="utf-8")
            return replace(read_policy(file), folder=Path())
