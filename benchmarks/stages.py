"""Publish by a policy in this fresh process and print where the time went: `python -m benchmarks.stages POLICY OUT`.

The steps are those of `discreet anonymize`; what it imports late is counted where it is imported.
"""

from __future__ import annotations

import sys
from time import perf_counter


def peak_memory() -> int:
    """The most memory this process has had, in bytes.

    Not `getrusage`: on Linux a child's figure starts at what its parent had.
    """
    from pathlib import Path

    status = Path("/proc/self/status")
    if status.exists():
        lines = status.read_text(encoding="utf-8").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def main(policy: str, out: str) -> None:
    """Print one JSON object: seconds per stage, facts of the release."""
    import json
    from pathlib import Path

    seconds = {}
    start = perf_counter()
    import discreet.cli.main  # noqa: F401
    from discreet.policy.policy import read_policy
    from discreet.report.text import to_text

    seconds["import of the command line"] = perf_counter() - start
    start = perf_counter()
    read = read_policy(policy)
    seconds["policy"] = perf_counter() - start
    start = perf_counter()
    from discreet.run.anonymize import anonymize

    seconds["import of the pipeline"] = perf_counter() - start
    start = perf_counter()
    release = anonymize(read, Path(out), replace=True)
    whole = perf_counter() - start
    seconds |= release.figures["seconds"]
    seconds["report"] = whole - sum(release.figures["seconds"].values())
    start = perf_counter()
    to_text(release.report)
    seconds["text"] = perf_counter() - start
    words = ("node", "groups", "loss", "loss_geometric", "suppressed", "facts")
    about = {name: release.to_json()[name] for name in words}
    sys.stdout.write(json.dumps({"seconds": seconds, "call": whole, "memory": peak_memory(), **about}) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
