"""`presence` in the words of a policy.

presence: {delta: [0, 0.2], population: people.csv}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from discreet.errors import Mistake, did_you_mean, shown
from discreet.models.parameters import Parameter, read_parameters
from discreet.models.presence import Presence

EXAMPLE = "{delta: [0, 0.2], population: people.csv}"


def read_presence(
    given: Mapping[object, object], place: str, folder: Path = Path()
) -> tuple[list[Presence], list[Mistake]]:
    """What the parameters of one entry mean, or everything that is wrong with them. No file is opened.

    A promise without a population is one about the table that the private rows are chosen from.

    >>> read_presence({"delta": [0, 0.2], "population": "people.csv"}, "presence")[0][0].to_words()
    {'presence': {'delta': [0, 0.2], 'population': 'people.csv'}}
    >>> for mistake in read_presence({"delta": 0.2, "populaton": "people.csv"}, "presence")[1]:
    ...     print(mistake)
    presence.populaton: no such parameter; did you mean 'population'?
    presence.delta: must be a pair [least, most] of probabilities, got 0.2; for example [0, 0.1]
    """
    mistakes = _strange(given, place, ("delta", "population"))
    values, wrong = _numbers(given, place, Presence.parameters, f"for example presence: {EXAMPLE}")
    mistakes += wrong
    population, wrong = _population(given.get("population"), f"{place}.population", folder)
    mistakes += wrong
    return ([] if mistakes else [Presence(values["delta"], population)]), mistakes


def _strange(given: Mapping[object, object], place: str, known: Sequence[str]) -> list[Mistake]:
    mistakes = []
    for word in given:
        if word == "attribute":
            rule = "whether somebody is in the table is no matter of one attribute"
            mistakes.append(Mistake(f"{place}.attribute", rule, "leave it out"))
        elif word not in known:
            mistakes.append(Mistake(f"{place}.{word}", "no such parameter", did_you_mean(word, known)))
    return mistakes


def _numbers(
    given: Mapping[object, object], place: str, parameters: Mapping[str, Parameter], example: str
) -> tuple[dict[str, object], list[Mistake]]:
    """The thresholds, none of which has a default."""
    mistakes = [Mistake(f"{place}.{name}", "is missing", example) for name in parameters if given.get(name) is None]
    there = {name: given[name] for name in parameters if given.get(name) is not None}
    values, wrong = read_parameters(place, parameters, there)
    return values, [*mistakes, *wrong]


def _population(words: object, place: str, folder: Path) -> tuple[Path | None, list[Mistake]]:
    """Where the population lies. A frame is for a model made in Python: words are written into manifests."""
    if words is None:
        return None, []
    if isinstance(words, str | Path) and str(words).strip():
        return folder / words, []
    repair = "for example people.csv; a frame goes into a model made in Python"
    return None, [Mistake(place, f"must be the path of a table, got {shown(words)}", repair)]
