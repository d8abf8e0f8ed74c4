"""One profile for all property tests: no deadline (numba compiles on the first call), the same examples in every run
of CI, and few of them, so that the whole suite stays a matter of minutes. How many is said once, for all of them, by
DISCREET_EXAMPLES: `few` (`make check`), half of what each test says, up to forty (`make test`), or `deep`, ten times as
many as it says (`make test-deep`). Slow ones get fewer: `budgets.py`."""

from __future__ import annotations

import gc
import os
import signal
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import HealthCheck, settings

from discreet.run.compiling import one_at_a_time
from tests import end_at_once
from tests.browsers import browser, chromium
from tests.budgets import WHY, Budgets, limit_examples, spread
from tests.scratch import OfExamples, write_into_memory
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

TESTS = Path(__file__).parent

# A test's own number of examples, times this, and within these bounds.
HOW_MANY = os.environ.get("DISCREET_EXAMPLES", "usual")
TIMES, MOST = {"few": (0.1, 10), "usual": (0.5, 40), "deep": (10.0, 5_000)}[HOW_MANY]
FEWEST = 3
BUDGETS = Budgets() if HOW_MANY == "few" else None

# Whoever started us in the background, or with nohup, has us ignore these signals, and every command that we start.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
write_into_memory()


@pytest.fixture(scope="session", autouse=True)
def between_processes(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Iterator[Path | None]:
    """Processes that share the tests share what they compile: none compiles what another one is at, or has done."""
    if worker_id == "master":
        yield None
        return
    folder = tmp_path_factory.getbasetemp().parent / "shared"
    folder.mkdir(exist_ok=True)
    with one_at_a_time(folder):
        yield folder


@pytest.fixture(scope="module", autouse=True)
def in_one_process(request: pytest.FixtureRequest, between_processes: Path | None) -> None:
    """Tests of one file run in one process, which makes once what they share (`--dist loadfile`)."""
    if between_processes is not None and any("loadfile" in word for word in request.config.workerinput["mainargv"]):
        file = between_processes / request.node.nodeid.replace("/", ".")
        assert not file.exists(), f"{request.node.nodeid} runs in two processes, and is set up in each of them"
        file.touch()


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
# Processes more than cores: tests wait for servers, browsers and programs that they start. Those of `make check` hardly
# do, and one process more takes seconds more to look for tests.
_WAITING = 0 if HOW_MANY == "few" else 1


# Files that take longest on an idle machine (8 to 60 seconds), longest first.
LONGEST = (
    "folder/test_function_of_tables.py",
    "conformance/test_verbs.py",
    "explorer_page/test_slow.py",
    "explorer_page/test_browser.py",
    "engines/test_memory.py",
    "run/test_compiling.py",
    "test_campaign.py",
    "conformance/test_kills.py",
    "explorer/test_jobs.py",
    "test_campaign_of_promises.py",
    "test_campaign_of_people.py",
    "test_campaign_of_chains.py",
    "explorer/test_publishing.py",
    "studies/test_realistic.py",
    "policy/test_proposals.py",
    "run/test_from_statistics.py",
    "test_budgets.py",
    "run/test_choices.py",
    "files/test_whole.py",
    "folder/test_posteriors.py",
    "publications/test_ranges.py",
    "publications/test_grouped.py",
    "run/test_wishes.py",
    "report/test_whose.py",
    "cli/test_stops.py",
    "audit/test_comparison.py",
)

# What `make check` does without: kills, and what is slow by itself. Files, or functions of them.
_SLOW = (TESTS / "slow.txt").read_text(encoding="utf-8").splitlines()
LEFT_OUT = {
    "kills": ("tests/cli/test_kills.py", "tests/cli/test_stops.py", "tests/conformance/test_kills.py"),
    "slow": tuple(line for line in _SLOW if not line.startswith("#")),
}


def pytest_xdist_auto_num_workers() -> int | None:
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None
    return len(os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)) + _WAITING


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(OfExamples())  # also for examples outside of this folder
    if hasattr(config, "workerinput"):
        end_at_once()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Files of which nothing would run (`-m "not slow"`) are not imported."""
    left_out = {path for mark, paths in LEFT_OUT.items() if f"not {mark}" in config.option.markexpr for path in paths}
    files = tuple(f"{TESTS.parent / path}" for path in left_out if "::" not in path)
    return f"{collection_path}".startswith(files) or None


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Tests are looked through for examples only where there are any: it takes each process a second."""
    found = yield
    return [one for one in found if not isinstance(one, DoctestModule) or b">>>" in file_path.read_bytes()]


def pytest_collection_finish() -> None:
    """What was collected stays to the end: nobody needs to look through it for garbage, which takes a second a time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if not hasattr(session.config, "workerinput"):
        gc.unfreeze()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests by what they need, before `make test-core` leaves them out."""
    if HOW_MANY != "deep":
        deep = [item for item in items if item.get_closest_marker("deep") is not None]
        config.hook.pytest_deselected(items=deep)
        items[:] = [item for item in items if item.get_closest_marker("deep") is None]
    for item in items:
        for fixture in getattr(item, "fixturenames", ()):
            if fixture in _NEEDS:
                item.add_marker(_NEEDS[fixture])
            if fixture in _JAVA:
                item.add_marker("java")
        if item.get_closest_marker("java") is not None and not item.path.is_relative_to(TESTS / "conformance"):
            assert item.path.is_relative_to(TESTS / "engines"), f"{item.nodeid}: make test looks for Java there alone"
        scale_examples(item)
        for mark, paths in LEFT_OUT.items():
            if item.nodeid.startswith(paths):
                item.add_marker(mark)
    if BUDGETS is not None:
        items[:] = spread(items)
    if "PYTEST_XDIST_WORKER" in os.environ:
        share_out(items)


def share_out(items: list[pytest.Item]) -> None:
    """Long files begin, so that none is left over when all others have ended: those known to take longest, then those
    with slow tests, then by the number of tests."""
    files = Counter(item.path for item in items)
    slow = {item.path for item in items if any(map(item.get_closest_marker, LEFT_OUT))}
    longest = {TESTS / name: place for place, name in enumerate(LONGEST)}

    def order(item: pytest.Item) -> tuple[object, ...]:
        return longest.get(item.path, len(longest)), item.path not in slow, -files[item.path], str(item.path)

    items.sort(key=order)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    if BUDGETS is not None:
        if BUDGETS.is_over(item):
            pytest.skip(WHY)
        BUDGETS.begin()
    limit_examples(item, HOW_MANY)


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
    inner._hypothesis_internal_use_settings = settings(own, max_examples=how_many(own.max_examples))
    inner._discreet_scaled = True


def how_many(own: int) -> int:
    """Of as many examples as a test says: also of those that it draws by itself."""
    return max(min(round(own * TIMES), MOST), min(own, FEWEST))
