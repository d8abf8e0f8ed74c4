"""No text takes a row for a person, unless a column names the person or somebody stated that each row is another's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from discreet.cli.main import app
from discreet.labels.whose import Whose
from discreet.models.promise import Setting
from discreet.models.registry import MODELS, model_from_words
from discreet.policy.kinds import PUBLICATIONS
from discreet.policy.policy import policy_from_words
from discreet.report.exposures import UNSAID
from discreet.report.kinds import glossary
from discreet.report.pages import compare_page, methods_page, sweep_page
from discreet.report.text import to_text
from discreet.report.words import promise_in_words
from discreet.run.anonymize import anonymize
from discreet.run.apply import apply
from discreet.run.compare import compare
from discreet.run.methods import compare_methods
from discreet.run.release import Release
from discreet.run.sweep import sweep
from discreet.run.verify import verify

PEOPLE = re.compile(r"\b(people|persons?|everybody|everyone|nobody|somebody|anybody|anyone|individuals?)\b", re.I)
ALLOWED = [
    re.escape(UNSAID),  # says that nothing is said
    *(re.escape(meaning) for word, meaning in glossary("generalization") if word in ("quasi-identifier", "sensitive")),
    # How firm a belief is: of so many people in other data, from which she has it.
    r"[\d,.⁰-⁹]+ people's worth of belief|any belief worth [\d,.⁰-⁹]+ people|data on (at most )?[\d,]+ (people|person)",
    r"[Hh]ow many people's data (that was is her|stand behind her)",
]

ROWS = range(40)
TABLE = {
    "age": [str(20 + 7 * i % 40) for i in ROWS],
    "zip": [str(47900 + i % 5) for i in ROWS],
    "disease": ["abcd"[i % 4] for i in ROWS],
    "income": [str(i) for i in ROWS],
    "wish": ["b" if i % 9 == 0 else None for i in ROWS],
}
ATTRIBUTES = {
    "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [5, 10]}},
    "zip": {"role": "quasi_identifier", "hierarchy": {"prefixes": [4]}},
    "disease": {"role": "sensitive"},
}
K2: dict[str, Any] = {"k_anonymity": {"k": 2}}
HIDING = ("presence", "confident_presence", "k_map")
NAMED = ("m_invariance",)  # refused unless a column says whose rows they are


def promises_of(publish: str) -> list[dict[str, Any]]:
    """Everything that can be promised of a kind of publication, but what is about a population or named people."""
    words = [w for w in MODELS if w not in (*HIDING, *NAMED) and publish in (MODELS[w].only or [publish])]
    return [{word: dict(parameters)} for word in words for parameters in MODELS[word].examples]


UNNAMED = [word for word in PUBLICATIONS if not {promise for promise, _ in PUBLICATIONS[word].needs} & {*NAMED}]
CASES: dict[str, dict[str, Any]] = {
    publish: {"publish": publish, "require": promises_of(publish), "suppress": 0.5} for publish in UNNAMED
}
CASES |= {f"{publish}, k alone": {"publish": publish, "require": [K2], "suppress": 0.1} for publish in UNNAMED}
CASES["ambiguity, k alone"]["require"] = [K2, {"ambiguity": {"alpha": 1, "beta": "99/100"}}]
CASES["bucketization, k alone"]["require"] = [K2, {"l_diversity": {"l": 2}}]
CASES |= {
    "exchanged values": {"publish": "bucketization", "require": [{"l_diversity": {"l": 2}}], "search": "mask"},
    "listed values": {"publish": "bucketization", "require": [{"robust": {"r": "1.2", "values": ["a"]}}]},
    "stars": {"require": [{"k_anonymity": {"k": 6}}], "suppress": 0.5, "suppressed": "star", "seed": 3},
    "a known adversary": {
        "require": [{"realistic": {"class": "I", "stubbornness": 2, "epsilon": 50, "known": 2}}],
    },
    "several secrets": {
        "attributes": ATTRIBUTES | {"income": {"role": "sensitive"}},
        "require": [{"l_diversity": {"l": 2, "attribute": "disease", "others_known": False}}, K2],
    },
    "other sensitive values known": {
        "attributes": {"age": ATTRIBUTES["age"], "zip": {"role": "sensitive"}, "disease": ATTRIBUTES["disease"]},
        "require": [{"t_closeness": {"t": "99/100", "attribute": "zip", "others_known": True}}],
    },
    "wishes of each": {
        "attributes": ATTRIBUTES | {"wish": {"role": "wishes"}},
        "require": [{"realistic": {"class": "II", "stubbornness": 2, "epsilon": 9, "predicates": {"wishes": True}}}],
    },
    "wishes of all": {
        "attributes": ATTRIBUTES | {"wish": {"role": "wishes"}},
        "require": [{"realistic": {"class": "III", "epsilon": 9, "predicates": {"wishes": "united", "also": ["a"]}}}],
        "suppress": 0.5,
    },
    "a column as it is": {"attributes": ATTRIBUTES | {"income": {"role": "other"}}, "require": [K2]},
    "no secret": {"attributes": {"age": ATTRIBUTES["age"]}, "require": [K2]},
}
for kind in ("generalization", "multidimensional"):
    CASES[f"{kind} of private rows"] = {
        "publish": kind,
        "private": {"zip": ["47901", "47902"]},
        "require": [{word: dict(MODELS[word].examples[0])} for word in HIDING],
        "suppress": 0.5 if kind == "generalization" else 0,
    }
CASES["a chance between limits"] = CASES["generalization of private rows"] | {
    "require": [
        {"presence": {"delta": [0.05, 1], "suppression": "told"}},
        {"confident_presence": {"delta": [0.05, 0.9], "confidence": 0.1, "coverage": True}},
    ]
}


def said(text: str) -> str:
    """What a reader sees of a page or a screen, without what is allowed."""
    text = unescape(re.sub(r"<style>.*?</style>", "", text, flags=re.S))
    text = re.sub(r"</?[a-z][^>\"]*(\"[^\"]*\"[^>\"]*)*>", lambda tag: f" {' '.join(labels(tag[0]))} ", text)
    text = re.sub(r"\s+", " ", text)
    for phrase in ALLOWED:
        text = re.sub(phrase, "", text)
    return text


def labels(tag: str) -> list[str]:
    """What is read aloud of a tag, or shown when somebody points at it."""
    return re.findall(r'(?:aria-label|title|data-of)="([^"]*)"', tag)


def about_people(text: str) -> list[str]:
    """The passages of a text that speak of people."""
    text = said(text)
    return [text[max(found.start() - 50, 0) : found.end() + 30] for found in PEOPLE.finditer(text)]


def policy_of(case: str, whose: Whose) -> Any:
    stated = {"one_row_per_person": True} if whose is Whose.ONE_EACH else {}
    return policy_from_words({"attributes": ATTRIBUTES} | CASES[case] | stated)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Any:
    @cache
    def published(case: str, whose: Whose) -> Release:
        return anonymize(policy_of(case, whose), tmp_path_factory.mktemp("release") / "release", source=TABLE)

    return published


def texts(release: Release) -> Iterator[tuple[str, str]]:
    """All that is shown of a release, by where it is shown."""
    yield "the published page", (release.folder / "report.html").read_text(encoding="utf-8")
    yield "the custodian's page", (release.private / "report.html").read_text(encoding="utf-8")
    yield "the terminal", to_text(release.report)
    yield "verify", CliRunner().invoke(app, ["verify", str(release.folder)]).output
    yield "notes", "\n".join([*release.manifest["notes"], *release.figures["notes"]])


@pytest.mark.parametrize("case", CASES)
def test_nothing_is_said_of_people_where_nobody_said_whose_rows_they_are(made: Any, case: str) -> None:
    release = made(case, Whose.UNSAID)
    assert {where: found for where, text in texts(release) if (found := about_people(text))} == {}
    pages = [text for where, text in texts(release) if "page" in where]
    assert [unescape(page).count(UNSAID) for page in pages] == [1, 1]
    for screen in (text for where, text in texts(release) if where in ("the terminal", "verify")):
        [line] = [line for line in screen.splitlines() if UNSAID in line]
        assert line.strip().startswith("open")


@pytest.mark.parametrize("case", CASES)
def test_people_are_spoken_of_where_each_row_is_said_to_be_another_persons(made: Any, case: str) -> None:
    release = made(case, Whose.ONE_EACH)
    shown = dict(texts(release))
    assert all(about_people(shown[where]) for where in ("the published page", "the custodian's page"))
    assert not any(UNSAID in text for text in shown.values())
    assert "People with several rows" in shown["the published page"]
    for name in ("data.csv", "quasi_identifiers.csv"):  # the statement changes what is said, and nothing else
        if (release.folder / name).exists() and "seed" in CASES[case]:
            assert (release.folder / name).read_bytes() == (made(case, Whose.UNSAID).folder / name).read_bytes()


def test_the_cases_have_every_promise_and_every_kind_of_publication() -> None:
    assert {word for case in CASES.values() for entry in case["require"] for word in entry} == {*MODELS} - {*NAMED}
    assert {case.get("publish", "generalization") for case in CASES.values()} == set(UNNAMED)


@pytest.mark.parametrize("word", list(MODELS))
def test_the_sentences_of_a_promise_follow_whose_rows_they_are(word: str) -> None:
    for parameters in MODELS[word].examples:
        models, _ = model_from_words(word, parameters, word, ["disease"])
        [(_, words)] = models[0].to_words().items()
        promise = {"model": {word: words | {"others_known": True}}, "promise": "nothing"}
        for exact in (False, True):
            told = {
                whose: [
                    promise_in_words(promise, ["disease"], Setting(exact, whose)),
                    *(part for risk in MODELS[word].leaves_open(words, 0.5, Setting(exact, whose)) for part in risk),
                ]
                for whose in Whose
            }
            assert word in NAMED or not about_people(" ".join(told[Whose.UNSAID]))
            assert about_people(" ".join(told[Whose.ONE_EACH]))


@pytest.mark.parametrize(
    ("whose", "least"),
    [(Whose.UNSAID, "at least 5 rows"), (Whose.ONE_EACH, "at least 5 people"), (Whose.NAMED, "at least 5 people")],
)
def test_the_size_of_groups_is_told_in_what_was_counted(whose: Whose, least: str) -> None:
    promise = {"model": {"alpha_k": {"alpha": 0.5, "k": 5, "attribute": "disease"}}, "promise": "nothing"}
    assert least in promise_in_words(promise, ["disease"], Setting(False, whose))


@pytest.mark.parametrize("whose", [Whose.UNSAID, Whose.ONE_EACH])
def test_comparisons_speak_of_people_only_where_rows_are_people(whose: Whose) -> None:
    found = compare(policy_of("generalization, k alone", whose), source=TABLE)
    for text in (compare_page.to_text(found), compare_page.to_html(found)):
        assert bool(about_people(text)) == (whose is Whose.ONE_EACH)
    for case, varied in (("generalization of private rows", "suppress"), ("bucketization, k alone", "l")):
        values = [0.5, 0.6] if varied == "suppress" else [2, 3]
        swept = sweep(policy_of(case, whose), {varied: values}, source=TABLE)
        for text in (sweep_page.to_text(swept), sweep_page.to_html(swept)):
            assert bool(about_people(text)) == (whose is Whose.ONE_EACH), about_people(text)
    hidden = compare(policy_of("generalization of private rows", whose), source=TABLE)
    for text in (compare_page.to_text(hidden), compare_page.to_html(hidden)):
        assert bool(about_people(text)) == (whose is Whose.ONE_EACH), about_people(text)
    methods = compare_methods(policy_of("bucketization, k alone", whose), source=TABLE)
    for text in (methods_page.to_text(methods), methods_page.to_html(methods)):
        assert bool(about_people(text)) == (whose is Whose.ONE_EACH)


@pytest.mark.parametrize("all_new", [False, True])
def test_a_release_of_later_rows_says_of_rows_what_is_said_of_them(made: Any, tmp_path: Path, all_new: bool) -> None:
    earlier = made("generalization, k alone", Whose.UNSAID)
    later = apply(earlier.folder, TABLE, tmp_path / "later", all_new=all_new)
    assert {where: found for where, text in texts(later) if (found := about_people(text))} == {}
    assert "Other releases about the same rows" in (later.folder / "report.html").read_text()


VISITS = TABLE | {"patient": [f"p{i // 2}" for i in ROWS]}


@pytest.fixture
def visits(tmp_path: Path) -> Release:
    """Twenty people with two rows each."""
    attributes = ATTRIBUTES | {"patient": {"role": "person"}}
    words = {"attributes": attributes, "require": [K2, {"l_diversity": {"l": 2, "kind": "frequency"}}], "suppress": 0.5}
    return anonymize(policy_from_words(words), tmp_path / "release", source=VISITS)


def test_where_a_column_names_the_person_the_pages_say_how_promises_were_judged(visits: Release) -> None:
    theirs, ours = (unescape((folder / "report.html").read_text()) for folder in (visits.folder, visits.private))
    judged = "A person may have several rows here: every promise was judged by rows and by people"
    alone = "whoever checks that part again needs the original table (--source)"
    assert judged in theirs and judged in ours
    assert alone in theirs and alone not in ours
    assert "everybody looks the same as at least 1 other." in theirs
    assert "Nobody's chance of having any one value of disease in a group is above 1 in 2" in theirs
    assert "for what only the original table tells, that table (--source)" in theirs
    assert UNSAID not in theirs and "Rows that are known to be one person's" in theirs


def test_the_published_page_claims_of_people_no_more_than_the_files_tell(visits: Release) -> None:
    theirs = (visits.folder / "report.html").read_text()
    assert "Not judged by the release alone: 2-anonymity" in theirs and "✓ checked twice" not in theirs
    assert visits.report.kept is True  # the custodian has the table


def test_the_custodian_is_told_how_many_people_there_are_and_nobody_else(visits: Release) -> None:
    people = visits.to_json()["people"]
    assert (people["source"], people["most_rows"]) == (20, 2)
    published = visits.manifest["rows"]["published"]
    assert published / 2 <= people["published"] <= min(published, 20)
    told = "40 rows of 20 people, at most 2 of one person"
    assert told in to_text(visits.report) and told in (visits.private / "report.html").read_text()
    everything = "".join(path.read_text() for path in visits.folder.iterdir())
    assert "20 people" not in everything and '"people"' not in everything


def test_a_person_with_no_row_left_is_not_counted_as_published(tmp_path: Path) -> None:
    table = {"age": ["20", "20", "21", "21", "59"], "patient": ["a", "b", "c", "c", "d"]}
    words = {
        "attributes": {"age": ATTRIBUTES["age"], "patient": {"role": "person"}},
        "require": [{"k_anonymity": {"k": 3}}],
        "suppress": 0.2,
    }
    release = anonymize(policy_from_words(words), tmp_path / "release", source=table)
    assert release.manifest["rows"]["suppressed"] == 1
    assert release.figures["people"] == {"source": 4, "published": 3, "most_rows": 2}
    assert "3 of them in the release" in to_text(release.report)


def test_verify_keeps_its_word_whatever_is_said_of_the_rows(made: Any) -> None:
    for whose in (Whose.UNSAID, Whose.ONE_EACH):
        assert verify(made("generalization, k alone", whose).folder, source=TABLE).kept


@pytest.mark.parametrize("publish", UNNAMED)
def test_every_kind_of_release_of_named_people_has_both_pages(publish: str, tmp_path: Path) -> None:
    words: dict[str, Any] = {
        "attributes": ATTRIBUTES | {"patient": {"role": "person"}},
        "publish": publish,
        "suppress": 0.2,
    }
    words["require"] = [K2] if publish != "ambiguity" else [K2, {"ambiguity": {"alpha": 1, "beta": "99/100"}}]
    words["require"] += [{"l_diversity": {"l": "11/10", "kind": "frequency"}}] if publish == "bucketization" else []
    release = anonymize(policy_from_words(words), tmp_path / "release", source=VISITS)
    shown = dict(texts(release))
    for page in ("the published page", "the custodian's page"):
        assert "A person may have several rows here" in shown[page] and UNSAID not in unescape(shown[page])
    assert "Share of the published people" not in "".join(shown.values())  # figures of charts count rows
    assert "NOT JUDGED" in shown["verify"] and verify(release.folder, source=VISITS).kept is not False
