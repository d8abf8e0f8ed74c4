"""The release's own promises, read a second time: from its files, by other code than that which made them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from discreet.audit.lines import Level, Line
from discreet.audit.promises.beside_others import levels_beside_others
from discreet.audit.promises.parameters import OTHERS_KNOWN
from discreet.audit.promises.registry import GROUP, Beside, Reading, of_others, reading_of
from discreet.audit.reading.exact_tables import Population
from discreet.audit.reading.view import Promise, ReleaseView
from discreet.audit.reading.wishes import Wishes
from discreet.audit.worst_case.knowledge import Knowledge


def levels(
    view: ReleaseView,
    *,
    population: Population | None = None,
    presence: tuple[tuple[float, float], tuple[float, float]] | None = None,
    failing: Line | None = None,
    listed: Line | None = None,
    knowledge: Mapping[str, Knowledge] | None = None,
    wishes: Wishes | None = None,
) -> list[Level]:
    """What the release reaches of everything that it promises, a level or two for each promise and attribute.

    Some promises are about more than the files. `population` is a list of everybody who may be in the table; `presence`
    are the smallest and the largest chance that somebody of them is in it, each between bounds, and `failing` how
    likely a promise with a confidence fails, as those attacks tell; `listed` is the line of whoever holds that list;
    `knowledge` is what is known of each sensitive attribute beforehand, where robustness was promised against the
    source table; `wishes` what people of that table asked to be hidden. A promise that nobody here can read is a level,
    too: one that says so.

    >>> import numpy as np
    >>> from discreet.audit.reading.view import Tally
    >>> values = np.array([0, 1, 1])
    >>> tally = Tally("disease", ("flu", "cold"), np.array([0, 0, 1]), values, np.array([2, 2, 3]))
    >>> promises = (Promise("k_anonymity", {"k": 4}), Promise("l_diversity", {"l": 2}), Promise("u_anonymity"))
    >>> view = ReleaseView("generalization", (), np.array([4, 3]), (tally,), promises=promises)
    >>> [(level.model, level.achieved, level.required, level.holds) for level in levels(view)]
    [('k_anonymity', 3.0, 4.0, False), ('l_diversity', 1.0, 2.0, False), ('u_anonymity', None, None, None)]
    """
    beside = Beside(population, presence, failing, listed, knowledge or {}, wishes)
    return [level for promise in view.promises for level in levels_of(promise, view, beside)]


def levels_of(promise: Promise, view: ReleaseView, beside: Beside) -> list[Level]:
    """What it reaches of one promise."""
    reading = reading_of(promise.model)
    if reading is None:
        return [unread(promise, f"nobody here knows this promise; it takes a package that does ({GROUP})")]
    of_promise = of_others(
        reading, lambda: _checked(reading, promise, view, beside), lambda error: [_failed(promise, error)]
    )
    why = "it is about a sensitive attribute, and the files have none that it speaks of"
    return [replace(level, of=view.whose.unit) for level in of_promise or [unread(promise, why)]]


def _checked(reading: Reading, promise: Promise, view: ReleaseView, beside: Beside) -> list[Level]:
    others_known = promise.parameters.get(OTHERS_KNOWN, False)
    if others_known is False:
        of_promise = reading.levels(promise, view, beside)
    elif others_known is not True or not reading.beside_others:
        return [unread(promise, f"{OTHERS_KNOWN} means nothing here")]
    elif (joint := view.joint) is None or len(joint.attributes) < 2:
        return [unread(promise, "the files don't tell which sensitive values stand in one row")]
    else:
        of_promise = levels_beside_others(promise, view, joint, lambda one, cells: reading.levels(one, cells, beside))
    if not all(isinstance(level, Level) for level in of_promise):
        raise TypeError
    return list(of_promise)


def _failed(promise: Promise, error: str) -> Level:
    return unread(promise, f"the package that reads this promise failed ({error}); mend or update it")


def unread(promise: Promise, why: str) -> Level:
    """A promise of which nothing can be said."""
    return Level(promise.model, promise.attribute, "not read", "", None, None, None, note=f"not read: {why}")
