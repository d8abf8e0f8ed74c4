"""The Spark session that is asked: the one that runs, the one that the environment names, or one on this machine."""

from __future__ import annotations

import atexit
import logging
import os
import shutil
import socket
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa

from discreet.errors import DataError, Mistake
from discreet.files.temporary import TemporaryFolder

# On this machine alone: nothing listens to others, nothing is shown, nothing is logged (logs quote values).
_ALONE = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.ui.enabled": "false",
}
_QUIET = {"spark.app.name": "discreet", "spark.log.level": "OFF", "spark.ui.showConsoleProgress": "false"}
_PORT = 15002  # of Spark Connect
_PATIENCE = 20  # seconds that Java gets to end by itself
_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")


def find_session() -> Any:
    """The session that runs; else one by SPARK_REMOTE (a server) or SPARK_MASTER (a cluster); else a local one."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        rule = "this table is in Spark, and PySpark is not installed"
        raise DataError(Mistake("source", rule, "pip install 'discreet[spark]'")) from None
    with _without_pandas_warning():
        running = SparkSession.getActiveSession() or _of_main_thread()
        if running is not None:
            return _remembered(running)
        try:
            if remote := os.environ.get("SPARK_REMOTE"):
                _knock(remote)
                return _remembered(SparkSession.builder.remote(remote).getOrCreate())
            return _remembered(start(os.environ.get("SPARK_MASTER") or "local[*]"))
        except failures() as error:
            raise DataError(Mistake("source", "no Spark answers", _repair(error))) from None


_sessions: list[Any] = []  # the last that the main thread found


def _remembered(session: Any) -> Any:
    if threading.current_thread() is threading.main_thread():
        _sessions[:] = [session]
    return session


def _of_main_thread() -> Any:
    """PySpark keeps a session for each thread, and a second one can't be started: others take that of the first."""
    if threading.current_thread() is threading.main_thread():
        return None
    return next((session for session in _sessions if not _is_stopped(session)), None)


def _is_stopped(session: Any) -> bool:
    ended = getattr(session, "is_stopped", None)  # of Spark Connect
    return bool(session.sparkContext._jsc is None if ended is None else ended)


def start(master: str) -> Any:
    """A session of our own: on this machine (``local[2]``), or with a cluster (``spark://…``). Needs Java."""
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    if not os.environ.get("JAVA_HOME") and shutil.which("java") is None:
        repair = "install Java 17 (Debian: openjdk-17-jre-headless), or name a Spark Connect server in SPARK_REMOTE"
        raise DataError(Mistake("source", "Spark needs Java, which is not here", repair))
    settings, folder = _QUIET | {"spark.master": master}, None
    if master.startswith("local"):
        settings |= _ALONE | {"spark.sql.shuffle.partitions": str(2 * (os.cpu_count() or 1))}
        settings["spark.driver.memory"] = f"{_half_of_memory()}m"  # PYSPARK_SUBMIT_ARGS goes before
        # Where it would keep tables of its own, which is the working folder otherwise; and what it spills.
        folder = TemporaryFolder()
        settings["spark.sql.warehouse.dir"] = str(folder.path / "tables")
        settings["spark.local.dir"] = str(folder.path / "spill")
    conf = SparkConf().setAll(list(settings.items()))
    # What Java says before it has read how quiet it should be goes nowhere.
    gateway = launch_gateway(conf, popen_kwargs={"stderr": subprocess.DEVNULL})  # type: ignore[no-untyped-call]
    if folder is not None:
        atexit.register(_end, gateway.proc, folder)
    SparkContext(conf=conf, gateway=gateway)
    return SparkSession.builder.getOrCreate()


def _end(java: subprocess.Popen[bytes], folder: TemporaryFolder) -> None:
    """Java ends when nobody talks to it any more; only then is its folder empty for good."""
    if java.stdin is not None:
        java.stdin.close()
    try:
        java.wait(timeout=_PATIENCE)
    except subprocess.TimeoutExpired:
        java.kill()
    folder.remove()


def _half_of_memory() -> int:
    """Megabytes that a session of our own may take: Java's own limit of one gigabyte ends with ten million rows."""
    if not hasattr(os, "sysconf"):
        return 1024
    return max(1024, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 21)


def _knock(remote: str) -> None:
    """Is there a server? PySpark itself would ask for minutes."""
    try:
        address = urlsplit(remote)
        host, port = address.hostname, address.port or _PORT
    except ValueError:
        raise ConnectionError("no such port") from None
    if address.scheme == "sc" and host:
        socket.create_connection((host, port), timeout=10).close()


def _repair(error: BaseException) -> str:
    if "JAVA" in str(error):
        return "Java did not start: check JAVA_HOME (Spark 4 wants Java 17)"
    return "check SPARK_REMOTE or SPARK_MASTER, and that the server runs"


def failures() -> tuple[type[Exception], ...]:
    """The errors of Spark, of the two ways to talk to it, and of what it answers."""
    from pyspark.errors import PySparkException

    kinds: list[type[Exception]] = [PySparkException, pa.ArrowException, UnicodeDecodeError, OSError]
    if "py4j.protocol" in sys.modules:
        kinds.append(sys.modules["py4j.protocol"].Py4JError)
    if "grpc" in sys.modules:
        kinds.append(sys.modules["grpc"].RpcError)
    return tuple(kinds)


@contextmanager
def silent() -> Iterator[None]:
    """Without what PySpark logs of an error: the whole query and, perhaps, the value that it stumbled on."""
    from pyspark.logger import PySparkLogger

    loggers: list[logging.Logger] = [PySparkLogger.getLogger(name) for name in _LOGGERS]
    before = [logger.disabled for logger in loggers]
    for logger in loggers:
        logger.disabled = True
    logging.getLogger().addFilter(_not_of_py4j)
    try:
        yield
    finally:
        logging.getLogger().removeFilter(_not_of_py4j)
        for logger, disabled in zip(loggers, before, strict=True):
            logger.disabled = disabled


def _not_of_py4j(record: logging.LogRecord) -> bool:
    """Whoever presses Ctrl-C need not see where in py4j that was."""
    return record.module not in ("clientserver", "java_gateway")


@contextmanager
def _without_pandas_warning() -> Iterator[None]:
    """PySpark warns of pandas 3 wherever it is installed; no frame of pandas is used here."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        yield


@contextmanager
def setting(session: Any, name: str, value: str) -> Iterator[None]:
    """A setting of the session for a while, and then as it was."""
    before = session.conf.get(name)
    session.conf.set(name, value)
    try:
        yield
    finally:
        session.conf.set(name, before)
