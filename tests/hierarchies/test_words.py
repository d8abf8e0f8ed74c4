import json
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import HierarchyError
from discreet.hierarchies.rules import Cuts, Dates, Flat, Intervals, Prefixes, Taxonomy
from discreet.hierarchies.words import check_words, rule_from_words

from .strategies import columns, cuts, dates, intervals, prefixes, taxonomies

PLACE = "attributes.x.hierarchy"
rules = st.one_of(intervals(), cuts(), prefixes, dates, taxonomies(), st.just(Flat()))


@given(rules, columns)
def test_every_rule_survives_its_words_whatever_the_data(rule, column):
    values = column[1]
    words = rule.to_words()
    assert check_words(words, PLACE, Path()) == []
    assert rule_from_words(words, PLACE, Path(), values, [1] * len(values)) == rule


@given(rules)
def test_every_rule_survives_json_and_yaml(rule):
    words = rule.to_words()
    for written in (json.loads(json.dumps(words)), yaml.safe_load(yaml.safe_dump(words))):
        assert rule_from_words(written, PLACE, Path(), [], []) == rule


def test_a_number_with_many_decimals_survives_its_words():
    rule = Intervals(("0.10000000000000000000000000001",))
    assert rule.to_words()["intervals"] == ["0.10000000000000000000000000001"]
    assert rule_from_words(rule.to_words(), PLACE, Path(), [], []) == rule


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        ({"intervals": [5, 10, 20, 40]}, Intervals((5, 10, 20, 40))),
        (
            {"intervals": [5], "origin": 1, "bottom": 2, "top": 90, "decimals": True},
            Intervals((5,), 1, 2, 90, decimals=True),
        ),
        ({"intervals": [2.5]}, Intervals(("2.5",))),
        ({"prefixes": [4, 3, 2]}, Prefixes((4, 3, 2))),
        ({"dates": ["month", "quarter", "year"]}, Dates()),
        ({"cuts": [[18, 40, 65], [40]]}, Cuts(((18, 40, 65), (40,)))),
        ({"quantiles": 2}, Cuts(((2,),))),
        ({"flat": True}, Flat()),
        (
            {"taxonomy": [["1", "low"], [2, "low"], [None, "low"]]},
            Taxonomy({"1": ("low",), "2": ("low",), None: ("low",)}),
        ),
        (None, Flat()),
    ],
)
def test_words_become_rules(words, rule):
    assert rule_from_words(words, PLACE, Path(), ["1", "2", None], [1, 1, 5]) == rule


def test_a_text_is_the_path_of_a_taxonomy(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "x.csv").write_text("1;odd;*\n2;even;*\n")
    assert rule_from_words("deep/x.csv", PLACE, tmp_path, [], []) == Taxonomy({"1": ("odd",), "2": ("even",)})
    assert check_words("deep/x.csv", PLACE, tmp_path) == []
    (mistake,) = check_words("deep/y.csv", PLACE, tmp_path)
    assert str(mistake) == f"{PLACE}: no file 'deep/y.csv'; did you mean 'deep/x.csv'?"


def test_decimals_in_the_data_are_noticed_unless_the_policy_decides():
    values, counts = ["1", "2.5"], [1, 1]
    assert rule_from_words({"intervals": [5]}, PLACE, Path(), values, counts).decimals
    assert not rule_from_words({"intervals": [5]}, PLACE, Path(), ["1", "2.0"], counts).decimals
    assert not rule_from_words({"intervals": [5], "decimals": False}, PLACE, Path(), values, counts).decimals
    assert rule_from_words({"cuts": [[5]]}, PLACE, Path(), values, counts).decimals


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"interval": [5]}, "no such kind of hierarchy: 'interval'; did you mean 'intervals'?"),
        ({"top": 5}, "no kind of hierarchy beside top; e.g. {intervals: [5, 10, 20], top: 90}"),
        ({"intervals": [5], "prefixes": [2]}, "more than one kind of hierarchy: intervals, prefixes; keep one of them"),
        ({"flat": False}, ".flat: must be true, got false; or give another hierarchy"),
        ({"quantiles": 1}, ".quantiles: must be a whole number of bins from 2 to 1000, got 1; e.g. {quantiles: 8}"),
        ({"quantiles": "8"}, ".quantiles: must be a whole number of bins from 2 to 1000, got '8'; e.g. {quantiles: 8}"),
        ({"intervals": [5], "tops": 90}, ".tops: no such word here; did you mean 'top'?"),
        ({"prefixes": [5], "origin": 0}, ".origin: no such word here; remove it"),
        ({"taxonomy": [["a", False]]}, '.taxonomy: not a text: false; put it in quotes, e.g. "no"'),
        ({"taxonomy": [[1.5, "a"]]}, '.taxonomy: not a text: 1.5; put it in quotes, e.g. "no"'),
        ({"dates": ["yaer"]}, ".dates: no such level: 'yaer'; did you mean 'year'?"),
        ({"intervals": [5], "decimals": 1}, ".decimals: must be true or false, got 1"),
    ],
)
def test_a_mistake_is_named_with_its_place_and_its_repair(words, message):
    (mistake,) = check_words(words, PLACE, Path())
    assert str(mistake) == PLACE + (message if message[0] == "." else ": " + message)


@pytest.mark.parametrize("words", [5, [], {}, True, ["intervals"], 2.5])
def test_words_that_are_neither_path_nor_kind_are_refused(words):
    (mistake,) = check_words(words, PLACE, Path())
    assert "must be the path of a taxonomy, or one of {intervals: …}" in str(mistake)


@pytest.mark.parametrize("kind", ["intervals", "cuts", "quantiles", "prefixes", "dates", "taxonomy", "flat"])
@given(
    body=st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
        max_leaves=6,
    )
)
def test_nothing_a_policy_may_say_ends_in_a_traceback(kind, body):
    mistakes = check_words({kind: body}, PLACE, Path())
    assert all(m.place.startswith(PLACE) and m.rule for m in mistakes)


def test_all_mistakes_are_found_at_once():
    words = {"intervals": [5, 12], "origin": "x", "decimals": "yes", "botom": 3}
    places = [m.place.removeprefix(PLACE) for m in check_words(words, PLACE, Path())]
    assert sorted(places) == [".botom", ".decimals", ".intervals", ".origin"]


def test_a_wrong_word_stops_the_rule():
    with pytest.raises(HierarchyError, match="did you mean 'top'"):
        rule_from_words({"intervals": [5], "tops": 90}, PLACE, Path(), [], [])
