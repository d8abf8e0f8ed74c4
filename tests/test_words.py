"""Every word that is registered is known wherever it is spoken of: nothing is skipped because a table forgot it."""

from __future__ import annotations

import pytest
from campaign.garden import POLICIES

from discreet.audit.kinds.registry import KINDS
from discreet.audit.promises.registry import reading_of
from discreet.labels.whose import Whose
from discreet.models.promise import Setting
from discreet.models.registry import MODELS, model_from_words
from discreet.policy.kinds import PUBLICATIONS, choose_search
from discreet.report.html import TEMPLATES
from discreet.report.sections.registry import SECTIONS
from discreet.report.words import promise_in_words
from discreet.run.warm_up import promises, searches_apart
from discreet.search.registry import SEARCHES
from tests.folder import cases, more_cases
from tests.models.cases import KINDS as VERDICTS


@pytest.mark.parametrize("word", list(MODELS))
def test_a_promise_is_read_told_judged_again_and_warmed_up(word: str) -> None:
    promise, reading = MODELS[word], reading_of(word)
    assert (promise.word, promise.examples != ()) == (word, True)
    assert reading is not None and reading.word == word  # the audit knows it
    for parameters in promise.examples:
        models, mistakes = model_from_words(word, parameters, word, ["disease"])
        assert models and not mistakes
        [(_, words)] = models[0].to_words().items()
        told = [
            promise_in_words({"model": {word: words}, "promise": "nothing"}, ["disease"], Setting(exact, whose))
            for whose in Whose
            for exact in (False, True)
        ]
        assert "nothing." not in told and all(one.endswith(".") for one in told)  # the report has a sentence
        assert reading.parameters.keys() | {"attribute"} >= words.keys() - {"coverage"}
        assert {word: parameters} in [
            *promises(),
            *promises("presence"),
            *promises("population"),
            *(p for *_, p in searches_apart()),
        ]
    assert promise.about or word == "k_anonymity"  # else the report calls sensitive values unprotected
    assert set(promise.only) <= set(PUBLICATIONS)


# Judged on people, populations, several tables or releases at once, by brute force of their own.
_IN_ROOMS_OF_THEIR_OWN = {"robust", "ambiguity", "k_map", "presence", "confident_presence", "m_invariance"}


@pytest.mark.parametrize("word", list(MODELS))
def test_a_promise_stands_in_the_tables_of_cases_that_tests_go_through(word: str) -> None:
    folders = [case.words for case in (*cases.CASES.values(), *more_cases.CASES.values())]
    assert word in {promised for words in folders for entry in words["require"] for promised in entry}
    assert word in {promised for words in POLICIES.values() for entry in words["require"] for promised in entry}
    fields = {"l_diversity": "distinct", "t_closeness": "equal", "beta_likeness": "basic", "realistic": "class_two"}
    assert word in _IN_ROOMS_OF_THEIR_OWN or fields.get(word, word) in VERDICTS


@pytest.mark.parametrize("word", list(PUBLICATIONS))
def test_a_kind_of_publication_has_a_search_words_and_a_class_in_the_audit(word: str) -> None:
    kind = PUBLICATIONS[word]
    assert kind.word == word and word in KINDS
    assert word in SEARCHES[choose_search(word, None, [])[0]].publishes
    assert all((kind.words.title, kind.words.group, kind.words.together, kind.words.use, kind.words.undeclared))
    assert not kind.exact or all((kind.words.hidden, kind.words.price, kind.words.apart))


@pytest.mark.parametrize("word", list(SEARCHES))
def test_a_search_leads_somewhere(word: str) -> None:
    search = SEARCHES[word]
    assert search.publishes and set(search.publishes) <= set(PUBLICATIONS)
    assert {promise for promise, _ in search.needs} <= set(MODELS)


@pytest.mark.parametrize("word", list(SECTIONS))
def test_a_section_has_its_template(word: str) -> None:
    section = SECTIONS[word]
    assert section.pages and (not section.template or (TEMPLATES / section.template).is_file())
