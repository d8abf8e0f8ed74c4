"""One profile for all property tests: no deadline (numba compiles on the first call), the same examples in every run
of CI, and few of them, so that the whole suite stays a matter of minutes."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

from tests.servers import module_database, postgresql, postgresql_server

__all__ = ["module_database", "postgresql", "postgresql_server"]  # fixtures: a PostgreSQL for whoever asks for one

settings.register_profile(
    "discreet",
    deadline=None,
    max_examples=40,
    derandomize=bool(os.environ.get("CI")),
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("discreet")
