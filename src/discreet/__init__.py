"""Publish tables about people without giving the people away.

    import discreet

    release = discreet.anonymize(frame, attributes={...}, require=[{"k_anonymity": {"k": 5}}])
    release.frame                    # the published table, as the kind of frame that came in
    release.save("release")          # the folder to publish, and release.private, which stays with you

The policy may also be a file: discreet.anonymize(frame, "policy.yaml"), or, into a folder at once,
discreet.anonymize(discreet.read_policy("policy.yaml"), "release"). docs/api.md has everything.

Names are imported when they are first used, so that `import discreet` costs nothing.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from discreet.audit.audit import Audit, audit_release
    from discreet.audit.presence.listed_exact import audit_presence
    from discreet.errors import DataError, DiscreetError, HierarchyError, Infeasible, PolicyError, ReleaseError
    from discreet.models.presence.harm import delta_from_harm
    from discreet.policy.policy import Attribute, Policy, Role, policy_from_words, read_policy
    from discreet.python.judging import audit as audit
    from discreet.python.judging import compare, verify
    from discreet.python.proposing import Proposal, propose
    from discreet.python.publishing import anonymize
    from discreet.python.results import AuditResult, ComparisonResult, MethodsResult, VerifyResult
    from discreet.python.sweeping import sweep
    from discreet.releases.queries import query_error_of
    from discreet.run.apply import apply
    from discreet.run.release import Release
    from discreet.run.sweep import Sweep
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
    "discreet.policy.policy": ("Attribute", "Policy", "Role", "policy_from_words", "read_policy"),
    "discreet.python.judging": ("compare", "verify"),
    "discreet.python.proposing": ("Proposal", "propose"),
    "discreet.python.publishing": ("anonymize",),
    "discreet.python.results": ("AuditResult", "ComparisonResult", "MethodsResult", "VerifyResult"),
    "discreet.python.sweeping": ("sweep",),
    "discreet.releases.queries": ("query_error_of",),
    "discreet.run.release": ("Release",),
    "discreet.utility.tables": ("compare_answers", "compare_tables"),
    "discreet.run.sweep": ("Sweep",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "Attribute",
    "Audit",
    "AuditResult",
    "ComparisonResult",
    "DataError",
    "DiscreetError",
    "HierarchyError",
    "Infeasible",
    "MethodsResult",
    "Policy",
    "PolicyError",
    "Proposal",
    "Release",
    "ReleaseError",
    "Role",
    "Sweep",
    "VerifyResult",
    "anonymize",
    "apply",
    "audit",
    "audit_presence",
    "audit_release",
    "compare",
    "compare_answers",
    "compare_tables",
    "delta_from_harm",
    "policy_from_words",
    "propose",
    "query_error_of",
    "read_policy",
    "sweep",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name == "audit":
        return import_module("discreet.audit")
    if name not in _HOME:
        raise AttributeError(f"module 'discreet' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    """What is there to be used, whether or not it was used before."""
    return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])


class _AuditPackage(ModuleType):
    # The package of the audit, which is also the call: discreet.audit(release). Imports from it go on as ever.

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return import_module("discreet.python.judging").audit(*arguments, **named)

    @property
    def __signature__(self) -> Any:
        from inspect import signature

        return signature(import_module("discreet.python.judging").audit)

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        doc: str | None = import_module("discreet.python.judging").audit.__doc__
        return doc


class _Package(ModuleType):
    """This package. Python puts the package of the audit here once anything of it is imported."""

    def __setattr__(self, name: str, value: object) -> None:
        if name == "audit" and isinstance(value, ModuleType):
            value.__class__ = _AuditPackage
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
