"""Compile every kernel once, so that no later run waits for it: `python -m discreet.run.warm_up`, part of `make setup`.

It publishes a few rows by every kind of publication under every promise; what that needs compiled is what users need.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

PROMISES = [
    {"k_anonymity": {"k": 2}},
    *({"l_diversity": {"l": 2, "kind": kind}} for kind in ("distinct", "entropy", "frequency")),
    *({"l_diversity": {"l": least, "kind": "recursive", "c": 3}} for least in (2, 3)),
    *({"t_closeness": {"t": 0.9, "distance": distance}} for distance in ("equal", "ordered", "hierarchical")),
    {"alpha_k": {"alpha": 0.9, "k": 2}},
    *({"beta_likeness": {"beta": 3, "kind": kind}} for kind in ("basic", "enhanced")),
    {"delta_disclosure": {"delta": 9}},
    {"realistic": {"class": "II", "stubbornness": 2, "epsilon": 9}},
    {"realistic": {"class": "III", "epsilon": 9, "predicates": ["a", {"not": "b"}]}},
]
# Searches for exact values, each with what it needs.
APART = {
    "art": {"robust": {"r": 2, "min_support": 3}},
    "anatomy": {"l_diversity": {"l": 2, "kind": "frequency"}},
    "injector": {"l_diversity": {"l": 2, "kind": "frequency"}},
    "mask": {"l_diversity": {"l": 2, "kind": "frequency"}},
    "greedy": {"ambiguity": {"alpha": 0.9, "beta": 0.5}},
}
# Promises that a summary can tell about.
FROM_A_SUMMARY = [
    {"k_anonymity": {"k": 2}},
    *({"l_diversity": {"l": 2, "kind": kind}} for kind in ("distinct", "frequency")),
]
# Promises about who is in the table.
AMONG_OTHERS = [
    {"presence": {"delta": [0, 0.9]}},
    {"confident_presence": {"delta": [0, 0.9], "confidence": 0.5}},
    {"l_diversity": {"l": 2}},
]


def warm_up() -> None:
    """Run everything that is compiled, on a table of a few rows."""
    from discreet.audit.audit import audit_release
    from discreet.audit.faults.matching import shortfall
    from discreet.policy.policy import policy_from_words
    from discreet.run.anonymize import anonymize
    from discreet.run.apply import apply
    from discreet.run.compare import compare
    from discreet.run.verify import verify
    from discreet.utility.tables import compare_answers

    rows = range(40)
    table = {
        "age": [str(20 + 7 * i % 40) for i in rows],
        "zip": [str(47900 + i % 5) for i in rows],
        "disease": ["abcd"[i % 4] for i in rows],
    }
    words = {
        "attributes": {
            "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [5, 10]}},
            "zip": {"role": "quasi_identifier", "hierarchy": {"prefixes": [4]}},
            "disease": {"role": "sensitive"},
        },
        "suppress": 0.5,
    }
    with TemporaryDirectory() as folder:
        for publish in ("generalization", "multidimensional", "local_recoding"):
            policy = policy_from_words(words | {"require": PROMISES, "publish": publish})
            anonymize(policy, Path(folder) / publish, source=table)
            apply(Path(folder) / publish, table, Path(folder) / f"{publish}-applied")
        for search in ("instant", "instant_cuts", "incognito", "optimize"):
            chosen = policy_from_words(words | {"require": FROM_A_SUMMARY, "search": search})
            anonymize(chosen, Path(folder) / search, source=table)
        cut = policy_from_words(words | {"require": FROM_A_SUMMARY, "search": "instant", "publish": "multidimensional"})
        anonymize(cut, Path(folder) / "cut-instantly", source=table)
        for search, promise in APART.items():
            kind = "ambiguity" if search == "greedy" else "bucketization"
            policy_apart = policy_from_words(words | {"require": [promise], "publish": kind, "search": search})
            anonymize(policy_apart, Path(folder) / search, source=table)
        for kind in ("generalization", "multidimensional"):
            hidden = policy_from_words(
                words | {"require": AMONG_OTHERS, "private": {"zip": ["47901", "47902"]}, "publish": kind}
            )
            anonymize(hidden, Path(folder) / f"{kind}-present", source=table)
        foreseen = {"require": AMONG_OTHERS[:1], "private": {"zip": ["47901", "47902"]}, "search": "instant"}
        anonymize(policy_from_words(words | foreseen), Path(folder) / "present-instantly", source=table)
        shares = {c: {v: table[c].count(v) for v in table[c]} for c in ("age", "zip")}
        simple = policy_from_words(words | {"require": FROM_A_SUMMARY})  # a goal that the search can be undone by
        anonymize(simple, Path(folder) / "simple", source=table)
        for name in ("simple", "generalization", "multidimensional", "local_recoding", "anatomy", "greedy"):
            audited, other = Path(folder) / name, Path(folder) / "multidimensional"
            verify(audited, source=table)
            audit_release(audited, population=table, source=table, other=other)
            audit_release(audited, marginals=shares, size=len(rows), other=other)
    numbers = np.arange(2)
    shortfall(numbers, numbers[:1], numbers[1:], numbers + 1)  # a release of another table: true ones need less
    compare(policy, source=table)
    compare_answers(table, table, quasi_identifiers=["age", "zip"], sensitive="disease", predicates=1, count=10, seed=1)


if __name__ == "__main__":
    warm_up()
