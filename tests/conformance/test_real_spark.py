"""Spark itself, in Java, where pysail might be kinder: the same tests, fewer of them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.clinic import clinic
from tests.conformance.loaders import Loader, SparkLoader
from tests.conformance.test_publishing import (
    test_a_row_without_a_plan_is_an_error_and_nothing_is_left,
    test_rows_are_written_as_often_as_they_count_in_the_types_of_the_source,
)
from tests.conformance.test_releases import test_every_kind_of_release_is_the_same_on_every_engine as compared
from tests.conformance.test_verbs import (
    engines,
    test_names_are_quoted_in_every_verb,
    test_rows_of_days_that_are_written_in_several_ways,
)

__all__ = [
    "engines",
    "test_a_row_without_a_plan_is_an_error_and_nothing_is_left",
    "test_names_are_quoted_in_every_verb",
    "test_rows_are_written_as_often_as_they_count_in_the_types_of_the_source",
    "test_rows_of_days_that_are_written_in_several_ways",
]

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark")]


@pytest.fixture(scope="module")
def loader(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Loader:
    return SparkLoader(tmp_path_factory.mktemp("spark"), spark)


@pytest.mark.parametrize("kind", ["instant, sample", "local recoding and others", "anatomy"])
def test_releases_are_the_same(loader: Loader, reference: Loader, kind: str) -> None:
    compared(loader, reference, loader.source(clinic()), kind)
