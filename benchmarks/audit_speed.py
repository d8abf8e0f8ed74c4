"""How long does it take to ask every adversary about a release?

Releases of Adult and of a census (or of as many invented people), each audited in a fresh process: from the files
alone, by somebody with a list of everybody and a second release, and by one who also has the original table.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pyarrow as pa
from pyarrow import parquet

from benchmarks.adult import _taxonomy, adult, data_folder
from benchmarks.measure import Cost, Findings, Options, Table, discreet, run
from discreet.samples.census import CENSUS, census_like

COLUMNS = ("age", "gender", "education", "marital", "race", "workclass", "country")
INVENTED = ("age", "sex", "education", "marital_status", "race", "workclass", "native_country")
SALARY = "salary"
DIVERSE: list[object] = [{"k_anonymity": {"k": 5}}, {"l_diversity": {"l": 3}}]
KINDS: dict[str, list[object]] = {
    "generalization": DIVERSE,
    "multidimensional": DIVERSE,
    "bucketization": [{"l_diversity": {"l": 5, "kind": "frequency"}}],
    "ambiguity": [{"ambiguity": {"alpha": 0.2, "beta": 0.25}}],
}


def measure(options: Options) -> Findings:
    """Every kind of release, of both tables."""
    people = adult()
    tables = [_audits(people.name, people.table, dict(list(people.hierarchies.items())[:7]), "occupation")]
    rows = min(options.rows, 500_000)
    tables.append(_audits(*_census(rows)))
    return Findings(__doc__.splitlines()[0], tables, ["seconds of a fresh process, start and page included"])


def _census(rows: int) -> tuple[str, pa.Table, dict[str, object], str]:
    folder = data_folder()
    if folder is None or rows < 500_000:
        table = census_like(rows, columns=[*INVENTED, SALARY])
        texts = pa.table({c: table[c].cast("string") for c in table.column_names})
        return f"invented people ({rows:,})", texts, {c: CENSUS[c].hierarchy for c in INVENTED}, SALARY
    read = f"read_csv('{folder / 'census' / 'sal500k.csv.gz'}', all_varchar = true)"
    hierarchies = {c: _taxonomy(folder / "census" / "hierarchies" / f"{c}.csv") for c in COLUMNS}
    return "a census (500,000)", duckdb.sql(f"SELECT * FROM {read}").to_arrow_table(), hierarchies, SALARY


def _audits(name: str, people: pa.Table, hierarchies: dict[str, object], sensitive: str) -> Table:
    table = Table(name, ("release", "groups", "files s", "with list s", "with source s", "CPU s", "lines"))
    with TemporaryDirectory() as folder:
        source = Path(folder) / "people.parquet"
        parquet.write_table(people.select([*hierarchies, sensitive]), source)
        for kind, require in KINDS.items():
            words: dict[str, object] = {
                "source": str(source),
                "attributes": {c: {"role": "quasi_identifier", "hierarchy": h} for c, h in hierarchies.items()}
                | {sensitive: {"role": "sensitive"}},
                "require": require,
                "publish": kind,
                "suppress": 0.05,
                "seed": 7,
            }
            discreet(words, Path(folder) / kind, kind)
        second = Path(folder) / "multidimensional"
        for kind in KINDS:
            release = Path(folder) / kind
            alone, _ = _audit(release)
            listed, _ = _audit(release, "--population", source, "--other", second)
            whole, answer = _audit(release, "--population", source, "--other", second, "--source", source)
            table.add(kind, answer["groups"], alone.wall, listed.wall, whole.wall, whole.cpu, len(answer["lines"]))
    return table


def _audit(release: Path, *options: Any) -> tuple[Cost, dict[str, Any]]:
    page: Sequence[Any] = ("-o", release.parent / "audit.html")
    command = Path(sys.executable).with_name("discreet")
    ran = run([command, "audit", release, "--json", *page, *options])
    return ran.cost, ran.json()
