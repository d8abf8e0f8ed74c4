"""Runs project-lighthouse-anonymize inside its own environment: `python peer_lighthouse.py TASK.json`.

Not a benchmark by itself.
"""

import json
import logging
import sys
from pathlib import Path
from time import perf_counter

import pandas as pd
from project_lighthouse_anonymize.gtrees import GTree
from project_lighthouse_anonymize.wrappers.k_anonymize import k_anonymize
from project_lighthouse_anonymize.wrappers.p_sensitize import p_sensitize


def tree(rows: list[list[str]]) -> GTree:
    """The generalization tree of the rows (leaf, level 1, …, *)."""
    whole = GTree()
    nodes = {("*",): whole.create_node("*")}
    for row in rows:
        path = tuple(reversed(row))
        for depth in range(1, len(path)):
            here, above = path[: depth + 1], path[:depth]
            if here not in nodes:
                nodes[here] = whole.create_node(path[depth], parent=nodes[above])
    whole.add_default_geometric_sizes()
    return whole


def main(path: str) -> None:
    """Anonymize as the task says, write what the tool returns, print the seconds of the call.

    Numbers are cut at medians and published as the mean of their group; categories climb the same hierarchies. One
    process, as its pool of processes took longer on two cores.
    """
    task = json.loads(Path(path).read_text(encoding="utf-8"))
    names, sensitive = task["quasi_identifiers"], task["sensitive"]
    data = pd.read_csv(task["source"], dtype=str, keep_default_na=False, na_values=[""])
    for name in task["numbers"]:
        data[name] = pd.to_numeric(data[name])
    data["id"] = range(len(data))  # the tool asks for one
    trees = {n: tree(task["hierarchies"][n]) for n in names if n not in task["numbers"]}
    log = logging.getLogger("peer")
    start = perf_counter()
    published, _, _ = k_anonymize(log, data, names, task["k"], trees, "id", parallelism=None)
    if task["l"]:
        shares = data[sensitive].value_counts(normalize=True).to_dict()
        published, _, _ = p_sensitize(
            log, published, names, sensitive, task["l"], task["k"], shares, seed=7, id_col="id"
        )
    seconds = perf_counter() - start
    published.to_csv(task["target"], index=False)
    print(json.dumps({"seconds": seconds}))


if __name__ == "__main__":
    main(sys.argv[1])
