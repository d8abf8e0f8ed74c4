"""One profile for all property tests: no deadline (numba compiles on the first call), the same examples in every run
of CI, and few of them, so that the whole suite stays a matter of minutes. How many is said once, for all of them, by
DISCREET_EXAMPLES: `few` (`make check`, where no test function takes long: `budgets.py`), half of what each test says,
up to forty (`make test`), or `deep`, ten times as many as it says (`make test-deep`)."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Generator, Iterator

import pytest
from hypothesis import HealthCheck, settings

from discreet.run.compiling import one_at_a_time
from tests.browsers import browser, chromium
from tests.budgets import WHY, Budgets, spread
from tests.servers import module_database, postgresql, postgresql_server
from tests.sparks import sail, sail_server, spark, spark_cluster

# Fixtures: a PostgreSQL, a Spark or a browser, for whoever asks for one.
__all__ = [
    "browser",
    "chromium",
    "module_database",
    "postgresql",
    "postgresql_server",
    "sail",
    "sail_server",
    "spark",
    "spark_cluster",
]

settings.register_profile(
    "discreet",
    deadline=None,
    max_examples=40,
    derandomize=bool(os.environ.get("CI")),
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("discreet")

# A test's own number of examples, times this, and within these bounds.
HOW_MANY = os.environ.get("DISCREET_EXAMPLES", "usual")
TIMES, MOST = {"few": (0.1, 10), "usual": (0.5, 40), "deep": (10.0, 5_000)}[HOW_MANY]
FEWEST = 3
BUDGETS = Budgets() if HOW_MANY == "few" else None

# Whoever started us in the background, or with nohup, has us ignore these signals, and every command that we start.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture(scope="session", autouse=True)
def compiled_once(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Iterator[None]:
    """Processes that share the tests share what they compile: none compiles what another one is at, or has done."""
    if worker_id == "master":
        yield
        return
    folder = tmp_path_factory.getbasetemp().parent / "kernels"
    folder.mkdir(exist_ok=True)
    with one_at_a_time(folder):
        yield


# Whoever asks for one of these fixtures needs that engine.
_NEEDS = {
    "browser": "browser",
    "chromium": "browser",
    "postgresql_server": "postgresql",
    "sail_server": "spark",
    "spark": "spark",
    "spark_cluster": "spark",
}
# Java is started by a fork that runs Python before it becomes Java, which now and then hangs, or ends at once, in a
# process with threads: these tests never share one with sail's server, which is all threads.
_JAVA = {"spark"}


# What `make check` does without: kills, and what takes long by itself.
LEFT_OUT = {
    "kills": ("tests/cli/test_kills.py", "tests/cli/test_stops.py", "tests/conformance/test_kills.py"),
    "slow": (
        "tests/audit/test_assignments.py",
        "tests/engines/test_memory.py",
        "tests/folder/test_function_of_tables.py",
        "tests/folder/test_posteriors.py",
        "tests/studies/",
        "tests/test_campaign",
        "tests/test_second_reading.py",
    ),
}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests by what they need, before `make test-core` leaves them out."""
    for item in items:
        for fixture in getattr(item, "fixturenames", ()):
            if fixture in _NEEDS:
                item.add_marker(_NEEDS[fixture])
            if fixture in _JAVA:
                item.add_marker("java")
        scale_examples(item)
        if BUDGETS is not None:
            BUDGETS.limit_examples(item)
        for mark, paths in LEFT_OUT.items():
            if item.nodeid.startswith(paths):
                item.add_marker(mark)
    if BUDGETS is not None:
        items[:] = spread(items)
    if "PYTEST_XDIST_WORKER" in os.environ:
        share_out(items)


def share_out(items: list[pytest.Item]) -> None:
    """Tests of one file run in one process, which makes once what they share. Long files begin, so that none is left
    over when all others have ended: those known to be slow, then by the number of tests."""
    files = Counter(item.path for item in items)
    slow = {item.path for item in items if any(map(item.get_closest_marker, LEFT_OUT))}
    items.sort(key=lambda item: (item.path not in slow, -files[item.path], str(item.path)))
    for item in items:
        if item.get_closest_marker("xdist_group") is None and files[item.path] > 1:
            item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    if BUDGETS is not None:
        if BUDGETS.is_over(item):
            pytest.skip(WHY)
        BUDGETS.begin()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    if BUDGETS is None:
        return (yield)
    with BUDGETS.used_by(item):
        return (yield)


def scale_examples(item: pytest.Item) -> None:
    """Give a property test fewer examples, or more, than it says."""
    test = getattr(item, "obj", None)
    own = getattr(test, "_hypothesis_internal_use_settings", None)
    if own is None or getattr(test, "is_hypothesis_test", False) is not True:
        return
    inner = getattr(test, "__func__", test)
    if getattr(inner, "_discreet_scaled", False):  # one function stands for all its parameters
        return
    scaled = max(min(round(own.max_examples * TIMES), MOST), min(own.max_examples, FEWEST))
    inner._hypothesis_internal_use_settings = settings(own, max_examples=scaled)
    inner._discreet_scaled = True
