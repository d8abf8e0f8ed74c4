"""Text files that are not UTF-8: which encoding their bytes look like, and the same text as UTF-8."""

from __future__ import annotations

import codecs
import gzip
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import IO, cast

from discreet.errors import DataError, Mistake

_PIECE = 1 << 20
_COPIES = count()
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
# Letters of western Europe in capitals and small ones, by their bytes in Windows; and those that only DOS has there.
_WESTERN = frozenset("äöüÄÖÜßéèêëàâáçñóíúôîïìòùûÿœÉÈÀÇÑÓÍÚåøæÅØÆ€–—’‘“”„…".encode("cp1252"))


def opened(path: Path) -> IO[bytes]:
    """A file to be read, packed or not."""
    return cast("IO[bytes]", gzip.open(path, "rb")) if path.suffix.lower() == ".gz" else path.open("rb")


def likely_encoding(head: bytes) -> str:
    """What a text that is not UTF-8 seems to be encoded as, by its first bytes.

    >>> likely_encoding("a;ü".encode("utf-16")), likely_encoding("a;b".encode("utf-16-le")), likely_encoding("ü€".encode("cp1252"))
    ('utf-16', 'utf-16-le', 'cp1252')
    >>> likely_encoding("Возраст;Пол".encode("cp1251")), likely_encoding("Größe".encode("latin-1"))
    ('cp1251', 'cp1252')
    """  # noqa: E501
    for mark, encoding in _MARKS.items():
        if head.startswith(mark):
            return encoding
    zeros = head[:4096]
    if zeros.count(0) * 4 > len(zeros):
        return "utf-16-le" if zeros[1::2].count(0) >= zeros[::2].count(0) else "utf-16-be"
    high = [byte for byte in head if byte >= 0x80]
    letters = sum(65 <= byte | 0x20 <= 122 for byte in head)
    western = sum(byte in _WESTERN for byte in high)
    cyrillic = sum(byte >= 0xC0 for byte in high)
    if cyrillic * 10 > len(high) * 8 and len(high) > letters:
        return "cp1251"
    if western * 10 >= len(high) * 8:
        return "cp1252"
    dos = sum(byte in b"\x81\x82\x84\x8e\x94\x99\x9a\xe1\x85\x8a\x87" for byte in high)
    return "cp850" if dos * 10 >= len(high) * 8 else "cp1252"


def is_utf8(head: bytes, cut: bool) -> bool:
    """Is it UTF-8, as far as it is there?"""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head, final=not cut)
    except UnicodeDecodeError:
        return False
    return b"\0" not in head


def refusal(path: Path, head: bytes) -> DataError:
    """What is said of a file that is not UTF-8, with the word to write."""
    encoding = likely_encoding(head)
    repair = f"write encoding: {encoding} in the policy"
    if encoding.startswith("utf"):
        return DataError(Mistake(str(path), "is not UTF-8 text", repair))
    try:
        head.decode("utf-8")
        place = str(path)
    except UnicodeDecodeError as error:
        line = head.count(b"\n", 0, error.start) + 1
        place = f"{path}, line {line}"
    repair += " (it looks like that: see whether letters with accents are right), or save it as UTF-8"
    return DataError(Mistake(place, "is not UTF-8 text", repair))


def as_utf8(path: Path, encoding: str, folder: Path, *, said_of_it: bool = True) -> Path:
    """The file itself if it is UTF-8 already, else a copy that is, in a folder of our own.

    Of another table than the policy's own (not `said_of_it`) the word may not be true: what is UTF-8 is read as such.
    """
    if codecs.lookup(encoding).name in ("utf-8", "utf-8-sig"):
        return path
    if not _is_wide(encoding) and _has_letters_of_utf8(path):
        if not said_of_it:
            return path
        raise DataError(Mistake("encoding", f"is {encoding}, and the file is UTF-8 text", "leave it out"))
    target = folder / f"copy{next(_COPIES)}.csv"
    with target.open("wb") as copy:
        for piece in _texts(path, encoding):
            copy.write(piece.encode("utf-8"))
    return target


def _is_wide(encoding: str) -> bool:
    """Can a text in this encoding be taken for UTF-8, as it has no bytes beyond ASCII?"""
    return codecs.lookup(encoding).name.startswith(("utf-16", "utf-32", "utf-7", "iso2022", "hz"))


def _has_letters_of_utf8(path: Path) -> bool:
    """Is the whole file UTF-8, with a letter beyond ASCII in it?"""
    decoder, beyond = codecs.getincrementaldecoder("utf-8")(), False
    with opened(path) as file:
        try:
            while piece := file.read(_PIECE):
                beyond = beyond or not piece.isascii()
                decoder.decode(piece)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return beyond


def _texts(path: Path, encoding: str) -> Iterator[str]:
    """The text of a file, piece by piece."""
    with opened(path) as file:
        head = file.read(4)
        known = codecs.lookup(encoding).name
        if head.startswith(codecs.BOM_UTF8) and known == "utf-8":
            encoding = "utf-8-sig"
        elif known in ("utf-16-le", "utf-16-be") and head[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            encoding = "utf-16"
        decoder = codecs.getincrementaldecoder(encoding)()
        try:
            yield decoder.decode(head)
            while piece := file.read(_PIECE):
                yield decoder.decode(piece)
            yield decoder.decode(b"", final=True)
        except UnicodeError:  # its message quotes the bytes
            rule = f"has bytes that are not text in {encoding}"
            raise DataError(Mistake(str(path), rule, "write another encoding, or save the file as UTF-8")) from None
