"""Run all benchmarks, or those named: `python -m benchmarks arx_optima ten_million --rows 1e6`."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path

from benchmarks.adult import data_folder, reference_folder
from benchmarks.measure import ROOT, Options, machine, run, write

# A file that answers a question has a function `measure`.
NAMES = sorted(p.stem for p in Path(__file__).parent.glob("*.py") if "\ndef measure(" in p.read_text(encoding="utf-8"))


def main() -> None:
    """Measure, print, keep as JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--rows", type=lambda s: int(float(s)), default=Options.rows, help="of the largest table")
    parser.add_argument("--repeats", type=int, default=Options.repeats, help="the best of so many counts")
    parser.add_argument("--limit", type=float, default=Options.limit, help="seconds for one run of another tool")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(NAMES)
    if unknown:
        parser.error(f"no such benchmark: {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    options = Options(arguments.rows, arguments.repeats, arguments.limit)
    where = machine()
    print(", ".join(f"{k} {v}" for k, v in where.items()))
    for variable, folder, use in (
        ("DISCREET_DATA", data_folder(), "invented people take the place of Adult, and others' figures don't apply"),
        ("DISCREET_REFERENCE", reference_folder(), "there is nothing to compare the optimal search with"),
    ):
        if folder is None:
            print(f"{variable} does not name a folder: {use}")
    print(flush=True)
    run([sys.executable, "-m", "discreet.run.warm_up"]).check()  # whatever was edited since the install is compiled now
    failed = []
    for name in arguments.names or NAMES:
        try:
            findings = import_module(f"benchmarks.{name}").measure(options)
        except (RuntimeError, OSError) as error:
            failed.append(name)
            print(f"== {name}: did not finish: {error}\n")
            continue
        print(findings.text())
        print(f"   kept in {write(name, findings, where, options).relative_to(ROOT)}\n", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
