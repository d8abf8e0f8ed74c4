"""The ledger of a chain of releases: who has which signature. The custodian's alone, never published.

Signatures are numbered sets of sensitive values. A person's are those that he has stood in: the first one, and another
for each time that his value changed to one outside of all. No two of one person's have a value in common.

The file lies in the private folder beside the release, with mode 0600. It says which releases it is of (the SHA-256 of
their manifests, in order) and has a checksum: whoever changes a letter is noticed. That is no lock: who can write it
can compute the checksum, too. So what it says is held against the releases and their tables whenever it is read.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from discreet.arrays import BoolArray, IntArray
from discreet.errors import DataError, Mistake
from discreet.files.small_files import read_small
from discreet.hierarchies.hierarchy import Value

LEDGER = "ledger.json"
FORMAT = 1
WARNING = "not for publication: whoever has this and the releases knows between which values everybody's lies"
AGAIN = "take the ledger that was written with the release, from its private folder or a copy of it"
OTHER_COLUMNS = "is about other columns"
MISSING = "name the ledger that was written with the latest release: --ledger FILE (in Python, ledger=…)"
_LARGEST = 4_000_000_000  # bytes
_NOT_OURS = (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError, RecursionError)


@dataclass(frozen=True, eq=False)
class Ledger:
    """Who has which signatures after the releases of a chain, and which of them in the latest one.

    Person ``people[i]`` has the signatures ``has[starts[i]:starts[i + 1]]``; ``latest[i]`` is the one of the last
    release, −1 for whoever is not in it. ``signatures[s]`` are the values of signature s.
    """

    releases: tuple[str, ...]
    person: str
    attribute: str
    signatures: tuple[tuple[Value, ...], ...]
    people: tuple[str, ...]
    starts: IntArray
    has: IntArray
    latest: IntArray

    @property
    def owner(self) -> IntArray:
        """The person of each entry of `has`."""
        return np.repeat(np.arange(len(self.people)), np.diff(self.starts))

    def is_about(self, person: str | None, attribute: str) -> bool:
        """Does it speak of these columns?"""
        return (self.person, self.attribute) == (person, attribute)

    def matrix(self, values: Sequence[Value]) -> BoolArray:
        """Which of some values each signature has. All values of signatures must be among them."""
        index = {value: i for i, value in enumerate(values)}
        matrix = np.zeros((len(self.signatures), len(values)), dtype=np.bool_)
        for s, signature in enumerate(self.signatures):
            matrix[s, [index[value] for value in signature]] = True
        return matrix

    def values(self, known: Sequence[Value] = ()) -> tuple[Value, ...]:
        """Some values, and after them those of signatures that are not among them."""
        return tuple(dict.fromkeys([*known, *(value for signature in self.signatures for value in signature)]))

    def to_words(self) -> dict[str, Any]:
        """As the file has it."""
        words = {
            "about": WARNING,
            "format": FORMAT,
            "releases": list(self.releases),
            "person": self.person,
            "attribute": self.attribute,
            "signatures": [list(signature) for signature in self.signatures],
            "people": list(self.people),
            "starts": self.starts.tolist(),
            "has": self.has.tolist(),
            "latest": self.latest.tolist(),
        }
        return words | {"checksum": _checksum(words)}


def write_ledger(ledger: Ledger, folder: Path) -> None:
    """Write it into a private folder; nobody but its owner may read it, not for a moment."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with os.fdopen(os.open(folder / LEDGER, flags, 0o600), "w", encoding="utf-8") as file:
        json.dump(ledger.to_words(), file, ensure_ascii=False, separators=(",", ":"))
        file.write("\n")


def read_ledger(path: Path, m: int) -> Ledger:
    """The ledger in a file; raises `DataError` if it is not as we wrote it, or says what no chain can have.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> numbers = np.array([0, 1], dtype=np.int64), np.array([0], dtype=np.int64), np.array([0], dtype=np.int64)
    >>> write_ledger(Ledger(("0" * 64,), "who", "disease", (("flu", "cold"),), ("Ann",), *numbers), folder)
    >>> read_ledger(folder / LEDGER, 2).signatures
    (('flu', 'cold'),)
    >>> text = (folder / LEDGER).read_text()
    >>> _ = (folder / LEDGER).write_text(text.replace("cold", "gout"))
    >>> read_ledger(folder / LEDGER, 2)
    Traceback (most recent call last):
    discreet.errors.DataError: ledger.json: is not as it was written: its checksum differs; take the ledger that was \
written with the release, from its private folder or a copy of it
    """
    try:
        words = json.loads(read_small(path, LEDGER, _LARGEST, missing=MISSING))
        if not isinstance(words, dict):
            raise ValueError
        if words.get("format") != FORMAT:
            raise _refused("has a format that this version does not read")
        if words.get("checksum") != _checksum({name: said for name, said in words.items() if name != "checksum"}):
            raise _refused("is not as it was written: its checksum differs")
        ledger = Ledger(
            releases=tuple(map(str, words["releases"])),
            person=str(words["person"]),
            attribute=str(words["attribute"]),
            signatures=tuple(tuple(signature) for signature in words["signatures"]),
            people=tuple(words["people"]),
            starts=np.array(words["starts"], dtype=np.int64),
            has=np.array(words["has"], dtype=np.int64),
            latest=np.array(words["latest"], dtype=np.int64),
        )
        "".join([*ledger.people, *(v or "" for signature in ledger.signatures for v in signature)]).encode()
        if not _is_sound(ledger, m):
            raise _refused("says what no chain of releases can have")
        return ledger
    except _NOT_OURS:
        raise _refused("is not the ledger of a chain") from None


def _is_sound(ledger: Ledger, m: int) -> bool:
    """Signatures of m values or more, each person's without a value in common, and numbers that mean something."""
    people, starts, has = len(ledger.people), ledger.starts, ledger.has
    texts = all(isinstance(name, str) for name in ledger.people)
    values = all(v is None or isinstance(v, str) for signature in ledger.signatures for v in signature)
    if not texts or not values or len({*ledger.people}) < people or len({*ledger.signatures}) < len(ledger.signatures):
        return False
    if any(len({*signature}) < max(m, len(signature)) for signature in ledger.signatures):
        return False
    if len(starts) != people + 1 or starts[0] != 0 or starts[-1] != len(has) or (np.diff(starts) < 1).any():
        return False
    if len(ledger.latest) != people or ((has < 0) | (has >= len(ledger.signatures))).any():
        return False
    owner, matrix = ledger.owner, ledger.matrix(ledger.values())
    several = np.flatnonzero((np.diff(starts) > 1)[owner])  # few: whose values have changed
    number = np.unique(owner[several], return_inverse=True)[1].reshape(-1)
    together = np.zeros((int(number.max(initial=-1)) + 1, matrix.shape[1]), dtype=np.int64)
    np.add.at(together, number, matrix[has[several]].astype(np.int64))
    if (together > 1).any():
        return False
    stands = ledger.latest >= 0
    own = np.zeros(people, dtype=np.bool_)
    own[owner[ledger.latest[owner] == has]] = True
    return bool((own | ~stands).all()) and bool((ledger.latest >= -1).all())


def _checksum(words: Mapping[str, Any]) -> str:
    text = json.dumps(words, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _refused(rule: str) -> DataError:
    return DataError(Mistake(LEDGER, rule, AGAIN))
