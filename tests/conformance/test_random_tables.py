"""Whatever table: it is counted, cut and coded as plain Python would."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from discreet.engines.rows import OneOf, Rows
from tests.conformance.loaders import Loader
from tests.conformance.tables import Table, Text, table, told

# No engine is asked about texts that are no Unicode, or about NUL, which PostgreSQL has not.
_TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=4)
_KINDS: dict[Any, tuple[pa.DataType, st.SearchStrategy[Any], Any]] = {
    "text": (pa.string(), _TEXTS, str),
    "whole": (pa.int64(), st.integers(-(2**63), 2**63 - 1), str),
    "double": (pa.float64(), st.floats(), lambda x: "nan" if x != x else repr(x).removesuffix(".0")),
    "day": (pa.date32(), st.dates(), str),
    "truth": (pa.bool_(), st.booleans(), lambda x: "true" if x else "false"),
}


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Few distinct values, so that rows are alike."""
    rows = draw(st.integers(0, 12))
    names = draw(st.lists(_TEXTS.filter(str.strip), min_size=1, max_size=3, unique_by=str.casefold))
    columns = {}
    for name in names:
        kind, values, written = _KINDS[draw(st.sampled_from(sorted(_KINDS)))]
        known = draw(st.lists(st.none() | values, min_size=1, max_size=4))
        found = [known[i] for i in draw(st.lists(st.integers(0, len(known) - 1), min_size=rows, max_size=rows))]
        columns[name] = (kind, [(v, None if v is None else written(v)) for v in found])
    return table(columns)


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data(), drawn=tables())
def test_whatever_table_is_counted_cut_and_coded_as_plain_python_would(
    loader: Loader, data: st.DataObject, drawn: Table
) -> None:
    engine = loader.open(drawn.typed)
    combinations = drawn.combinations(drawn.columns)
    assert told(engine.frequencies(drawn.columns)) == combinations
    column = data.draw(st.sampled_from(drawn.columns))
    place, values = drawn.columns.index(column), [*dict.fromkeys(drawn.texts[column])]
    wanted: set[Text] = set(data.draw(st.lists(st.sampled_from(values), min_size=1))) if values else {"x"}
    part = engine.only(Rows((OneOf(column, tuple(wanted)),)))
    cut = {row: n for row, n in combinations.items() if row[place] in wanted}
    assert told(part.frequencies(drawn.columns)) == cut
    coded = part.coded({column: {v: i for i, v in enumerate(values)}})
    numbered = {(*row[:place], str(values.index(row[place])), *row[place + 1 :]): n for row, n in cut.items()}
    assert told(coded.frequencies(drawn.columns)) == numbered
