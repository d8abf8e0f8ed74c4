"""The lines about presence of every kind of release, from files as a user makes them."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import discreet
from discreet.audit.lines import EXACT, PRESENCE
from discreet.audit.presence.listed_exact import audit_presence
from discreet.audit.presence.marginals import Marginals
from discreet.audit.presence.presence_lines import presence_lines
from discreet.audit.reading.exact_tables import read_population
from discreet.audit.reading.labels import Exactly
from discreet.audit.reading.release import read
from discreet.audit.reading.view import Promise
from discreet.audit.reidentification.reidentification import reidentification
from tests.audit import releasing
from tests.audit.lists import Case
from tests.audit.releasing import released
from tests.presence import reading as end_to_end

KINDS = sorted(releasing.REQUIRE)
LIST = {"presence_with_list", "absence_with_list"}
EXPECTED = {
    "generalization": LIST,
    "multidimensional": LIST,
    "local_recoding": LIST,
    "bucketization": {"presence_with_list"},
    "ambiguity": {"presence_without_list", "presence_with_list"},
}


def together(*tables):
    return {name: [value for table in tables for value in table[name]] for name in tables[0]}


def by_name(lines):
    return {line.adversary: line for line in lines}


@pytest.fixture(scope="module")
def everybody():
    return together(releasing.people(120), releasing.people(400, seed=9))


@pytest.fixture(scope="module")
def releases(tmp_path_factory):
    folder = tmp_path_factory.mktemp("releases")
    return {kind: releasing.publish(folder / kind, kind, releasing.people(120)) for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_release_has_its_lines(releases, everybody, kind):
    view = read(releases[kind])
    population = read_population(everybody, view.quasi_identifiers)
    lines = presence_lines(view, population)
    assert {line.adversary for line in lines} == EXPECTED[kind]
    for line in lines:
        assert line.threat == PRESENCE
        assert 0 <= line.worst <= 1
        assert not line.breaks
        assert sum(line.histogram) == line.people
        assert line.people in (520, view.people)
        assert len(line.knows) > 20
        assert line.assumes.endswith(".")
    with_list = by_name(lines)["presence_with_list"]
    assert with_list.details["on_the_list"] == 520
    # Chances add up to those who are in the table, whatever she assumes.
    if kind in ("generalization", "multidimensional", "local_recoding"):
        assert with_list.details["list_may_be_everybody"]
        assert with_list.details["average"] * 520 == pytest.approx(120)


@pytest.mark.parametrize("kind", KINDS)
def test_a_list_of_just_those_who_are_in_gives_everybody_away(releases, kind):
    view = read(releases[kind])
    population = read_population(releasing.people(120), view.quasi_identifiers)
    line = by_name(presence_lines(view, population))["presence_with_list"]
    assert line.worst == 1
    assert line.above == line.details["certain"] == (view.people if kind == "ambiguity" else 120)


@pytest.mark.parametrize("kind", KINDS)
def test_the_journalist_knows_no_more_than_the_prosecutor(releases, everybody, kind):
    view = read(releases[kind])
    found = by_name(reidentification(view, read_population(everybody, view.quasi_identifiers)))
    assert found["journalist"].worst <= found["prosecutor"].worst + 1e-12
    assert found["marketer_at_large"].worst <= found["marketer"].worst + 1e-12
    assert not any(line.breaks for line in found.values())


def test_without_a_list_a_generalized_release_says_nothing(releases):
    assert presence_lines(read(releases["generalization"])) == []


def test_without_a_list_exact_values_hide_nobody(releases):
    [line] = presence_lines(read(releases["bucketization"]))
    assert (line.adversary, line.worst, line.above) == ("presence_without_list", 1, 120)


def test_an_ambiguous_release_promises_alpha_without_a_list(releases):
    [line] = presence_lines(read(releases["ambiguity"]))
    assert line.promised == line.threshold == 0.5
    assert line.worst <= 0.5
    assert line.above == 0


@pytest.mark.parametrize("kind", ["bucketization", "ambiguity"])
def test_figures_are_those_of_the_audit_of_exact_values(releases, everybody, kind):
    audit = audit_presence(releases[kind], everybody)
    view = read(releases[kind])
    line = by_name(presence_lines(view, read_population(everybody, view.quasi_identifiers)))["presence_with_list"]
    assert line.worst == audit.over_all_groups.worst
    assert line.details["certain"] == audit.certain
    assert line.details["surely_absent"] == audit.absent
    assert line.details["groups_the_list_can_not_fill"] == audit.contradicted


def test_an_ambiguous_group_above_alpha_breaks_its_promise():
    # 2 people, 2 × 2 combinations; and 2 people of one gender: 2 of 2.
    view = released([[("20", "F"), ("60", "M")], [("30", "F"), ("40", "F")]], [(0,), (1,)])
    promised = type(view)(
        view.publish,
        view.quasi_identifiers,
        view.sizes,
        (),
        tables=view.tables,
        promises=(Promise("ambiguity", {"alpha": "1/2", "beta": "1/2"}),),
    )
    [line] = presence_lines(promised)
    assert (line.worst, line.above, line.breaks) == (1, 2, True)
    assert line.deciding.group == 1


@settings(max_examples=6)
@given(end_to_end.cases(), st.sampled_from(["generalization", "multidimensional"]), st.sampled_from([0, 0.4]))
def test_presence_that_was_promised_is_found_again_whatever_the_columns_are(tmp_path_factory, case, publish, suppress):
    names, everybody, private, delta, order = case
    assume("mood" not in names)  # values that are themselves written like sets: another tool's set, or a value?
    words = end_to_end.words_of(case, publish=publish, suppress=suppress if publish == "generalization" else 0)
    words |= {"private": {"in": "yes"}, "require": [{"presence": {"delta": delta}}]}
    source = end_to_end.frame(names, everybody, order) | {"in": ["yes" if is_in else None for is_in in private]}
    folder = tmp_path_factory.mktemp("presence") / "release"
    discreet.anonymize(discreet.policy_from_words(words), folder, source=source)
    read_by_others = end_to_end.Reading(folder, case)
    groups = [(read_by_others.rows[t], read_by_others.people[t]) for t in read_by_others.rows]
    chances = [Fraction(rows, of) for rows, of in [*groups, read_by_others.rest] if of]
    view = read(folder)
    population = read_population(end_to_end.frame(names, everybody, order), view.quasi_identifiers)
    present, absent = presence_lines(view, population)
    assert present.worst == float(max(chances))
    assert absent.worst == pytest.approx(float(1 - min(chances)))
    assert present.promised == float(Fraction(delta[1]))
    assert not present.breaks
    assert not absent.breaks
    assert present.above == 0


@settings(max_examples=6)
@given(end_to_end.cases(), st.booleans(), st.sampled_from(["1/3", "0.9"]))
def test_presence_that_was_promised_with_a_confidence_is_found_again(tmp_path_factory, case, shares, level):
    names, everybody, private, delta, order = case
    assume("mood" not in names)
    size = len(everybody)
    marginals = {
        name: [[v, str(Fraction(n, size)) if shares else n] for v, n in Counter(p[d] for p in everybody).items()]
        for d, name in enumerate(names)
    }
    promise = {"delta": delta, "confidence": level, "marginals": marginals, "size": size}
    words = end_to_end.words_of(case, publish="generalization", require=[{"confident_presence": promise}])
    inside = [person for person, is_in in zip(everybody, private, strict=True) if is_in]
    folder = tmp_path_factory.mktemp("presence") / "release"
    discreet.anonymize(discreet.policy_from_words(words), folder, source=end_to_end.frame(names, inside, order))
    found = by_name(presence_lines(read(folder)))
    assert {line.precision for line in found.values()} == {EXACT}
    assert found["presence_promise_fails"].promised == float(1 - Fraction(level))
    assert not any(line.breaks for line in found.values())


def test_marginals_are_taken_from_the_promise_where_none_are_given():
    case = Case((((Exactly("a"),), 2),), (("a",),) * 10 + (("b",),) * 10)
    words = {"delta": [0, 0.2], "confidence": 0.8, "marginals": {"q0": [["a", 10], ["b", 10]]}, "size": 20}
    view = case.view([Promise("confident_presence", words)])
    found = by_name(presence_lines(view))
    assert found["presence_with_confidence"].worst == 2 / 10
    assert not found["presence_promise_fails"].breaks
    given = by_name(presence_lines(view, marginals=Marginals(13, {"q0": {"a": 8, "b": 5}})))
    assert given["presence_with_confidence"].worst == 2 / 8
    # Without marginals in it, those of the list are meant.
    bare = case.view([Promise("confident_presence", {"delta": [0, 0.2], "confidence": 0.8})])
    assert presence_lines(bare) == []
    both = by_name(presence_lines(bare, case.population))
    assert both["presence_with_confidence"].worst == both["presence_with_list"].worst == 0.2
    assert both["presence_expected"].worst == pytest.approx(0.2)
