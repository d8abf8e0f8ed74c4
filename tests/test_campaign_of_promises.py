"""A slice of the campaign of promises, and proof that its outsider notices what she looks for."""

from __future__ import annotations

import doctest
import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from campaign.promises import wishes
from campaign.promises.audited import MORE
from campaign.promises.case import Case
from campaign.promises.crew import Crew
from campaign.promises.definitions import keeps
from campaign.promises.ladders import ladder
from campaign.promises.outsider import judge
from campaign.promises.policies import families, make
from campaign.promises.possible import possible
from campaign.promises.posteriors import both_releases, confidence, dealings, presence_with_list
from campaign.promises.product import BROKEN, KEPT, NOT_JUDGED, RELEASE, Answer, ask
from campaign.promises.runs import run
from campaign.promises.truth import ambiguous
from campaign.workers import Job

from discreet.models.realistic.predicates import Predicate
from discreet.models.realistic.wishes import read_wish
from tests.campaign_slices import run_slice
from tests.oracles import keeps_one

ROOT = Path(__file__).parent.parent
QUASI: dict[str, Any] = {
    "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [10, 20]}},
    "zip": {"role": "quasi_identifier", "hierarchy": {"prefixes": [1]}},
}
ROWS = (
    ("21", "11", "flu"),
    ("22", "11", "cold"),
    ("24", "12", "flu"),
    ("31", "21", "cold"),
    ("33", "21", "ulcer"),
    ("39", "22", "flu"),
    ("55", "31", "cold"),
    ("58", "32", "flu"),
)


def case(*require: Any, rows: Any = ROWS, **more: Any) -> Case:
    attributes = QUASI | {"disease": {"role": "sensitive"}}
    words = {"attributes": attributes, "require": [*require], "seed": 3} | more
    return Case("test", ("age", "zip", "disease"), tuple(rows), words)


DIVERSE = {"l_diversity": {"l": 2}}
FREQUENT = {"l_diversity": {"l": 2, "kind": "frequency"}}


def kinds(case: Case, answer: Answer, folder: Path) -> set[str]:
    return {kind for kind, _ in judge(case, answer, folder)}


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"publish": "multidimensional"},
        {"publish": "local_recoding"},
        {"publish": "bucketization", "require": [FREQUENT]},
        {"publish": "bucketization", "require": [{"robust": {"r": "3/2", "min_support": 2}}], "suppress": "1/2"},
        {"publish": "ambiguity", "require": [{"ambiguity": {"alpha": 1, "beta": "2/3"}}]},
    ],
    ids=str,
)
def test_nothing_is_wrong_with_a_release_of_ours(more: dict[str, Any], tmp_path: Path) -> None:
    mine = case(DIVERSE, **more)
    answer = ask(mine, tmp_path)
    assert answer.ended == "released", answer.message
    assert judge(mine, answer, tmp_path) == []


def drop_a_row(text: str) -> str:
    return "\n".join(text.splitlines()[:-1]) + "\n"


def exchange_two_values(text: str) -> str:
    """The first row's disease with that of a row of another group, which has another one."""
    head, first, *rest = (line.rsplit(",", 1) for line in text.splitlines())
    other = next(line for line in rest if line[0] != first[0] and line[1] != first[1])
    first[1], other[1] = other[1], first[1]
    return "\n".join(",".join(line) for line in [head, first, *rest]) + "\n"


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (drop_a_row, "untrue"),
        (exchange_two_values, "untrue"),
        (lambda text: text.replace("20-39", "40-59").replace("20-29", "40-49"), "untrue"),
        (lambda text: text.replace("cold", "flu").replace("ulcer", "flu"), "broken"),
        (lambda text: text + text.splitlines()[-1] + "\n", "untrue"),
    ],
    ids=["a row less", "exchanged values", "an untrue label", "one value", "a row twice"],
)
def test_a_table_that_is_not_what_it_should_be_is_noticed(
    change: Callable[[str], str], kind: str, tmp_path: Path
) -> None:
    mine = case(DIVERSE)
    answer = ask(mine, tmp_path)
    data = tmp_path / RELEASE / "data.csv"
    data.write_text(change(data.read_text()))
    assert kind in kinds(mine, answer, tmp_path)


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (lambda a: replace(a, verified={"beside": BROKEN}), "contradiction"),
        (lambda a: replace(a, verified={"beside": NOT_JUDGED}), "contradiction"),
        (lambda a: replace(a, audited={"beside": BROKEN}), "contradiction"),
        (lambda a: replace(a, audited={"beside": NOT_JUDGED}), "contradiction"),
        (lambda a: replace(a, figures={**a.figures, "loss": 0.1}), "untrue"),
        (lambda a: replace(a, lines=tuple(replace(line, worst=line.worst / 2) for line in a.lines)), "audit"),
        (lambda a: replace(a, lines=tuple(replace(line, above=line.above + 1) for line in a.lines)), "audit"),
        (lambda a: replace(a, ended="refused", message="no generalization keeps every promise"), "refusal"),
        (lambda a: replace(a, ended="fault", message="Traceback"), "fault"),
        (lambda a: replace(a, ended="mistake", message="no such word"), "fault"),
    ],
    ids=[
        "verify",
        "verify not judged",
        "audit",
        "audit not judged",
        "loss",
        "worst",
        "above",
        "refused",
        "fault",
        "no",
    ],
)
def test_an_answer_that_is_not_what_it_should_be_is_noticed(
    change: Callable[[Answer], Answer], kind: str, tmp_path: Path
) -> None:
    mine = case(DIVERSE)
    answer = ask(mine, tmp_path)
    why = {f"{who} {name}": "" for who in ("verify", "audit") for name in ("alone", "beside")}
    assert kinds(mine, change(replace(answer, why=why)), tmp_path) == {kind}


@pytest.mark.parametrize("utility", ["loss", "geometric_loss", "discernibility", "average_group", "height"])
def test_a_release_that_is_called_optimal_and_is_not_is_noticed(utility: str, tmp_path: Path) -> None:
    """What is optimal for groups of four is not for groups of two."""
    four, two = (case({"k_anonymity": {"k": k}}, utility=utility) for k in (4, 2))
    answer = ask(four, tmp_path)
    assert kinds(four, answer, tmp_path) == set()
    assert kinds(two, answer, tmp_path) == {"optimal"}


def test_a_bucketization_in_which_somebody_has_a_value_of_another_group_is_noticed(tmp_path: Path) -> None:
    mine = case(FREQUENT, publish="bucketization")
    answer = ask(mine, tmp_path)
    values = tmp_path / RELEASE / "sensitive.csv"
    head, *lines = values.read_text().splitlines()
    others = [line.split(",")[1] for line in lines]
    turned = [f"{line.split(',')[0]},{value}" for line, value in zip(lines, [*others[1:], others[0]], strict=True)]
    values.write_text("\n".join([head, *turned]) + "\n")
    assert kinds(mine, answer, tmp_path) & {"untrue", "broken"}


def test_robustness_is_judged_by_all_worlds(tmp_path: Path) -> None:
    """Of somebody who is alone with his values, more is known where one row is enough to know it by."""
    some, all_of_it = (
        case({"robust": {"r": "3/2", "min_support": support}}, publish="bucketization", suppress="1/2")
        for support in (4, 1)
    )
    answer = ask(some, tmp_path)
    assert kinds(some, answer, tmp_path) == set(), answer.message
    assert "broken" in kinds(all_of_it, answer, tmp_path)


def test_presence_is_judged_for_everybody_on_the_list(tmp_path: Path) -> None:
    people = tuple(row[:2] for row in ROWS) + (("41", "11"),) * 8
    words = [{"presence": {"delta": [0, most], "population": "people.csv"}} for most in ("3/4", "1/4")]
    lenient, strict = (replace(case(word), people=people) for word in words)
    answer = ask(lenient, tmp_path)
    assert kinds(lenient, answer, tmp_path) == set()
    assert "broken" in kinds(strict, answer, tmp_path)


WISHING = QUASI | {"disease": {"role": "sensitive"}, "wish": {"role": "wishes"}}


def wishing(wishes: str | bool, cells: Any, minds: Any = None, **more: Any) -> Case:
    """Eight people who ask for something to be hidden; whose group has a flu in two is sure of that, by ε = 2."""
    about = {"class": "III", "epsilon": 2, "prior": "uniform", "predicates": {"wishes": wishes}}
    rows = tuple((*row, cell) for row, cell in zip(ROWS, cells, strict=True))
    words = {"attributes": WISHING, "require": [{"realistic": about}], "seed": 3} | more
    return Case("test", ("age", "zip", "disease", "wish"), rows, words, minds=minds)


NOBODY: tuple[str, ...] = ("",) * 8
ONE = ("flu", *NOBODY[1:])
ALL = ("each",) * 8


@pytest.mark.parametrize("wishes", [True, "united"])
def test_what_rows_ask_for_is_judged_by_the_outsider(wishes: str | bool, tmp_path: Path) -> None:
    """A release that was made for one wish breaks the wishes of others, and everybody who is given them says so."""
    mine = wishing(wishes, ONE, minds=ALL)
    answer = ask(mine, tmp_path)
    assert answer.ended == "released", answer.message
    assert judge(mine, answer, tmp_path) == []
    alone, beside, otherwise = (answer.verified[name] for name in ("alone", "beside", "otherwise"))
    assert (alone, beside) == (NOT_JUDGED, KEPT)
    if wishes is True:  # where all are protected for one's sake, others have no more to ask for
        assert otherwise == answer.audited["otherwise"] == BROKEN
        assert "broken" in kinds(mine.otherwise(), answer, tmp_path)


@pytest.mark.parametrize(
    ("name", "state"), [("alone", KEPT), ("beside", NOT_JUDGED), ("otherwise", KEPT), ("otherwise", NOT_JUDGED)]
)
@pytest.mark.parametrize("who", ["verified", "audited"])
def test_whoever_claims_too_much_or_too_little_of_wishes_is_noticed(
    who: str, name: str, state: str, tmp_path: Path
) -> None:
    mine = wishing(True, ONE, minds=ALL)
    answer = ask(mine, tmp_path)
    said = {**getattr(answer, who), name: state}
    assert kinds(mine, replace(answer, **{who: said}), tmp_path) == {"contradiction"}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "mine",
    [
        wishing(True, ONE, publish="multidimensional"),
        wishing(True, ONE, publish="local_recoding"),
        wishing("united", ONE, search="instant"),
        wishing("united", ("{flu", *NOBODY[1:])),
        wishing("united", ("Qx7", *NOBODY[1:])),
        wishing("united", NOBODY),
    ],
    ids=["multidimensional", "local_recoding", "instant", "unreadable", "unknown", "nobody"],
)
def test_wishes_that_can_not_be_kept_or_meant_have_to_be_refused(mine: Case, tmp_path: Path) -> None:
    answer = ask(mine, tmp_path)
    assert answer.ended == "mistake"
    assert kinds(mine, answer, tmp_path) == set()
    assert kinds(mine, replace(answer, ended="refused", message=""), tmp_path) == {"refusal"}
    assert kinds(mine, replace(answer, message="there is no value Qx7"), tmp_path) == {"untrue"}
    assert kinds(wishing("united", ONE), answer, tmp_path) == {"fault"}


def test_cells_are_read_as_the_product_reads_them() -> None:
    """Two readers that share no code, on cells that are written in many ways and on ones that nobody can mean."""
    chance = random.Random(3)
    for _ in range(400):
        values = chance.sample(["flu", "cold", *wishes.ODD], chance.randint(1, 6))
        for cell in wishes.cells(chance, values, 5):
            theirs = read_wish(cell)
            assert not isinstance(theirs, str)
            listed = [] if theirs.predicates is None else [words_of(p) for p in theirs.predicates.listed]
            each = theirs.predicates is not None and theirs.predicates.each_value
            mine = wishes.read(cell)
            assert mine is not None
            assert ({"each": True} in mine) == each
            assert {_unordered(wish) for wish in mine if wish != {"each": True}} == set(listed), cell
    for cell in {wishes.bad_cell(chance) for _ in range(300)} - {"Qx7", 'not "Qx7"'}:
        assert isinstance(read_wish(cell), str)
        assert wishes.read(cell) is None


def words_of(predicate: Predicate) -> tuple[bool, frozenset[Any]]:
    return predicate.negated, frozenset(predicate.values)


def _unordered(wish: Any) -> tuple[bool, frozenset[str]]:
    return isinstance(wish, dict), frozenset(wishes.values_in(wish))


def test_ambiguous_tables_that_nobody_can_fill_are_noticed() -> None:
    people, values = [("1", "a"), ("2", "b")], ["flu", "cold"]
    tables = {("x",): [("1", "7"), ("2", "7")], ("y",): [("a", "7"), ("b", "7")]}
    counts = {"7": Counter(["flu", "cold"])}
    assert ambiguous(tables, counts, ("x", "y"), people, values) is True
    assert ambiguous(tables, {"7": Counter(["flu", "flu"])}, ("x", "y"), people, values) is False
    assert ambiguous({**tables, ("x",): [("1", "7")]}, counts, ("x", "y"), people, values) is False


def test_the_worlds_are_those_of_the_papers() -> None:
    half, fifth = Fraction(1, 2), Fraction(1, 5)
    one, two = {"x": half, "y": half}, {"x": fifth, "y": 1 - fifth}
    assert dealings([one, one, two, two], Counter("xxyy"))[0]["x"] == Fraction(24, 33)
    # Every value obeys the bound of the paper's Theorem 1 for r = 2; p(t1 : x3) is above one half all the same.
    names = ("x1", "x2", "x3", "x4")
    first = dict(zip(names, map(Fraction, ("0.04", "0.04", "0.03", "0.04")), strict=True))
    rest = dict(zip(names, map(Fraction, ("0.1", "0.1", "0.012", "0.1")), strict=True))
    assert float(dealings([first, rest, rest, rest], Counter(names))[0]["x3"]) == pytest.approx(0.6757, abs=1e-4)
    assert confidence(1, [3, 3, 3], 4, (Fraction("0.33"), Fraction(1))) == Fraction(15, 16)
    assert presence_with_list([[0], [0], [0, 1], []], [2, 1]) == [1, 1, 1, 0]
    assert presence_with_list([[0], [0], [0]], [2]) == [Fraction(2, 3)] * 3
    # A row 2-4 and a row 1-3, people 1 to 5: of seven ways to choose who they are, four have the second person.
    sevenths = [Fraction(n, 7) for n in (3, 4, 4, 3, 0)]
    assert presence_with_list([[1], [0, 1], [0, 1], [0], []], [1, 1]) == sevenths
    # Two groups of two in one release, the first with the third person in the other: who has what is certain.
    worlds = both_releases(
        3, ["a", "b"], [([0, 1], Counter("ab")), ([2], Counter("b"))], [([0, 2], Counter("bb")), ([1], Counter("a"))]
    )
    assert worlds == [Counter("b"), Counter("a"), Counter("b")]


def test_what_keeps_its_promises_beside_what_is_published_is_found() -> None:
    """One row left out, the other seven keep 3/10 against the source and among themselves; 1/4 not among themselves."""
    rows = [("a", "z"), ("a", "z"), ("a", "y"), ("b", "x"), ("b", "x"), ("b", "z"), ("b", "y"), ("c", "z")]
    attributes = {"q": {"role": "quasi_identifier", "hierarchy": {"flat": True}}, "s": {"role": "sensitive"}}
    for closeness, least in (("1/4", 1), ("3/10", 1 / 8)):
        promise = {"t_closeness": {"t": closeness, "distance": "equal"}}
        words = {"attributes": attributes, "require": [promise], "suppress": "1/5", "seed": 1}
        best = possible(Case("test", ("q", "s"), tuple(rows), words))
        assert best is not None
        assert min(release.score("loss") for release in best.settling) == least


@pytest.mark.parametrize(("message", "kind"), [("no release has (1, 1/2)", "refusal"), ("2 rows find no place", MORE)])
def test_an_ambiguity_that_is_refused_though_a_grouping_keeps_it_is_noticed(
    message: str, kind: str, tmp_path: Path
) -> None:
    asked = {"ambiguity": {"alpha": 1, "beta": "1/2"}}
    possible_one = case(asked, rows=ROWS[:4], publish="ambiguity")
    assert kinds(possible_one, Answer("refused", message), tmp_path) == {kind}
    alike = case(asked, rows=[("21", "11", "flu")] * 4, publish="ambiguity")
    assert kinds(alike, Answer("refused", message), tmp_path) == set()


def test_a_refusal_that_names_a_limit_or_gives_advice_in_vain_is_noticed(tmp_path: Path) -> None:
    nine = case({"l_diversity": {"l": 9}})
    refused = Answer("refused", "no generalization keeps every promise; weaken a promise")
    assert kinds(nine, refused, tmp_path) == set()
    assert kinds(nine, replace(refused, message="no release was found before the time limit"), tmp_path) == {"refusal"}
    advice = replace(refused, message="no generalization keeps every promise; raise `suppress`")
    assert kinds(nine, advice, tmp_path) == {MORE}
    half = case({"alpha_k": {"alpha": "1/2", "k": 2}}, rows=[("21", "11", v) for v in ("flu", "flu", "flu", "cold")])
    assert kinds(half, advice, tmp_path) == {MORE}
    apart = case({"l_diversity": {"l": 2}}, rows=[("21", "11", "flu"), ("61", "21", "flu"), ("61", "21", "cold")])
    assert kinds(replace(apart, words={**apart.words, "require": [{"k_anonymity": {"k": 4}}]}), advice, tmp_path) == {
        MORE
    }


def test_a_taxonomy_in_a_file_is_read_as_its_lines() -> None:
    words = {"attributes": {"x": {"role": "quasi_identifier", "hierarchy": "x.csv"}}, "require": [], "seed": 1}
    mine = Case("test", ("x",), (("a",),), words, files={"x.csv": "a;v;*\nb;v;*\n"})
    assert mine.hierarchy("x") == {"taxonomy": [["a", "v"], ["b", "v"]]}


MODULES = [path.stem for path in sorted((ROOT / "campaign" / "promises").glob("[a-z]*.py"))]


@pytest.mark.parametrize("name", ["__main__", "judged", *(f"promises.{module}" for module in MODULES)])
def test_the_examples_of_the_campaign_run(name: str) -> None:
    assert doctest.testmod(import_module(f"campaign.{name}")).failed == 0


class Words:
    """A promise as the oracles of the other tests want it."""

    def __init__(self, promise: dict[str, Any]):
        self._promise = promise

    def to_words(self) -> dict[str, Any]:
        [(word, about)] = self._promise.items()
        if word == "realistic":
            about = {"known": 0, **about}
        elif word == "l_diversity":
            about = {"kind": "distinct", **about}
        return {word: about}


def test_promises_mean_what_the_other_oracles_take_them_to_mean() -> None:
    """Two readings of the same papers, neither of which shares code with the other."""
    chance = random.Random(5)
    tree = {"taxonomy": [["a", "v"], ["b", "v"], ["c", "w"], ["d", "w"]]}
    paths = ladder(tree, [])
    assert paths is not None
    distances = ("equal", "ordered", "hierarchical")
    promises: list[dict[str, Any]] = [
        *({"k_anonymity": {"k": k}} for k in (2, 4)),
        *({"l_diversity": {"l": l}} for l in (2, 3)),  # noqa: E741
        *({"l_diversity": {"l": l, "kind": kind}} for l in ("3/2", 2) for kind in ("entropy", "frequency")),  # noqa: E741
        *({"l_diversity": {"l": 2, "kind": "recursive", "c": c}} for c in ("1/2", 1, 3)),
        *({"alpha_k": {"alpha": alpha, "k": 2}} for alpha in ("1/2", "2/3")),
        *({"t_closeness": {"t": t, "distance": d}} for t in ("1/4", "1/3") for d in distances),
        *({"beta_likeness": {"beta": 1, "kind": kind}} for kind in ("basic", "enhanced")),
        *({"delta_disclosure": {"delta": delta}} for delta in ("1/2", 1)),
        *({"realistic": {"class": "I", "stubbornness": s, "epsilon": 3, "prior": "table"}} for s in (1, 4, 20)),
        *({"realistic": {"class": "II", "stubbornness": s, "epsilon": 3, "known": 1}} for s in (1, 2)),
        *({"realistic": {"class": "III", "epsilon": 2, "prior": prior}} for prior in ("table", "uniform")),
    ]
    verdicts = Counter[bool]()
    for _ in range(150):
        table = chance.choices("abcd"[: chance.randint(2, 4)], k=chance.randint(4, 9))
        group = chance.sample(table, chance.randint(1, len(table)))
        for promise in promises:
            above = {leaf: labels[1:-1] for leaf, labels in paths.items()}
            wanted = keeps_one(Words(promise), group, table, order=list("abcd"), paths=above)
            assert keeps(promise, Counter(group), Counter(table), paths) == wanted, (promise, group, table)
            verdicts[wanted] += 1
    assert min(verdicts.values()) > 500


@pytest.mark.parametrize("family", families())
def test_the_same_seed_gives_the_same_case_and_it_can_be_kept(family: str, tmp_path: Path) -> None:
    one, two, other = make(family, 3, 1), make(family, 3, 1), make(family, 3, 2)
    assert one == two
    assert one != other
    one.save(tmp_path)
    again = Case.load(tmp_path)
    assert json.dumps(again.words) == json.dumps(one.words)
    assert (again.rows, again.people, again.theirs) == (one.rows, one.people, one.theirs)


def test_a_worker_that_hangs_or_dies_is_noticed(tmp_path: Path) -> None:
    [hung] = Crew(run, 1, limit=0.0).run([Job(0, tmp_path / "one", "optimal", 0, 1)])
    assert [kind for kind, _ in hung.troubles] == ["hang"]
    [dead] = Crew(run, 1).run([Job(0, tmp_path / "no such case")])
    assert [kind for kind, _ in dead.troubles] == ["fault"]


def test_a_kept_run_can_be_run_again(tmp_path: Path) -> None:
    case(DIVERSE).save(tmp_path)
    words = [sys.executable, "-m", "campaign.promises", "--replay", str(tmp_path)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "21,11,flu" in done.stdout
    assert done.stdout.endswith("nothing wrong\n")


def test_no_run_of_a_slice_breaks_a_promise_or_contradicts_another(tmp_path: Path) -> None:
    troubles, done = run_slice("promises", 40, tmp_path / "kept")
    assert troubles == [], done.stdout + done.stderr
    assert "optimal" in done.stdout
    assert done.returncode == 0, done.stdout + done.stderr
