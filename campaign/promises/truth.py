"""Is everything that is published true of somebody? By trying to give every published row a row of the source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from campaign.promises.case import Row, Value
from campaign.promises.reading import Group

Left = TypeVar("Left")
Right = TypeVar("Right")
MOST_STEPS = 50_000


def assignment(published: Sequence[Left], source: Sequence[Right], fits: Callable[[Left, Right], bool]) -> bool:
    """Can every published row have a row of the source of its own that fits?

    >>> assignment(["1-2", "1"], ["1", "2"], lambda label, leaf: leaf in label)
    True
    >>> assignment(["1", "1"], ["1", "2"], lambda label, leaf: leaf in label)
    False
    """
    return matching(published, source, fits) is not None


def matching(
    ones: Sequence[Left], others: Sequence[Right], fits: Callable[[Left, Right], bool]
) -> dict[int, int] | None:
    """Give each of the ones another of its own, by augmenting paths: from the place of the other to that of the one.

    >>> matching(["1-2", "1"], ["1", "2"], lambda label, leaf: leaf in label)
    {0: 1, 1: 0}
    """
    edges = [[at for at, other in enumerate(others) if fits(one, other)] for one in ones]
    holder: dict[int, int] = {}

    def augment(one: int, seen: set[int]) -> bool:
        for at in edges[one]:
            if at in seen:
                continue
            seen.add(at)
            if at not in holder or augment(holder[at], seen):
                holder[at] = one
                return True
        return False

    return holder if all(augment(one, set()) for one in range(len(ones))) else None


def bucketed(groups: Sequence[Group], attribute: str, people: Sequence[Row], values: Sequence[Value]) -> bool | None:
    """Can all people of all groups have had values that their groups list, everybody being a row of the source?

    Tried one published person after the other, those with the fewest ways first; None if that takes too long.
    """
    has: dict[Row, Counter[Value]] = {}
    for person, value in zip(people, values, strict=True):
        has.setdefault(person, Counter())[value] += 1
    waiting = [(person, number) for number, group in enumerate(groups) for person in group.people]
    if any(person not in has for person, _ in waiting):
        return False
    waiting.sort(key=lambda entry: (len(has[entry[0]]), str(entry)))
    left = [Counter(group.values[attribute]) for group in groups]
    steps = 0

    def deal(at: int) -> bool | None:
        nonlocal steps
        steps += 1
        if at == len(waiting):
            return True
        if steps > MOST_STEPS:
            return None
        person, number = waiting[at]
        for value in [v for v, n in has[person].items() if n and left[number][v]]:
            has[person][value] -= 1
            left[number][value] -= 1
            answer = deal(at + 1)
            has[person][value] += 1
            left[number][value] += 1
            if answer is not False:
                return answer
        return False

    return deal(0)


def ambiguous(
    tables: Mapping[tuple[str, ...], Sequence[Row]],
    counts: Mapping[Value, Counter[Value]],
    names: Sequence[str],
    people: Sequence[Row],
    values: Sequence[Value],
) -> bool | None:
    """Can the source's rows be put in groups (or left out) so that these have just the entries that are published?

    `tables` has entries that end with the number of their group. None if trying takes too long.
    """
    places = {of: [names.index(name) for name in of] for of in tables}
    wanted = {(of, entry) for of, entries in tables.items() for entry in entries}
    shown = [[(of, tuple(p[at] for at in places[of])) for of in tables] for p in people]
    left = {number: Counter(dealt) for number, dealt in counts.items()}
    covered: Counter[tuple[tuple[str, ...], Row]] = Counter()
    open_rows = sum(dealt.total() for dealt in counts.values())
    spare = len(people) - open_rows
    steps = 0

    def put(at: int, spared: int) -> bool | None:
        nonlocal steps
        steps += 1
        if at == len(people):
            return all(covered[entry] for entry in wanted) and not any(dealt.total() for dealt in left.values())
        if steps > MOST_STEPS:
            return None
        for number, dealt in left.items():
            entries = [(of, (*entry, number)) for of, entry in shown[at]]
            if dealt[values[at]] and all(entry in wanted for entry in entries):
                dealt[values[at]] -= 1
                covered.update(entries)
                answer = put(at + 1, spared)
                dealt[values[at]] += 1
                covered.subtract(entries)
                if answer is not False:
                    return answer
        return put(at + 1, spared + 1) if spared < spare else False

    return put(0, 0)
