"""Which promises the audit can read: a record for each, and one table of them.

A promise is read in one file of this folder. A package of others adds its own by an entry point of the group
``discreet.audit``, which has the promise's word as its name and is a `Reading`, or by ``READINGS.register``. Whatever
nobody reads is told as "not read" (`levels`), and the audit does not pass.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from discreet.errors import DiscreetError
from discreet.registry import Registry

if TYPE_CHECKING:  # this file is read by those that these import
    from discreet.audit.lines import Fault, Level, Line
    from discreet.audit.people.persons import Persons
    from discreet.audit.promises.limits import Limits
    from discreet.audit.promises.parameters import Parameter
    from discreet.audit.reading.exact_tables import Population
    from discreet.audit.reading.view import Promise, ReleaseView
    from discreet.audit.reading.wishes import Wishes
    from discreet.audit.worst_case.knowledge import Knowledge

GROUP = "discreet.audit"
Result = TypeVar("Result")


@dataclass(frozen=True)
class Beside:
    """What is known besides the files, for promises that are about more.

    `population` is a list of everybody who may be in the table; `presence` are the smallest and the largest chance that
    somebody of them is in it, each between two bounds (which are the same, where it is known), and `failing` is the
    line about how likely a promise with a confidence fails, as those attacks tell; `listed` is the line of whoever
    holds that list; `knowledge` is what is known of each sensitive attribute beforehand; `wishes` are what the people
    of the source asked to be hidden; `table` are the people of the source.
    """

    population: Population | None = None
    presence: tuple[tuple[float, float], tuple[float, float]] | None = None
    failing: Line | None = None
    listed: Line | None = None
    knowledge: Mapping[str, Knowledge] = field(default_factory=dict)
    wishes: Wishes | None = None
    table: Population | None = None


@dataclass(frozen=True)
class Reading:
    """How the audit reads one promise, by code of its own.

    `word` is how policies and manifests call it, `title` how pages do. `parameters` are those that it may have, each
    with how it is checked. `levels` recomputes what a release reaches, from what an adversary sees in it; it answers
    with at least one level, of which those that can't be judged say what it would take. `faults` are groups that
    anybody can see break it. `of_values` says whether it protects sensitive values, `beside_others` whether `levels`
    goes by the sizes and values of groups alone, so that groups can be told apart by other values (`others_known`).
    `of_some` says whether the table may be some of the people whom its source has, `rows_decide` whether a promise
    about these is kept or broken whosever the rows are. `limits` says the promise in plain
    numbers, as far as that can be done, so that adversaries of all kinds are held to it. `by_people` recomputes it
    where people have several rows, if `levels` of a view by people does not.
    """

    word: str
    title: str
    parameters: Mapping[str, Parameter]
    levels: Callable[[Promise, ReleaseView, Beside], list[Level]]
    faults: Callable[[Promise, ReleaseView], Iterable[Fault]] | None = None
    of_values: bool = True
    beside_others: bool = False
    of_some: bool = False
    rows_decide: bool = False
    limits: Callable[[Promise], Limits] | None = None
    by_people: Callable[[Promise, Persons, Beside], list[Level]] | None = None

    @property
    def ours(self) -> bool:
        """Is it one of this package?"""
        return self.word in _OWN


_OWN = (
    *("k_anonymity", "l_diversity", "t_closeness", "alpha_k", "beta_likeness", "delta_disclosure", "m_invariance"),
    *("k_map", "presence", "confident_presence", "realistic", "robust", "ambiguity"),
)
# Where each promise of our own policies is read: loaded when the first release makes one.
READINGS: Registry[Reading] = Registry(
    "reading of a promise", GROUP, {word: f"discreet.audit.promises.{word}:READING" for word in _OWN}
)


def reading_of(word: str) -> Reading | None:
    """How a promise is read; None if nobody knows, or only a package that can't be loaded.

    >>> reading_of("k_anonymity").title, reading_of("u_anonymity")
    ('k-anonymity', None)
    """
    try:
        reading = READINGS.get(word)
    except DiscreetError as error:
        warnings.warn(str(error), stacklevel=2)
        return None
    if reading is not None and not isinstance(reading, Reading):
        warnings.warn(f"what a package brings to read {word} is no Reading", stacklevel=2)
        return None
    return reading


def known_words() -> tuple[str, ...]:
    """The words of all promises that can be read, ours first.

    >>> known_words()[:2]
    ('k_anonymity', 'l_diversity')
    """
    return tuple(READINGS)


def of_others(reading: Reading, work: Callable[[], Result], failed: Callable[[str], Result]) -> Result:
    """What a reading comes to; if it is another package's and fails, what is `failed` with the kind of error.

    Ours fail aloud: that is a mistake of this package.
    """
    if reading.ours:
        return work()
    try:
        return work()
    except Exception as error:  # noqa: BLE001 - whatever other people's code may raise
        return failed(type(error).__name__)
