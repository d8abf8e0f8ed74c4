"""A table that nobody has described, opened and read as it seems to be written: the words to propose, with reasons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from discreet.addresses import is_address
from discreet.engines.base import Engine
from discreet.engines.encodings import is_utf8, likely_encoding, opened
from discreet.engines.excel import is_workbook, largest_sheet
from discreet.engines.open import open_source
from discreet.engines.profile import ColumnProfile
from discreet.engines.reading import AS_IT_STANDS, ColumnReading, DateFormat, Reading
from discreet.engines.reading_words import words_of
from discreet.engines.sources import check_file, is_text_file
from discreet.engines.sql.engine import SqlEngine
from discreet.engines.sql.reading import count_cells
from discreet.errors import shown
from discreet.policy.proposing.cell_words import CellWords, cell_words, marks_of

_HEAD = 1 << 20
_SHOWN = 6  # columns that a reason names


@dataclass(frozen=True)
class FoundReading:
    """The words that say how a table is read, why, and the questions that only its owner can answer.

    `top` are reasons for the words that are about all columns, `why` and `questions` those of single ones.
    """

    reading: Reading = AS_IT_STANDS
    top: tuple[tuple[str, str], ...] = ()  # a word, and why
    why: Mapping[str, str] = field(default_factory=dict)
    questions: Mapping[str, str] = field(default_factory=dict)

    def lines(self) -> list[str]:
        """The words about all columns as lines of a policy, each below its reason."""
        said, lines = words_of(self.reading), []
        for word, why in self.top:
            lines += [f"# {why}", f"{word}: {in_yaml(said[word])}"]
        return [*lines, ""] if lines else []

    def words(self, column: str) -> str:
        """The words of a column as they stand behind its role; empty if there are none."""
        own = self.reading.columns.get(column)
        return "" if own is None else "".join(f", {w}: {in_yaml(said)}" for w, said in words_of(own).items())


NOTHING_FOUND = FoundReading()


def open_as_found(source: Any) -> tuple[Engine, list[ColumnProfile], FoundReading]:
    """A table with its cells read as they seem to be written, what its columns have, and the words that say so.

    >>> engine, profiles, found = open_as_found({"height": ["1,72", "1,8", "?", "1,65"], "sex": ["f", "?", "m", "f"]})
    >>> print("\\n".join(found.lines()), found.words("height"), profiles[0].nulls)
    # 2 cells ? seem to stand for nothing (height 1, sex 1)
    missing: ["?"]
     , decimal: "," 1
    """
    file, top = _file(source)
    engine = open_source(source, (), file)
    profiles = engine.profile()
    found = _found(engine.as_it_stands, profiles, file, top)
    if found.reading.about_cells:
        engine = engine.as_it_stands.read_as(found.reading)
        profiles = engine.profile()
    return engine, profiles, found


def _file(source: Any) -> tuple[Reading, list[tuple[str, str]]]:
    """How a file seems to be written, and why."""
    if not isinstance(source, str | Path) or (isinstance(source, str) and is_address(source)):
        return AS_IT_STANDS, []
    path = Path(source)
    check_file(path)
    if is_workbook(path):
        sheet, others = largest_sheet(path)
        if not others:
            return AS_IT_STANDS, []
        also = ", ".join(shown(name) for name in others[:_SHOWN])
        return Reading(sheet=sheet), [("sheet", f"the largest of its sheets; there are also {also}")]
    if not is_text_file(path):
        return AS_IT_STANDS, []
    with opened(path) as file:
        head = file.read(_HEAD)
    if is_utf8(head, len(head) == _HEAD):
        return AS_IT_STANDS, []
    encoding = likely_encoding(head)
    look = "" if encoding.startswith("utf") else " by its letters; see whether those with accents are right"
    return Reading(encoding=encoding), [("encoding", f"the file is not UTF-8: it looks like {encoding}{look}")]


def _found(
    engine: Engine, profiles: Sequence[ColumnProfile], file: Reading, top: list[tuple[str, str]]
) -> FoundReading:
    marks = {p.name: marks_of(p) for p in profiles}
    everywhere = _everywhere(profiles, marks)
    columns = {p.name: _settled(cell_words(p, marks[p.name]), marks[p.name], everywhere) for p in profiles}
    columns = _with_formats(engine, columns, everywhere)
    if everywhere:
        top = [*top, ("missing", _marked(everywhere, marks))]
    said = {name: c.reading for name, c in columns.items() if not c.reading.says_nothing}
    return FoundReading(
        replace(file, missing=tuple(everywhere), columns=said),
        tuple(top),
        {name: "; ".join(c.why) for name, c in columns.items() if c.why},
        {name: c.question for name, c in columns.items() if c.question},
    )


def _everywhere(profiles: Sequence[ColumnProfile], marks: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    """Texts that stand for nothing wherever they occur, with how many cells have them."""
    totals: dict[str, int] = {}
    for p in profiles:
        for text, count in marks[p.name].items():
            totals[text] = totals.get(text, 0) + count
    means = {text for p in profiles for text, _ in p.values if text in totals and text not in marks[p.name]}
    return {text: n for text, n in totals.items() if text not in means}


def _settled(words: CellWords, marks: Mapping[str, int], everywhere: Mapping[str, int]) -> CellWords:
    """With the texts that stand for nothing in this column alone."""
    own = {text: n for text, n in marks.items() if text not in everywhere}
    if not own:
        return words
    why = tuple(f"{n:,} cells {_quoted(text)} seem to stand for nothing here" for text, n in own.items())
    missing = (*own, *words.reading.missing)
    return replace(words, reading=replace(words.reading, missing=missing), why=(*why, *words.why))


def _marked(everywhere: Mapping[str, int], marks: Mapping[str, Mapping[str, int]]) -> str:
    texts = ", ".join(_quoted(text) for text in everywhere)
    counts = {c: sum(n for text, n in own.items() if text in everywhere) for c, own in marks.items()}
    there = sorted(((c, n) for c, n in counts.items() if n), key=lambda each: -each[1])
    listed = ", ".join(f"{c} {n:,}" for c, n in there[:_SHOWN])
    more = f" and {len(there) - _SHOWN} more columns" if len(there) > _SHOWN else ""
    return f"{sum(everywhere.values()):,} cells {texts} seem to stand for nothing ({listed}{more})"


def _quoted(text: str) -> str:
    return '""' if not text else f'"{text}"' if not text.strip() else text


def _with_formats(
    engine: Engine, columns: Mapping[str, CellWords], everywhere: Mapping[str, int]
) -> dict[str, CellWords]:
    """Which formats fit all days of a column: counted by the engine, in a scan for each order of the parts."""
    fitting: dict[str, list[DateFormat]] = {name: [] for name, words in columns.items() if words.formats}
    for turn in range(2):
        tried = {name: words for name, words in columns.items() if len(words.formats) > turn}
        if not tried or not isinstance(engine, SqlEngine):
            continue
        as_days = {n: ColumnReading(w.reading.missing, dates=w.formats[turn]) for n, w in tried.items()}
        for cells in count_cells(engine, Reading(tuple(everywhere), columns=as_days), tried):
            if not cells.odd:
                fitting[cells.column].append(tried[cells.column].formats[turn])
    return {name: _dated(words, fitting[name]) if name in fitting else words for name, words in columns.items()}


def _dated(words: CellWords, formats: Sequence[DateFormat]) -> CellWords:
    if not formats:
        return words
    if len(formats) > 1:
        listed = " or ".join(f"dates: {_said(each)}" for each in formats)
        return replace(words, question=f"which is the month? No day tells, in any row: write {listed}")
    [only] = formats
    if only.first_year is not None:
        question = f"years of two digits: of which century? Write dates: {_said(only)}, with the first of the years"
        return replace(words, question=question)
    reading = replace(words.reading, dates=only)
    return replace(words, reading=reading, why=(*words.why, f"days, written {only.text}"))


def _said(dates: DateFormat) -> str:
    return dates.text if dates.first_year is None else f"{{format: {dates.text}, first_year: {dates.first_year}}}"


def in_yaml(said: object) -> str:
    """Words about reading as YAML; texts of a list in quotes, since ``no`` and ``-9`` are texts there.

    >>> print(in_yaml(["?", "-9"]), in_yaml("MM/DD/YYYY"), in_yaml({"format": "DD.MM.YY", "first_year": 1930}), in_yaml(True))
    ["?", "-9"] MM/DD/YYYY {format: DD.MM.YY, first_year: 1930} true
    """  # noqa: E501
    from discreet.policy.proposing.draft import quoted  # late: it is made of this module

    match said:
        case bool():
            return str(said).lower()
        case list():
            import yaml

            texts = (str(yaml.safe_dump(text, default_style='"', allow_unicode=True, width=10**9)) for text in said)
            return f"[{', '.join(text.rstrip() for text in texts)}]"
        case Mapping():
            return "{" + ", ".join(f"{word}: {in_yaml(value)}" for word, value in said.items()) + "}"
        case str():
            return quoted(said)
    return str(said)
