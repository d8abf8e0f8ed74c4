"""Each kind of table ends in a proposal, or in an error that names the place, the rule and a repair."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.engines.open import open_source
from discreet.errors import DiscreetError
from discreet.policy.draft import propose
from discreet.policy.proposals import proposals_of
from tests.tables_as_they_are.makers import MAKERS


@pytest.mark.parametrize("name", MAKERS)
def test_a_table_is_proposed_for_or_refused(name: str, tmp_path: Path) -> None:
    source = MAKERS[name](tmp_path)
    try:
        text = propose(proposals_of(open_source(source).profile()), "table")
    except DiscreetError as error:
        assert all(mistake.rule and mistake.repair for mistake in error.mistakes)
    else:
        assert "quasi_identifier" in text
