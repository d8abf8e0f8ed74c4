"""Worked examples of the papers: our numbers are theirs, but where they are wrong."""

from __future__ import annotations

from discreet.studies.ambiguity import example as ambiguity_example
from discreet.studies.robust import example as robust_example


def test_the_eight_patients_have_the_numbers_of_the_paper() -> None:
    told = [(c.measured, c.holds) for c in ambiguity_example.worked_example()]
    assert told == [
        ("0.3333 and 0.2500", True),
        ("0.4444 and 0.5000", True),
        ("0.7500 and 0.3750", True),
        ("0.3889", True),
    ]


def test_table_7_is_right_and_table_5_is_rounded_twice() -> None:
    of_table_5, of_table_7, _ = robust_example.worked_example()
    assert of_table_7.holds
    assert not of_table_5.holds
    assert of_table_5.measured.startswith("8/11 = 0.7273")


def test_theorem_1_is_refuted_by_a_group_that_obeys_its_bound_and_is_refused() -> None:
    *_, theorem = robust_example.worked_example()
    assert not theorem.holds
    assert "all Δ obey the bound" in theorem.measured
    assert "24 possible worlds" in theorem.measured
    assert "0.6757 > 0.5" in theorem.measured
    assert theorem.measured.endswith("refused")
