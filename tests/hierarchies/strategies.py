"""Random columns and rules that fit them, awkward texts included."""

from __future__ import annotations

from hypothesis import strategies as st

from discreet.hierarchies.rules import Cuts, Dates, Flat, Intervals, Prefixes, Taxonomy

# Texts made to be mistaken for ranges, sets, names of levels and ``*``.
AWKWARD = [
    "*",
    "**",
    "{*}",
    "{a, b}",
    "{{a, b}}",
    "a",
    "b",
    "a, b",
    '"a"',
    "NULL",
    "a-b",
    "b-a",
    "a-b-a",
    "a to b",
    " a",
]
texts = st.sampled_from(AWKWARD) | st.text('ab-*{}, "', max_size=4)
values = st.none() | texts
names = texts.filter(lambda text: text not in ("", "*"))

plain_numbers = st.integers(-60, 60).map(str)
decimals = st.decimals(-60, 60, places=2, allow_nan=False, allow_infinity=False).map(str)
spellings = plain_numbers | st.integers(-60, 60).flatmap(
    lambda n: st.sampled_from([f" {n}", f"{n}.0", f"{n:03}", f"{n}e0", f"{n}.", f"+{abs(n)}"])
)
blanks = st.sampled_from([None, ""])
days = st.dates().map(str)
timestamps = st.datetimes().map(str) | st.datetimes().map(lambda t: t.isoformat(timespec="minutes") + "Z")


@st.composite
def widths(draw, unit):
    width = draw(unit)
    found = [width]
    for times in draw(st.lists(st.integers(2, 3), max_size=3)):
        width = width * times
        found.append(width)
    return tuple(found)


@st.composite
def intervals(draw):
    whole = st.integers(-20, 20)
    if draw(st.booleans()):
        unit, number = st.integers(1, 5), whole
    else:
        unit = st.decimals("0.01", 3, places=2)
        number = st.decimals(-20, 20, places=2)
    bottom, top = draw(st.none() | number), draw(st.none() | number)
    if bottom is not None and top is not None and bottom >= top:
        top = bottom + 1
    return Intervals(draw(widths(unit)), draw(number), bottom, top, draw(st.booleans()))


@st.composite
def cuts(draw):
    number = st.integers(-60, 60) | st.decimals(-60, 60, places=1)
    level = sorted(draw(st.sets(number, min_size=1, max_size=8)))
    levels = [tuple(level)]
    while len(level) > 1 and draw(st.booleans()):
        kept = draw(st.sets(st.sampled_from(level), min_size=1, max_size=len(level) - 1))
        level = sorted(kept)
        levels.append(tuple(level))
    return Cuts(tuple(levels), draw(st.booleans()))


prefixes = st.sets(st.integers(1, 6), min_size=1).map(lambda kept: Prefixes(tuple(sorted(kept, reverse=True))))
dates = st.sets(st.sampled_from(["day", "month", "quarter", "year"]), min_size=1).map(
    lambda kept: Dates(tuple(level for level in ("day", "month", "quarter", "year") if level in kept))
)


@st.composite
def taxonomies(draw):
    """Random trees: names are drawn per node, and may be used again on other levels or by leaves."""
    leaves = draw(st.lists(values, min_size=1, max_size=8, unique=True))
    between = draw(st.integers(0, 3))
    column = list(leaves)
    paths = {v: [] for v in leaves}
    for _ in range(between):
        parents = {}
        for below in dict.fromkeys(column):
            parents[below] = draw(names)
        column = [parents[below] for below in column]
        for v, parent in zip(leaves, column, strict=True):
            paths[v].append(parent)
    return Taxonomy({v: tuple(path) for v, path in paths.items()})


def _columns(rule, value):
    return st.tuples(rule, st.lists(value | blanks, max_size=10))


def _fitting(rule_and_values):
    """Whole numbers only, where the rule takes no others."""
    rule, column = rule_and_values
    if rule.decimals:
        return rule, column
    return rule, [v for v in column if not v or float(v).is_integer()]


number_columns = _columns(intervals() | cuts(), spellings | decimals).map(_fitting)
columns = st.one_of(
    number_columns,
    _columns(st.just(Flat()), values),
    _columns(prefixes, values),
    _columns(dates, days | timestamps),
    taxonomies().map(lambda rule: (rule, list(rule.paths))),
)
