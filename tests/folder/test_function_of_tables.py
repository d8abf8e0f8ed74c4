"""Everything in a release's folder besides its tables follows from them, from how many rows were left out, and from
what was asked: so it leaves no fewer worlds than they do.

Every source table of a small domain is released; of two that publish the same tables and leave out as many rows, every
other file must say the same. A difference would tell them apart: it is a leak.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.folder import cases, more_cases
from tests.folder.reading import differences
from tests.folder.worlds import Case, release_all

CASES = cases.CASES | more_cases.CASES
# Where rows of four kinds leave no two worlds that publish the same.
OF_SIX_KINDS = (
    "generalization: two sensitive columns, each beside the other",
    "multidimensional: closeness, suppressed",
    "bucketization: anatomy",
    "bucketization: robust, one value",
)
CASES |= {name: replace(CASES[name], tried=range(6)) for name in OF_SIX_KINDS}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_worlds_that_publish_the_same_tables_leave_the_same_folder(tmp_path: Path, case: Case) -> None:
    told = release_all(case, tmp_path)
    assert told.several, "no two worlds publish the same tables: nothing was tested"
    together = [folder for worlds in told.several for _, folder in worlds]
    assert "suppressed" not in case.shows or any(folder.suppressed for folder in together)
    assert "hidden" not in case.shows or any("*" in repr(folder.tables) for folder in together)
    for (world, folder), *others in told.several:
        for other, beside in others:
            leak = differences(folder, beside)
            assert not leak, "\n".join(["told apart by", *leak, "from", *map(str, world), "or", *map(str, other)])
