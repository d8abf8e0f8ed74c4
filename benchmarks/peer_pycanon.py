"""Runs pycanon inside anjana's environment: `python peer_pycanon.py TASK.json`. Not a benchmark by itself."""

import json
import sys
from pathlib import Path
from time import perf_counter

import pandas as pd
from pycanon import anonymity


def main(path: str) -> None:
    """Ask the checker what a published file keeps; print its answers."""
    task = json.loads(Path(path).read_text(encoding="utf-8"))
    data = pd.read_csv(task["target"], dtype=str, keep_default_na=False, na_values=[""])
    names, sensitive = task["quasi_identifiers"], [task["sensitive"]]
    start = perf_counter()
    figures = {}
    for call in task["calls"]:
        arguments = (data, names) if call == "k_anonymity" else (data, names, sensitive)
        figure = getattr(anonymity, call)(*arguments)
        figures[call] = [float(x) for x in figure] if isinstance(figure, tuple) else float(figure)
    print(json.dumps({"seconds": perf_counter() - start, "told": figures}))


if __name__ == "__main__":
    main(sys.argv[1])
