"""What is said about a release: which columns are what, how their values are written, and what is promised.

Our own releases say it in their manifest; for the files of other tools somebody writes a short description, in YAML or
as a mapping:

    quasi_identifiers: [age, zip]              # what others may know
    sensitive: [disease]                       # what they must not learn
    promises: [{k_anonymity: {k: 5}}]          # what the release is said to keep
    hierarchies: {nation: nation.csv}          # leaf;level1;…;*, what names stand for
    columns: {age: interval, code: exact}      # interval | set | prefix | date | exact, where it could be mistaken
             # {sex: {source: gender, values: {female: F, male: M}}}: what columns and values are called in the source
    others: [remark]                           # columns that are published on purpose and are neither of these
    suppressed: "*"                            # how a suppressed value is written

    count: people                              # the column that tells for how many people a row stands
    person: patient                            # the column of the source that says whose row it is
    one_row_per_person: true                   # or: every row is another person's

Only the first line must be there. A release in several files with groups has `tables: {people.csv: [age, zip],
values.csv: [disease]}` and `group: number` (the column that they share). In one file of coarser values, `group` is the
column that numbers the groups: rows with equal labels may be of different ones.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from discreet.audit.kinds.registry import AMBIGUOUS, BUCKETIZED, GENERALIZED, NUMBERED
from discreet.audit.promises.parameters import OTHERS_KNOWN, promise_mistakes
from discreet.audit.promises.registry import known_words, reading_of
from discreet.audit.reading.texts import KINDS, STAR
from discreet.audit.reading.view import Promise, strange_promise
from discreet.audit.reading.whose import UNSAID, Ownership
from discreet.errors import DataError, Mistake, closest, did_you_mean, shown, unknown_word
from discreet.files.numbers import exact_number
from discreet.files.plain_yaml import BYTES, TOO_LARGE, BoundedLoader, TooLarge
from discreet.files.small_files import read_small
from discreet.labels.cells import best_separator, cells, read_lines

Paths = tuple[tuple[str | None, ...], ...]

WORDS = (
    *("quasi_identifiers", "sensitive", "promises", "hierarchies", "columns", "others", "identifiers", "suppressed"),
    *("tables", "group", "count", "person", "one_row_per_person"),
)
_OF_COLUMNS = ("kind", "source", "values")
_MISSING = "name the description of the release"
_SHOWN = 10  # mistakes of one kind


@dataclass(frozen=True)
class How:
    """How a column is written: its kind if that is said, the published level of its hierarchy if that is known.

    `source` is what the source calls the column, if it is another name; `words` has what the release calls values of
    the source, by those.
    """

    kind: str = ""
    level: int | None = None
    days: bool = False
    source: str = ""
    words: Mapping[str | None, str | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Description:
    """What is said about the files: `tables` has the columns of each, but for those of groups and counts."""

    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    tables: Mapping[str, tuple[str, ...]]
    publish: str = GENERALIZED
    others: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    group: str = ""
    count: str = ""
    promises: tuple[Promise, ...] = ()
    hierarchies: Mapping[str, Paths] = field(default_factory=dict)
    columns: Mapping[str, How] = field(default_factory=dict)
    suppressed: str | None = STAR
    starred: bool = True  # may rows be suppressed by being all *?
    left_out: int = 0
    manifest: Mapping[str, Any] = field(default_factory=dict)
    published_as: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # columns that are coarser, in words
    whose: Ownership = UNSAID


def read_description(words_or_path: Path | str | Mapping[str, Any]) -> tuple[Mapping[str, Any], Path]:
    """The words of a description, and the folder that its paths are relative to."""
    if isinstance(words_or_path, Mapping):
        return words_or_path, Path()
    path = Path(words_or_path)
    try:
        # Every value is taken as text: nothing is guessed.
        words = yaml.load(read_small(path, str(path), BYTES, missing=_MISSING), Loader=BoundedLoader)
    except TooLarge:
        raise DataError(Mistake(str(path), *TOO_LARGE)) from None
    except (yaml.YAMLError, UnicodeDecodeError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{path} line {mark.line + 1}" if mark else str(path)
        raise DataError(Mistake(place, "is not YAML", "write lines like 'sensitive: [disease]'")) from None
    if not isinstance(words, Mapping):
        raise DataError(Mistake(str(path), "is not a description", "write lines like 'sensitive: [disease]'"))
    return words, path.parent


def describe(words_or_path: Path | str | Mapping[str, Any], files: Mapping[str, Sequence[str]]) -> Description:
    """The description of the given files (name: columns), with every mistake in it at once."""
    words, folder = read_description(words_or_path)
    return _Reader(words, folder, files).description()


def example(columns: Sequence[str]) -> str:
    """A description to edit, with the columns of a file.

    >>> print(example(["age", "zip code", "disease"]))
    quasi_identifiers: [age, "zip code"]
    sensitive: [disease]
    promises: [{k_anonymity: {k: 5}}]
    """
    *known, last = [c if re.fullmatch(r"[A-Za-z_][\w.-]*", c) else json.dumps(c) for c in columns]
    known, kept = (known, [last]) if known else ([last], [])
    lines = [f"quasi_identifiers: [{', '.join(known)}]", f"sensitive: [{', '.join(kept)}]"]
    return "\n".join([*lines, "promises: [{k_anonymity: {k: 5}}]"])


class _Reader:
    """Gathers the mistakes of a description."""

    def __init__(self, words: Mapping[str, Any], folder: Path, files: Mapping[str, Sequence[str]]):
        self._words = {str(word): value for word, value in words.items()}
        self._folder = folder
        self._files = files
        self._mistakes: list[Mistake] = []

    def description(self) -> Description:
        self._mistakes += [unknown_word(word, word, WORDS) for word in self._words if word not in WORDS]
        tables = self._tables()
        known = list(dict.fromkeys(c for columns in self._files.values() for c in columns))
        quasi_identifiers = self._columns("quasi_identifiers", known)
        if not quasi_identifiers and not self._mistakes:
            repair = "name the columns that others may know, e.g. [" + ", ".join(known[:3]) + "]"
            self._mistakes.append(Mistake("quasi_identifiers", "are missing", repair))
        sensitive, others = self._columns("sensitive", known), self._columns("others", known)
        twice = [c for c in known if sum(c in role for role in (quasi_identifiers, sensitive, others)) > 1]
        self._mistakes += [Mistake(c, "has two roles", "name it once") for c in twice]
        description = Description(
            quasi_identifiers,
            sensitive,
            tables or {file: tuple(columns) for file, columns in self._files.items()},
            publish=self._publish(tables, quasi_identifiers),
            others=others,
            identifiers=self._texts("identifiers"),
            group=self._text("group"),
            count=self._count(known),
            promises=self._promises(sensitive),
            hierarchies=self._hierarchies(known),
            columns=self._hows(known),
            suppressed=(self._text("suppressed") or None) if "suppressed" in self._words else STAR,  # nothing is NULL
            whose=self._whose((*quasi_identifiers, *sensitive, *others)),
        )
        if self._mistakes:
            raise DataError(*self._mistakes)
        return description

    def _tables(self) -> dict[str, tuple[str, ...]]:
        by_file = self._mapping("tables")
        if not by_file and len(self._files) == 1:
            self._lacking("group", [self._text("group")] if self._text("group") else [], *self._files.values())
        elif "group" in self._words and not by_file:
            rule = "is of use only beside 'tables', where there are several files"
            self._mistakes.append(Mistake("group", rule, "say which file has which columns"))
        if by_file and not self._text("group"):
            self._mistakes.append(Mistake("group", "is missing", "name the column that the tables have in common"))
        columns_of = {}
        for file, columns in by_file.items():
            if file not in self._files:
                self._mistakes.append(Mistake(f"tables.{file}", "no such file", did_you_mean(file, self._files)))
                continue
            named = _listed(columns)
            if named is None:
                self._mistakes.append(Mistake(f"tables.{file}", f"must be a list of columns, got {shown(columns)}"))
                continue
            self._lacking(f"tables.{file}", [c for c in (*named, self._text("group")) if c], self._files[file])
            columns_of[file] = tuple(named)
        if len(self._files) > 1 and not by_file:
            rule = f"are missing, and there are {len(self._files)} files"
            self._mistakes.append(Mistake("tables", rule, "say which columns of each file are meant"))
        return columns_of

    def _count(self, known: Sequence[str]) -> str:
        column = self._text("count")
        self._lacking("count", [column] if column else [], known)
        return column

    def _whose(self, published: Sequence[str]) -> Ownership:
        """Whose rows they are: a column of the source, which the files need not have; or one row each."""
        person, said = self._text("person"), self._words.get("one_row_per_person", False)
        one_each = said is True or said == "true"
        if not one_each and said not in (False, "false"):
            rule = f"must be true or false, got {shown(said)}"
            self._mistakes.append(Mistake("one_row_per_person", rule, "write true if every row is another person's"))
        if person and one_each:
            rule = f"is of no use beside person: {shown(person)} says whose rows they are"
            self._mistakes.append(Mistake("one_row_per_person", rule, "keep one of the two"))
        if person and person in published:
            rule = f"{shown(person)} has two roles"
            self._mistakes.append(Mistake("person", rule, "name the column of the source that says whose row it is"))
        return Ownership(person, one_each and not person)

    def _publish(self, tables: Mapping[str, Sequence[str]], quasi_identifiers: Sequence[str]) -> str:
        if not tables:
            return NUMBERED if self._text("group") else GENERALIZED
        apart = [file for file, columns in tables.items() if {*columns} & {*quasi_identifiers}]
        return BUCKETIZED if len(apart) == 1 else AMBIGUOUS

    def _columns(self, word: str, known: Sequence[str]) -> tuple[str, ...]:
        columns = self._texts(word)
        self._lacking(word, columns, known)
        return columns

    def _lacking(self, place: str, columns: Iterable[str], known: Sequence[str]) -> None:
        there = set(known)
        lacking = [c for c in columns if c not in there]
        self._mistakes += [
            Mistake(place, f"no such column {shown(c)}", did_you_mean(c, known)) for c in lacking[:_SHOWN]
        ]

    def _hows(self, known: Sequence[str]) -> dict[str, How]:
        """A kind, or what is said of a column in more words."""
        said = self._mapping("columns")
        self._lacking("columns", said, known)
        hows = {column: self._how(f"columns.{column}", words) for column, words in said.items()}
        names = [how.source for how in hows.values() if how.source]
        for name in dict.fromkeys(name for name in names if names.count(name) > 1):
            rule = f"two columns are said to be {shown(name)} of the source"
            self._mistakes.append(Mistake("columns", rule, "name each column of the source once"))
        return hows

    def _how(self, place: str, words: object) -> How:
        if not isinstance(words, Mapping):
            words = {"kind": words}
        said = {str(word): value for word, value in words.items()}
        self._mistakes += [
            unknown_word(f"{place}.{word}", word, _OF_COLUMNS) for word in said if word not in _OF_COLUMNS
        ]
        kind, source = said.get("kind", ""), said.get("source", "")
        if "kind" in said and kind not in KINDS:
            self._mistakes.append(unknown_word(place, kind, KINDS))
        if not isinstance(source, str) or ("source" in said and not source):
            rule = f"must be the name of a column, got {shown(source)}"
            self._mistakes.append(Mistake(f"{place}.source", rule, "e.g. {source: gender}"))
            source = ""
        return How(str(kind), source=source, words=self._words_of(f"{place}.values", said.get("values", {})))

    def _words_of(self, place: str, said: object) -> dict[str | None, str | None]:
        """What each value of the source is called in the release: {female: F}, {retired: [R, S]}."""
        if not isinstance(said, Mapping):
            rule = f"must be a mapping from published values to the source's, got {shown(said)}"
            self._mistakes.append(Mistake(place, rule, "e.g. {female: F, male: M}"))
            return {}
        words: dict[str | None, str | None] = {}
        for published, values in said.items():
            for value in values if isinstance(values, list | tuple) else [values]:
                if not _is_text(value) or not _is_text(published):
                    rule = "must have texts, or lists of texts, of the source"
                    self._mistakes.append(Mistake(place, rule, "e.g. {female: F, retired: [R, S]}"))
                    return {}
                for text in (None, "") if value in (None, "") else (str(value),):  # nothing at all is NULL
                    name = None if published in (None, "") else str(published)
                    if words.setdefault(text, name) != name:
                        rule = "a value of the source is said to be two published ones"
                        self._mistakes.append(Mistake(place, rule, "name each value of the source once"))
                        return {}
        return words

    def _hierarchies(self, known: Sequence[str]) -> dict[str, Paths]:
        by_column = self._mapping("hierarchies")
        self._lacking("hierarchies", by_column, known)
        return {c: self._paths(f"hierarchies.{c}", paths) for c, paths in by_column.items()}

    def _paths(self, place: str, source: object) -> Paths:
        """A CSV as ARX writes them, ``leaf;level1;…;*`` without a header, or the same as lists."""
        if isinstance(source, str | Path):
            lines, mistakes = read_lines(source, self._folder, place)
            self._mistakes += [Mistake(m.place, m.rule, m.repair.replace("policy", "description")) for m in mistakes]
            separator = best_separator(lines, lambda row: len(row) > 1)
            rows = tuple(tuple(cells(line, separator) or ()) for _, line in lines)
            if not mistakes and not all(len(row) > 1 for row in rows):
                self._mistakes.append(Mistake(place, "is not a hierarchy", "write lines like 'Spain;Europe;*'"))
            return rows
        listed = source if isinstance(source, Sequence) else []
        if not listed or not all(isinstance(row, Sequence) and not isinstance(row, str) and row for row in listed):
            self._mistakes.append(Mistake(place, f"must be a file or a list of lists, got {shown(source)}"))
            return ()
        return tuple(tuple(None if cell is None else str(cell) for cell in row) for row in listed)

    def _promises(self, sensitive: Sequence[str]) -> tuple[Promise, ...]:
        entries = self._words.get("promises", [])
        if isinstance(entries, Mapping):
            entries = [{model: body} for model, body in entries.items()]
        if not isinstance(entries, Sequence) or isinstance(entries, str):
            rule = f"must be a list, got {shown(entries)}"
            self._mistakes.append(Mistake("promises", rule, "e.g. [{k_anonymity: {k: 5}}]"))
            return ()
        promises = (self._promise(f"promises[{i}]", entry, sensitive) for i, entry in enumerate(entries))
        return tuple(promise for promise in promises if promise is not None)

    def _promise(self, place: str, entry: object, sensitive: Sequence[str]) -> Promise | None:
        one = isinstance(entry, Mapping) and len(entry) == 1
        [(model, body)] = entry.items() if isinstance(entry, Mapping) and one else [(entry, {})]
        reading = reading_of(model) if isinstance(model, str) else None
        if reading is None and isinstance(model, str) and closest(model, known_words()) is None:
            return strange_promise(model)  # somebody else's promise, which the audit tells that it can't read
        if reading is None:
            self._mistakes.append(unknown_word(place, model, known_words()))
            return None
        place = f"{place}.{model}"
        if not isinstance(body, Mapping):
            self._mistakes.append(Mistake(place, f"must have parameters, got {shown(body)}", "e.g. {k: 5}"))
            return None
        known = reading.parameters
        also = ("attribute", *([OTHERS_KNOWN] if reading.beside_others else []))
        self._mistakes += [unknown_word(f"{place}.{w}", w, known) for w in body if w not in (*known, *also)]
        if not isinstance(body.get(OTHERS_KNOWN, False), bool):
            self._mistakes.append(Mistake(f"{place}.{OTHERS_KNOWN}", "must be true or false"))
        parameters = {str(word): _number(value) for word, value in body.items() if word != "attribute"}
        mistakes = [
            Mistake(f"{place}.{word}", f"must be a number above 0, got {shown(value)}")
            for word, value in parameters.items()
            if word in known and known[word].number and (exact_number(value) or 0) <= 0
        ]
        wrong = {mistake.place for mistake in mistakes}
        names = _listed(self._words.get("quasi_identifiers", ())) or ()
        more = promise_mistakes(reading.word, parameters, place, names)
        self._mistakes += [*mistakes, *(mistake for mistake in more if mistake.place not in wrong)]
        attribute = body.get("attribute")
        if attribute is not None and attribute not in sensitive:
            self._mistakes.append(
                Mistake(
                    f"{place}.attribute", f"{shown(attribute)} is not sensitive", did_you_mean(attribute, sensitive)
                )
            )
        return Promise(str(model), parameters, None if attribute is None else str(attribute))

    def _texts(self, word: str) -> tuple[str, ...]:
        value = self._words.get(word, ())
        columns = _listed(value)
        if columns is not None and len(set(columns)) == len(columns):
            return tuple(columns)
        rule = f"must be a list of columns, got {shown(value)}" if columns is None else "names a column twice"
        self._mistakes.append(Mistake(word, rule, f"e.g. {word}: [age, zip]"))
        return tuple(dict.fromkeys(columns or ()))

    def _text(self, word: str) -> str:
        value = self._words.get(word, "")
        if isinstance(value, str):
            return value
        self._mistakes.append(Mistake(word, f"must be a text, got {shown(value)}", "put it in quotes"))
        return ""

    def _mapping(self, word: str) -> dict[str, Any]:
        body = self._words.get(word, {})
        if isinstance(body, Mapping):
            return {str(name): value for name, value in body.items()}
        self._mistakes.append(Mistake(word, f"must be a mapping, got {shown(body)}", f"e.g. {word}: {{age: …}}"))
        return {}


def _listed(value: object) -> list[str] | None:
    """A list of texts; one text is a list of one."""
    if isinstance(value, str):
        return [value] if value else []
    if isinstance(value, Sequence) and all(isinstance(each, str | int) for each in value):
        return [str(each) for each in value]
    return None


def _is_text(value: object) -> bool:
    return value is None or isinstance(value, str | int | float)


def _number(value: object) -> object:
    """Numbers in a file come as text; fractions (1/3) stay so, as policies may write them, too."""
    if not isinstance(value, str) or "/" in value or exact_number(value) is None or value != value.strip():
        return value
    return int(value) if re.fullmatch(r"[+-]?[0-9]+", value) else float(value)
