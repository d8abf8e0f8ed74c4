"""Every engine, in turn: whoever asks for `loader` runs on all of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.loaders import DuckDBLoader, Loader, PostgreSQLFilesLoader, PostgreSQLLoader, SparkLoader

ENGINES = [
    "duckdb",
    pytest.param("postgresql", marks=pytest.mark.postgresql),
    pytest.param("postgresql files", marks=pytest.mark.postgresql),
    pytest.param("sail", marks=pytest.mark.spark),
]
# Spark itself, in Java, where sail might be kinder. It is slow, so for a few tests: those marked `real_spark`.
REAL_SPARK = pytest.param("spark", marks=[pytest.mark.spark, pytest.mark.java])


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Whoever asks for `loader` runs on all engines; `real_spark(only=True)` on Spark itself alone."""
    if "loader" in metafunc.fixturenames:
        real = metafunc.definition.get_closest_marker("real_spark")
        others = [] if real is not None and real.kwargs.get("only") else ENGINES
        engines = others if real is None else [*others, REAL_SPARK]
        metafunc.parametrize("loader", engines, indirect=True, scope="module")


def make_loader(engine: str, request: pytest.FixtureRequest, folder: Path) -> Loader:
    """The loader of an engine, on the server that all tests share."""
    match engine:
        case "postgresql":
            return PostgreSQLLoader(folder, request.getfixturevalue("module_database"))
        case "postgresql files":
            return PostgreSQLFilesLoader(folder, request.getfixturevalue("module_database"))
        case "sail" | "spark":
            return SparkLoader(folder, request.getfixturevalue(engine))
    return DuckDBLoader(folder)


@pytest.fixture(scope="module")
def loader(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loader]:
    yield make_loader(request.param, request, tmp_path_factory.mktemp(request.param.replace(" ", "_")))


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Loader:
    """What the others are compared with, where no hand can write down the answer."""
    return DuckDBLoader(tmp_path_factory.mktemp("reference"))
