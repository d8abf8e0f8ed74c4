"""An independent library agrees, where it is right.

Not compared: its recursive diversity (sorts the counts the wrong way), its enhanced likeness (mixes up the values), its
δ-disclosure where a value is absent, its entropy (cuts off the level), and anything with NULL (drops those rows).
"""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pycanon import anonymity

from discreet.models.examples import groups_of
from discreet.models.groups.alpha_k import AlphaK
from discreet.models.groups.beta_likeness import BetaLikeness
from discreet.models.groups.delta_disclosure import DeltaDisclosure
from discreet.models.groups.l_diversity import DistinctDiversity
from discreet.models.groups.t_closeness import TCloseness

groups = st.lists(st.lists(st.sampled_from("12345"), min_size=2, max_size=8), min_size=1, max_size=4)


@settings(deadline=None, max_examples=25)
@given(groups)
def test_levels_are_those_of_pycanon(by_group: list[list[str]]) -> None:
    rows = [("W", f"group {number}", value) for number, group in enumerate(by_group) for value in group]
    if len({value for *_, value in rows}) == 1:
        rows.append(("W", "group 0", "6"))  # it divides by the number of values less one
        by_group = [[*by_group[0], "6"], *by_group[1:]]
    table = pd.DataFrame(rows, columns=["sex", "zip", "x"], dtype=object)
    seen = groups_of("x", *by_group)
    asked = table, ["sex", "zip"], ["x"]
    assert min(DistinctDiversity(2, "x").level(seen)) == anonymity.l_diversity(*asked)
    assert max(AlphaK(0.5, 2, "x").level(seen)) == pytest.approx(anonymity.alpha_k_anonymity(*asked)[0])
    assert max(BetaLikeness(1, "x").level(seen)) == pytest.approx(anonymity.basic_beta_likeness(*asked))
    assert max(TCloseness(0.5, "x").level(seen)) == pytest.approx(anonymity.t_closeness(*asked))
    in_order = table.assign(x=table["x"].astype(int)), ["sex", "zip"], ["x"]
    assert max(TCloseness(0.5, "x", "ordered").level(seen)) == pytest.approx(anonymity.t_closeness(*in_order))
    if all(set(group) == {value for *_, value in rows} for group in by_group):
        assert max(DeltaDisclosure(1, "x").level(seen)) == pytest.approx(anonymity.delta_disclosure(*asked))
