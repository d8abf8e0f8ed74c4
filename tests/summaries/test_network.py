"""Histograms and networks, against listing every combination of leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.counts.structure import chow_liu, mutual_information
from discreet.errors import PolicyError
from discreet.summaries.base import TooManyGroups
from discreet.summaries.build import histogram_from_pairs, network_from_pairs, summary_from_pairs
from discreet.summaries.network import Network
from tests.strategies import Table, tables
from tests.summaries.cases import boxes_of, of_people, of_table

TOLERANCE = 1e-12


def leaf_shares(network: Network) -> dict[tuple[int, ...], float]:
    """How likely each combination of leaves is, by definition: the product over a tree, from its first node on."""
    shares = {}
    for leaves in product(*(range(len(c)) for c in network.counts)):
        likelihood, reached = 1.0, set()
        for v in range(len(leaves)):
            if v in reached:
                continue
            likelihood *= network.counts[v][leaves[v]] / network.rows
            reached.add(v)
            waiting = [v]
            while waiting:
                a = waiting.pop()
                for (i, j), table in network.tables.items():
                    b = j if a == i else i if a == j else a
                    if b in reached:
                        continue
                    both = table[leaves[i], leaves[j]]
                    likelihood *= both / network.counts[a][leaves[a]] if both else 0.0
                    reached.add(b)
                    waiting.append(b)
        shares[leaves] = likelihood
    return shares


def expected(
    network: Network, box: Sequence[tuple[int, int]], shares: dict[tuple[int, ...], float], at: int
) -> list[float]:
    """The likelihood of a box together with each leaf of attribute `at`."""
    found = [0.0] * len(network.counts[at])
    for leaves, share in shares.items():
        if all(low <= leaf <= high for leaf, (low, high) in zip(leaves, box, strict=False)):
            found[leaves[at]] += share
    return found


def trees_over(count: int) -> st.SearchStrategy[list[tuple[int, int]]]:
    """Some edges without a ring: each attribute hangs on an earlier one, or on none."""
    return st.tuples(*(st.integers(-1, v - 1) for v in range(1, count))).map(
        lambda above: [(w, v) for v, w in enumerate(above, start=1) if w >= 0]
    )


@st.composite
def networks(draw: st.DrawFn) -> tuple[Table, Network]:
    table = draw(tables())
    found, hierarchies, sensitive = of_table(table)
    if draw(st.booleans()):
        return table, network_from_pairs(found, hierarchies, sensitive)
    names = [h.attribute for h in (*hierarchies, *sensitive.values())]
    edges = [(names[i], names[j]) for i, j in draw(trees_over(len(names)))]
    return table, network_from_pairs(found, hierarchies, sensitive, edges)


def as_pairs(likelihood: Sequence[float], shares: Sequence[Sequence[float]]) -> list[tuple[float, ...]]:
    return sorted(tuple(np.round((a, *b), 9)) for a, b in zip(likelihood, shares, strict=True) if a > 0)


@settings(deadline=None)
@given(networks(), st.data())
def test_groups_are_as_likely_as_all_their_leaves_together(found: tuple[Table, Network], data: st.DataObject) -> None:
    table, network = found
    node = data.draw(st.sampled_from(table.nodes))
    shares, at = leaf_shares(network), len(network.hierarchies)
    assert sum(shares.values()) == pytest.approx(1)
    boxes = list(boxes_of(network.hierarchies, node))
    joint = np.array([expected(network, box, shares, at) for box in boxes])
    total = joint.sum(axis=1)
    assert network.likelihoods(node).ravel() == pytest.approx(total, abs=TOLERANCE)
    assert np.sort(network.cells(node).likelihood) == pytest.approx(np.sort(total[total > 1e-15]), abs=TOLERANCE)
    [name] = network.sensitive_hierarchies
    cells = network.cells(node, name)
    assert cells.sensitive is not None
    known = total > 1e-15
    by_hand = as_pairs(total[known], joint[known] / total[known, None])
    assert np.array(as_pairs(cells.likelihood, cells.sensitive)) == pytest.approx(np.array(by_hand), abs=1e-8)
    low, high = (np.array([[ends[e] for ends in box] for box in boxes], dtype=np.int32) for e in (0, 1))
    in_boxes = network.boxes(low, high, name)
    assert in_boxes.sensitive is not None
    assert in_boxes.likelihood == pytest.approx(total, abs=TOLERANCE)
    assert network.boxes(low, high).likelihood == pytest.approx(total, abs=TOLERANCE)
    assert in_boxes.sensitive[known] == pytest.approx(joint[known] / total[known, None], abs=TOLERANCE)
    assert in_boxes.sensitive.sum(axis=1) == pytest.approx(1)


@settings(deadline=None)
@given(networks(), st.data())
def test_any_box_is_as_likely_as_its_leaves(found: tuple[Table, Network], data: st.DataObject) -> None:
    _, network = found
    ends = [
        sorted(data.draw(st.tuples(st.integers(0, len(h.leaves) - 1), st.integers(0, len(h.leaves) - 1))))
        for h in network.hierarchies
    ]
    low, high = (np.array([[end[e] for end in ends]], dtype=np.int32) for e in (0, 1))
    joint = expected(network, [(a, b) for a, b in ends], leaf_shares(network), len(network.hierarchies))
    cells = network.boxes(low, high, next(iter(network.sensitive_hierarchies)))
    assert cells.sensitive is not None
    assert cells.likelihood[0] == pytest.approx(sum(joint), abs=TOLERANCE)
    assert cells.likelihood[0] * cells.sensitive[0] == pytest.approx(np.array(joint), abs=TOLERANCE)


@settings(deadline=None)
@given(networks())
def test_a_network_has_the_tables_own_counts_of_single_values_and_of_its_edges(found: tuple[Table, Network]) -> None:
    table, network = found
    everything = [h.height for h in network.hierarchies]
    for d, h in enumerate(network.hierarchies):
        node = tuple(0 if e == d else top for e, top in enumerate(everything))
        in_rows = [sum(row[d] == leaf for row in table.rows) / len(table.rows) for leaf in h.leaves]
        assert network.likelihoods(node).ravel() == pytest.approx(in_rows)
        assert network.marginal(d) == pytest.approx(in_rows)
    for i, j in network.tables:
        if j < len(everything):
            node = tuple(0 if e in (i, j) else top for e, top in enumerate(everything))
            assert network.likelihoods(node).squeeze() * network.rows == pytest.approx(network.tables[i, j].squeeze())


def brute_best(pairs: dict[tuple[int, int], np.ndarray], count: int) -> float:
    """The greatest mutual information of any tree."""
    return max(
        sum(mutual_information(pairs[w, v]) for v, w in enumerate(above, start=1))
        for above in product(*(range(v) for v in range(1, count)))
    )


@settings(deadline=None, max_examples=30)
@given(tables(max_attributes=3))
def test_the_learned_tree_tells_more_than_any_tree_that_grows_in_order(table: Table) -> None:
    found, hierarchies, _ = of_table(table)
    learned = sum(mutual_information(found.pairs[edge]) for edge in chow_liu(found.pairs))
    assert learned >= brute_best(dict(found.pairs), len(hierarchies) + 1) - 1e-12


def box(network: Network, *values: str) -> tuple[np.ndarray, np.ndarray]:
    """The leaves of generalized values, of any level."""
    ends = []
    for h, value in zip(network.hierarchies, values, strict=True):
        level = next(n for n, labels in enumerate(h.labels) if value in labels)
        code = h.labels[level].index(value)
        ends.append((h.first[level][code], h.last[level][code]))
    low, high = zip(*ends, strict=True)
    return np.array([low], dtype=np.int32), np.array([high], dtype=np.int32)


def share(network: Network, *values: str) -> float:
    """F of values, the last of them a salary."""
    cells = network.boxes(*box(network, *values[:-1]), "salary")
    assert cells.sensitive is not None
    return float(cells.likelihood[0] * cells.sensitive[0, network.sensitive_hierarchies["salary"].index[values[-1]]])


def test_the_histogram_of_the_paper() -> None:
    histogram = histogram_from_pairs(*of_people())
    assert share(histogram, "M", "US", "Prof", "H") == pytest.approx(0.03125)
    assert histogram.rows == 8 and histogram.edges == ()


def test_the_network_of_the_paper() -> None:
    network = network_from_pairs(*of_people(), edges=[("occupation", "salary")])
    assert network.edges == (("occupation", "salary"),)
    assert share(network, "M", "US", "Prof", "H") == pytest.approx(0.046875)
    assert share(network, "M", "AM", "*", "H") == pytest.approx(0.125)
    cells = network.cells((0, 1, 1), "salary")
    assert cells.likelihood == pytest.approx([0.25] * 4)
    assert cells.sensitive == pytest.approx(np.full((4, 2), 0.5))


def test_a_kind_of_summary_is_chosen_by_its_name() -> None:
    found = of_people()
    assert summary_from_pairs(*found, "histogram").edges == ()
    learned = summary_from_pairs(*found, "network").edges  # six nations tell eight people apart
    assert learned == (("sex", "nation"), ("nation", "occupation"), ("nation", "salary"))


def test_a_node_that_is_too_fine_is_refused_before_memory_runs_out(monkeypatch: pytest.MonkeyPatch) -> None:
    network = network_from_pairs(*of_people())
    assert network.count((0, 0, 0)) == 2 * 6 * 3
    monkeypatch.setattr("discreet.summaries.base.MOST_GROUPS", 35)
    with pytest.raises(TooManyGroups, match="36 groups"):
        network.cells((0, 0, 0))
    monkeypatch.setattr("discreet.summaries.base.MOST_GROUPS", 36)
    monkeypatch.setattr("discreet.summaries.base.MOST_NUMBERS", 71)
    assert len(network.cells((0, 0, 0))) > 0
    with pytest.raises(TooManyGroups, match="of 2 sensitive values"):
        network.cells((0, 0, 0), "salary")


def test_edges_that_make_no_tree_are_all_told() -> None:
    edges = [("sex", "nation"), ("nation", "salary"), ("salary", "sex"), ("sexx", "salary")]
    with pytest.raises(PolicyError) as caught:
        network_from_pairs(*of_people(), edges=edges)
    assert [m.place for m in caught.value.mistakes] == ["edges[2]", "edges[3]"]
    assert "ring" in caught.value.mistakes[0].rule and "'sex'" in caught.value.mistakes[1].repair


def test_columns_with_too_many_pairs_are_never_connected() -> None:
    found, hierarchies, sensitive = of_people()
    left = {edge: table for edge, table in found.pairs.items() if edge != (2, 3)}
    network = network_from_pairs(replace(found, pairs=left), hierarchies, sensitive)
    assert ("occupation", "salary") not in network.edges
    with pytest.raises(PolicyError, match="too many pairs"):
        network_from_pairs(replace(found, pairs=left), hierarchies, sensitive, [("occupation", "salary")])
