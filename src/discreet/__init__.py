"""Publish tables about people without giving the people away.

    import discreet

    policy = discreet.policy_from_words({...})       # or discreet.read_policy("policy.yaml")
    release = discreet.anonymize(policy, "release", source=frame)
    assert discreet.verify("release").kept

Names are imported when they are first used, so that `import discreet` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from discreet.audit.audit import Audit, audit_release
    from discreet.audit.presence.listed_exact import audit_presence
    from discreet.errors import DataError, DiscreetError, HierarchyError, Infeasible, PolicyError, ReleaseError
    from discreet.models.presence.harm import delta_from_harm
    from discreet.policy.policy import Attribute, Policy, Role, policy_from_words, read_policy
    from discreet.releases.queries import query_error_of
    from discreet.run.anonymize import Release, anonymize
    from discreet.run.apply import apply
    from discreet.run.sweep import Sweep, sweep
    from discreet.run.verify import verify
    from discreet.utility.tables import compare_answers, compare_tables

_HOMES = {
    "discreet.run.apply": ("apply",),
    "discreet.audit.audit": ("Audit", "audit_release"),
    "discreet.audit.presence.listed_exact": ("audit_presence",),
    "discreet.errors": (
        "DataError",
        "DiscreetError",
        "HierarchyError",
        "Infeasible",
        "PolicyError",
        "ReleaseError",
    ),
    "discreet.models.presence.harm": ("delta_from_harm",),
    "discreet.run.anonymize": ("Release", "anonymize"),
    "discreet.policy.policy": ("Attribute", "Policy", "Role", "policy_from_words", "read_policy"),
    "discreet.releases.queries": ("query_error_of",),
    "discreet.utility.tables": ("compare_answers", "compare_tables"),
    "discreet.run.sweep": ("Sweep", "sweep"),
    "discreet.run.verify": ("verify",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "Attribute",
    "Audit",
    "DataError",
    "DiscreetError",
    "HierarchyError",
    "Infeasible",
    "Policy",
    "PolicyError",
    "Release",
    "ReleaseError",
    "Role",
    "Sweep",
    "anonymize",
    "apply",
    "audit_presence",
    "audit_release",
    "compare_answers",
    "compare_tables",
    "delta_from_harm",
    "policy_from_words",
    "query_error_of",
    "read_policy",
    "sweep",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'discreet' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
