"""Which kind of release is read and attacked how: the one place that goes by the word of a manifest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.registry import Registry

if TYPE_CHECKING:  # this file is read by those that these import
    from discreet.audit.kinds.base import Kind

GENERALIZED, NUMBERED, BUCKETIZED, AMBIGUOUS = "generalization", "numbered_groups", "bucketization", "ambiguity"
# Those that give each group labels of its own.
OWN_LABELS = ("multidimensional", "local_recoding", NUMBERED)
# What a manifest may say of how it was published, and the class that knows about it: loaded when there is one.
KINDS: Registry[type[Kind]] = Registry(
    "kind of release",
    "discreet.audit_kinds",
    {
        GENERALIZED: "discreet.audit.kinds.generalized:Generalized",
        "multidimensional": "discreet.audit.kinds.generalized:Generalized",
        "local_recoding": "discreet.audit.kinds.generalized:Generalized",
        NUMBERED: "discreet.audit.kinds.numbered:Numbered",
        BUCKETIZED: "discreet.audit.kinds.bucketized:Bucketized",
        AMBIGUOUS: "discreet.audit.kinds.ambiguous:Ambiguous",
    },
)
