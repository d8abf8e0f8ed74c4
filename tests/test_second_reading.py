"""Two codes that share nothing judge the same promises: the models that search and publish, and the audit.

Both are held to the definitions of the papers, too.
"""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import anonymize, policy_from_words
from discreet.audit.lines import AT_LEAST
from discreet.audit.promises.levels import levels
from discreet.audit.reading.release import read
from discreet.audit.reading.view import Promise
from discreet.audit.worst_case.knowledge import read_knowledges
from discreet.models.examples import bucketized
from discreet.models.robust.robust import Robust
from tests.audit.association_cases import bucketized as bucketized_release
from tests.audit.association_cases import view_of
from tests.models.cases import ATTRIBUTE, KINDS, PATHS, as_groups, groups, oracle

HIERARCHY = {ATTRIBUTE: tuple((value, *path) for value, path in PATHS.items())}


def level_of(model, by_group):
    """The levels of one promise, made in the words of its model."""
    [(word, parameters)] = model.to_words().items()
    view = view_of(
        by_group,
        attribute=ATTRIBUTE,
        promises=[Promise(word, parameters, parameters.get("attribute"))],
        hierarchies=HIERARCHY,
    )
    return levels(view)


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_a_second_reading_decides_as_the_definition_and_as_the_models(kind, data):
    model = data.draw(KINDS[kind])
    by_group = data.draw(groups)
    everybody = [value for group in by_group for value in group]
    found = level_of(model, by_group)
    holds = all(level.holds for level in found)
    assert holds == all(oracle(model, by_group, everybody))
    judged = as_groups(by_group, everybody)
    assert holds == bool(model.holds(judged).all())
    if kind in SAME_FIGURE:
        reached = model.level(judged)
        worst = reached.min() if found[0].sense == AT_LEAST else reached.max()
        assert found[0].achieved == pytest.approx(worst, rel=1e-9, abs=1e-12)
        if found[0].deciding is not None:  # there is something to protect
            assert reached[found[0].deciding.group] == pytest.approx(worst)


SAME_FIGURE = {"k_anonymity", "distinct", "recursive", "equal", "ordered", "hierarchical", "basic"}
SAME_FIGURE |= {"class_one", "class_two", "class_three"}


rows_of_people = st.tuples(st.sampled_from("AB"), st.sampled_from("12"), st.sampled_from("xyz"))
groups_of_people = st.lists(st.lists(rows_of_people, min_size=1, max_size=4), min_size=1, max_size=3)
ROBUST_NAMES = ("nation", "age")


@given(
    groups_of_people,
    st.lists(rows_of_people, max_size=4),
    st.sampled_from([2, 3, Fraction(3, 2), Fraction(6, 5)]),
    st.sampled_from([1, 2, 3]),
    st.sampled_from([None, ["x"], [["x", "y"], "z"]]),
    st.sampled_from([None, [["nation"]], [["age"], ["nation", "age"]]]),
)
def test_robustness_is_read_as_the_model_does(by_group, left_out, r, min_support, values, sets):
    table = [row for group in by_group for row in group] + left_out
    model = Robust(r, "disease", values=values, attribute_sets=sets, min_support=min_support)
    judged = bucketized("disease", ROBUST_NAMES, by_group, table)
    [(_, parameters)] = model.to_words().items()
    view = bucketized_release(by_group, ROBUST_NAMES, promises=[Promise("robust", parameters, "disease")])
    columns = zip((*ROBUST_NAMES, "disease"), zip(*table, strict=True), strict=True)
    source = {name: list(column) for name, column in columns}
    [level] = levels(view, knowledge=read_knowledges(source, view))
    assert level.holds == bool(model.holds(judged).all())
    assert level.achieved == pytest.approx(model.level(judged).max(), abs=1e-12)


def people(rows=240, seed=4):
    """A table in which age, sex and disease have something to do with each other."""
    random = Random(seed)
    ages = [random.randrange(20, 60) for _ in range(rows)]
    sick = [random.choice(["asthma", "cold", "gout", "flu"] + ["gout", "gout"] * (age > 40)) for age in ages]
    return {
        "age": [str(age) for age in ages],
        "sex": [random.choice("FM") for _ in range(rows)],
        "disease": [None if random.random() < 0.03 else value for value in sick],
    }


ATTRIBUTES = {
    "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [5, 10, 20, 40]}},
    "sex": {"role": "quasi_identifier"},
    "disease": {
        "role": "sensitive",
        "hierarchy": {"taxonomy": [["asthma", "lungs"], ["gout", "joints"], ["cold", "lungs"], ["flu", "lungs"]]},
    },
}
PRIOR = {"stubbornness": 30, "prior": "table"}
RELEASES = {
    "closeness": ("generalization", [{"t_closeness": {"t": 0.35, "distance": d}} for d in ("equal", "hierarchical")]),
    "order": ("multidimensional", [{"t_closeness": {"t": 0.4, "distance": "ordered"}}, {"k_anonymity": {"k": 4}}]),
    "diversity": (
        "local_recoding",
        [{"l_diversity": {"l": 2, "kind": "entropy"}}, {"l_diversity": {"l": 2, "kind": "recursive", "c": 4}}],
    ),
    "likeness": (
        "generalization",
        [{"beta_likeness": {"beta": 2, "kind": "enhanced"}}, {"realistic": {"class": "I", "epsilon": 9, **PRIOR}}],
    ),
    "anatomy": ("bucketization", [{"l_diversity": {"l": 2, "kind": "frequency"}}]),
    "robust": ("bucketization", [{"robust": {"r": 2, "min_support": 20}}]),
    "ambiguity": ("ambiguity", [{"ambiguity": {"alpha": 0.5, "beta": 0.5}}]),
}


@pytest.mark.parametrize("name", RELEASES)
def test_a_release_is_read_as_its_manifest_says(name, tmp_path):
    publish, require = RELEASES[name]
    suppress = 0.0 if publish in ("multidimensional", "local_recoding") else 0.2
    words = {"attributes": ATTRIBUTES, "require": require, "publish": publish, "suppress": suppress, "seed": 1}
    release = anonymize(policy_from_words(words), tmp_path / "release", source=people())
    view = read(tmp_path / "release")
    found = levels(view, knowledge=read_knowledges(people(), view))
    assert found and all(level.holds for level in found)
    for promise in release.figures["promises"]:
        [(word, parameters)] = promise["model"].items()
        if parameters.get("kind") != "frequency":  # told there as 1 / share
            assert any(f.model == word and f.achieved == pytest.approx(promise["level"]) for f in found), word
