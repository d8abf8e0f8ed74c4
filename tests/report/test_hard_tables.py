"""Every page about a table with bad names: of any length, in any direction of writing, or markup."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

import discreet

LONG = "the_answer_to_question_seventeen_about_how_often_anybody_has_visited_any_institution_of_the_municipality"
SCRIPT = "<script>alert(1)</script>"
CITY, ILL = "المدينة", "אבחנה"
VALUES = {
    "age": tuple(str(age) for age in range(18, 80)),
    CITY: ("القاهرة", "دمشق", "بغداد"),
    LONG: ("x" * 200, "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft", "no"),
    SCRIPT: ("<img src=x onerror=alert(2)>", "</td></table>", "{{7*7}}"),
    ILL: ("שפעת", "אסתמה", "<b>bold</b>", "כאב גב"),
}
DICE = Random(3)
TABLE = {name: [DICE.choice(values) for _ in range(240)] for name, values in VALUES.items()}
ATTRIBUTES: dict[str, Any] = {name: {"role": "quasi_identifier"} for name in VALUES} | {ILL: {"role": "sensitive"}}
ATTRIBUTES["age"]["hierarchy"] = {"intervals": [5, 10, 20]}
GROUPED: list[Any] = [{"k_anonymity": {"k": 4}}, {"l_diversity": {"l": 2, "kind": "frequency"}}]
REQUIRE: dict[str, list[Any]] = {
    "generalization": GROUPED,
    "multidimensional": GROUPED,
    "bucketization": [{"l_diversity": {"l": 2, "kind": "frequency"}}],
    "ambiguity": [{"ambiguity": {"alpha": 0.6, "beta": 0.6}}],
}


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    """By what they are; of a release both reports and its audit."""
    told = {"seed": 1, "suppress": 1, "one_row_per_person": True, "attributes": ATTRIBUTES}
    made: dict[str, str] = {}
    for publish, require in REQUIRE.items():
        release = discreet.anonymize(TABLE, publish=publish, require=require, **told)
        for kind, folder in {publish: release.folder, f"{publish}, for the custodian": release.private}.items():
            made[kind] = (folder / "report.html").read_text(encoding="utf-8")
        made[f"{publish}, audited"] = discreet.audit(release, source=TABLE).to_html()
    policy = discreet.policy_from_words({"publish": "multidimensional", "require": GROUPED, **told})
    made["compared"] = discreet.compare(TABLE, policy).to_html()
    made["swept"] = discreet.sweep(TABLE, policy, k=[2, 5]).to_html()
    return made


def test_no_page_is_wider_than_its_screen_nor_runs_what_is_in_a_table(
    pages: dict[str, str], browser: Any, tmp_path: Path
) -> None:
    dialogs: list[str] = []
    page = browser.new_page()
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    for kind, text in pages.items():
        (tmp_path / "page.html").write_text(text, encoding="utf-8")
        for width in (400, 1240):
            page.set_viewport_size({"width": width, "height": 900})
            page.goto((tmp_path / "page.html").as_uri())
            assert page.evaluate("document.documentElement.scrollWidth") <= width, kind
        assert page.locator("img, td b b, script").count() == 0, kind
    assert dialogs == []


def test_a_figure_stays_on_its_side_of_a_name_that_is_read_from_the_right(
    pages: dict[str, str], browser: Any, tmp_path: Path
) -> None:
    """A share that follows a name stands on its right, as for all others."""
    (tmp_path / "page.html").write_text(pages["multidimensional, for the custodian"], encoding="utf-8")
    page = browser.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    chips = page.locator(".chip", has_text=VALUES[CITY][1])
    assert chips.count() >= 1
    left_of_the_figure = """(chip) => {
        const name = document.createRange();
        name.selectNodeContents(chip.firstChild);
        return name.getBoundingClientRect().right <= chip.querySelector("i").getBoundingClientRect().left + 1;
    }"""
    assert chips.first.evaluate(left_of_the_figure)
