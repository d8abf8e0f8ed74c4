"""What a policy says about reading its source, as a whole: words for all columns, for some, and for the file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.addresses import is_address
from discreet.engines.excel import is_workbook
from discreet.engines.reading import Reading
from discreet.engines.reading_words import OF_TABLE, sign_misfits
from discreet.errors import Mistake
from discreet.policy.places import attribute_place

if TYPE_CHECKING:
    from discreet.policy.words import Attribute

_PARQUET = (".parquet", ".pq")


def policy_reading(attributes: Iterable[Attribute], words: Mapping[str, Any]) -> Reading:
    """The reading that the words of a policy and of its attributes say."""
    said = {word: words[word] for word in OF_TABLE if words.get(word)}
    return Reading(**said, columns={a.name: a.reading for a in attributes})


def reading_misfits(found: Mapping[str, Any]) -> list[Mistake]:
    """What words about reading can't be said together, or of this source. (Tables that are given later may be others.)

    >>> print(*reading_misfits({"source": "people.csv", "sheet": "2024"}))
    sheet: is for workbooks, and people.csv is none; leave it out
    """
    attributes = found.get("attributes", ())
    mistakes = sign_misfits(policy_reading(attributes, found), {a.name: attribute_place(a.name) for a in attributes})
    source = found.get("source")
    if not isinstance(source, str | Path) or not str(source):
        return mistakes
    path = Path(str(source))
    table = is_address(str(source))
    workbook, parquet = is_workbook(path) and not table, path.suffix.lower() in _PARQUET and not table
    if found.get("sheet") and not workbook:
        what = "a table in a database" if table else path.name
        mistakes.append(Mistake("sheet", f"is for workbooks, and {what} is none", "leave it out"))
    for word in ("encoding", "delimiter"):
        if found.get(word) and (workbook or parquet or (table and not str(source).startswith("spark:"))):
            what = "a workbook" if workbook else "a Parquet file" if parquet else "a table in a database"
            mistakes.append(Mistake(word, f"is for CSV files, and the source is {what}", "leave it out"))
    return mistakes
