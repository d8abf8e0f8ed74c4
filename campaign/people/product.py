"""The real thing, asked as `campaign.promises` asks it, and asked besides which rows it put in which group.

Where labels overlap, or values are published apart from people, the files alone don't tell. What is said is held
against the files before anything is judged by it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from campaign.promises import product
from campaign.promises.case import Case, Row


@dataclass(frozen=True)
class Put:
    """So many rows with these quasi-identifiers and sensitive values stand in a group, or (−1) in none."""

    quasi_identifiers: Row
    sensitive: Row
    count: int
    group: int


@dataclass(frozen=True)
class Answer(product.Answer):
    """How a run ended, and where its rows are said to stand; None where the labels have to tell."""

    said: tuple[Put, ...] | None = None


def ask(case: Case, folder: Path) -> Answer:
    """Run a case in a folder of its own."""
    with _overheard() as plans:
        answer = product.ask(case, folder)
    said = _said(plans[-1]) if plans and answer.ended == "released" else None
    return Answer(**{f.name: getattr(answer, f.name) for f in fields(answer)}, said=said)


@contextmanager
def _overheard() -> Iterator[list[Any]]:
    """The plans that are handed on to be published."""
    from discreet.run import anonymize as module

    publish, plans = module.publish, list[Any]()

    def overhearing(policy: Any, intake: Any, plan: Any, *rest: Any, **more: Any) -> Any:
        plans.append(plan)
        return publish(policy, intake, plan, *rest, **more)

    module.publish = overhearing
    try:
        yield plans
    finally:
        module.publish = publish


def _said(plan: Any) -> tuple[Put, ...] | None:
    """A plan in plain words; groups that publish the same labels are one."""
    f = plan.frequency
    if f.leaf_rows is not None:  # looked at no closer than it is published
        return None
    low, high = getattr(plan, "low", None), getattr(plan, "high", None)
    ranges = [] if low is None or high is None else [(*a, *b) for a, b in zip(low.tolist(), high.tolist(), strict=True)]
    numbers = [ranges.index(one) for one in ranges] if ranges else list(range(plan.group_count))
    columns = [[h.leaves[code] for code in codes] for h, codes in zip(f.hierarchies, f.codes, strict=True)]
    values = [[f.sensitive_hierarchies[name].leaves[code] for code in codes] for name, codes in f.sensitive.items()]
    return tuple(
        Put(
            tuple(column[row] for column in columns),
            tuple(column[row] for column in values),
            count,
            numbers[group] if group >= 0 else -1,
        )
        for row, count, group in zip(plan.row.tolist(), plan.count.tolist(), plan.group.tolist(), strict=True)
        if count
    )
