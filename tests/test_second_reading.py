"""Two codes that share nothing judge the same promises: the models that search and publish, and the audit.

Both are held to the definitions of the papers, too.
"""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.audit.levels import levels
from discreet.audit.lines import AT_LEAST
from discreet.audit.seen import Promise
from tests.audit.association_cases import seen_of
from tests.models.cases import ATTRIBUTE, KINDS, PATHS, as_groups, groups, oracle, suppressed

HIERARCHY = {ATTRIBUTE: tuple((value, *path) for value, path in PATHS.items())}


def referring(everybody):
    """What the manifest says of the table that groups are compared with."""
    return {"references": {ATTRIBUTE: [[value, n] for value, n in Counter(everybody).items()]}}


def level_of(model, by_group, left_out=()):
    """The levels of one promise, made in the words of its model."""
    [(word, parameters)] = model.to_words().items()
    everybody = [value for group in by_group for value in group] + list(left_out)
    seen = seen_of(
        by_group,
        attribute=ATTRIBUTE,
        promises=[Promise(word, parameters, parameters.get("attribute"))],
        manifest=referring(everybody),
        hierarchies=HIERARCHY,
    )
    return levels(seen)


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_a_second_reading_decides_as_the_definition_and_as_the_models(kind, data):
    model = data.draw(KINDS[kind])
    by_group, left_out = data.draw(groups), data.draw(suppressed)
    everybody = [value for group in by_group for value in group] + left_out
    found = level_of(model, by_group, left_out)
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
