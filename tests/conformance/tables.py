"""Small tables with whatever has tripped an engine, and how every engine must write their values as text.

The texts are written down here, by hand: no engine is the judge of the others.
"""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pyarrow as pa

from discreet.engines.base import Frequencies

Text = str | None

_LEAST, _MOST = -(2**63), 2**63 - 1


@dataclass(frozen=True, eq=False)
class Table:
    """A typed table, and the text of every value."""

    typed: pa.Table
    texts: dict[str, list[Text]]

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.texts)

    def combinations(self, columns: Sequence[str]) -> Counter[tuple[Text, ...]]:
        """How often each combination of values occurs."""
        return Counter(zip(*(self.texts[c] for c in columns), strict=True))


def table(columns: dict[str, tuple[pa.DataType, Iterable[tuple[Any, Text]]]]) -> Table:
    """Columns of pairs: a value, and its text."""
    pairs = {name: list(found) for name, (_, found) in columns.items()}
    typed = {name: pa.array([v for v, _ in pairs[name]], kind) for name, (kind, _) in columns.items()}
    return Table(pa.table(typed), {name: [t for _, t in found] for name, found in pairs.items()})


def texts(columns: dict[str, Sequence[Text]]) -> Table:
    """Columns of text."""
    return table({name: (pa.string(), [(v, v) for v in values]) for name, values in columns.items()})


def _said(*values: object) -> list[tuple[Any, Text]]:
    """Values that Python writes as every engine must."""
    return [(v, None if v is None else str(v)) for v in values]


_STRANGE = [
    None,
    "",
    " ",
    "a",
    "A",
    "a ",  # char(n) and some collations take these for equal
    "é",
    "e\u0301",  # the same to the eye, and to a collation that normalizes
    "ß",
    "ss",
    "İ",
    "😀",
    "👩‍👩‍👧",
    "🇩🇪",
    "\u200b",
    "日本",
    "עברית",
    "NULL",
    "null",
    "\\N",
    "*",
    "'",
    '"',
    "`",
    "''; DROP TABLE people; --",
    "a,b",
    "a;b",
    "a\\b",
    "\\",
    "\\n",
    "two\nlines",
    "two\r\nlines",
    "\r",
    "tab\there",
    "%s",
    "{x}",
    "$1",
    ":p",
    "?",
    "0",
    "00",
    "1e5",
    "-0",
    "x" * 5000,
]

STRANGE_TEXTS = texts({"value": [*_STRANGE, *_STRANGE[:7], None], "half": ["a", None] * (len(_STRANGE) // 2 + 4)})

NAMES = (
    "plain",
    "Two Words",
    "select",
    'a "quoted" one',
    "it's",
    "`ticks`",
    "dotted.name",
    "semi;colon -- comment /* ",
    "back\\slash",
    "new\nline",
    "%s %(x)s {y} $1 :p ?",
    "Größe 😀 e\u0301",
    "*",
    "c0",
    "n",
    "v",
    "i",
    "o",
    "kept",
    "whole",
    "value",
)
STRANGE_NAMES = texts({name: [f"{i}", "same", "same", None] for i, name in enumerate(NAMES)})

NUMBERS = table(
    {
        "whole": (pa.int64(), _said(_LEAST, _MOST, 0, -1, 1, None, _MOST, _LEAST + 1, _MOST - 1, 9007199254740993)),
        "middle": (pa.int32(), _said(-(2**31), 2**31 - 1, 0, None, 7, 7, -7, 10, 100, 1000)),
        "small": (pa.int16(), _said(-(2**15), 2**15 - 1, 0, None, 7, 7, -7, 10, 100, 1000)),
        "exact": (
            pa.decimal128(18, 2),
            _said(*map(Decimal, ("0.00", "-0.10", "0.10", "9999999999999999.99", "-9999999999999999.99")), None)
            + _said(*map(Decimal, ("1000000.00", "1.00", "1.00", "100.00"))),
        ),
        "long": (
            pa.decimal128(38, 0),
            [(Decimal(t), t) for t in ("0", "1" + "0" * 37, "9" * 38, "-" + "9" * 38, "5", "5", "10", "-1", "1")]
            + [(None, None)],
        ),
        "truth": (pa.bool_(), [(True, "true"), (False, "false"), (None, None), *[(True, "true")] * 7]),
    }
)

_DOUBLES = [
    (float("nan"), "nan"),
    (0.0, "0"),
    (-0.0, "-0"),
    (1e16, "1e+16"),
    (1e15, "1000000000000000"),
    (0.1, "0.1"),
    (0.30000000000000004, "0.30000000000000004"),
    (0.3, "0.3"),
    (5e-324, "5e-324"),
    (1.7976931348623157e308, "1.7976931348623157e+308"),
    (float("inf"), "inf"),
    (float("-inf"), "-inf"),
    (1e-5, "1e-05"),
    (0.0001, "0.0001"),
    (100.0, "100"),
    (123456789.125, "123456789.125"),
    (None, None),
    (0.1, "0.1"),
    (float("nan"), "nan"),
    (-1.5, "-1.5"),
]
_REALS = [
    (float("nan"), "nan"),
    (0.0, "0"),
    (-0.0, "-0"),
    (1e16, "1e+16"),
    (16777216.0, "16777216"),
    (0.1, "0.1"),
    (1e-5, "1e-05"),
    (3.4028235e38, "3.4028235e+38"),
    (1e10, "10000000000"),
    (None, None),
]
FLOATS = table({"double": (pa.float64(), _DOUBLES), "real": (pa.float32(), _REALS * 2)})

_MOMENTS = [
    (datetime.datetime(1, 1, 1), "0001-01-01 00:00:00"),
    (datetime.datetime(9999, 12, 31, 23, 59, 59, 999999), "9999-12-31 23:59:59.999999"),
    (datetime.datetime(2020, 1, 31, 12), "2020-01-31 12:00:00"),
    (datetime.datetime(2020, 1, 31, 12, 0, 0, 500000), "2020-01-31 12:00:00.5"),
    (datetime.datetime(1969, 12, 31, 23, 59, 59, 1), "1969-12-31 23:59:59.000001"),
    (datetime.datetime(1582, 10, 10, 3, 4, 5), "1582-10-10 03:04:05"),
    (datetime.datetime(2020, 3, 29, 2, 30), "2020-03-29 02:30:00"),  # there is no such hour in many zones
    (None, None),
]
DAYS = table(
    {
        "day": (
            pa.date32(),
            [
                *_said(datetime.date(1, 1, 1), datetime.date(9999, 12, 31), datetime.date(1582, 10, 10), None),
                *_said(*[datetime.date(2020, 2, 29)] * 4),
            ],
        ),
        "moment": (pa.timestamp("us"), _MOMENTS),
        "instant": (
            pa.timestamp("us", "UTC"),
            [(v and v.replace(tzinfo=datetime.UTC), t and f"{t}+00") for v, t in _MOMENTS],
        ),
    }
)

# People, as policies speak of them: few values, many rows alike.
_PEOPLE = [
    (age, zipcode, sex, illness)
    for i in range(24)
    for age, zipcode, sex, illness in [
        (20 + 3 * (i % 8), f"{10115 + 37 * (i % 5)}", "fm"[i % 2], ("flu", "gout", "", None)[i % 4]),
        (20 + 5 * (i % 7), f"{10115 + 11 * (i % 3)}", "mf"[i % 2], ("flu", "gout", "ulcer")[i % 3]),
    ]
]
PEOPLE = table(
    {
        "age": (pa.int64(), _said(*(p[0] for p in _PEOPLE))),
        "zip": (pa.string(), _said(*(p[1] for p in _PEOPLE))),
        "sex": (pa.string(), _said(*(p[2] for p in _PEOPLE))),
        "illness": (pa.string(), _said(*(p[3] for p in _PEOPLE))),
    }
)

ONE_ROW = table({"whole": (pa.int64(), _said(1)), "text": (pa.string(), _said("a"))})
NO_ROWS = table({"whole": (pa.int64(), []), "text": (pa.string(), []), "day": (pa.date32(), [])})
DUPLICATES = table(
    {"whole": (pa.int64(), _said(*[1, 1, 2, None] * 50)), "text": (pa.string(), _said(*["a", ""] * 100))}
)

TABLES = {
    "strange texts": STRANGE_TEXTS,
    "strange names": STRANGE_NAMES,
    "numbers": NUMBERS,
    "floats": FLOATS,
    "days": DAYS,
    "people": PEOPLE,
    "one row": ONE_ROW,
    "no rows": NO_ROWS,
    "duplicates": DUPLICATES,
}


def told(found: Frequencies) -> Counter[tuple[Text, ...]]:
    """Combinations with their counts; none may be told twice, or without a row."""
    columns = [[values[code] for code in codes] for values, codes in zip(found.values, found.codes, strict=True)]
    rows = list(zip(*columns, strict=True))
    assert len(set(rows)) == len(rows) == len(found.counts)
    assert all(len(set(values)) == len(values) for values in found.values)
    return (
        Counter(dict(zip(rows, found.counts.tolist(), strict=True))) if len(rows) and min(found.counts) else Counter()
    )
