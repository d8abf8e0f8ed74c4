"""What all reproductions share: claims of a paper beside what was measured, and figures, as text and as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from discreet.report.marginals import printable
from discreet.report.pages.compare_page import nodes_to_json
from discreet.search.lattice.comparison import Comparison
from discreet.studies.figures import Figure


@dataclass(frozen=True)
class Claim:
    """One statement of a paper, where it stands, what was measured, and whether that bears it out."""

    where: str
    says: str
    measured: str
    holds: bool


@dataclass(frozen=True)
class Reproduction:
    """A paper's experiment, run again on the data that `data` describes.

    `notes` say what was done otherwise than in the paper, `words` what terms mean. `comparison` is there for a paper
    that compares the nodes of a lattice.
    """

    paper: str
    data: str
    from_folder: bool  # the data folder's table, not the generator's
    claims: tuple[Claim, ...]
    seconds: float
    figures: tuple[Figure, ...] = ()
    notes: tuple[str, ...] = ()
    words: tuple[tuple[str, str], ...] = ()
    comparison: Comparison | None = None

    @property
    def held(self) -> int:
        """How many of the claims were borne out."""
        return sum(claim.holds for claim in self.claims)


def to_text(r: Reproduction) -> str:
    """Each claim with what was measured."""
    lines = [r.paper, f"Data: {printable(r.data)}", ""]
    for claim in r.claims:
        lines.append(f"{'holds   ' if claim.holds else 'DOES NOT'}  {claim.says} ({claim.where})")
        lines.append(f"          measured: {claim.measured}")
    if r.notes:
        lines += ["", "Done differently from the paper:", *(f"- {note}" for note in r.notes)]
    lines += ["", f"{r.held} of {len(r.claims)} claims hold as stated."]
    if r.figures:
        lines.append("The figures, drawn and as tables, are in the page (-o FOLDER); their numbers in --json.")
    return "\n".join(lines)


def to_json(r: Reproduction) -> dict[str, Any]:
    """The claims, and the figures or the whole comparison that they rest on."""
    answer: dict[str, Any] = {
        "paper": r.paper,
        "data": r.data,
        "from_folder": r.from_folder,
        "claims": [
            {"where": c.where, "says": c.says, "measured": c.measured, "holds": bool(c.holds)} for c in r.claims
        ],
        "held": r.held,
        "seconds": r.seconds,
        "notes": list(r.notes),
        "figures": [figure.to_json() for figure in r.figures],
    }
    return answer if r.comparison is None else answer | {"comparison": nodes_to_json(r.comparison)}
