"""Runs anonypy inside its own environment: `python peer_anonypy.py TASK.json`. Not a benchmark by itself."""

import json
import sys
from pathlib import Path
from time import perf_counter

import anonypy
import pandas as pd


def main(path: str) -> None:
    """Anonymize as the task says, write what the tool returns, print the seconds of the call.

    It takes no hierarchies: categories become sets, numbers ranges.
    """
    task = json.loads(Path(path).read_text(encoding="utf-8"))
    names = task["quasi_identifiers"]
    data = pd.read_csv(task["source"], dtype=str, keep_default_na=False, na_values=[""])
    for name in [*names, task["sensitive"]]:
        data[name] = pd.to_numeric(data[name]) if name in task["numbers"] else data[name].astype("category")
    start = perf_counter()
    preserver = anonypy.Preserver(data, names, task["sensitive"])
    if "call" in task:
        rows = getattr(preserver, task["call"])(task["k"], **task["parameters"])
    elif task["l"]:
        rows = preserver.anonymize_l_diversity(k=task["k"], l=task["l"])
    else:
        rows = preserver.anonymize_k_anonymity(k=task["k"])
    seconds = perf_counter() - start
    published = pd.DataFrame(rows)
    for name in names:  # each set comes as a list of one text
        published[name] = published[name].map(lambda cell: cell[0] if isinstance(cell, list) else cell)
    published.to_csv(task["target"], index=False)
    print(json.dumps({"seconds": seconds}))


if __name__ == "__main__":
    main(sys.argv[1])
