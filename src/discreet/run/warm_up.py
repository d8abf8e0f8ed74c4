"""Compile every kernel once, so that no later run waits for it: `python -m discreet.run.warm_up`, part of `make setup`.

It publishes a few rows by every kind of publication under every promise; what that needs compiled is what users need.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from discreet.models.promise import POPULATION, PRESENCE, Words
from discreet.models.registry import MODELS
from discreet.policy.kinds import PUBLICATIONS, is_exact
from discreet.search.registry import SEARCHES, SUMMARY

# Promises that a summary can tell about.
FROM_A_SUMMARY = [
    {"k_anonymity": {"k": 2}},
    *({"l_diversity": {"l": 2, "kind": kind}} for kind in ("distinct", "frequency")),
]


def promises(about: str | None = None) -> list[Words]:
    """Promises with parameters that a few rows can keep: those that all kinds can, or those about something."""
    chosen = [p for p in map(MODELS.__getitem__, MODELS) if (about in p.about if about else not p.only)]
    return [{promise.word: parameters} for promise in chosen for parameters in promise.examples]


def exact_searches() -> Iterator[tuple[str, str, Words]]:
    """Every search for exact values, with the kind of publication and a promise that it can keep."""
    for word in SEARCHES:
        for publish in filter(is_exact, SEARCHES[word].publishes):
            needed = [promise for promise, _ in (*SEARCHES[word].needs, *PUBLICATIONS[publish].needs)]
            kept = {name: MODELS[name].examples[0] for name in needed[:1]}
            yield word, publish, kept or {"l_diversity": {"l": 2, "kind": "frequency"}}


def warm_up() -> None:
    """Run everything that is compiled, on a table of a few rows."""
    from discreet.audit.association.chains import chained_chances
    from discreet.audit.association.common_people import Counts
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
    words: dict[str, Any] = {
        "attributes": {
            "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [5, 10]}},
            "zip": {"role": "quasi_identifier", "hierarchy": {"prefixes": [4]}},
            "disease": {"role": "sensitive"},
        },
        "suppress": 0.5,
    }
    with TemporaryDirectory() as folder:
        for publish in ("generalization", "multidimensional", "local_recoding"):
            policy = policy_from_words(words | {"require": promises(), "publish": publish})
            anonymize(policy, Path(folder) / publish, source=table)
            apply(Path(folder) / publish, table, Path(folder) / f"{publish}-applied")
        wishing = {
            "attributes": words["attributes"] | {"wish": {"role": "wishes"}},
            "require": [
                {"realistic": {"class": "II", "stubbornness": 2, "epsilon": 9, "predicates": {"wishes": True}}}
            ],
        }
        wishes = table | {"wish": [("", "a", "not b", "each")[i // 4 % 4] for i in rows]}
        anonymize(policy_from_words(words | wishing), Path(folder) / "wishes", source=wishes)
        for search in SEARCHES:
            for publish in SEARCHES[search].publishes:
                if SEARCHES[search].reads == SUMMARY or search in ("incognito", "optimize"):
                    chosen = {"require": FROM_A_SUMMARY, "search": search, "publish": publish}
                    anonymize(policy_from_words(words | chosen), Path(folder) / f"{search}-{publish}", source=table)
        for search, publish, promise in exact_searches():
            policy_apart = policy_from_words(words | {"require": [promise], "publish": publish, "search": search})
            anonymize(policy_apart, Path(folder) / search, source=table)
        private = {"private": {"zip": ["47901", "47902"]}}
        among = [p for p in (*promises(PRESENCE), *promises(POPULATION)) if "ambiguity" not in p]
        for publish in ("generalization", "multidimensional"):
            hidden = {"require": [*among, {"l_diversity": {"l": 2}}], "publish": publish} | private
            suppress = {"suppress": 0.5 if publish == "generalization" else 0}
            anonymize(policy_from_words(words | hidden | suppress), Path(folder) / f"{publish}-present", source=table)
        foreseen = {"require": among[:1], "search": "instant"} | private
        anonymize(policy_from_words(words | foreseen), Path(folder) / "present-instantly", source=table)
        shares = {c: {v: table[c].count(v) for v in table[c]} for c in ("age", "zip")}
        simple = policy_from_words(words | {"require": FROM_A_SUMMARY})  # a goal that the search can be undone by
        anonymize(simple, Path(folder) / "simple", source=table)
        for name in ("simple", "generalization", "multidimensional", "local_recoding", "anatomy", "greedy"):
            audited, other = Path(folder) / name, Path(folder) / "multidimensional"
            verify(audited, source=table)
            audit_release(audited, population=table, source=table, other=other)
            audit_release(audited, marginals=shares, size=len(rows), other=other)
            audit_release(audited, source=table | {"who": [str(i // 2) for i in rows]}, person="who")
    numbers = np.arange(2)
    shortfall(numbers, numbers[:1], numbers[1:], numbers + 1)  # a release of another table: true ones need less
    pairs, once = np.array([0, 0, 1, 1]), np.ones(4, dtype=np.int64)
    counts = Counts(np.array([0, 2, 4]), np.array([0, 1, 0, 1]), once)
    chained_chances(pairs, np.array([0, 1, 0, 1]), once, counts, counts)  # groups that overlap in a chain
    compare(policy, source=table)
    compare_answers(table, table, quasi_identifiers=["age", "zip"], sensitive="disease", predicates=1, count=10, seed=1)


if __name__ == "__main__":
    warm_up()
