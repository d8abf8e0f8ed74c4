"""Programs that do what no command of ours may do, so that the campaign can be seen to notice."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from campaign.planted import CREATED, PASSWORD, PERSON, SCRIPT

_WORDS = {
    "password": f"can't connect: {PASSWORD}",
    "person": f"no such value {PERSON}017",
    "fault": "discreet: a fault of ours: KeyError in words.py, line 5; please report it",
    "long": "x" * 30_000,
    "fine": "policy.yaml: no such file",
}


def run() -> None:
    """Do what the first argument says."""
    what = sys.argv[1]
    if what in _WORDS:
        sys.stderr.write(_WORDS[what] + "\n")
        sys.exit(2)
    match what:
        case "raise":
            raise KeyError(what)
        case "die":
            os._exit(9)
        case "hang":
            time.sleep(60)
        case "memory":
            block = bytearray(1_200_000_000)
            block[::4096] = b"x" * len(block[::4096])
        case "silent":
            sys.exit(2)
        case "code":
            sys.exit(5)
        case "program":
            Path(CREATED).touch()
        case "markup":
            Path("page.html").write_text(f"<td>{SCRIPT}</td>", encoding="utf-8")
        case "partial":
            Path(".out.partial-1").mkdir()
            sys.exit(1)
        case "name":
            Path("out").mkdir()
            Path("out/data.csv").write_text(f"{PERSON}001\n", encoding="utf-8")
        case "json":
            sys.stdout.write('{"level": NaN}\n')
        case "after":
            sys.exit(1)
