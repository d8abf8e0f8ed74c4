"""Writes the tables that are files into a folder, to look at them."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.tables_as_they_are.makers import MAKERS

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for make in MAKERS.values():
        make(folder)
