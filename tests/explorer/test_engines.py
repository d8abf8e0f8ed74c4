"""The table in PostgreSQL or Spark: the page gets what it gets of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import csv, parquet

from discreet import verify
from discreet.engines.spark import engine
from tests.conformance.loaders import PostgreSQLLoader
from tests.explorer.clients import Client, people
from tests.servers import Database

PATHS = ("/api/columns", "/api/hierarchy/age", "/api/promises", "/api/distribution", "/api/adversaries")


def table() -> pa.Table:
    return csv.read_csv(pa.BufferReader(people().encode()))


def answers(client: Client) -> dict[str, Any]:
    client.decide()
    found: dict[str, Any] = {path: client.get(path) for path in PATHS}
    candidate = client.get("/api/state")["candidate"]
    return found | {"candidate": candidate}


@pytest.fixture
def of_a_file(tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "people.csv").write_text(people())
    client = Client(str(tmp_path / "people.csv"), tmp_path)
    found = answers(client)
    client.close()
    return found


def test_a_table_in_postgresql(tmp_path: Path, postgresql: Database, of_a_file: dict[str, Any]) -> None:
    url = PostgreSQLLoader(tmp_path, postgresql).source(table())
    client = Client(url, tmp_path)
    assert answers(client) == of_a_file
    name, done = client.job("publish", folder="mine", seed=7)[-1]
    assert name == "done" and done["verified"], done
    assert verify(tmp_path / "mine", database=url.partition("#")[0]).kept is not False
    client.close()


def test_a_table_in_spark(
    tmp_path: Path, sail: Any, of_a_file: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "find_session", lambda: sail)  # one that runs; else a Java would be started beside it
    parquet.write_table(table(), tmp_path / "people.parquet")
    client = Client(f"spark:{tmp_path / 'people.parquet'}", tmp_path)
    assert answers(client) == of_a_file
    name, done = client.job("publish", folder="mine", seed=7)[-1]
    assert name == "done" and done["verified"], done
    client.close()
