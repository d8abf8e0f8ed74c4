"""Rows that no grouping hides from somebody who knows how likely people of a kind have what: against all groupings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations
from math import prod

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from discreet import anonymize, policy_from_words
from discreet.errors import Infeasible
from discreet.models.robust.robust import Robust
from discreet.models.robust.sizes import never_hidden
from tests.models.cases import ATTRIBUTE
from tests.search.brute_force import partitions
from tests.strategies import Table

VALUES = ("flu", "cold", "gout")
Row = tuple[tuple[str, ...], str]


def fewest_suppressed(rows: Sequence[Row], r: Fraction, protected: Sequence[tuple[str, ...]], support: int) -> int:
    """Over all groupings, the fewest rows in groups in which she comes to believe something with more than 1/r."""
    width = len(rows[0][0])
    sets = [s for n in range(1, width + 1) for s in combinations(range(width), n)]

    def chances(person: int, attributes: tuple[int, ...]) -> Counter[str]:
        like = [v for q, v in rows if all(q[a] == rows[person][0][a] for a in attributes)]
        return Counter(like if len(like) >= support else [v for _, v in rows])

    @cache
    def safe(group: tuple[int, ...]) -> bool:
        values = [rows[i][1] for i in group]
        for attributes in sets:
            known = [chances(i, attributes) for i in group]
            worlds = [(w, prod(k[v] for k, v in zip(known, w, strict=True))) for w in set(permutations(values))]
            total = sum(weight for _, weight in worlds)
            for place in range(len(group)):
                for x in protected:
                    believed = sum(weight for w, weight in worlds if w[place] in x)
                    if believed * r > total:
                        return False
        return True

    everybody = list(range(len(rows)))
    return min(sum(len(g) for g in groups if not safe(tuple(sorted(g)))) for groups in partitions(everybody))


_rows = st.lists(st.tuples(st.tuples(*[st.sampled_from("ab")] * 2), st.sampled_from(VALUES)), min_size=1, max_size=6)
_protected = st.sampled_from([None, [("flu",)], [("flu",), ("cold",)], [("flu", "cold")], [("flu", "cold"), ("cold",)]])


def table_of(rows: Sequence[Row]) -> Table:
    paths = {"a": (), "b": ()}
    values = {ATTRIBUTE: tuple(v for _, v in rows)}
    return Table((paths,) * len(rows[0][0]), tuple(q for q, _ in rows), values, {ATTRIBUTE: dict.fromkeys(VALUES, ())})


@given(_rows, st.sampled_from(["1.5", "2", "5/2", "3"]), _protected, st.integers(1, 3))
def test_no_grouping_suppresses_fewer_rows(
    rows: list[Row], r: str, protected: list[tuple[str, ...]] | None, support: int
) -> None:
    model = Robust(r, ATTRIBUTE, values=protected, min_support=support)
    proven = never_hidden(table_of(rows).frequency(), model)
    assert proven <= fewest_suppressed(rows, Fraction(r), protected or [(v,) for v in VALUES], support)
    assume(proven)  # that it is more than nothing is tried often


_of_two = st.lists(st.tuples(st.tuples(st.sampled_from("ab")), st.sampled_from(VALUES[:2])), min_size=2, max_size=8)


@given(_of_two, st.sampled_from(["1.5", "2", "5/2", "3"]), st.sampled_from([None, [("flu",)]]), st.integers(1, 4))
def test_no_grouping_of_two_values_suppresses_fewer_rows(
    rows: list[Row], r: str, protected: list[tuple[str, ...]] | None, support: int
) -> None:
    model = Robust(r, ATTRIBUTE, values=protected, min_support=support)
    proven = never_hidden(table_of(rows).frequency(), model)
    assert proven <= fewest_suppressed(rows, Fraction(r), protected or [(v,) for v in VALUES], support)


def test_of_two_values_odds_tell() -> None:
    """Everybody can have flu, but hardly anybody of a: for the three of b nearly all company is in vain."""
    rows: list[Row] = [(("a",), "cold")] * 170 + [(("a",), "flu")] + [(("b",), "flu")] * 30 + [(("b",), "cold")] * 10
    proven = never_hidden(table_of(rows).frequency(), Robust(2, ATTRIBUTE, [("flu",)]))
    assert 15 <= proven <= 20  # 20 go if b stays among itself


def test_the_bound_is_reached() -> None:
    """Zip 1 has flu for certain; of zip 2 anything is possible."""
    rows: list[Row] = [(("a",), "flu"), (("a",), "flu"), (("b",), "flu"), (("b",), "cold"), (("b",), "gout")]
    model = Robust(2, ATTRIBUTE, min_support=2)
    assert never_hidden(table_of(rows).frequency(), model) == 2
    assert fewest_suppressed(rows, Fraction(2), [(v,) for v in VALUES], 2) == 2


def test_odds_of_two_values_are_no_bound_where_there_are_more() -> None:
    """People of a are likelier to have flu than those of b, by odds of 3/2 to 1/9: Σ min(1, o/o_max) < 2 in a group of
    one of each. But flu is twice as likely as cold for both, so in a group of flu and cold nobody is surer than 1/2."""
    rows: list[Row] = [(("a",), "flu")] * 6 + [(("a",), "cold")] * 3 + [(("a",), "gout")]
    rows += [(("b",), "flu")] * 2 + [(("b",), "cold")] + [(("b",), "gout")] * 17
    p = {q: Counter(v for w, v in rows if w == (q,)) for q in "ab"}
    weights = [p["a"][x] * p["b"][y] for x, y in (("flu", "cold"), ("cold", "flu"))]
    assert weights[0] == weights[1]
    odds = [Fraction(p[q]["flu"], sum(p[q].values()) - p[q]["flu"]) for q in "ab"]
    assert sum(o / max(odds) for o in odds) < 2


WORDS = {
    "attributes": {"zip": {"role": "quasi_identifier"}, "disease": {"role": "sensitive"}},
    "publish": "bucketization",
    "search": "art",
    "seed": 1,
}
# Of zip 1 three diseases are possible, of the others five.
TABLE = {
    "zip": ["1"] * 30 + ["2"] * 100 + ["3"] * 100,
    "disease": ["a", "b", "c"] * 10 + ["a", "b", "c", "d", "e"] * 40,
}


def test_what_no_grouping_hides_is_said_before_art_begins(tmp_path: object) -> None:
    policy = policy_from_words(WORDS | {"require": [{"robust": {"r": 4}}], "suppress": 0.1})
    with pytest.raises(Infeasible) as caught:
        anonymize(policy, f"{tmp_path}/r", source=TABLE)
    assert "can't be had: at least 30 of 230 rows can be hidden by no grouping" in str(caught.value)
    assert "23 may be suppressed; ask for r of at most 3 (which this does not rule out)" in str(caught.value)
    share = re.search(r"suppress: ([\d.]+) at least", str(caught.value))
    assert share
    policy = policy_from_words(WORDS | {"require": [{"robust": {"r": 4}}], "suppress": float(share[1])})
    release = anonymize(policy, f"{tmp_path}/r", source=TABLE)
    assert release.manifest["rows"]["suppressed"] == release.figures["facts"]["never_hidden"] == 30
    [note] = [n for n in release.figures["notes"] if "whatever the grouping" in n]
    assert note.startswith("30 rows are suppressed; at least 30 had to be")
    assert not [n for n in release.manifest["notes"] if "whatever the grouping" in n]  # it is about the source
