"""A driver of Spark that is killed in the middle of writing leaves nothing that the next start does not sweep away."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest
from pyarrow import parquet

from discreet import anonymize, read_policy, verify
from discreet.engines.spark.engine import Spark
from tests.conformance.clinic import clinic, words

pytestmark = pytest.mark.spark

_PATIENCE = 300


def start(folder: Path) -> subprocess.Popen[str]:
    command = "from discreet.cli.start import run; run()"
    environment = os.environ | {"PYSPARK_SUBMIT_ARGS": "--driver-memory 512m pyspark-shell"}
    return subprocess.Popen(
        [sys.executable, "-c", command, "anonymize", "policy.yaml", "-o", "release"],
        cwd=folder,
        env={name: value for name, value in environment.items() if not name.startswith(("SPARK_", "PYSPARK_GATEWAY"))},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def writing(folder: Path) -> bool:
    """Are rows on their way into the release?"""
    return any(folder.glob(".release.partial-*/data.parquet/_temporary/0/_temporary"))


def ended_in_the_middle(folder: Path, by: signal.Signals) -> tuple[int, str]:
    """Start publishing, and end it by a signal while rows are written. Returns its exit code and what it said."""
    process = start(folder)
    try:
        end = time.monotonic() + _PATIENCE
        while not writing(folder):
            assert process.poll() is None, process.communicate()[0]
            assert time.monotonic() < end, "it never wrote"
            time.sleep(0.005)
        java = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(by)
        output, _ = process.communicate(timeout=_PATIENCE)
    finally:
        process.kill()
        process.wait()
    assert not psutil.wait_procs(java, timeout=_PATIENCE)[1]  # nobody writes on
    return process.returncode, output


def test_a_driver_that_is_killed_or_interrupted_leaves_nothing(tmp_path: Path, spark: Any) -> None:
    others = _views(spark)  # of engines that tests before this one still hold
    parquet.write_table(clinic(3000), tmp_path / "patients.parquet")
    asked = words(others=True, suppress=0.1, source="spark:patients.parquet")
    (tmp_path / "policy.yaml").write_text(json.dumps(asked), encoding="utf-8")
    before = {f.name for f in tmp_path.iterdir()}
    ended_in_the_middle(tmp_path, signal.SIGKILL)
    left = sorted(f.name.partition("-")[0] for f in tmp_path.iterdir() if f.name not in before)
    assert left == [f".release{part}.{kind}" for part in ("", ".private") for kind in ("lock", "partial")]
    # The next start sweeps that away, and an interrupt leaves nothing.
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        assert ended_in_the_middle(tmp_path, number) == (code, "")
        assert {f.name for f in tmp_path.iterdir()} == before
    anonymize(read_policy(tmp_path / "policy.yaml"), tmp_path / "release")
    assert {f.name for f in tmp_path.iterdir()} - before == {"release", "release.private"}
    assert verify(tmp_path / "release").kept
    gc.collect()  # an engine in a circle of references is gone only then
    views = _views(spark) - others
    Spark(spark.range(1))  # whoever comes next drops what is no longer needed
    assert not views & _views(spark)


def _views(spark: Any) -> set[str]:
    return {row.viewName for row in spark.sql("SHOW VIEWS LIKE 'discreet_*'").collect()}
