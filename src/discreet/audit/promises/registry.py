"""Which promises the audit can read: a record for each, and one table of them.

A promise is read in one file of this folder. A package of others adds its own by an entry point of the group
``discreet.audit``, which is a `Reading` or a list of them, or by calling `register`. Whatever nobody reads is told as
"not read" (`levels`), and the audit does not pass.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:  # this file is read by those that these import
    from discreet.audit.association.knowledge import Knowledge
    from discreet.audit.lines import Fault, Level, Line
    from discreet.audit.promises.parameters import Parameter
    from discreet.audit.reading.view import Promise, ReleaseView

GROUP = "discreet.audit"
# The promises of our own policies, and where each is read: loaded when the first release makes one.
_OWN: Mapping[str, str] = {
    "k_anonymity": "discreet.audit.promises.k_anonymity",
    "l_diversity": "discreet.audit.promises.l_diversity",
    "t_closeness": "discreet.audit.promises.t_closeness",
    "alpha_k": "discreet.audit.promises.alpha_k",
    "beta_likeness": "discreet.audit.promises.beta_likeness",
    "delta_disclosure": "discreet.audit.promises.delta_disclosure",
    "presence": "discreet.audit.promises.presence",
    "confident_presence": "discreet.audit.promises.confident_presence",
    "realistic": "discreet.audit.promises.realistic",
    "robust": "discreet.audit.promises.robust",
    "ambiguity": "discreet.audit.promises.ambiguity",
}
_OTHERS: dict[str, Reading] = {}

Result = TypeVar("Result")


@dataclass(frozen=True)
class Beside:
    """What is known besides the files, for promises that are about more.

    `presence` are the smallest and the largest chance that somebody of the population is in the table, and `failing` is
    the line about how likely a promise with a confidence fails, as those attacks tell; `knowledge` is what is known of
    each sensitive attribute beforehand.
    """

    presence: tuple[float, float] | None = None
    failing: Line | None = None
    knowledge: Mapping[str, Knowledge] = field(default_factory=dict)


@dataclass(frozen=True)
class Reading:
    """How the audit reads one promise, by code of its own.

    `word` is how policies and manifests call it, `title` how pages do. `parameters` are those that it may have, each
    with how it is checked. `levels` recomputes what a release reaches, from what an adversary sees in it; it answers
    with at least one level, of which those that can't be judged say what it would take. `faults` are groups that
    anybody can see break it. `of_values` says whether it protects sensitive values.
    """

    word: str
    title: str
    parameters: Mapping[str, Parameter]
    levels: Callable[[Promise, ReleaseView, Beside], list[Level]]
    faults: Callable[[Promise, ReleaseView], Iterable[Fault]] | None = None
    of_values: bool = True


def register(reading: Reading) -> None:
    """Let the audit read one more promise. No promise is read in two ways: what is known already can't be replaced."""
    if reading.word in _OWN or reading.word in _OTHERS:
        raise ValueError(f"the promise {reading.word} is read already")
    _OTHERS[reading.word] = reading


def forget(word: str) -> None:
    """Undo what `register` did."""
    _OTHERS.pop(word, None)


def reading_of(word: str) -> Reading | None:
    """How a promise is read; None if nobody knows.

    >>> reading_of("k_anonymity").title, reading_of("u_anonymity")
    ('k-anonymity', None)
    """
    if word in _OWN:
        found: Reading = import_module(_OWN[word]).READING
        return found
    return _OTHERS.get(word) or _installed().get(word)


def known_words() -> tuple[str, ...]:
    """The words of all promises that can be read, ours first.

    >>> known_words()[:2]
    ('k_anonymity', 'l_diversity')
    """
    return tuple(dict.fromkeys((*_OWN, *_OTHERS, *_installed())))


def of_others(reading: Reading, work: Callable[[], Result], failed: Callable[[str], Result]) -> Result:
    """What a reading comes to; if it is another package's and fails, what is `failed` with the kind of error.

    Ours fail aloud: that is a mistake of this package.
    """
    if reading.word in _OWN:
        return work()
    try:
        return work()
    except Exception as error:  # noqa: BLE001 - whatever other people's code may raise
        return failed(type(error).__name__)


@cache
def _installed() -> Mapping[str, Reading]:
    """The readings of other packages. One that can't be used is named in a warning, and its promises are not read."""
    found: dict[str, Reading] = {}
    for point in entry_points(group=GROUP):
        for reading in _readings_at(point):
            if reading.word in _OWN or reading.word in found:
                _warn(point, f"the promise {reading.word} is read already")
            else:
                found[reading.word] = reading
    return found


def _readings_at(point: EntryPoint) -> Iterator[Reading]:
    try:
        given: Any = point.load()
    except Exception as error:  # noqa: BLE001 - whatever other people's code may raise
        _warn(point, f"it can't be loaded ({type(error).__name__})")
        return
    for reading in given if isinstance(given, list | tuple) else [given]:
        if isinstance(reading, Reading):
            yield reading
        else:
            _warn(point, "it is not a Reading, nor a list of them")


def _warn(point: EntryPoint, why: str) -> None:
    warnings.warn(f"the entry point {point.name!r} of the group {GROUP} is not used: {why}", stacklevel=2)
