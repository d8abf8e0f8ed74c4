"""The text of a proposed policy, with the reason for each choice. The user decides; what we are unsure of is marked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from discreet.addresses import without_credentials
from discreet.errors import shown
from discreet.policy.proposing.found_reading import NOTHING_FOUND, FoundReading
from discreet.policy.proposing.hierarchy_proposals import FLAT, FLAT_SETS
from discreet.policy.proposing.owner import Owner
from discreet.policy.proposing.proposals import MANY, Proposal, known_values
from discreet.policy.proposing.whole_table import by_importance
from discreet.policy.words import Role

_SEVERAL = 5  # with more quasi-identifiers than this, one coarseness per column turns most of them into *
_DECISIONS = 12  # that are listed above the policy
_SETS = 2000  # values of a column that may be published as sets
_UNSAID = Owner()
_ALONE_OR_STAR = "one coarseness per column; multidimensional and local_recoding lose far less, with mixed values"


def propose(
    proposals: Sequence[Proposal],
    source: str,
    owner: Owner = _UNSAID,
    found: FoundReading = NOTHING_FOUND,
    unique: str = "",
) -> str:
    """The text of a policy for the table, with a reason for each choice; `owner` says whose rows they are.

    `found` says how the table is read, `unique` how many rows the quasi-identifiers tell apart.

    >>> from discreet.engines.profile import ColumnProfile
    >>> from discreet.policy.proposing.proposals import proposals_of
    >>> sex = ColumnProfile("sex", 100, 2, 0, (("f", 60), ("m", 40)))
    >>> text = propose(proposals_of([sex]), "people.csv")
    >>> print(text.split("attributes:")[1].split("require:")[0].strip())
    # sex or gender, by its name; 2 different values
      sex: {role: quasi_identifier, hierarchy: {flat: true}}
    """
    owned = [_with_reading(_with_owner(proposed, owner), found) for proposed in proposals]
    return _text(_with_a_quasi_identifier(owned), proposals[0].profile.rows, source, owner, found, unique)


def _with_reading(proposed: Proposal, found: FoundReading) -> Proposal:
    """The same with how its cells are read, and the question that their writing leaves open."""
    name = proposed.profile.name
    why = f"{proposed.why}; {found.why[name]}" if name in found.why else proposed.why
    question = found.questions.get(name, "") if proposed.role != Role.IDENTIFIER else ""
    if not question:
        return replace(proposed, why=why)
    return replace(proposed, why=why, decide=True, question=proposed.question or question)


def _with_owner(proposed: Proposal, owner: Owner) -> Proposal:
    """The same, or what says whose row it is; and why not, where it looks like that."""
    if proposed.profile.name == owner.column:
        return Proposal(proposed.profile, Role.PERSON, owner.why, decide=bool(owner.decide), question=owner.decide)
    note = owner.notes.get(proposed.profile.name)
    return replace(proposed, why=f"{proposed.why}; {note}") if note else proposed


def _with_a_quasi_identifier(proposals: list[Proposal]) -> list[Proposal]:
    """A policy needs one; if nothing looks like it, take what tells fewest rows apart."""
    if any(p.role == Role.QUASI_IDENTIFIER for p in proposals):
        return proposals
    others = [p for p in proposals if p.role != Role.PERSON]
    weakest = min(others, key=lambda p: (p.role == Role.SENSITIVE, p.profile.distinct))
    why = f"{weakest.why}; but a policy needs a quasi-identifier, and nothing else looks like one"
    question = "a policy needs a quasi-identifier: is it this one? Give it to whatever others may know of somebody"
    instead = Proposal(weakest.profile, Role.QUASI_IDENTIFIER, why, FLAT, decide=True, question=question)
    return [instead if p is weakest else p for p in proposals]


def _text(proposals: list[Proposal], rows: int, source: str, owner: Owner, found: FoundReading, unique: str) -> str:
    quasi = sum(p.role == Role.QUASI_IDENTIFIER and p.profile.distinct > 1 for p in proposals)
    several = quasi > _SEVERAL
    lines = [
        f"# Proposed by 'discreet init' for a table of {rows:,} rows. Check every role, above all those marked DECIDE:",
        "# nothing is published until somebody has decided, and removed the word decide.",
        "#   identifier        never published",
        "#   quasi_identifier  others may know it: published as coarsely as the promises need",
        "#   sensitive         published as it is, protected by the promises",
        "#   other             published as it is, protected by nothing",
        "#   person            says whose row it is: never published, people are counted by it",
        *_to_decide(proposals),
        f"source: {quoted(without_credentials(source))}",
        "",
        *found.lines(),
        *_whose(owner),
        "attributes:",
        *([f"  # {unique}"] if unique else []),
    ]
    if quasi > MANY:
        lines += [
            f"  # WARNING: {quasi} quasi-identifiers. With more than {MANY} hardly anything stays exact.",
            "  # Give those that the readers of the release don't need the role identifier: they are left out.",
        ]
    for p in proposals:
        lines.append(f"  # {'DECIDE: ' if p.decide else ''}{p.why}")
        words = FLAT_SETS if several and p.hierarchy == FLAT and 3 < known_values(p.profile) <= _SETS else p.hierarchy
        hierarchy = f", hierarchy: {words}" if words else ""
        coarser = f", publish_as: {p.publish_as}" if p.publish_as else ""
        decide = f", decide: {quoted(p.question)}" if p.decide else ""
        lines.append(
            f"  {quoted(p.profile.name)}: {{role: {p.role}{hierarchy}{coarser}{found.words(p.profile.name)}{decide}}}"
        )
    alike = f"{owner.whose.everybody} looks like at least {owner.whose.others(4)}"
    lines += ["", "require:", f"  # {alike}", "  - k_anonymity: {k: 5}"]
    number, counted = (rows, "rows") if owner.number is None else (owner.number, "people")
    if number < 50:
        lines.insert(-1, f"  # (a table of {number} {counted} will hardly allow it)")
    sensitive = [p for p in proposals if p.role == Role.SENSITIVE]
    said = 0
    for p in sensitive:
        most = max((count for _, count in p.profile.values), default=0)
        diverse = 3 if len(sensitive) <= 3 and p.profile.distinct >= 5 and most * 5 <= rows * 4 else 2
        attribute = f", attribute: {quoted(p.profile.name)}" if len(sensitive) > 1 else ""
        if diverse != said:
            lines.append(f"  # at least {diverse} different values among those who look alike")
        said = diverse
        lines.append(f"  - l_diversity: {{l: {diverse}{attribute}}}")
    if not sensitive:
        lines.append("  # No column looks sensitive. If one is: role sensitive, and here - l_diversity: {l: 3}")
    lines += ["", *_publish(quasi, several)]
    lines += ["# at most this share of the rows may be left out", "suppress: 0.02", ""]
    return "\n".join(lines)


def _publish(quasi: int, several: bool) -> list[str]:
    """How to publish: finer where the data allow it, if one coarseness for all rows would leave next to nothing."""
    if not several:
        return [f"# {_ALONE_OR_STAR}", "publish: generalization"]
    return [
        f"# each group as coarse as it needs: with {quasi} quasi-identifiers, one coarseness per column",
        "# (generalization) would turn most of them into *; local_recoding loses still less, and takes longer",
        "publish: multidimensional",
    ]


def _to_decide(proposals: Sequence[Proposal]) -> list[str]:
    """The columns to decide on, what matters most first."""
    open_ones = by_importance(proposals)
    if not open_ones:
        return []
    names = [f"{shown(p.name)} (and {len(p.block) - 1} like it)" if p.block else shown(p.name) for p in open_ones]
    lines = ["# To decide, what matters most first ('discreet init --ask' asks, --role answers many at once):"]
    lines += [f"#   {number}. {name}" for number, name in enumerate(names[:_DECISIONS], start=1)]
    if len(names) > _DECISIONS:
        lines.append(f"#   and {len(names) - _DECISIONS} more")
    return lines


def _whose(owner: Owner) -> list[str]:
    """What a policy says of whose rows they are, or the question that nobody has answered."""
    if owner.one_row_each:
        return ["# every row is another person's: what holds of rows holds of people", "one_row_per_person: true", ""]
    if owner.column is not None:
        return []
    asked = "# QUESTION: is every row another person's? If not, one's own rows may fill a group."
    if owner.several:
        asked = "# Some people have several rows, and nothing says which are whose: one's own rows may fill a group."
    lines = [asked, "# Until it is said, promises and report are about rows. To have them about people, write"]
    if not owner.several:
        lines.append("#   one_row_per_person: true    here, if every row is another person's; or")
    lines.append("#   role: person                at the column that says whose row it is")
    if owner.keys:
        names = ", ".join(map(shown, owner.keys[:3]))
        lines.append(f"# (A person's key by its name, another value in each row: {names}. Or does it number rows?)")
    return [*lines, ""]


def quoted(text: str) -> str:
    """A text as YAML reads it back, whatever signs it holds.

    >>> print(quoted("age"), quoted("no"), quoted("a: b"), quoted("#"), quoted(".0"))
    age "no" "a: b" "#" ".0"
    """
    import yaml

    words = "|".join(["yes", "no", "on", "off", "y", "n", "true", "false", "null"])
    if re.fullmatch(r"(\.{0,2}/)?[A-Za-z_][A-Za-z0-9_./-]*", text) and not re.fullmatch(words, text, re.IGNORECASE):
        return text
    return str(yaml.safe_dump(text, default_style='"', allow_unicode=True, width=10**9)).rstrip("\n")
