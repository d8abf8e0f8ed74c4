"""Count queries in the engine, and the searches that go by them: the answers of memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.counts.frequency import FrequencySet
from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.postgresql.engine import PostgreSQL
from discreet.errors import DataError, DiscreetError, Infeasible
from discreet.hierarchies.build import build
from discreet.hierarchies.hierarchy import Value
from discreet.hierarchies.rules import Taxonomy
from discreet.models.base import PrivacyModel
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.groups.l_diversity import DistinctDiversity, EntropyDiversity, FrequencyDiversity
from discreet.models.groups.t_closeness import TCloseness
from discreet.models.presence.presence import Presence
from discreet.progress import silent
from discreet.search.lattice.counting import ByQueries, InMemory
from discreet.search.lattice.incognito import cheapest, minimal_nodes
from discreet.search.multidimensional.cutting import cut_down
from discreet.search.multidimensional.left_out import one_group
from discreet.search.plan import Problem
from discreet.studies.instant.lattice_queries import LatticeQueries
from discreet.studies.instant.mondrian_queries import mondrian_by_queries
from tests.conformance.loaders import PostgreSQLLoader
from tests.models.cases import ATTRIBUTE, fractions
from tests.servers import Database
from tests.strategies import Table, tables

few = settings(max_examples=15)  # each is a handful of queries or more
small = tables(max_attributes=2)


def source_of(table: Table) -> pa.Table:
    columns: dict[str, Sequence[Value]] = {f"q{d}": column for d, column in enumerate(zip(*table.rows, strict=True))}
    columns |= table.sensitive
    return pa.table({name: pa.array(column, type=pa.string()) for name, column in columns.items()})


def asked(table: Table) -> tuple[DuckDB, FrequencySet, LatticeQueries]:
    """The rows in the engine, and what memory knows of them."""
    engine, frequency = DuckDB(source_of(table)), table.frequency()
    return (
        engine,
        frequency,
        LatticeQueries(engine, frequency.hierarchies, list(frequency.sensitive_hierarchies.values())),
    )


models = st.lists(
    st.builds(KAnonymity, st.integers(2, 4))
    | st.builds(FrequencyDiversity, st.sampled_from([2, 3, 4]) | fractions.map(lambda f: 1 / f), st.just(ATTRIBUTE)),
    min_size=1,
    max_size=3,
).map(tuple)


@few
@given(data=st.data())
def test_what_fails_at_a_node_is_what_memory_counts(data: st.DataObject) -> None:
    table, promised = data.draw(small), data.draw(models)
    _, frequency, queries = asked(table)
    limit = data.draw(st.integers(0, len(table.rows)))
    in_memory = InMemory(Problem(frequency, promised, limit), silent)
    by_queries = ByQueries(queries, frequency.hierarchies, promised, limit)
    nodes = data.draw(st.lists(st.sampled_from(table.nodes), min_size=1, max_size=6, unique=True))
    for node in nodes:
        one, other = in_memory.judge(node), by_queries.judge(node)
        assert (other.suppressed, other.feasible) == (one.suppressed, one.feasible)
        assert other.score == pytest.approx(one.score, abs=1e-12)
        assert one.hopeless or not other.hopeless  # memory knows a stronger bound
        if limit == 0 or all(isinstance(model, KAnonymity) for model in promised):
            assert other.hopeless is one.hopeless
    assert queries.queries == 1 + len(nodes)  # the leaves were counted first


@few
@pytest.mark.parametrize("downward", [False, True])
@given(data=st.data())
def test_incognito_in_the_engine_finds_what_it_finds_in_memory(downward: bool, data: st.DataObject) -> None:
    table, promised = data.draw(small), data.draw(models)
    _, frequency, queries = asked(table)
    limit = data.draw(st.just(0) | st.integers(0, len(table.rows)))
    in_memory = InMemory(Problem(frequency, promised, limit), silent)
    by_queries = ByQueries(queries, frequency.hierarchies, promised, limit)
    found = minimal_nodes(in_memory, downward)
    assert minimal_nodes(by_queries, downward) == found
    assert cheapest(by_queries, found, limit > 0) == cheapest(in_memory, found, limit > 0)
    if limit == 0:
        assert set(by_queries.judged) == set(in_memory.judged)


@few
@given(data=st.data())
def test_mondrian_in_the_engine_makes_the_cuts_that_it_makes_in_memory(data: st.DataObject) -> None:
    """Also for promises that compare with the whole table."""
    table = data.draw(small)
    promised: tuple[PrivacyModel, ...] = data.draw(
        models | st.tuples(st.builds(TCloseness, fractions, st.just(ATTRIBUTE)), st.just(KAnonymity(2)))
    )
    _, frequency, queries = asked(table)
    if data.draw(st.booleans()):  # any run of leaves may be published
        runs = [build(f"q{d}", (), Taxonomy(paths, sets=True)) for d, paths in enumerate(table.paths)]
        assert [h.leaves for h in runs] == [h.leaves for h in frequency.hierarchies]
        frequency = replace(frequency, hierarchies=tuple(runs))
    problem = Problem(frequency, promised)
    try:
        expected = cut_down(problem, one_group(problem))
    except Infeasible:
        with pytest.raises(Infeasible):
            mondrian_by_queries(queries, frequency.hierarchies, frequency.sensitive_hierarchies, promised)
        return
    found = mondrian_by_queries(queries, frequency.hierarchies, frequency.sensitive_hierarchies, promised)
    sizes = np.bincount(expected.group, weights=expected.count).astype(np.int64)
    assert np.array_equal(in_order(found.low, found.high, found.sizes), in_order(*expected.covers, sizes))
    assert found.losses.mean() == pytest.approx(expected.loss)
    assert found.queries == queries.queries > len(found.sizes)


def in_order(*columns: object) -> object:
    rows = np.column_stack([np.asarray(c) for c in columns])
    return rows[np.lexsort(rows.T)]


@settings(max_examples=8)
@given(data=st.data())
def test_postgresql_answers_as_duckdb_does(module_database: Database, data: st.DataObject) -> None:
    table, (k, part, whole) = data.draw(small), data.draw(st.tuples(*[st.integers(1, 4)] * 3))
    engine, frequency, queries = asked(table)
    url = PostgreSQLLoader(Path(), module_database).source(source_of(table))
    served = PostgreSQL(url)
    others = LatticeQueries(served, frequency.hierarchies, list(frequency.sensitive_hierarchies.values()))
    for one, other in zip(queries.leaf_counts(), others.leaf_counts(), strict=True):
        assert one.tolist() == other.tolist()
    share = (min(part, whole), max(part, whole))
    for node in table.nodes:
        assert others.violations(node, k) == queries.violations(node, k)
        about = (node, k, share, ATTRIBUTE)
        assert others.violations(*about) == queries.violations(*about)
    region = tuple(((0, len(h.leaves) - 1),) for h in frequency.hierarchies)
    for one, other in zip(queries.extent(region), others.extent(region), strict=True):
        assert one.tolist() == other.tolist()
    for d in range(len(region)):
        found = queries.histogram(region, d, [ATTRIBUTE]), others.histogram(region, d, [ATTRIBUTE])
        assert [c.tolist() for c in found[0]] == [c.tolist() for c in found[1]]
    assert (served.scans, others.queries) == (engine.scans, queries.queries)


def patients() -> Table:
    """NULL and the empty text are values of their own."""
    paths: dict[Value, tuple[Value, ...]] = {"a": ("ab",), "b": ("ab",), "": ("none",), None: ("none",)}
    rows = (("a",), ("a",), ("b",), ("",), (None,), (None,))
    diseases: tuple[Value, ...] = ("x", None, "x", "y", "", "y")
    return Table((paths,), rows, {ATTRIBUTE: diseases}, {ATTRIBUTE: dict.fromkeys(diseases, ())})


def test_every_query_is_one_scan_and_the_leaves_are_counted_in_one() -> None:
    engine, frequency, queries = asked(patients())
    assert (engine.scans, queries.queries) == (1, 0)
    [counts] = queries.leaf_counts()
    assert dict(zip(frequency.hierarchies[0].leaves, counts.tolist(), strict=True)) == {"a": 2, "b": 1, "": 1, None: 2}
    assert queries.violations((0,), 2).rows == 2
    assert queries.violations((1,), 3).rows == 0
    assert queries.violations((1,), 3, (1, 2), ATTRIBUTE).rows == 6
    assert (engine.scans, queries.queries) == (5, 4)


def test_a_region_has_the_rows_with_leaves_in_its_runs() -> None:
    _, frequency, queries = asked(patients())
    index = frequency.hierarchies[0].index
    region = (tuple((index[v], index[v]) for v in ("a", None)),)
    leaves, counts = queries.histogram(region, 0)
    assert dict(zip(leaves.tolist(), counts.tolist(), strict=True)) == {index["a"]: 2, index[None]: 2}
    assert all(a < b for a, b in pairwise(leaves.tolist()))
    assert sum(queries.histogram(region, 0, [ATTRIBUTE])[-1].tolist()) == 4
    low, high = queries.extent(region)
    assert {int(low[0]), int(high[0])} == {index["a"], index[None]}


def test_a_value_that_no_hierarchy_knows_is_an_error_that_does_not_name_it() -> None:
    engine, frequency, _ = asked(patients())
    [known] = frequency.hierarchies
    narrow = build("q0", (), Taxonomy({v: () for v in known.leaves if v != "b"}))
    with pytest.raises(DataError) as caught:
        LatticeQueries(engine, [narrow])
    assert "'b'" not in str(caught.value)


@pytest.mark.parametrize(
    ("promised", "utility", "place"),
    [
        ((DistinctDiversity(2, ATTRIBUTE), EntropyDiversity(2, ATTRIBUTE)), "loss", "require"),
        ((FrequencyDiversity(2, ATTRIBUTE), FrequencyDiversity(2, "job")), "loss", "require"),
        ((KAnonymity(2),), "discernibility", "utility"),
    ],
)
def test_what_one_query_does_not_tell_is_refused(promised: tuple[PrivacyModel, ...], utility: str, place: str) -> None:
    _, frequency, queries = asked(patients())
    with pytest.raises(DiscreetError) as caught:
        ByQueries(queries, frequency.hierarchies, promised, 0, utility)
    assert caught.value.mistakes[0].place == place


def test_mondrian_by_queries_does_not_judge_presence() -> None:
    _, frequency, queries = asked(patients())
    with pytest.raises(DiscreetError, match="search in memory"):
        mondrian_by_queries(queries, frequency.hierarchies, {}, (Presence((0, 0.5)),))
