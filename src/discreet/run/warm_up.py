"""Compile every kernel once, so that no later run waits for it: `python -m discreet.run.warm_up`, part of `make setup`.

It publishes a few rows by every kind of publication under every promise; what that needs compiled is what users need.
Two processes do it at the same time (`compiling.py`), from the two ends of the list of what is to be done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from discreet.compiled import compile_everything
from discreet.errors import Infeasible
from discreet.models.promise import POPULATION, PRESENCE, Words
from discreet.models.registry import MODELS, model_from_words
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


def searches_apart() -> Iterator[tuple[str, str, Words]]:
    """Every search for exact values or for a promise of its own, with the kind and a promise that it can keep."""
    for word in SEARCHES:
        for publish in SEARCHES[word].publishes:
            if not is_exact(publish) and not SEARCHES[word].needs:
                continue
            needed = [promise for promise, _ in (*SEARCHES[word].needs, *PUBLICATIONS[publish].needs)]
            kept = {name: MODELS[name].examples[0] for name in needed[:1]}
            yield word, publish, kept or {"l_diversity": {"l": 2, "kind": "frequency"}}


ROWS = range(40)
TABLE = {
    "age": [str(20 + 7 * i % 40) for i in ROWS],
    "zip": [str(47900 + i % 5) for i in ROWS],
    "disease": ["abcd"[i % 4] for i in ROWS],
}
WORDS: dict[str, Any] = {
    "attributes": {
        "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [5, 10]}},
        "zip": {"role": "quasi_identifier", "hierarchy": {"prefixes": [4]}},
        "disease": {"role": "sensitive"},
    },
    "suppress": 0.5,
}
PRIVATE = {"private": {"zip": ["47901", "47902"]}}
Step = Callable[[Path], None]


def _publish(folder: Path, name: str, table: dict[str, list[str]] | None = None, **words: Any) -> Path:
    from discreet.policy.policy import policy_from_words
    from discreet.run.anonymize import anonymize

    anonymize(policy_from_words(WORDS | words), folder / name, source=table or TABLE)
    return folder / name


def _recoded(publish: str, folder: Path) -> None:
    from discreet.run.apply import apply

    made = _publish(folder, publish, require=promises(), publish=publish)
    apply(made, TABLE, folder / f"{publish}-applied")
    _audit(made, made)


def _simple(folder: Path) -> None:
    """A goal that the search can be undone by."""
    _audit(_publish(folder, "simple", require=FROM_A_SUMMARY), _many(folder))


def _many(folder: Path) -> Path:
    return _publish(folder, "many", require=promises(), publish="multidimensional")


def _audit(release: Path, other: Path) -> None:
    from discreet.audit.audit import audit_release
    from discreet.run.verify import verify

    shares = {c: {v: TABLE[c].count(v) for v in TABLE[c]} for c in ("age", "zip")}
    verify(release, source=TABLE)
    audit_release(release, population=TABLE, source=TABLE, other=other)
    audit_release(release, marginals=shares, size=len(ROWS), other=other)
    audit_release(release, source=TABLE | {"who": [str(i // 2) for i in ROWS]}, person="who")


def _wishes(folder: Path) -> None:
    asked = {"class": "II", "stubbornness": 2, "epsilon": 9, "predicates": {"wishes": True}}
    table = TABLE | {"wish": [("", "a", "not b", "each")[i // 4 % 4] for i in ROWS]}
    attributes = WORDS["attributes"] | {"wish": {"role": "wishes"}}
    _publish(folder, "wishes", table, attributes=attributes, require=[{"realistic": asked}])


def _put_off(folder: Path) -> None:
    """So many different values in a group that beliefs about it are bounded before they are judged exactly."""
    rows = range(400)
    table = {"age": ["20" for _ in rows], "zip": [f"4790{i % 8}" for i in rows], "disease": [str(i // 8) for i in rows]}
    require = [{"l_diversity": {"l": 50, "kind": "frequency"}}]
    _publish(folder, "put-off", table, require=require, publish="bucketization")


def _large(folder: Path) -> None:
    """A group of so many people that beliefs about it are integrals."""
    from discreet.models.examples import bucketized
    from discreet.models.robust.robust import Robust

    rows = [(str(i % 4), "ab"[i % 9 > 0]) for i in range(2000)]
    Robust(2, "disease", ["a"]).holds(bucketized("disease", ["zip"], [rows]))


def _companions(folder: Path) -> None:
    """A protected value that is common among some: whoever has it there is hidden by companions, one by one."""
    rows = range(600)
    table = {
        "age": [str(20 + 7 * i % 40) for i in rows],
        "zip": [str(47900 + i % 6) for i in rows],
        "disease": ["a" if i % (8 if i % 6 == 0 else 97) == 0 else "bcd"[i % 7 % 3] for i in rows],
    }
    for limit in ("r", "prior"):
        require = [{"robust": {"r": 5, "values": ["a"], "limit": limit}}]
        with suppress(Infeasible):
            _publish(folder, limit, table, require=require, publish="bucketization")


def _search(search: str, publish: str, folder: Path) -> None:
    _publish(folder, search, require=FROM_A_SUMMARY, search=search, publish=publish)


def _exact(search: str, publish: str, promise: Words, folder: Path) -> None:
    table, more = TABLE, {}
    if "m_invariance" in promise:  # a chain must know who is who
        table = TABLE | {"who": [str(i) for i in ROWS]}
        more = {"attributes": WORDS["attributes"] | {"who": {"role": "person"}}}
    made = _publish(folder, search, table, require=[promise], publish=publish, search=search, **more)
    if search in ("anatomy", "greedy"):
        _audit(made, _many(folder))


def _present(publish: str, folder: Path) -> None:
    suppress = 0.5 if publish == "generalization" else 0
    require = [*_among(), {"l_diversity": {"l": 2}}]
    _publish(folder, publish, require=require, publish=publish, suppress=suppress, **PRIVATE)
    for number, promise in enumerate(promises(PRESENCE)):
        if _leaves_nobody_out(promise):
            _publish(folder, f"{publish}-{number}", require=[promise], publish=publish, suppress=0, **PRIVATE)


def _present_instantly(folder: Path) -> None:
    _publish(folder, "present", require=_among()[:1], search="instant", **PRIVATE)


def _among() -> list[Words]:
    among = (*promises(PRESENCE), *promises(POPULATION))
    return [p for p in among if "ambiguity" not in p and not _leaves_nobody_out(p)]


def _leaves_nobody_out(promise: Words) -> bool:
    models, _ = model_from_words(*next(iter(promise.items())), "require", [])
    return any(getattr(model, "leaves_nobody_out", False) for model in models)


def _beside(folder: Path) -> None:
    """What is called by itself: comparisons, and what true releases need less of."""
    from discreet.audit.association.chains import chained_chances
    from discreet.audit.association.common_people import Counts
    from discreet.audit.association.refused_splits import Demands
    from discreet.audit.association.refused_splits_by_value_kernels import weigh_by_value
    from discreet.audit.faults.matching import shortfall
    from discreet.policy.policy import policy_from_words
    from discreet.run.compare import compare
    from discreet.utility.tables import compare_answers

    numbers = np.arange(2)
    shortfall(numbers, numbers[:1], numbers[1:], numbers + 1)  # a release of another table
    pairs, once = np.array([0, 0, 1, 1]), np.ones(4, dtype=np.int64)
    counts = Counts(np.array([0, 2, 4]), np.array([0, 1, 0, 1]), once)
    chained_chances(pairs, np.array([0, 1, 0, 1]), once, counts, counts)  # groups that overlap in a chain
    demands = Demands(numbers[:1], np.ones(1), np.ones(1), np.full(2, 0.5), 0.0)  # a step that was refused
    weigh_by_value(numbers + 1, numbers, numbers[1:], 2, demands, 100, np.zeros(2), np.zeros((2, 2, 2)))
    compare(policy_from_words(WORDS | {"require": promises(), "publish": "local_recoding"}), source=TABLE)
    compare_answers(TABLE, TABLE, quasi_identifiers=["age", "zip"], sensitive="disease", predicates=1, count=10, seed=1)


def steps() -> list[Step]:
    """Everything to be run once. What has much to compile stands at the ends, and what has that in common together."""
    exact = list(searches_apart())
    by_summary = [
        (search, publish)
        for search in SEARCHES
        for publish in SEARCHES[search].publishes
        if SEARCHES[search].reads == SUMMARY or search in ("incognito", "optimize")
    ]
    return [
        *(partial(_recoded, publish) for publish in ("local_recoding", "multidimensional", "generalization")),
        _simple,
        _wishes,
        _put_off,
        _large,
        *(partial(_present, publish) for publish in ("generalization", "multidimensional")),
        _beside,
        *(partial(_search, *one) for one in reversed(by_summary)),
        _present_instantly,
        *(partial(_exact, *one) for one in reversed(exact)),
        _companions,
    ]


def warm_up() -> None:
    """Run everything that is compiled, on a table of a few rows, in this process alone."""
    compile_everything()
    for step in steps():
        with TemporaryDirectory() as folder:
            step(Path(folder))


if __name__ == "__main__":
    from discreet.run.compiling import main

    main()
