"""Small tables and promises for the property tests of models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from discreet.counts.groups import Groups
from discreet.models.base import PrivacyModel
from discreet.models.examples import groups_of
from discreet.models.groups.alpha_k import AlphaK
from discreet.models.groups.beta_likeness import BetaLikeness
from discreet.models.groups.delta_disclosure import DeltaDisclosure
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.groups.l_diversity import (
    DistinctDiversity,
    EntropyDiversity,
    FrequencyDiversity,
    RecursiveDiversity,
)
from discreet.models.groups.t_closeness import TCloseness
from discreet.models.realistic.adversaries import ClassOne, ClassThree, ClassTwo
from discreet.models.realistic.predicates import EACH_VALUE, Predicate, Predicates
from discreet.models.realistic.priors import TABLE, UNIFORM, CountsPrior, SharesPrior
from discreet.models.realistic.realistic import Realistic
from tests.oracles import keeps

# Five values that occur and one that only the hierarchy knows, on two levels below everything. NULL is a value.
PATHS = {
    "asthma": ("lungs",),
    "cold": ("lungs",),
    "never seen": ("lungs",),
    "gout": ("joints",),
    "": ("unknown",),
    None: ("unknown",),
}
VALUES = [value for value in PATHS if value != "never seen"]
ATTRIBUTE = "disease"

groups = st.lists(st.lists(st.sampled_from(VALUES), min_size=1, max_size=8), min_size=1, max_size=5)
suppressed = st.lists(st.sampled_from(VALUES), max_size=4)
wholes = st.integers(2, 4)
fractions = st.sampled_from([Fraction(a, b) for b in (2, 3, 4, 5, 7, 10) for a in range(1, b)])

value_sets = st.lists(st.sampled_from(VALUES), min_size=1, max_size=3, unique=True).map(tuple)
listed = st.lists(st.builds(Predicate, value_sets, st.booleans()), min_size=1, max_size=3).map(tuple)
predicates = st.just(EACH_VALUE) | st.builds(Predicates, listed, st.booleans())


@st.composite
def given_shares(draw: st.DrawFn) -> SharesPrior:
    """Any shares, some of them 0."""
    weights = draw(st.lists(st.integers(0, 4), min_size=len(VALUES), max_size=len(VALUES)).filter(any))
    return SharesPrior([(v, Fraction(w, sum(weights))) for v, w in zip(VALUES, weights, strict=True)])


@st.composite
def given_counts(draw: st.DrawFn) -> CountsPrior:
    """Counts of all values; also of one that the table never has."""
    return CountsPrior([(v, draw(st.integers(0, 5))) for v in PATHS])


priors = st.sampled_from([TABLE, UNIFORM]) | given_shares() | given_counts()
stubbornness = st.integers(1, 40) | fractions.map(lambda f: f * 10 + 1)
known = st.sampled_from([0, 0, 1, 2])
epsilons = st.sampled_from([Fraction(1), Fraction(21, 20)]) | fractions.map(lambda f: 1 / f) | st.integers(2, 30)


def realistic(adversaries: st.SearchStrategy[object]) -> st.SearchStrategy[PrivacyModel]:
    return st.builds(Realistic, epsilons, adversaries, st.just(ATTRIBUTE), predicates)


KINDS: dict[str, st.SearchStrategy[PrivacyModel]] = {
    "k_anonymity": st.builds(KAnonymity, wholes),
    "distinct": st.builds(DistinctDiversity, wholes, st.just(ATTRIBUTE)),
    "entropy": st.builds(EntropyDiversity, wholes | fractions.map(lambda f: f + 1), st.just(ATTRIBUTE)),
    "recursive": st.builds(RecursiveDiversity, wholes | fractions, wholes, st.just(ATTRIBUTE)),
    "frequency": st.builds(FrequencyDiversity, wholes | fractions.map(lambda f: f + 1), st.just(ATTRIBUTE)),
    "alpha_k": st.builds(AlphaK, fractions, wholes, st.just(ATTRIBUTE)),
    "equal": st.builds(TCloseness, fractions, st.just(ATTRIBUTE)),
    "ordered": st.builds(TCloseness, fractions, st.just(ATTRIBUTE), st.just("ordered")),
    "hierarchical": st.builds(TCloseness, fractions, st.just(ATTRIBUTE), st.just("hierarchical")),
    "basic": st.builds(BetaLikeness, wholes | fractions, st.just(ATTRIBUTE)),
    "enhanced": st.builds(BetaLikeness, wholes | fractions, st.just(ATTRIBUTE), st.just("enhanced")),
    "delta_disclosure": st.builds(DeltaDisclosure, wholes | fractions, st.just(ATTRIBUTE)),
    "class_one": realistic(st.builds(ClassOne, stubbornness, priors, known)),
    "class_two": realistic(st.builds(ClassTwo, stubbornness, known)),
    "class_three": realistic(st.builds(ClassThree, priors, known)),
}


def as_groups(by_group: Sequence[Sequence[str | None]], table: Sequence[str | None], seed: int = 0) -> Groups:
    """The groups as models see them, the pairs of each group in random order (as counting leaves them)."""
    counted = groups_of(ATTRIBUTE, *by_group, table=table, paths=PATHS)
    tally = counted.tallies[ATTRIBUTE]
    random = np.random.default_rng(seed)
    mixed = [
        begin + random.permutation(end - begin) for begin, end in zip(tally.offsets, tally.offsets[1:], strict=False)
    ]
    order = np.concatenate([*mixed, np.empty(0, dtype=np.int64)])
    tally = replace(tally, values=tally.values[order], counts=tally.counts[order])
    return Groups(counted.sizes, {ATTRIBUTE: tally})


def oracle(model: PrivacyModel, by_group: Sequence[Sequence[str | None]], table: Sequence[str | None]) -> list[bool]:
    """What the definitions of the papers say."""
    verdicts = keeps(model, dict(enumerate(by_group)), table, order=list(PATHS), paths=PATHS)
    return [verdicts[group] for group in range(len(by_group))]


def fewest_lost(model: PrivacyModel, group: Sequence[str | None], table: Sequence[str | None]) -> int:
    """Rows in failing parts, in the best of *all* ways to cut a group into parts."""
    counts = tuple(Counter(group).values())
    holds = verdicts_on_parts(model, group, table)
    parts = list(holds)
    fewest = {(0,) * len(counts): 0}
    for whole in parts:  # in lexicographic order, so what is left after taking a part is known already
        fewest[whole] = min(
            fewest[tuple(np.subtract(whole, part).tolist())] + (0 if holds[part] else sum(part))
            for part in parts
            if all(c <= w for c, w in zip(part, whole, strict=True))
        )
    return fewest[counts]


def verdicts_on_parts(
    model: PrivacyModel, group: Sequence[str | None], table: Sequence[str | None]
) -> dict[tuple[int, ...], bool]:
    """The verdict on every part of a group, given as the count of each of its values."""
    values, counts = zip(*Counter(group).items(), strict=True)
    parts = [tuple(int(c) for c in part) for part in np.ndindex(*(count + 1 for count in counts)) if any(part)]
    rows = [[v for v, c in zip(values, part, strict=True) for _ in range(c)] for part in parts]
    return dict(zip(parts, model.holds(as_groups(rows, table)).tolist(), strict=True))
