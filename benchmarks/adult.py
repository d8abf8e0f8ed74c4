"""The table most benchmarks use: Adult (complete train rows), or invented people where the data folder is missing.

The folder with `adult/adult.csv` and `adult/hierarchies/` is named by the environment variable DISCREET_DATA.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.counts.frequency import FrequencySet
from discreet.policy.policy import Policy, policy_from_words
from discreet.run.intake import take_in
from discreet.samples.census import CENSUS, census_like

ORDER = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")
COMPLETE_TRAIN_ROWS = 30_162
SENSITIVE = "occupation"


@dataclass(frozen=True, eq=False)
class People:
    """A table in file order, with a hierarchy (in the words of a policy) for each of its columns."""

    name: str
    real: bool
    table: Any  # Arrow; all columns are texts
    hierarchies: Mapping[str, object]

    @property
    def columns(self) -> tuple[str, ...]:
        """The quasi-identifiers in the order of the reference: the first n are a task's n."""
        return tuple(self.hierarchies)

    def words(self, quasi_identifiers: int, require: list[object], **others: object) -> dict[str, object]:
        """A policy for the first quasi-identifiers; occupation is sensitive unless it is one of them."""
        names = self.columns[:quasi_identifiers]
        attributes: dict[str, object] = {
            n: {"role": "quasi_identifier", "hierarchy": self.hierarchies[n]} for n in names
        }
        if SENSITIVE not in names:
            attributes[SENSITIVE] = {"role": "sensitive"}
        return {"attributes": attributes, "require": require, **others}

    def policy(self, quasi_identifiers: int, require: list[object], **others: object) -> Policy:
        """The same, read."""
        return policy_from_words(self.words(quasi_identifiers, require, **others))

    def with_sets(self) -> People:
        """The same, where neighbouring categories may be published together."""
        hierarchies = {c: _sets(words) for c, words in self.hierarchies.items()}
        return replace(self, hierarchies=hierarchies)

    def frequency(self, quasi_identifiers: int) -> FrequencySet:
        """The frequency set of the first quasi-identifiers (and occupation)."""
        return take_in(self.policy(quasi_identifiers, [{"k_anonymity": {"k": 2}}]), self.table).frequency


def _sets(words: object) -> object:
    if isinstance(words, str):
        return {"taxonomy": words, "sets": True}
    if isinstance(words, Mapping) and words.keys() & {"taxonomy", "flat"}:
        return {**words, "sets": True}
    return words


def adult(nulls: bool = False) -> People:
    """Adult's complete train rows in file order; with `nulls` all train rows, an unknown workclass or country NULL.

    Without the data folder: as many invented people, which no figure of others can be compared with.
    """
    folder = data_folder()
    if folder is None:
        return _invented(nulls)
    listed = ", ".join(f'"{c}"' for c in ORDER)
    if nulls:
        kept, shown = "true", listed
        for column in ("workclass", "native-country"):
            shown = shown.replace(f'"{column}"', f'nullif("{column}", \'?\') AS "{column}"')
    else:
        kept, shown = "COLUMNS(*) <> '?'", listed
    read = f"read_csv('{folder / 'adult' / 'adult.csv'}', all_varchar = true)"
    table = duckdb.sql(f"SELECT {shown} FROM {read} WHERE part = 'train' AND {kept}").to_arrow_table()
    hierarchies = {c: _taxonomy(folder / "adult" / "hierarchies" / f"{c}.csv") for c in ORDER}
    name = f"Adult, {'all' if nulls else 'complete'} train rows ({table.num_rows:,})"
    return People(name, True, table, hierarchies)


def data_folder() -> Path | None:
    """The folder of the data, if there is one."""
    return _folder("DISCREET_DATA")


def reference_folder() -> Path | None:
    """The folder of what other tools answer and cost, if there is one."""
    return _folder("DISCREET_REFERENCE")


def _folder(variable: str) -> Path | None:
    named = os.environ.get(variable)
    return Path(named) if named and Path(named).is_dir() else None


def _taxonomy(path: Path) -> dict[str, object]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return {"taxonomy": [line.split(";")[:-1] for line in lines if line]}


def _invented(nulls: bool) -> People:
    columns = [c.replace("-", "_") for c in ORDER]
    codes = census_like(COMPLETE_TRAIN_ROWS, columns=columns)
    texts = {c: codes[c].cast("string") for c in columns}
    if nulls:
        unknown = np.random.default_rng(7).random(COMPLETE_TRAIN_ROWS) < 0.03
        texts["workclass"] = pc.if_else(pa.array(unknown), None, texts["workclass"])
    table = pa.table(texts)
    hierarchies = {c: CENSUS[c].hierarchy for c in columns}
    return People(f"invented people ({table.num_rows:,}): DISCREET_DATA is not set", False, table, hierarchies)
