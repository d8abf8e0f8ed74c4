"""Runs anjana inside its own environment: `python peer_anjana.py TASK.json`. Not a benchmark by itself."""

import json
import sys
from pathlib import Path
from time import perf_counter

import pandas as pd
from anjana import anonymity
from anjana.anonymity import k_anonymity, l_diversity


def main(path: str) -> None:
    """Anonymize as the task says, write what the tool returns, print the seconds of the call."""
    task = json.loads(Path(path).read_text(encoding="utf-8"))
    names = task["quasi_identifiers"]
    data = pd.read_csv(task["source"], dtype=str, keep_default_na=False, na_values=[""])
    hierarchies = {n: dict(enumerate(map(list, zip(*task["hierarchies"][n], strict=True)))) for n in names}
    start = perf_counter()
    if "call" in task:  # any of its models, by its own names
        call = getattr(anonymity, task["call"])
        arguments = {"data": data, "ident": [], "quasi_ident": names, "hierarchies": hierarchies, "k": task["k"]}
        if call is not k_anonymity:
            arguments["sens_att"] = task["sensitive"]
        published = call(**arguments, supp_level=100 * task["suppress"], **task["parameters"])
    elif task["l"]:
        published = l_diversity(
            data, [], names, task["sensitive"], task["k"], task["l"], 100 * task["suppress"], hierarchies
        )
    else:
        published = k_anonymity(data, [], names, task["k"], 100 * task["suppress"], hierarchies)
    seconds = perf_counter() - start
    published.to_csv(task["target"], index=False)
    print(json.dumps({"seconds": seconds}))


if __name__ == "__main__":
    main(sys.argv[1])
