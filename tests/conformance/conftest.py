"""Every engine, in turn: whoever asks for `loader` runs on all of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.loaders import DuckDBLoader, Loader, PostgreSQLLoader, SparkLoader

ENGINES = [
    "duckdb",
    pytest.param("postgresql", marks=pytest.mark.postgresql),
    pytest.param("sail", marks=pytest.mark.spark),
]


def make_loader(engine: str, request: pytest.FixtureRequest, folder: Path) -> Loader:
    """The loader of an engine, on the server that all tests share."""
    match engine:
        case "postgresql":
            return PostgreSQLLoader(folder, request.getfixturevalue("module_database"))
        case "sail" | "spark":
            return SparkLoader(folder, request.getfixturevalue(engine))
    return DuckDBLoader(folder)


@pytest.fixture(scope="module", params=ENGINES)
def loader(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loader]:
    yield make_loader(request.param, request, tmp_path_factory.mktemp(request.param))


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Loader:
    """What the others are compared with, where no hand can write down the answer."""
    return DuckDBLoader(tmp_path_factory.mktemp("reference"))
