"""Tables that another tool might have published: everything on some level, whatever that does to the promises."""

from __future__ import annotations

from typing import Any

from campaign.promises.case import Case
from campaign.promises.ladders import ladder
from campaign.promises.reading import Table


def generalized(case: Case) -> Table:
    """The table of a case on the levels of its node."""
    assert case.node is not None
    columns = []
    for name in case.names:
        values = case.column(name)
        if name in case.quasi_identifiers:
            labels = ladder(case.hierarchy(name), values)
            assert labels is not None
            level = case.node[case.quasi_identifiers.index(name)]
            values = [labels[value][level] for value in values]
        columns.append(values)
    return Table(case.names, tuple(zip(*columns, strict=True)))


def description(case: Case) -> dict[str, Any]:
    """What is told to the audit of it."""
    kinds = {"intervals": "interval", "cuts": "interval", "prefixes": "prefix", "dates": "date", "flat": "exact"}
    columns, hierarchies = {}, {}
    for name in case.quasi_identifiers:
        [word] = [word for word in case.hierarchy(name) if word in (*kinds, "taxonomy")]
        if word == "taxonomy":
            lines = case.hierarchy(name)["taxonomy"]
            hierarchies[name] = [[*line, "*"] for line in lines]
        else:
            columns[name] = kinds[word]
    return {
        "quasi_identifiers": list(case.quasi_identifiers),
        "sensitive": list(case.sensitive),
        "promises": list(case.words["require"]),
        "columns": columns,
    } | ({"hierarchies": hierarchies} if hierarchies else {})
