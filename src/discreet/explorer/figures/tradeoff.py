"""What more privacy costs: the release of each way to publish, over a number of the policy, point by point."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from discreet.errors import DiscreetError, Mistake, PolicyError, did_you_mean
from discreet.explorer.figures.candidate import candidate, within
from discreet.explorer.figures.cards import title_of
from discreet.explorer.figures.nearest import with_value
from discreet.explorer.figures.promised import Slider, entries_of, plain_number, slider_at, sliders, suppression
from discreet.files.numbers import exact_number
from discreet.models.base import least_rows
from discreet.models.parameters import as_word
from discreet.policy.kinds import PUBLICATIONS
from discreet.policy.policy import Policy
from discreet.progress import Progress, silent
from discreet.run.intake import Counted
from discreet.run.sweep import ONE_IN, measured
from discreet.run.varied import changed
from discreet.search.registry import COUNTS, SEARCHES

MOST_VALUES = 60  # of one curve
_POINTS = 9
_SHARES = tuple(Fraction(n, 200) for n in (0, 1, 2, 4, 10, 20, 40))
_SERIES = (1, 2, 5)

Emit = Callable[[dict[str, Any]], None]


def offers(policy: Policy, counted: Counted) -> dict[str, Any]:
    """Over what a curve can be drawn, and the kinds of publication that can keep these promises.

    >>> from discreet.policy.policy import policy_from_words
    >>> from discreet.run.intake import count
    >>> policy = policy_from_words({"attributes": {"age": {"role": "quasi_identifier"}},
    ...                             "require": [{"k_anonymity": {"k": 2}}]})
    >>> told = offers(policy, count(policy, {"age": ["23", "23", "31", "32"]}))
    >>> [axis["path"] for axis in told["axes"]]
    [['require', 0, 'k_anonymity', 'k'], ['suppress']]
    >>> [kind["word"] for kind in told["publications"]]
    ['generalization', 'multidimensional', 'local_recoding']
    """
    axes = []
    for entry in entries_of(policy):
        several = sum(other.word == entry.word for other in entries_of(policy)) > 1
        for slider in sliders(entry, counted.frequency, policy.sensitive):
            title = f"{slider.title}, {title_of(entry, policy.whose)}" if several else slider.title
            axes.append(_axis(slider, title, policy))
    left_out = suppression(policy)
    axes.append(_axis(left_out, "share that may be left out", policy) | {"percent": True})
    kinds = [
        {"word": word, "title": _name(PUBLICATIONS[word].words.title, word)}
        for word in PUBLICATIONS
        if _published_by(policy, word) is not None
    ]
    return {"axes": axes, "publications": kinds}


def tradeoff(
    policy: Policy,
    counted: Counted,
    *,
    over: Sequence[object],
    values: Sequence[object] | None = None,
    publications: Iterable[str] | None = None,
    emit: Emit | None = None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """A point for each value and kind of publication: the release that `anonymize` would give, measured.

    `over` is a path of the policy; without `values`, some that tell its story. Each point is told by `emit` as soon as
    it is there; `set` are the changes that take it. Whoever cancels raises in `emit` or `progress`.
    """
    slider = slider_at(policy, counted.frequency, over)
    if slider is None:
        known = [".".join(map(str, axis["path"])) for axis in offers(policy, counted)["axes"]]
        path = ".".join(map(str, over))
        raise PolicyError(Mistake("over", "is not a number of this policy", did_you_mean(path, known)))
    wanted = usual_values(slider) if values is None else _read(values)
    kinds = [w for w in PUBLICATIONS if _published_by(policy, w)] if publications is None else list(publications)
    if unknown := [word for word in kinds if word not in PUBLICATIONS]:
        raise PolicyError(*(Mistake("publications", "no such kind", did_you_mean(w, PUBLICATIONS)) for w in unknown))
    points, steps = [], [(value, word) for value in wanted for word in kinds]
    for at, (value, word) in enumerate(steps):
        progress("tradeoff", at, len(steps), f"{slider.name} {as_word(value)}, {word}")
        told = _point(policy, counted, slider, value, word, within(progress, "tradeoff", at, len(steps), word))
        points.append(told)
        if emit is not None:
            emit(told)
    return {"points": points}


def usual_values(slider: Slider) -> list[Fraction]:
    """Values of a number that show how a curve goes, among them the one that it has.

    >>> slider = Slider("k", "k", ("require", 0, "k_anonymity", "k"), *map(Fraction, (7, 2, 200, 1)), True)
    >>> [int(value) for value in usual_values(slider)]
    [2, 5, 7, 10, 20, 50, 100, 200]
    """
    if slider.name == "suppress":
        return sorted({*_SHARES, slider.value})
    values = {slider.low, slider.high, slider.value}
    if _by_factors(slider):
        power = Fraction(1, 1000)
        while power <= slider.high:
            values |= {n * power for n in _SERIES if slider.low <= n * power <= slider.high}
            power *= 10
        if slider.whole:
            values = {value for value in values if value.denominator == 1}
    else:
        every = max(-(-(slider.high - slider.low) // slider.step) // (_POINTS - 1), 1)
        place = slider.low
        while place <= slider.high:
            values.add(place)
            place += every * slider.step
    return sorted(values)


def _point(
    policy: Policy, counted: Counted, slider: Slider, value: Fraction, word: str, progress: Progress
) -> dict[str, Any]:
    """One release, measured; or why there is none."""
    written = as_word(value)
    told: dict[str, Any] = {
        "publication": word,
        "x": plain_number(value),
        "loss": None,
        "error": None,
        "suppressed": None,
    }
    told |= {"set": [[list(slider.path), written], [["publish"], word]], "text": None}
    try:
        asked = with_value(
            changed(policy, {"publish": word}), slider.path, value if slider.name == "suppress" else written
        )
        made = candidate(asked, counted, progress, remember=False)
    except DiscreetError as error:
        return told | {"set": None, "text": _why(error)}
    least = least_rows(made.policy.models)
    point = measured(made.plan, least if least > 1 else ONE_IN)
    share = made.plan.suppressed / max(made.frequency.rows, 1)
    return told | {"loss": point.loss, "error": point.count_error, "suppressed": share}


def _why(error: DiscreetError) -> str:
    mistake = error.mistakes[0]
    return "not possible: " + mistake.rule + (f"; {mistake.repair}" if mistake.repair else "")


def _axis(slider: Slider, title: str, policy: Policy) -> dict[str, Any]:
    unit = policy.whose.people if slider.name == "k" else ""
    return {
        "path": list(slider.path),
        "title": title,
        "unit": unit,
        "powers": _by_factors(slider),
        "percent": False,
        "values": [plain_number(value) for value in usual_values(slider)],
    }


def _by_factors(slider: Slider) -> bool:
    """Is the range so wide that equal factors are of interest, and not equal steps?"""
    return slider.low > 0 and slider.high / slider.low >= 30


def _published_by(policy: Policy, word: str) -> Policy | None:
    """The policy with another kind of publication; None if it can't have that."""
    try:
        made = changed(policy, {"publish": word})
    except PolicyError:
        return None
    return made if SEARCHES[made.search].reads == COUNTS else replace(made, search="", summary=None, threshold=None)


def _name(title: str, word: str) -> str:
    name = title.partition(":")[0].strip() or word.replace("_", " ")
    return name[:1].upper() + name[1:]


def _read(values: Sequence[object]) -> list[Fraction]:
    read = [exact_number(value) for value in values[:MOST_VALUES]]
    if len(values) > MOST_VALUES or not read or None in read:
        raise PolicyError(
            Mistake("values", f"must be up to {MOST_VALUES} numbers", "leave them out for some usual ones")
        )
    return sorted({value for value in read if value is not None})
