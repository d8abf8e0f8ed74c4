"""How long does it take to look at every node of a lattice, against twenty adversaries?

All eight quasi-identifiers of Adult (6,480 nodes), income sensitive: `discreet compare` without reading and printing.
"""

from __future__ import annotations

import duckdb
import pyarrow as pa

from benchmarks.adult import COMPLETE_TRAIN_ROWS, People, adult, data_folder
from benchmarks.measure import Findings, Options, Table, best, timed
from discreet.counts.frequency import FrequencySet
from discreet.policy.policy import policy_from_words
from discreet.run.intake import take_in
from discreet.samples.census import census_like
from discreet.search.lattice.comparison import Comparison, compare_lattice
from discreet.search.lattice.whole_lattice import WholeLattice, whole_lattice


def measure(options: Options) -> Findings:
    """Counting alone, and the whole comparison."""
    people = adult()
    frequency = _with_income(people)
    lattices: list[WholeLattice | Comparison] = []
    table = Table(f"{people.name}, 8 quasi-identifiers", ("work", "wall s", "cpu s", "cpu ms per node"))
    for name, work in (
        ("count every node", lambda: lattices.append(whole_lattice(frequency, ()))),
        ("compare: 20 adversaries, k, (c, 2), t", lambda: lattices.append(compare_lattice(frequency))),
    ):
        work()  # compiled kernels are read from disk once
        cost = best([timed(work) for _ in range(options.repeats)])
        table.add(name, cost.wall, cost.cpu, 1000 * cost.cpu / _nodes(lattices[-1]))
    says = [f"{_nodes(lattices[-1]):,} nodes, {len(frequency.counts):,} combinations"]
    return Findings(__doc__.splitlines()[0], [table], says)


def _nodes(lattice: WholeLattice | Comparison) -> int:
    return len(lattice.lattice if isinstance(lattice, Comparison) else lattice)


def _with_income(people: People) -> FrequencySet:
    """The people with a sensitive column of two values."""
    folder = data_folder()
    if folder is None:
        salary = census_like(COMPLETE_TRAIN_ROWS, columns=["salary"])["salary"].to_pylist()
        income = pa.array(["high" if int(s) >= 20 else "low" for s in salary])
    else:
        read = f"read_csv('{folder / 'adult' / 'adult.csv'}', all_varchar = true)"
        where = "part = 'train' AND COLUMNS(*) <> '?'"
        income = duckdb.sql(f"SELECT income FROM {read} WHERE {where}").to_arrow_table()["income"]
    attributes = {c: {"role": "quasi_identifier", "hierarchy": h} for c, h in people.hierarchies.items()}
    words = {"attributes": attributes | {"income": {"role": "sensitive"}}, "require": [{"k_anonymity": {"k": 2}}]}
    return take_in(policy_from_words(words), people.table.append_column("income", income)).frequency
