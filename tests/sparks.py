"""Spark for tests: pysail (Spark Connect without Java) for most, Spark itself for a few, a small cluster for one.

Each starts when a test first asks for it, and ends with the tests. Tests talk to all of them through loopback alone.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

_MEMORY = "512m"  # of each Java; the tables of tests are small
# Programs of minutes: to compile each query, and all of Java, would take longer than to run them.
_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
_SUBMIT = (
    f"--driver-memory {_MEMORY} --executor-memory {_MEMORY} --driver-java-options '{_JAVA}' "
    f"--conf 'spark.executor.extraJavaOptions={_JAVA}' --conf spark.sql.shuffle.partitions=4 "
    "--conf spark.sql.codegen.wholeStage=false --conf spark.sql.codegen.factoryMode=NO_CODEGEN pyspark-shell"
)


def why_no_spark(java: bool = True) -> str:
    """Why tests with Spark can't run here; nothing, if they can."""
    if find_spec("pyspark") is None or find_spec("pysail") is None:
        return "no Spark: pip install pysail 'pyspark[connect]<4.3'"
    if java and not os.environ.get("JAVA_HOME") and shutil.which("java") is None:
        return "no Java: apt-get install openjdk-17-jre-headless"
    return ""


@pytest.fixture(scope="session")
def sail_server() -> Iterator[str]:
    """A Spark Connect server in this process: its address."""
    assert not why_no_spark(java=False), why_no_spark(java=False)
    os.environ.setdefault("RUST_LOG", "off")
    from pysail.spark import SparkConnectServer

    server = SparkConnectServer()
    server.start(background=True)
    _, port = server.listening_address
    yield f"sc://127.0.0.1:{port}"
    server.stop()


@pytest.fixture(scope="session")
def sail(sail_server: str) -> Iterator[Any]:
    """A session with that server."""
    from pyspark.sql.connect.session import SparkSession

    # Not by SparkSession.builder.remote, which keeps a session of the other kind from this process.
    session = SparkSession.builder.remote(sail_server).create()
    yield session
    session.client.close()


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """Spark itself, in a Java of its own: the session that `discreet` opens where nobody has one."""
    assert not why_no_spark(), why_no_spark()
    from pyspark import SparkContext

    from discreet.engines.spark.session import start

    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("PYSPARK_SUBMIT_ARGS", _SUBMIT)
        session = start("local[2]")
    yield session
    java = SparkContext._gateway
    session.stop()
    assert java is not None
    java.shutdown()
    java.proc.stdin.close()  # it ends when nobody can talk to it any more
    java.proc.wait(timeout=60)
    SparkContext._gateway = SparkContext._jvm = None


@pytest.fixture(scope="session")
def spark_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """A master and two workers on loopback: the environment of a program that works with them."""
    assert not why_no_spark(), why_no_spark()
    import pyspark

    home = Path(pyspark.__file__).parent
    folder = tmp_path_factory.mktemp("cluster")
    environment = {
        **os.environ,
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": _MEMORY,
        "SPARK_DAEMON_JAVA_OPTS": _JAVA,
        "SPARK_LOCAL_DIRS": str(folder / "local"),
    }
    port, shown = _free_ports(2)
    deploy = "org.apache.spark.deploy"
    where = ["--host", "127.0.0.1", "--webui-port"]
    commands = [[f"{deploy}.master.Master", *where, str(shown), "--port", str(port)]]
    worker = [f"{deploy}.worker.Worker", *where, "0", "--cores", "1", "--memory", "1g", f"spark://127.0.0.1:{port}"]
    commands += [[*worker, "--work-dir", str(folder / f"worker{i}")] for i in range(2)]
    started = []
    try:
        for i, command in enumerate(commands):
            log = (folder / f"log{i}").open("w")
            program = [str(home / "bin" / "spark-class"), *command]
            started.append(subprocess.Popen(program, env=environment, cwd=folder, stdout=log, stderr=log))
            log.close()
        _wait(folder / "log0", "Registering worker", 2)
        yield environment | {
            "SPARK_MASTER": f"spark://127.0.0.1:{port}",
            "PYSPARK_SUBMIT_ARGS": _SUBMIT,
        }
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait(timeout=60)


def _free_ports(wanted: int) -> list[int]:
    taken = [socket.socket() for _ in range(wanted)]
    for one in taken:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in taken]
    for one in taken:
        one.close()
    return ports


def _wait(log: Path, word: str, times: int, patience: float = 180) -> None:
    until = time.monotonic() + patience
    while log.read_text().count(word) < times:
        if time.monotonic() > until:
            raise TimeoutError(f"the cluster did not start:\n{log.read_text()}")
        time.sleep(0.2)
