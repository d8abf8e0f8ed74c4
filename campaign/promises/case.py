"""One run's table and policy, as plain values that can be written down and read again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

Value = str | None
Row = tuple[Value, ...]
CASE = "case.json"


@dataclass(frozen=True)
class Case:
    """A table (`names`, `rows`), what is asked of its release (`words`, a policy), and what others know.

    `people` is a list of the population: the quasi-identifiers of everybody who could be in the table, and last whose
    they are, if the table says that. `files` are those that the policy names. `second` is another policy for the same
    table, where two releases are to be held together. `theirs` is what another tool published of the table, row by
    row, which no search of ours has seen. `minds` is what rows could have asked for instead, where they ask for
    something: a release that was made for their wishes may break these. `later` are the tables of the months
    after, where releases make a chain.
    """

    family: str
    names: tuple[str, ...]
    rows: tuple[Row, ...]
    words: Mapping[str, Any]
    people: tuple[Row, ...] | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    second: Mapping[str, Any] | None = None
    theirs: tuple[Row, ...] | None = None
    minds: tuple[Value, ...] | None = None
    later: tuple[tuple[Row, ...], ...] = ()

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        return self._of_role("quasi_identifier")

    @property
    def sensitive(self) -> tuple[str, ...]:
        return self._of_role("sensitive")

    @property
    def person(self) -> str | None:
        """The column that says whose row it is, if there is one."""
        return next(iter(self._of_role("person")), None)

    @property
    def wishes(self) -> list[Value]:
        """What each row asks to be hidden; empty if no column says it."""
        return next((self.column(name) for name in self._of_role("wishes")), [])

    def otherwise(self) -> Case:
        """The same with other wishes."""
        assert self.minds is not None
        [name] = self._of_role("wishes")
        at = self.names.index(name)
        changed = zip(self.rows, self.minds, strict=True)
        return replace(self, rows=tuple((*row[:at], wish, *row[at + 1 :]) for row, wish in changed), minds=None)

    def sensitive_values(self, name: str) -> list[Value]:
        """What a sensitive column has, or a taxonomy lists."""
        listed = (self.hierarchy(name) or {}).get("taxonomy", [])
        return [*self.column(name), *(line[0] for line in listed)]

    def _of_role(self, role: str) -> tuple[str, ...]:
        return tuple(name for name in self.names if self.words["attributes"][name]["role"] == role)

    def hierarchy(self, name: str) -> Any:
        """The rule of a column as words; a taxonomy in a file is written out."""
        words = self.words["attributes"].get(name, {}).get("hierarchy")
        if not isinstance(words, str):
            return words
        return {"taxonomy": [line.split(";")[:-1] for line in self.files[words].splitlines()]}

    def column(self, name: str) -> list[Value]:
        at = self.names.index(name)
        return [row[at] for row in self.rows]

    def parts(self, names: tuple[str, ...]) -> list[Row]:
        """Some columns of every row."""
        places = [self.names.index(name) for name in names]
        return [tuple(row[at] for at in places) for row in self.rows]

    @property
    def limit(self) -> int:
        """How many rows may be suppressed."""
        return int(Fraction(str(self.words.get("suppress", 0))) * len(self.rows))

    def save(self, folder: Path) -> None:
        words = {name: getattr(self, name) for name in self.__dataclass_fields__}
        (folder / CASE).write_text(json.dumps(words, indent=1) + "\n", encoding="utf-8")

    @staticmethod
    def load(folder: Path) -> Case:
        words = json.loads((folder / CASE).read_text(encoding="utf-8"))
        words["names"] = tuple(words["names"])
        words["rows"] = tuple(map(tuple, words["rows"]))
        for name in ("people", "theirs"):
            words[name] = None if words[name] is None else tuple(map(tuple, words[name]))
        words["minds"] = None if words.get("minds") is None else tuple(words["minds"])
        words["later"] = tuple(tuple(map(tuple, rows)) for rows in words.get("later", ()))
        return Case(**words)
