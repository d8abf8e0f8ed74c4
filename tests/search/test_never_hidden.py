"""Rows that no grouping hides from somebody who knows how likely people of a kind have what: against all groupings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations
from math import ceil, prod

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from discreet import anonymize, policy_from_words
from discreet.errors import Infeasible
from discreet.models.examples import bucketized
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

    def surest(known: Sequence[Counter[str]], values: Sequence[str], x: tuple[str, ...]) -> Fraction:
        """The largest belief that somebody has a value of x; 1 if what she knows is impossible."""
        worlds = [(w, prod(k[v] for k, v in zip(known, w, strict=True))) for w in set(permutations(values))]
        total = sum(weight for _, weight in worlds)
        believed = [sum(weight for w, weight in worlds if w[place] in x) for place in range(len(known))]
        return Fraction(max(believed), total) if total else Fraction(1)

    @cache
    def safe(group: tuple[int, ...]) -> bool:
        values = [rows[i][1] for i in group]
        for attributes in sets:
            known = [chances(i, attributes) for i in group]
            for x in protected:
                in_two = [Counter({"this": sum(k[v] for v in x)}) for k in known]
                for k, two in zip(known, in_two, strict=True):
                    two["other"] = k.total() - two["this"]
                this_or_other = ["this" if v in x else "other" for v in values]
                for views, dealt, held in ((known, values, x), (in_two, this_or_other, ("this",))):
                    if surest(views, dealt, held) * r > 1:
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


def test_odds_tell_of_many_values_too() -> None:
    """In a group of flu of a and cold of b she who knows the chances of all values is no surer than 1/2: flu is twice
    as likely as cold for both. But who asks for flu alone is: the odds are 3/2 and 1/9."""
    rows: list[Row] = [(("a",), "flu")] * 12 + [(("a",), "cold")] * 6 + [(("a",), "gout")] * 2
    rows += [(("b",), "flu")] * 2 + [(("b",), "cold")] + [(("b",), "gout")] * 17
    model = Robust(2, ATTRIBUTE, [("flu",)], min_support=1)
    pair = bucketized(ATTRIBUTE, ["q"], [[("a", "flu"), ("b", "cold")], *([(*q, v)] for q, v in rows)])
    assert not model.holds(pair)[0]
    assert never_hidden(table_of(rows).frequency(), model) == 2


@given(_rows, st.sampled_from([Fraction(3, 2), Fraction(2), Fraction(5, 2)]), _protected, st.integers(1, 3))
def test_what_is_never_hidden_is_what_every_level_of_odds_tells(rows, r, protected, support) -> None:
    """Leaving levels out that can't give more changes nothing: all of them, in fractions."""
    frequency = table_of(rows).frequency()
    model = Robust(r, ATTRIBUTE, values=protected, min_support=support)
    assert never_hidden(frequency, model) == by_all_levels(rows, r, protected or [(v,) for v in VALUES], support)


def by_all_levels(rows: Sequence[Row], r: Fraction, protected: Sequence[tuple[str, ...]], support: int) -> int:
    """What `never_hidden` promises to count, set by set and level by level."""
    width = len(rows[0][0])
    sets = [s for n in range(1, width + 1) for s in combinations(range(width), n)]

    def chances(person: int, attributes: tuple[int, ...]) -> Counter[str]:
        like = [v for q, v in rows if all(q[a] == rows[person][0][a] for a in attributes)]
        return Counter(like if len(like) >= support else [v for _, v in rows])

    known = {s: [chances(i, s) for i in range(len(rows))] for s in sets}
    lost = {
        i
        for s in sets
        for i, k in enumerate(known[s])
        if all(any(v in x for x in protected) for v in k) and sum(any(v in x for v in k) for x in protected) < r
    }
    left = [i for i in range(len(rows)) if i not in lost]
    too_many = []
    for x in protected:
        most, having = 0, {i for i in left if rows[i][1] in x}
        for s in sets:
            share = {i: Fraction(sum(known[s][i][v] for v in x), known[s][i].total()) for i in left}
            odds = {i: p / (1 - p) if p < 1 else Fraction(10**9) for i, p in share.items()}
            able = sum(p > 0 for p in share.values())
            most = max(most, ceil((r * len(having) - able) / (r - 1)))
            for level in {o for o in odds.values() if o > 0}:
                c = [min(o / level, 1) for o in odds.values()]
                taken = sum(each / (r - 1 + each) for each in c)
                holders = sum(odds[i] >= level for i in having)
                most = max(most, ceil((holders - taken) / (1 - 1 / r) - Fraction(1, 10**6)))
        too_many.append(most)
    disjoint = all(sum(v in x for x in protected) <= 1 for v in VALUES)
    return len(lost) + (sum(too_many) if disjoint else max(too_many))


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
