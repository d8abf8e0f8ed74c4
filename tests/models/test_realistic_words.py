"""`realistic` in the words of a policy: what they mean, and everything that can be wrong with them."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from discreet.errors import PolicyError
from discreet.labels.whose import Whose
from discreet.models.promise import Setting
from discreet.models.realistic.adversaries import ClassOne, ClassThree, ClassTwo
from discreet.models.realistic.predicates import Predicate, Predicates
from discreet.models.realistic.priors import TABLE, UNIFORM, CountsPrior, SharesPrior
from discreet.models.realistic.realistic import Realistic
from discreet.models.registry import model_from_words


def read(folder: Path = Path(), **words: object) -> Realistic:
    if "class_" in words:
        words["class"] = words.pop("class_")
    models, mistakes = model_from_words("realistic", words, "realistic", ["disease"], folder)
    assert not mistakes
    [model] = models
    assert isinstance(model, Realistic)
    return model


def mistakes(folder: Path = Path(), **words: object) -> list[str]:
    if "class_" in words:
        words["class"] = words.pop("class_")
    models, found = model_from_words("realistic", words, "realistic", ["disease"], folder)
    assert not models
    return [str(mistake) for mistake in found]


@pytest.mark.parametrize(
    ("words", "adversary"),
    [
        ({"class_": "I", "stubbornness": 1000}, ClassOne(1000, TABLE)),
        ({"class_": "I", "stubbornness": "1e6", "prior": "uniform", "known": 5}, ClassOne(10**6, UNIFORM, 5)),
        ({"class_": "II", "stubbornness": 2.5, "known": 1}, ClassTwo(2.5, 1)),
        ({"class_": "III"}, ClassThree(TABLE)),
        ({"class_": "III", "prior": {"a": 0.4, None: "3/5"}}, ClassThree(SharesPrior({"a": "0.4", None: "0.6"}))),
        ({"class_": "III", "prior": {"shares": [["a", 1]]}}, ClassThree(SharesPrior({"a": 1}))),
        (
            {"class_": "III", "prior": {"shares": 0.4, "counts": 0.6}},
            ClassThree(SharesPrior({"shares": 0.4, "counts": 0.6})),
        ),
        ({"class_": "I", "prior": {"counts": [["a", 4], [None, 0]]}}, ClassOne(6, CountsPrior({"a": 4, None: 0}))),
    ],
)
def test_words_mean_adversaries(words: dict[str, object], adversary: object) -> None:
    model = read(epsilon=3, **words)
    assert model == Realistic(3, adversary, "disease")  # type: ignore[arg-type]


def test_predicates_are_values_sets_and_negations_of_both() -> None:
    model = read(
        class_="II", stubbornness=9, epsilon=2, predicates=["a", None, ["b", "c"], {"not": "a"}, {"not": ["b", None]}]
    )
    assert model.predicates.listed == (
        Predicate(("a",)),
        Predicate((None,)),
        Predicate(("b", "c")),
        Predicate(("a",), negated=True),
        Predicate(("b", None), negated=True),
    )
    assert not model.predicates.each_value
    both = read(class_="II", stubbornness=9, epsilon=2, predicates=[{"each": True}, ["b", "c"]])
    assert both.predicates == Predicates((Predicate(("b", "c")),), each_value=True)


def test_a_csv_of_counts_gives_shares_and_stubbornness(tmp_path: Path) -> None:
    (tmp_path / "seen.csv").write_text('\ufeffdisease;count\nflu;11999\n"a;b";0\n;7\n"";1\n\n', encoding="utf-8")
    counts = CountsPrior([("flu", 11999), ("a;b", 0), (None, 7), ("", 1)])
    assert read(tmp_path, class_="I", epsilon=2, prior="seen.csv").adversary == ClassOne(12011, counts)
    assert read(tmp_path, class_="I", epsilon=2, prior="seen.csv", stubbornness=50).adversary == ClassOne(50, counts)
    assert read(tmp_path, class_="III", epsilon=2, prior="seen.csv").adversary == ClassThree(counts)


def test_a_csv_that_cannot_be_meant_is_told_line_by_line(tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text("value,count\nflu,12\ncold\ngout,many\ngout,-3\nflu,4\n")
    assert mistakes(tmp_path, class_="I", epsilon=2, prior="bad.csv") == [
        "realistic.prior: 'bad.csv', line 3: not a value and a count; write value,count",
        "realistic.prior: 'bad.csv', line 4: not a value and a count; write value,count",
        "realistic.prior: 'bad.csv', line 5: not a value and a count; write value,count",
        "realistic.prior: 'bad.csv', line 6: the same value as in line 2; keep one of them",
    ]
    (tmp_path / "twice.csv").write_text("flu,12\nflu,4\n")
    assert mistakes(tmp_path, class_="III", epsilon=2, prior="twice.csv") == [
        "realistic.prior: 'twice.csv', line 2: the same value as in line 1; keep one of them"
    ]
    (tmp_path / "latin.csv").write_bytes(b"fi\xe8vre,3\n")
    assert "not UTF-8" in mistakes(tmp_path, class_="III", epsilon=2, prior="latin.csv")[0]
    assert "no file 'none.csv'" in mistakes(tmp_path, class_="I", epsilon=2, prior="none.csv")[0]
    (tmp_path / "empty.csv").write_text("")
    assert "lists no values" in mistakes(tmp_path, class_="III", epsilon=2, prior="empty.csv")[0]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ({"class_": "IV", "stubbornness": 5}, "class: IV means every adversary there could be"),
        ({"class_": "V", "stubbornness": 5}, "class: must be one of I, II, III, got 'V'"),
        ({"stubbornness": 5}, "class: is missing; I: shares and stubbornness known"),
        ({"class_": "III", "stubbornness": 5}, "stubbornness: class III is the adversary whose mind nothing changes"),
        ({"class_": "II", "stubbornness": 5, "prior": "table"}, "prior: class II is the adversary whose belief is not"),
        ({"class_": "II"}, "stubbornness: is missing; say how many people's data she has seen"),
        ({"class_": "I", "prior": "uniform"}, "stubbornness: is missing"),
        ({"class_": "II", "stubbornness": 0.5}, "stubbornness: must be at least 1, got 0.5"),
        ({"class_": "III", "known": -1}, "known: must be at least 0, got -1"),
        ({"class_": "III", "known": 1.5}, "known: must be a whole number"),
        ({"class_": "III", "prior": "tables"}, "prior: no such prior 'tables'; did you mean 'table'?"),
        ({"class_": "III", "prior": 5}, "prior: must be table, uniform, shares by value or the path of a CSV, got 5"),
        ({"class_": "III", "prior": {"a": 0.4, "b": 0.4}}, "prior: must add up to 1, these add up to 0.8"),
        ({"class_": "III", "prior": {"a": 1.5, "b": -0.5}}, "prior.b: must be at least 0, got -0.5"),
        ({"class_": "III", "prior": {True: 1}}, "prior.true: a value must be text"),
        ({"class_": "III", "prior": {"counts": [["a"]]}}, "prior: must be pairs of a value and a number"),
        ({"class_": "III", "predicates": "cancer"}, "predicates: must be a list of what to protect, got 'cancer'"),
        ({"class_": "III", "predicates": [5]}, "predicates[0]: must be a value, a list of values or {not: …}, got 5"),
        ({"class_": "III", "predicates": [{"nott": "a"}]}, "predicates[0]: must be a value"),
        ({"class_": "III", "sigma": 4}, "sigma: no such parameter"),
        ({"class_": "III", "attribute": "diseas"}, "attribute: no such sensitive attribute; did you mean 'disease'?"),
    ],
)
def test_a_mistake_names_the_place_the_rule_and_the_repair(words: dict[str, object], told: str) -> None:
    [message] = mistakes(epsilon=3, **words)
    assert message.startswith("realistic." + told)


def test_all_mistakes_are_told_at_once() -> None:
    found = mistakes(class_="IV", epsilon=0.5, prior="x.csv", known="few", predicates=[], attribute="y", sigma=1)
    assert [message.split(":")[0].removeprefix("realistic.") for message in found] == [
        "sigma",
        "class",
        "prior",
        "epsilon",
        "known",
        "predicates",
        "attribute",
    ]


def test_rounded_shares_are_scaled_to_one() -> None:
    thirds = SharesPrior(dict.fromkeys("abc", "0.333"))
    assert thirds.share(None, "a") == Fraction(1, 3)  # type: ignore[arg-type]


def test_what_python_makes_is_checked_alike() -> None:
    with pytest.raises(PolicyError) as caught:
        ClassOne(0, TABLE, -1)
    assert [m.place for m in caught.value.mistakes] == ["realistic.stubbornness", "realistic.known"]
    with pytest.raises(PolicyError, match=r"realistic\.epsilon: must be at least 1"):
        Realistic(0.9, ClassTwo(5), "disease")
    with pytest.raises(PolicyError, match=r"prior\.a: must be a whole number"):
        CountsPrior({"a": 1.5})


def test_the_promise_is_told_in_one_line() -> None:
    told = Realistic(3, ClassOne(1000, UNIFORM, 2), "disease").describe()
    assert (
        told
        == "3-privacy of disease against 1000 people's worth of belief in equal shares, knowing 2 rows of the table"
    )


def test_the_report_tells_the_promise_and_what_it_leaves_open() -> None:
    from discreet.report.sections.open_risks import open_risks
    from discreet.report.words import promise_in_words

    listed = SharesPrior({"flu": 0.5, "cold": 0.5})
    told = []
    for adversary in (ClassOne(1000), ClassTwo(1000, 1), ClassThree(UNIFORM), ClassThree(listed, 20)):
        model = Realistic(2.5, adversary, "disease")
        promise = {"model": model.to_words(), "promise": model.describe()}
        told.append(promise_in_words(promise, ["disease"], Setting(False, Whose.ONE_EACH)))
        titles = dict(open_risks([promise], {"disease": "sensitive"}, "generalization", {}, Whose.ONE_EACH))
        assert "may learn more" in titles["Adversaries other than the one assumed"]
        assert not any(title.startswith("Learning disease") for title in titles)
    assert all("within a factor of 2.5" in sentence for sentence in told)
    assert "expects the shares of the whole table from data on 1,000 people" in told[0]
    assert "expects anything from data on at most 1,000 people and who knows the rows of 1 person" in told[1]
    assert "expects equal shares of all values and whom no data would convince otherwise" in told[2]
    assert "expects shares that the policy lists" in told[3] and "knows the rows of 20 people" in told[3]
