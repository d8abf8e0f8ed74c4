"""The numbers of the instant paper's example: eight people (tables I and II), and what a summary says of them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from discreet.counts.cells import Cells
from discreet.counts.frequency import FrequencySet
from discreet.counts.roll_up import RollUp
from discreet.engines.duckdb.engine import DuckDB
from discreet.models.groups.l_diversity import FrequencyDiversity
from discreet.studies.claims import Claim
from discreet.studies.data.tables import counted
from discreet.summaries.build import histogram_from_pairs, network_from_pairs
from discreet.summaries.network import Network

_COLUMNS = ("sex", "nation", "occupation", "salary")
_PEOPLE = (
    ("M", "US", "Grad", "L"),
    ("M", "Spain", "Grad", "L"),
    ("F", "Italy", "Pdoc", "H"),
    ("F", "Brazil", "Pdoc", "L"),
    ("M", "Canada", "Prof", "H"),
    ("F", "US", "Prof", "H"),
    ("F", "France", "Prof", "L"),
    ("M", "Italy", "Prof", "H"),
)
_AMERICA, _EUROPE = ("US", "Canada", "Brazil"), ("Spain", "Italy", "France")
_HIERARCHIES: dict[str, object] = {
    "sex": {"taxonomy": [["M"], ["F"]]},
    "nation": {"taxonomy": [*([n, "AM"] for n in _AMERICA), *([n, "EU"] for n in _EUROPE)]},
    "occupation": {"taxonomy": [["Grad"], ["Pdoc"], ["Prof"]]},
}
_NODE = (0, 1, 1)


def worked_example() -> Iterator[Claim]:
    """Sections 2.3 and 5.1."""
    table, histogram, network = _summaries()
    professor = {"sex": ("M", "M"), "nation": ("US", "US"), "occupation": ("Prof", "Prof")}
    by_histogram, by_network = (_share(s, professor, "H") for s in (histogram, network))
    yield Claim(
        "section 2.3",
        "F(M, US, Prof, H) is 0.03125 by a histogram and 0.046875 by the network (table II)",
        f"{by_histogram:.6g} and {by_network:.6g}",
        np.allclose([by_histogram, by_network], [0.03125, 0.046875], rtol=1e-12),
    )
    american = {"sex": ("M", "M"), "nation": ("US", "Brazil"), "occupation": ("Grad", "Prof")}
    rich_americans = _share(network, american, "H")
    rich_if_american = rich_americans / _share(network, american, None)
    yield Claim(
        "section 5.1",
        "F(M, AM, *, H) is 0.15625, so H has a sensitivity likelihood of 0.625 (section 2.3: 0.125)",
        f"{rich_americans:.6g} and {rich_if_american:.6g}: section 2.3 is right",
        bool(np.isclose(rich_americans, 0.15625) and np.isclose(rich_if_american, 0.625)),
    )
    cells, groups = network.cells(_NODE, "salary"), RollUp(table).groups(_NODE).groups
    diverse = bool(FrequencyDiversity(2, "salary").holds(groups).all())
    yield Claim(
        "table I",
        "the node [0, 1, 1] has four groups and is 2-diverse",
        f"{len(groups.sizes)} groups of {', '.join(map(str, groups.sizes))}, {'' if diverse else 'not '}2-diverse; the "
        f"network expects {_told(cells)}",
        len(groups.sizes) == 4 and diverse and np.allclose(cells.likelihood, 0.25, rtol=1e-12),
    )


def _told(cells: Cells) -> str:
    return ", ".join(f"{share:.4g}" for share in cells.likelihood) + " of the rows"


def _summaries() -> tuple[FrequencySet, Network, Network]:
    people = pa.table(dict(zip(_COLUMNS, (list(c) for c in zip(*_PEOPLE, strict=True)), strict=True)))
    table = counted(_HIERARCHIES, "salary", people)
    pairs = DuckDB(people).pair_counts(_COLUMNS)
    of = table.hierarchies, table.sensitive_hierarchies
    return table, histogram_from_pairs(pairs, *of), network_from_pairs(pairs, *of, [("occupation", "salary")])


def _share(summary: Network, ranges: dict[str, tuple[str, str]], salary: str | None) -> float:
    """What a summary expects of a group, or of those in it with a salary."""
    index = [h.index for h in summary.hierarchies]
    ends = [ranges[h.attribute] for h in summary.hierarchies]
    low, high = (np.array([[at[end[i]] for at, end in zip(index, ends, strict=True)]], dtype=np.int32) for i in (0, 1))
    cells = summary.boxes(np.minimum(low, high), np.maximum(low, high), "salary")
    share = float(cells.likelihood[0])
    if salary is None or cells.sensitive is None:
        return share
    return share * float(cells.sensitive[0, summary.sensitive_hierarchies["salary"].index[salary]])
