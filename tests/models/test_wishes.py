"""What people ask for, in cells of the table: how it is read, and that each group is judged for its own people's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.audit.reading import wishes as second_reading
from discreet.errors import DataError, PolicyError
from discreet.labels.whose import Whose
from discreet.models.examples import wishing_groups
from discreet.models.promise import Setting
from discreet.models.realistic.adversaries import Adversary, ClassOne, ClassThree, ClassTwo
from discreet.models.realistic.predicates import EACH_VALUE, Predicate, Predicates
from discreet.models.realistic.priors import TABLE, UNIFORM, SharesPrior
from discreet.models.realistic.realistic import Realistic
from discreet.models.realistic.wished import OneByOne, United, Wished
from discreet.models.realistic.wishes import Wish, read_wish, wish_mistakes
from discreet.models.registry import model_from_words
from tests.models.cases import epsilons
from tests.oracles import cuts, keeps_one

Row = tuple[str, str]  # what somebody has, and what she asks for
D = "disease"


# What a cell says


@pytest.mark.parametrize(
    ("text", "predicates"),
    [
        ("HIV", [Predicate(("HIV",))]),
        (" heart attack ", [Predicate(("heart attack",))]),
        ("HIV | hepatitis", [Predicate(("HIV",)), Predicate(("hepatitis",))]),
        ("{ulcer, dyspepsia}", [Predicate(("ulcer", "dyspepsia"))]),
        ("not cancer", [Predicate(("cancer",), negated=True)]),
        ("Not {ulcer,dyspepsia}|HIV", [Predicate(("ulcer", "dyspepsia"), negated=True), Predicate(("HIV",))]),
        ('"a, b" | not "x|y" | {"{", "say ""ah"""}', [
            Predicate(("a, b",)), Predicate(("x|y",), negated=True), Predicate(("{", 'say "ah"')),
        ]),
        ('"" | "each" | "not so"', [Predicate(("",)), Predicate(("each",)), Predicate(("not so",))]),
        ("nothing", [Predicate(("nothing",))]),
    ],
)  # fmt: skip
def test_a_cell_names_values_sets_and_what_somebody_has_not(text: str, predicates: list[Predicate]) -> None:
    wish = read_wish(text)
    assert isinstance(wish, Wish) and wish.predicates == Predicates(tuple(predicates), each_value=False)


def test_each_is_every_single_value_and_an_empty_cell_asks_for_nothing() -> None:
    for text in ("each", " EACH "):
        wish = read_wish(text)
        assert isinstance(wish, Wish) and wish.predicates == EACH_VALUE
    both = read_wish("each | {ulcer, dyspepsia}")
    assert isinstance(both, Wish) and both.predicates == Predicates((Predicate(("ulcer", "dyspepsia")),))
    assert {read_wish(text) for text in (None, "", "  ")} == {Wish()}


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ('"HIV', "a quote that is not closed"),
        ("HIV |", "nothing beside a bar"),
        ("| HIV", "nothing beside a bar"),
        ("{ulcer, dyspepsia", "a set that is not closed"),
        ("{}", "a set that is not values with commas between them"),
        ("{ulcer,, dyspepsia}", "a set that is not values with commas between them"),
        ("HIV, hepatitis", "characters that need quotes around the value"),
        ("HIV}", "characters that need quotes around the value"),
        ("not", "a value that is missing"),
        ("not each", "not each, which means nothing"),
    ],
)
def test_what_means_nothing_is_told_by_the_rule_that_it_breaks(text: str, rule: str) -> None:
    assert read_wish(text) == rule


pieces = st.sampled_from(["a", "b", "not", "not ", "NOT ", "each", " ", "\t", '"', '""', "{", "}", ",", "|", '"a b"'])


@settings(max_examples=400)
@given(text=st.lists(pieces, max_size=9).map("".join))
def test_the_audit_reads_every_cell_alike_by_code_of_its_own(text: str) -> None:
    wish, again = read_wish(text), second_reading.predicates_of(text)
    if isinstance(wish, str) or again is None:
        assert isinstance(wish, str) and again is None
        return
    listed = () if wish.predicates is None else wish.predicates.listed
    read = {("not in" if p.negated else "in", frozenset(p.values)) for p in listed}
    assert {*again} == read | ({"each"} if wish.predicates is not None and wish.predicates.each_value else set())


def test_bad_wishes_are_counted_by_the_rule_and_never_repeated() -> None:
    rows = [
        ("HIV", '"HIV'),
        ("flu", '"HIV'),
        ("flu", "HIV,flu"),
        ("flu", "leprosy"),
        ("not flu", "not flu"),
        ("flu", ""),
    ]
    groups = wishing_groups(D, rows)
    assert groups.wishes is not None
    mistakes = [str(m) for m in wish_mistakes(groups.wishes, groups.tallies[D].hierarchy)]
    assert sorted(mistake.partition(";")[0] for mistake in mistakes) == [
        "realistic.predicates.wishes: 1 row has in wish 'not …' without quotes, which is also the name of a value of "
        "disease",
        "realistic.predicates.wishes: 1 row has in wish a value that disease does not have",
        "realistic.predicates.wishes: 1 row has in wish characters that need quotes around the value",
        "realistic.predicates.wishes: 2 rows have in wish a quote that is not closed",
    ]
    assert not any(word in mistake.partition(";")[0] for mistake in mistakes for word in ("leprosy", "HIV"))


# The paper's hospital (table 3): women from 40 have 18,000 flu and 2,000 cancer, she expects 0.4 and 0.6. Flu needs
# ε = (1 − 0.4) / (1 − 0.9) = 6, cancer no more than 1; the men look as she expects.

PRIOR = ClassThree(SharesPrior({"flu": 0.4, "cancer": 0.6}))
SCALE = 200  # people of each row


def hospital(wish: str) -> list[list[Row]]:
    """The three groups, one woman of whom asks for something."""
    counts = [(200, 300), (1800, 2700), (18000, 2000)]
    young, old, women = ([("flu", "")] * (f // SCALE) + [("cancer", "")] * (c // SCALE) for f, c in counts)
    return [young, old, [("flu", wish), *women[1:]]]


@pytest.mark.parametrize(
    ("wish", "epsilon"),
    [
        ("", 1),
        ("flu", 6),
        ("cancer", 1),
        ("not cancer", 6),
        ("not flu", 1),
        ("cancer | not flu", 1),
        ("cancer | not cancer", 6),
        ("{flu, cancer}", 1),  # that everybody has one of them was known before
        ("each", 6),
    ],
)
def test_rachel_is_protected_against_what_she_asked_for_and_nothing_else(wish: str, epsilon: int) -> None:
    groups = wishing_groups(D, *hospital(wish))
    assert OneByOne(epsilon, PRIOR, D).holds(groups).tolist() == [True, True, True]
    assert OneByOne(3, PRIOR, D).holds(groups).tolist() == [True, True, epsilon <= 3]
    assert OneByOne(3, PRIOR, D).level(groups).tolist() == pytest.approx([1, 1, epsilon])


def test_what_is_promised_to_everybody_needs_no_wish() -> None:
    groups = wishing_groups(D, *hospital(""))
    assert OneByOne(3, PRIOR, D, Predicates.of("flu")).holds(groups).tolist() == [True, True, False]
    assert OneByOne(3, PRIOR, D, Predicates.of("cancer")).holds(groups).tolist() == [True, True, True]
    assert OneByOne(3, PRIOR, D, EACH_VALUE).holds(groups).tolist() == [True, True, False]


def test_united_wishes_protect_everybody_against_all_of_them() -> None:
    young, old, women = hospital("")
    groups = wishing_groups(D, [("flu", "flu"), *young[1:]], old, women)
    assert OneByOne(3, PRIOR, D).holds(groups).tolist() == [True, True, True]
    united = United(3, PRIOR, D).bound(groups.wishes)
    assert united.holds(groups).tolist() == [True, True, False]
    plain = Realistic(3, PRIOR, D, Predicates.of("flu"))
    assert united.level(groups).tolist() == plain.level(groups).tolist()
    assert united.least_suppressed(groups).tolist() == plain.least_suppressed(groups).tolist()


@pytest.mark.parametrize("kind", [OneByOne, United])
def test_without_the_wishes_nothing_is_judged(kind: type[Wished]) -> None:
    groups = wishing_groups(D, [("flu", "flu")])
    model = kind(3, PRIOR, D)
    with pytest.raises(DataError, match="what was asked for, which only the original table tells"):
        model.holds(type(groups)(groups.sizes, groups.tallies))  # type: ignore[attr-defined]


# By definition


def quoted(value: str) -> str:
    return '"' + value.replace('"', '""') + '"'


VALUES = ["HIV", "flu", "a, b", ""]
single = st.sampled_from(VALUES).map(quoted)
sets = st.lists(single, min_size=1, max_size=3, unique=True).map(lambda names: "{" + ", ".join(names) + "}")
parts = st.one_of(single, sets, single.map("not {}".format), sets.map("not {}".format), st.just("each"))
texts = st.just("") | st.lists(parts, min_size=1, max_size=2).map(" | ".join)
row = st.tuples(st.sampled_from(VALUES), texts)
small_groups = st.lists(st.lists(row, min_size=1, max_size=7), min_size=1, max_size=4)
adversaries: st.SearchStrategy[Adversary] = st.one_of(
    st.builds(ClassOne, st.integers(1, 12), st.sampled_from([TABLE, UNIFORM]), st.sampled_from([0, 1])),
    st.builds(ClassTwo, st.integers(1, 12), st.sampled_from([0, 1])),
    st.builds(ClassThree, st.sampled_from([TABLE, UNIFORM]), st.sampled_from([0, 1])),
)
alsos = st.sampled_from([None, EACH_VALUE, Predicates.of("HIV"), Predicates.of(["flu", ""], Predicate(("HIV",), True))])


def keeps(model: OneByOne, group: Sequence[Row], table: Sequence[str]) -> bool:
    """Whoever stands in the group, and each predicate of theirs: is the group private for it?"""
    asked = [read_wish(text) for _, text in group]
    wanted = [wish.predicates for wish in asked if isinstance(wish, Wish)] + [model.also]
    single = [Predicates((p,), each_value=False) for some in wanted if some is not None for p in some.listed]
    single += [EACH_VALUE for some in wanted if some is not None and some.each_value]
    values = [value for value, _ in group]
    return all(keeps_one(Realistic(model.epsilon, model.adversary, D, p), values, table) for p in single)


@settings(max_examples=200)
@given(groups=small_groups, adversary=adversaries, epsilon=epsilons, also=alsos)
def test_a_group_holds_if_and_only_if_it_is_private_for_everybody_who_stands_in_it(
    groups: list[list[Row]], adversary: Adversary, epsilon: Fraction, also: Predicates | None
) -> None:
    model = OneByOne(epsilon, adversary, D, also)
    seen = wishing_groups(D, *groups)
    table = [value for group in groups for value, _ in group]
    verdicts = model.holds(seen).tolist()
    assert verdicts == [keeps(model, group, table) for group in groups]
    levels = model.level(seen)
    assert [float(level) <= float(Fraction(epsilon)) for level in levels] == verdicts
    assert (levels >= 1).all()


@settings(max_examples=60)
@given(group=st.lists(row, min_size=1, max_size=5), adversary=adversaries, epsilon=epsilons, also=alsos)
def test_no_way_to_cut_a_group_loses_fewer_rows_than_the_bound(
    group: list[Row], adversary: Adversary, epsilon: Fraction, also: Predicates | None
) -> None:
    model, table = OneByOne(epsilon, adversary, D, also), [value for value, _ in group]
    known: dict[tuple[int, ...], bool] = {}

    def lost(places: Sequence[int]) -> int:
        rows = 0
        for place in {*places}:
            part = tuple(i for i, at in enumerate(places) if at == place)
            if part not in known:
                known[part] = keeps(model, [group[i] for i in part], table)
            rows += 0 if known[part] else len(part)
        return rows

    bound = int(model.least_suppressed(wishing_groups(D, group))[0])
    assert 0 <= bound <= min(map(lost, cuts(len(group))))


def test_where_all_ask_for_everything_as_much_is_lost_as_if_it_were_promised_to_all() -> None:
    """Not needed for right answers, but a search prunes with it: a bound that got weak should be noticed."""
    values = ["HIV"] * 6 + ["flu"] * 2 + [""] * 2
    plain, wished = Realistic("3/2", ClassThree(UNIFORM), D), OneByOne("3/2", ClassThree(UNIFORM), D)
    asking = wishing_groups(D, [(value, "each") for value in values])
    # No value may have more than half: two of six go, then it is four of eight.
    assert plain.least_suppressed(asking).tolist() == wished.least_suppressed(asking).tolist() == [2]
    for others, lost in ((1, 1), (2, 0), (3, 0)):
        group = [(value, "each" if i >= others else "flu") for i, value in enumerate(values)]
        assert wished.least_suppressed(wishing_groups(D, group)).tolist() == [lost]


def test_merging_may_break_it_so_it_is_not_called_monotone() -> None:
    """All of the first have HIV, and nobody minds; in the second one does, of four among whom one has it."""
    minds = [("HIV", "HIV"), ("flu", ""), ("flu", ""), ("flu", "")]
    unminding = [("HIV", "")] * 4
    model = OneByOne(2, ClassThree(SharesPrior({"HIV": "1/4", "flu": "3/4"})), D)
    assert not model.monotone and United(2, ClassTwo(2), D).monotone
    assert model.holds(wishing_groups(D, minds, unminding, minds + unminding)).tolist() == [True, True, False]


@pytest.mark.parametrize("scale", [1, 10**9])
def test_ties_are_decided_in_whole_numbers(scale: int) -> None:
    groups = wishing_groups(D, [("flu", "HIV"), ("HIV", ""), ("HIV", "")])
    tally = groups.tallies[D]
    large = replace(groups, sizes=groups.sizes * scale, tallies={D: replace(tally, counts=tally.counts * scale)})
    assert OneByOne("3/2", ClassThree(UNIFORM), D).holds(large).tolist() == [True]  # (1 − 1/2) / (1 − 2/3)
    assert OneByOne(Fraction(3, 2) - Fraction(1, 10**24), ClassThree(UNIFORM), D).holds(large).tolist() == [False]


# In the words of a policy


ALSO = Predicates.of("flu", Predicate(("x",), negated=True))


def read(predicates: object) -> tuple[list[object], list[str]]:
    words = {"class": "II", "stubbornness": 9, "epsilon": 3, "predicates": predicates}
    models, mistakes = model_from_words("realistic", words, "realistic", [D])
    return list(models), [str(mistake) for mistake in mistakes]


@pytest.mark.parametrize(
    ("words", "model"),
    [
        ({"wishes": True}, OneByOne(3, ClassTwo(9), D)),
        ({"wishes": "united"}, United(3, ClassTwo(9), D)),
        ({"wishes": True, "also": ["flu", {"not": "x"}]}, OneByOne(3, ClassTwo(9), D, ALSO)),
        ({"wishes": "united", "also": [{"each": True}]}, United(3, ClassTwo(9), D, EACH_VALUE)),
    ],
)  # fmt: skip
def test_words_mean_a_promise_and_a_promise_says_them(words: dict[str, object], model: Wished) -> None:
    assert read(words) == ([model], [])
    assert model.to_words()["realistic"]["predicates"] == words
    assert model.needs_source  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ({"wishes": False}, "wishes: must be true or united, got false; true: what each person asks for"),
        ({"wishes": "all"}, "wishes: must be true or united, got 'all'"),
        ({"wishes": [1]}, "wishes: must be true or united, got a list"),
        ({"also": ["flu"]}, "wishes: is missing; true: what each person asks for, group by group"),
        ({"wishes": True, "als": ["flu"]}, "als: no such word; did you mean 'also'?"),
        ({"wishes": True, "also": "flu"}, "also: must be a list of what to protect, got 'flu'"),
        ({"wishes": True, "also": [5]}, "also[0]: must be a value, a list of values or {not: …}, got 5"),
    ],
)
def test_a_mistake_names_the_place_the_rule_and_the_repair(words: dict[str, object], told: str) -> None:
    models, [mistake] = read(words)
    assert not models and mistake.startswith(f"realistic.predicates.{told}")


def test_what_python_makes_is_checked_alike() -> None:
    with pytest.raises(PolicyError, match=r"realistic\.epsilon: must be at least 1"):
        OneByOne(0.9, ClassTwo(5), D)


def test_the_report_tells_the_promise_and_what_it_leaves_open() -> None:
    from discreet.report.sections.open_risks import open_risks
    from discreet.report.words import promise_in_words

    told, setting = {}, Setting(exact=False, whose=Whose.UNSAID)
    for model in (OneByOne(3, ClassTwo(9), D), United(3, ClassTwo(9), D, Predicates.of("flu"))):
        promise = {"model": model.to_words(), "promise": model.describe()}
        risks = dict(open_risks([promise], {D: "sensitive"}, "generalization", {}, Whose.UNSAID))
        told[type(model)] = (
            promise_in_words(promise, [D], setting),
            risks["Who asked for something to be hidden"],
        )
    sentence, risk = told[OneByOne]
    assert "what a row of the same group asks to be hidden, and the doubt of it, is within a factor of 3" in sentence
    assert "who asks for something to be hidden may be who has it" in risk
    sentence, risk = told[United]
    assert "whatever any row of the table asks to be hidden or that the policy lists" in sentence
    assert "it is not told which asked" in risk
