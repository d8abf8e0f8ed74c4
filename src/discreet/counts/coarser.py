"""Columns that are published as a coarser level of their values: the table as if it had never had others."""

from __future__ import annotations

from collections.abc import Mapping

from discreet.engines.base import Engine
from discreet.errors import HierarchyError, Mistake
from discreet.hierarchies.hierarchy import Rule, Value
from discreet.hierarchies.published_as import PublishedAs

Labels = Mapping[str, Mapping[Value, Value]]


def labels_of(engine: Engine, coarser: Mapping[str, PublishedAs], given: Mapping[str, Rule] | None = None) -> Labels:
    """What each value of some columns is published as: a scan for each column; all mistakes at once.

    `given` are rules for the levels above, which have to be unions of what is published.
    """
    labels: dict[str, Mapping[Value, Value]] = {}
    mistakes: list[Mistake] = []
    for name, published in coarser.items():
        place = f"attributes.{name}"
        try:
            [values] = engine.frequencies([name]).values
            labels[name] = published.labels(values, f"{place}.publish_as")
        except HierarchyError as error:
            mistakes += error.mistakes
            continue
        above = published.hierarchy((given or {}).get(name))
        mistakes += published.nesting_mistakes(labels[name], above, f"{place}.hierarchy")
    if mistakes:
        raise HierarchyError(*mistakes)
    return labels


def labelled(engine: Engine, coarser: Mapping[str, PublishedAs], given: Mapping[str, Rule] | None = None) -> Engine:
    """The engine's table with these columns as they are published: whatever is asked of it, nothing finer is told."""
    return engine.labelled(labels_of(engine, coarser, given)) if coarser else engine
