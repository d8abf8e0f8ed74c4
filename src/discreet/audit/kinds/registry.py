"""Which kind of release is read and attacked how: the one place that goes by the word of a manifest."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # this file is read by those that these import
    from discreet.audit.kinds.base import Kind

GENERALIZED, BUCKETIZED, AMBIGUOUS = "generalization", "bucketization", "ambiguity"
# What a manifest may say of how it was published, and the class that knows about it: loaded when there is one.
_CLASSES: Mapping[str, tuple[str, str]] = {
    GENERALIZED: ("discreet.audit.kinds.generalized", "Generalized"),
    "multidimensional": ("discreet.audit.kinds.generalized", "Generalized"),
    "local_recoding": ("discreet.audit.kinds.generalized", "Generalized"),
    BUCKETIZED: ("discreet.audit.kinds.bucketized", "Bucketized"),
    AMBIGUOUS: ("discreet.audit.kinds.ambiguous", "Ambiguous"),
}
WORDS = tuple(_CLASSES)


@cache
def kind_called(word: str) -> type[Kind]:
    """The class of a kind of release.

    >>> kind_called("local_recoding").word, kind_called("ambiguity").rows_are_people
    ('generalization', False)
    """
    module, name = _CLASSES[word]
    found: type[Kind] = getattr(import_module(module), name)
    return found
