"""One profile for all property tests: no deadline (numba compiles on the first call), the same examples in every run
of CI, and few of them, so that the whole suite stays a matter of minutes."""

from __future__ import annotations

import os
import signal

import pytest
from hypothesis import HealthCheck, settings

from tests.servers import module_database, postgresql, postgresql_server
from tests.sparks import sail, sail_server, spark, spark_cluster

# Fixtures: a PostgreSQL, or a Spark, for whoever asks for one.
__all__ = ["module_database", "postgresql", "postgresql_server", "sail", "sail_server", "spark", "spark_cluster"]

settings.register_profile(
    "discreet",
    deadline=None,
    max_examples=40,
    derandomize=bool(os.environ.get("CI")),
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("discreet")

# Whoever started us in the background, or with nohup, has us ignore these signals, and every command that we start.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# Whoever asks for one of these fixtures needs that engine.
_NEEDS = {"postgresql_server": "postgresql", "sail_server": "spark", "spark": "spark", "spark_cluster": "spark"}
# Java is started by a fork that runs Python before it becomes Java, which now and then hangs, or ends at once, in a
# process with threads: these tests never share one with sail's server, which is all threads.
_JAVA = {"spark"}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests by what they need, before `make test-core` leaves them out."""
    for item in items:
        for fixture in getattr(item, "fixturenames", ()):
            if fixture in _NEEDS:
                item.add_marker(_NEEDS[fixture])
            if fixture in _JAVA:
                item.add_marker("java")
