"""What is possible instead of what is not: the nearest value of one number with which there is a release.

Every value that is offered was tried: the search found a release with it. That there is none between it and the wish is
certain where weaker promises are easier to keep, as ours are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from discreet.errors import DiscreetError
from discreet.explorer.figures.candidate import OutOfTime, candidate
from discreet.explorer.figures.promised import Slider, entries_of, slider_at, sliders, suppression
from discreet.policy.policy import Policy
from discreet.progress import Progress, silent
from discreet.run.intake import Counted

Change = list[Any]  # a path, and a value


def with_value(policy: Policy, path: Sequence[object], value: object) -> Policy:
    """The policy with another value at a path: of `require`, or a word of its own.

    >>> from discreet.policy.policy import policy_from_words
    >>> policy = policy_from_words({"attributes": {"age": {"role": "quasi_identifier"}},
    ...                             "require": [{"k_anonymity": {"k": 2}}]})
    >>> with_value(policy, ["require", 0, "k_anonymity", "k"], 3).models
    (KAnonymity(k=3),)
    """
    if len(path) == 1:
        words: dict[str, Any] = {str(path[0]): value}
        return replace(policy, **words)
    number = int(str(path[1]))
    word, *inner = (str(step) for step in path[2:])
    entry = next(e for e in entries_of(policy) if e.number == number and e.word == word)
    given: dict[str, Any] = dict(entry.parameters)
    if len(inner) == 1:
        given[inner[0]] = value
    else:
        pair = list(given[inner[0]])
        pair[int(inner[1])] = value
        given[inner[0]] = pair
    require = tuple({word: given} if i == number else other for i, other in enumerate(policy.require))
    return replace(policy, require=require)


def nearest_possible(
    policy: Policy, counted: Counted, changed: Sequence[Sequence[object]] = (), progress: Progress = silent
) -> list[Change] | None:
    """The nearest value of one number of the policy with which there is a release; None if none was found.

    Of what is being `changed`; if that helps nothing, or nothing is, of each number in turn, and of how many may be
    left out. A listener that raises `OutOfTime` ends the search; what was found until then is the answer.
    """
    moved = [slider for path in changed if (slider := slider_at(policy, counted.frequency, path)) is not None]
    others = [s for entry in entries_of(policy) for s in sliders(entry, counted.frequency, policy.sensitive)]
    for slider in [*moved, *(s for s in (*others, suppression(policy)) if s not in moved)]:
        value = _nearest(policy, counted, slider, progress)
        if value is not None:
            return [[list(slider.path), value]]
    return None


def _nearest(policy: Policy, counted: Counted, slider: Slider, progress: Progress) -> object | None:
    """The nearest step to either side that is possible: in steps twice as long each time, and back by halves.

    What is asked for far too much of is refused at once, and what can just be had is found sooner than what is easy.
    """
    ends = {-1: slider.below, 1: slider.above}
    reach, tried = 1, dict.fromkeys(ends, 0)
    while any(tried[towards] < end for towards, end in ends.items()):
        for towards, end in ends.items():
            steps = min(reach, end)
            if steps > tried[towards]:
                if _possible(policy, counted, slider, towards * steps, progress):
                    return _between(policy, counted, slider, towards, tried[towards], steps, progress)
                tried[towards] = steps
        reach *= 2
    return None


def _between(
    policy: Policy, counted: Counted, slider: Slider, towards: int, impossible: int, possible: int, progress: Progress
) -> object:
    """The nearest step between one that is impossible and one that is not; out of time, the nearest known to be."""
    try:
        while possible - impossible > 1:
            middle = (possible + impossible) // 2
            if _possible(policy, counted, slider, towards * middle, progress):
                possible = middle
            else:
                impossible = middle
    except OutOfTime:
        pass
    return slider.place(towards * possible)


def _possible(policy: Policy, counted: Counted, slider: Slider, steps: int, progress: Progress) -> bool:
    progress("nearest", 0, 0, "")
    try:
        candidate(with_value(policy, slider.path, _exactly(slider.place(steps))), counted, progress, remember=False)
    except DiscreetError:
        return False
    return True


def _exactly(value: object) -> object:
    """A share is text if no decimal says it: as the policy reads it, so it is tried."""
    return Fraction(value) if isinstance(value, str) else value
