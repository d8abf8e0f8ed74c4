"""How PostgreSQL writes values so that they look as everywhere else, and how it reads them back.

Other engines are followed (they write as DuckDB does, and whole numbers as such): ``nan`` and ``inf`` are in small
letters, bytes are printable signs or ``\\xAB``. Types are named as ``format_type`` does, domains by what they rest on,
enumerations as ``enum``.
"""

from __future__ import annotations

import re

# Equal values have one text each: they can be counted as they are.
PLAIN = re.compile(
    r"smallint|integer|bigint|oid|boolean|date|timestamp.*|time(\(\d\))? without.*|uuid|bytea|numeric.*|inet|enum"
)
WHOLE = re.compile(r"smallint|integer|bigint")
DAYS = re.compile(r"date|timestamp.*")
# Published in their own type; the others as text. Enumerations, too: their type lists values of rows left out.
_SCALAR = re.compile(r"smallint|integer|bigint|boolean|real|double precision|numeric.*|date|time.*|uuid|bytea")
_ESCAPED = r"\\x[0-9A-F]{2}|."


def key(value: str, kind: str) -> str:
    """SQL of what rows are counted by. Text is compared sign by sign: a collation might take different ones for equal.

    >>> print(key('"name"', "text"))
    (CAST("name" AS text) COLLATE "C")
    """
    return value if PLAIN.fullmatch(kind) else _binary(f"CAST({value} AS text)")


def written(value: str, kind: str) -> str:
    """SQL of the text of a value, or of its `key`.

    >>> print(written("c0", "integer"))
    (CAST(c0 AS text) COLLATE "C")
    """
    text = f"CAST({value} AS text)"
    if kind in ("real", "double precision"):
        text = _float(text, kind)
    elif kind.startswith("numeric"):
        text = _numeric(value, kind)
    elif DAYS.fullmatch(kind):
        text = (
            rf"CASE WHEN {text} LIKE '% BC' THEN regexp_replace({text}, '^(\S+)(.*) BC$', '\1 (BC)\2') ELSE {text} END"
        )
    elif kind == "bytea":
        text = _bytes(value)
    elif kind == "inet":
        text = f"abbrev({value})"  # a cast would write /32 behind every address
    elif kind.startswith("interval"):
        text = rf"regexp_replace(replace({text}, '+', ''), '-1 (year|mon|day)s', '-1 \1', 'g')"
        text = rf"regexp_replace({text}, '\mmon(s?)\M', 'month\1')"
    return _binary(text)


def published_type(kind: str) -> str:
    """The type in which values of a column are published as they are."""
    return kind if _SCALAR.fullmatch(kind) else "text"


def plain(value: str, kind: str) -> str:
    """SQL of a value to be published as it is."""
    if kind == "numeric":
        return f"trim_scale({value})"  # 1.50 and 1.5 are the same
    return f"CAST({value} AS {kind})" if _SCALAR.fullmatch(kind) else written(value, kind)


def read(text: str, kind: str) -> str:
    """SQL of the value, in the type it is published in, that has a text."""
    if not _SCALAR.fullmatch(kind):
        return text
    if kind == "bytea":
        return f"""CASE WHEN {text} IS NOT NULL THEN (SELECT decode(coalesce(string_agg(CASE WHEN length(part[1]) = 1
            THEN encode(convert_to(part[1], 'UTF8'), 'hex') ELSE substr(part[1], 3) END, '' ORDER BY place), ''), 'hex')
            FROM regexp_matches({text}, '{_ESCAPED}', 'g') WITH ORDINALITY AS parts(part, place)) END"""
    if DAYS.fullmatch(kind):
        text = rf"regexp_replace({text}, '^(\S+) \(BC\)(.*)$', '\1\2 BC')"
    return f"CAST({text} AS {kind})"


def _binary(text: str) -> str:
    return f'({text} COLLATE "C")'


def _float(text: str, kind: str) -> str:
    """The fewest digits that tell a number, as Python writes them.

    PostgreSQL sometimes has one digit more: it does without a shorter number that lies just between two of those that
    can be stored, and would be read as the right one. So the last digit is rounded away where that makes no difference.
    """
    largest = "1.79e308" if kind == "double precision" else "3.4e38"
    # Where the last digit of the text stands: so many places behind the point.
    behind, power = r"coalesce(length(substring(t from '\.([0-9]+)')), 0)", "coalesce(substring(t from 'e(.+)$'), '0')"
    last = f"{behind} - CAST({power} AS integer)"
    same = f"CAST(CAST(shorter AS text) AS {kind}) = CAST(t AS {kind})"
    sign, digits = "CASE WHEN t LIKE '-%' THEN '-' ELSE '' END", "CAST(abs(number) AS text)"
    # Of a large number all digits stand before the point, of a small one all that matter behind it.
    small = f"ltrim(substr({digits}, 3), '0')"
    exponent = (
        f"CASE WHEN abs(number) > 1 THEN length({digits}) - 1 ELSE length({small}) + 2 - length({digits}) - 1 END"
    )
    return f"""CASE {_special(text)} WHEN {text} IS NOT NULL THEN (
        SELECT {sign} || CASE WHEN abs(number) >= 0.0001 AND abs(number) < 1e16 OR number = 0 THEN {digits} ELSE
            regexp_replace(rtrim(significant, '0'), '^(.)(.+)$', '\\1.\\2') || 'e' ||
            CASE WHEN exponent < 0 THEN '-' ELSE '+' END ||
            lpad(CAST(abs(exponent) AS text), greatest(2, length(CAST(abs(exponent) AS text))), '0') END
        FROM (SELECT t, number, {exponent} AS exponent,
                CASE WHEN abs(number) > 1 THEN {digits} ELSE {small} END AS significant
            FROM (SELECT t, trim_scale(CASE WHEN {same} THEN shorter ELSE number END) AS number
                FROM (SELECT t, number, CASE WHEN abs(number) < {largest} THEN round(number, {last} - 1) END AS shorter
                    FROM (SELECT {text} AS t, CAST({text} AS numeric) AS number OFFSET 0) AS a
                OFFSET 0) AS b OFFSET 0) AS c OFFSET 0) AS d) END"""


def _special(text: str) -> str:
    special = {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}
    return " ".join(f"WHEN {text} = '{theirs}' THEN '{ours}'" for theirs, ours in special.items())


def _numeric(value: str, kind: str) -> str:
    scaled = re.fullmatch(r"numeric\((\d+),(\d+)\)", kind)
    text = f"CAST({value if scaled or '(' in kind else f'trim_scale({value})'} AS text)"
    if scaled and scaled[1] == scaled[2]:  # no place before the point, so nothing is written there
        text = rf"regexp_replace({text}, '^(-?)0\.', '\1.')"
    return f"CASE {_special(f'CAST({value} AS text)')} ELSE {text} END"


def _bytes(value: str) -> str:
    """Printable signs as they are, but for quotes and the backslash; other bytes by their number."""
    byte = f"get_byte({value}, place)"
    return f"""CASE WHEN {value} IS NOT NULL THEN (SELECT coalesce(string_agg(
        CASE WHEN {byte} BETWEEN 32 AND 126 AND {byte} NOT IN (34, 39, 92) THEN chr({byte})
        ELSE '\\x' || upper(lpad(to_hex({byte}), 2, '0')) END, '' ORDER BY place), '')
        FROM generate_series(0, length({value}) - 1) AS places(place)) END"""
