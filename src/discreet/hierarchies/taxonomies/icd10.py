"""Diagnoses by the structure of their codes: ICD-10 of the World Health Organization, chapters and blocks.

A code is a letter, two digits (a category), and perhaps more: ``I21``, ``I21.4``, ``I214``. Blocks are ranges of
categories (``I20-I25``), chapters ranges of blocks.
"""

from __future__ import annotations

import re
from functools import cache

_CODE = re.compile(r"([A-Z][0-9]{2})(?:\.?([0-9A-Z]{1,4}))?[-*+!]?")
# Chapter, its first and last category, and where its blocks begin.
_CHAPTERS = """
I A00-B99 A00 A15 A20 A30 A50 A65 A70 A75 A80 A92 B00 B15 B20 B25 B35 B50 B65 B85 B90 B95 B99
II C00-D48 C00 C15 C30 C40 C43 C45 C50 C51 C60 C64 C69 C73 C76 C81 C97 D00 D10 D37
III D50-D89 D50 D55 D60 D65 D70 D80
IV E00-E90 E00 E10 E15 E20 E40 E50 E65 E70
V F00-F99 F00 F10 F20 F30 F40 F50 F60 F70 F80 F90 F99
VI G00-G99 G00 G10 G20 G30 G35 G40 G50 G60 G70 G80 G90
VII H00-H59 H00 H10 H15 H25 H30 H40 H43 H46 H49 H53 H55
VIII H60-H95 H60 H65 H80 H90
IX I00-I99 I00 I05 I10 I20 I26 I30 I60 I70 I80 I95
X J00-J99 J00 J09 J20 J30 J40 J60 J80 J85 J90 J95
XI K00-K93 K00 K20 K35 K40 K50 K55 K65 K70 K80 K90
XII L00-L99 L00 L10 L20 L40 L50 L55 L60 L80
XIII M00-M99 M00 M05 M15 M20 M30 M40 M45 M50 M60 M65 M70 M80 M86 M91 M95
XIV N00-N99 N00 N10 N17 N20 N25 N30 N40 N60 N70 N80 N99
XV O00-O99 O00 O10 O20 O30 O60 O80 O85 O94
XVI P00-P96 P00 P05 P10 P20 P35 P50 P70 P75 P80 P90
XVII Q00-Q99 Q00 Q10 Q20 Q30 Q35 Q38 Q50 Q60 Q65 Q80 Q90
XVIII R00-R99 R00 R10 R20 R25 R30 R40 R47 R50 R70 R80 R83 R90 R95
XIX S00-T98 S00 S10 S20 S30 S40 S50 S60 S70 S80 S90 T00 T08 T15 T20 T33 T36 T51 T66 T79 T80 T90
XX V01-Y98 V01 W00 X00 X10 X20 X30 X40 X50 X58 X60 X85 Y10 Y35 Y40 Y60 Y70 Y83 Y85 Y90
XXI Z00-Z99 Z00 Z20 Z30 Z40 Z55 Z70 Z80
XXII U00-U99 U00
"""


@cache
def categories() -> dict[str, tuple[str, str]]:
    """Every category that the chapters have room for, with its block and its chapter.

    >>> categories()["I21"], categories()["C50"]
    (('I20-I25', 'IX I00-I99'), ('C50-C50', 'II C00-D48'))
    """
    places: dict[str, tuple[str, str]] = {}
    for line in _CHAPTERS.strip().splitlines():
        numeral, span, *starts = line.split()
        first, last = span.split("-")
        within = [code for code in _all_codes() if first <= code <= last]
        ends = [within[within.index(start) - 1] for start in starts[1:]] + [last]
        for start, end in zip(starts, ends, strict=True):
            block = f"{start}-{end}"
            places |= {code: (block, f"{numeral} {span}") for code in within if start <= code <= end}
    return places


def _all_codes() -> list[str]:
    return [f"{letter}{number:02}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" for number in range(100)]


def parts_of(text: str) -> tuple[str, str] | None:
    """The category of a code, and what stands behind it; None for a text that is no code of a known category.

    >>> parts_of("I21.4"), parts_of("i214 "), parts_of("I21"), parts_of("X"), parts_of("flu")
    (('I21', '4'), ('I21', '4'), ('I21', ''), None, None)
    """
    match = _CODE.fullmatch(text.strip().upper())
    if match is None or match[1] not in categories():
        return None
    return match[1], match[2] or ""
