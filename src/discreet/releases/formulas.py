"""What a spreadsheet would run when it opens the CSV files of a release: in words, counted on what is published."""

from __future__ import annotations

from discreet.engines.base import PublishedTables
from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.duckdb.formulas import counted_formulas, formulas, is_formula
from discreet.publications.published import Manifest, Published, columns_of


def formula_notes(published: Published, tables: PublishedTables, manifest: Manifest) -> list[str]:
    """A note for every column that has such texts, and for every name of a column that is one.

    One more scan where columns are published as they are: nobody counted their values before.
    """
    counts = {name: formulas(values) for name, (values, _) in published.counted().items()}
    if others := columns_of(manifest, "other"):
        engine = tables.open(next(iter(published.tables)), others)
        assert isinstance(engine, DuckDB), "nothing else reads CSV files"
        counts |= counted_formulas(engine, others)
    repair = "an apostrophe stands in front" if "csv" in manifest else "write csv: {formulas: escape}"
    one, several = "would be run as a formula by a spreadsheet", "would be run as formulas by a spreadsheet"
    told = [
        f"1 published value of {column!r} {one}" if n == 1 else f"{n:,} published values of {column!r} {several}"
        for column, n in counts.items()
        if n
    ]
    told += [f"the name of the column {column!r} {one}" for column in manifest["columns"] if is_formula(column)]
    return [f"{note}; {repair}" for note in told]
