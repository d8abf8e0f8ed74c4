"""A taxonomy is drafted and checked beside a table on every engine alike."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from discreet.errors import HierarchyError
from discreet.run.taxonomies import check_hierarchy, column_counts, draft_hierarchy
from tests.conformance.loaders import Loader

_NATIONS = ["Peru"] * 6 + ["Chad"] * 3 + [None, "", " Spain", 'the "isle"; ']


def test_a_column_is_counted_drafted_and_checked(loader: Loader, tmp_path: Path) -> None:
    source = loader.source(pa.table({"nation": pa.array(_NATIONS), "age": pa.array(range(len(_NATIONS)))}))
    assert column_counts(source, "nation") == {
        **{"": 1, " Spain": 1, "Chad": 3, "Peru": 6, 'the "isle"; ': 1},
        None: 1,
    }
    draft = draft_hierarchy(source, "nation")
    assert draft.kind == "countries"
    file = tmp_path / "nation.csv"
    file.write_text(draft.text, encoding="utf-8")
    assert check_hierarchy(file, source, "nation").unused == len(draft.rows) - 4
    file.write_text("Peru;America;*\n", encoding="utf-8")
    with pytest.raises(HierarchyError, match="4 that fewer than 5"):
        check_hierarchy(file, loader.source(pa.table({"nation": pa.array([*_NATIONS, "Mali"])})), "nation")
