"""The explorer in a real browser: from a table to a release by clicks, by keyboard, in two tabs, with bad tables."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.explorer.clients import Client, people
from tests.explorer.command import anonymized, same_files
from tests.explorer_page.pages import STEPS, bar, go, opened, settled

pytestmark = pytest.mark.browser
AXE = Path(__file__).parent / "vendor" / "axe.min.js"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    (tmp_path / "people.csv").write_text(people())
    made = Client(str(tmp_path / "people.csv"), tmp_path)
    yield made
    made.close()


def decided(page: Any) -> None:
    page.get_by_role("button", name="Every row is another person").click()
    page.locator(".decisions").wait_for(state="detached")


def test_from_a_table_to_a_release_by_clicks_alone(client: Client, browser: Any, tmp_path: Path) -> None:
    page = opened(browser, client)
    go(page, "publish")
    page.get_by_text("Not yet").wait_for()
    assert page.get_by_role("button", name="Publish").is_disabled()
    go(page, "columns")
    decided(page)
    with page.expect_response("**/api/policy"):
        page.get_by_label("role of zip").select_option("identifier")
    page.locator(".steps-nav").get_by_text("Hierarchies").click()
    page.get_by_role("button", name="sex", exact=True).wait_for()
    page.get_by_role("button", name="zip", exact=True).wait_for(state="detached")
    page.get_by_label("Widths, level by level").fill("10, 20")
    page.get_by_text("tried out, not yet used").wait_for()
    page.get_by_role("button", name="Use this hierarchy").click()
    page.get_by_text("tried out, not yet used").wait_for(state="detached")
    go(page, "promises")
    page.get_by_role("button", name="A group is like the whole table (t-closeness)").click()
    page.get_by_role("heading", name="A group is like the whole table").wait_for()
    slider = page.get_by_label("how many look alike (k)", exact=True)
    slider.focus()
    for _ in range(3):
        slider.press("ArrowRight")
    page.get_by_text("everybody looks the same as at least 7 others").wait_for()
    bar(page).get_by_text("Promises kept").wait_for()
    for step in ("tradeoff", "map", "data", "adversaries"):
        go(page, step)
    go(page, "publish")
    page.get_by_role("textbox", name="Folder").fill("mine")
    page.get_by_role("textbox", name="Seed").fill("7")
    page.get_by_role("button", name="Publish").click()
    page.get_by_text("✓ written and checked").wait_for()
    frame = page.frame_locator("iframe.report")
    assert "8-anonymity" in frame.locator("body").inner_text() or "8" in frame.locator("h1").inner_text()
    command = page.get_by_label("command", exact=True).inner_text()
    assert command == "discreet anonymize policy.yaml -o mine --seed 7"
    same_files(tmp_path / "mine", anonymized(command, tmp_path, tmp_path / "by-command"))


def test_a_solution_of_the_map_is_taken_and_left_again(client: Client, browser: Any, tmp_path: Path) -> None:
    client.change((["one_row_per_person"], True))
    best = client.get("/api/state")["candidate"]["levels"]
    coarser = best | {"sex": best["sex"] + 1}
    page = opened(browser, client, "map")
    for name, level in coarser.items():
        page.get_by_label(f"{name} of B").select_option(str(level))
    page.get_by_role("button", name="Publish at the levels of B").click()
    page.get_by_role("button", name="Let the search choose the levels again").wait_for()
    attributes = client.get("/api/state")["policy"]["attributes"]
    assert {name: said["levels"] for name, said in attributes.items() if "levels" in said} == coarser
    bar(page).get_by_text("Promises kept").wait_for()
    go(page, "publish")
    page.get_by_role("textbox", name="Folder").fill("taken")
    page.get_by_role("button", name="Publish").click()
    page.get_by_text("✓ written and checked").wait_for()
    assert json.loads((tmp_path / "taken" / "manifest.json").read_text())["node"] == coarser
    go(page, "map")
    page.get_by_role("button", name="Let the search choose the levels again").click()
    page.get_by_role("button", name="Let the search choose the levels again").wait_for(state="detached")
    assert client.get("/api/state")["candidate"]["levels"] == best


def test_every_slider_moves_and_answers(client: Client, browser: Any) -> None:
    client.change((["one_row_per_person"], True))
    client.change((["require", 2], {"t_closeness": {"t": 0.3}}), (["require", 3], {"beta_likeness": {"beta": 2}}))
    client.change(
        (["require", 4], {"alpha_k": {"alpha": 0.6, "k": 4}}), (["require", 5], {"delta_disclosure": {"delta": 2}})
    )
    page = opened(browser, client, "promises")
    sliders = page.locator("input[type=range]")
    sliders.nth(6).wait_for()
    assert sliders.count() >= 8  # k, l, t, beta, alpha and its k, delta, suppression
    for number in range(sliders.count()):
        slider = sliders.nth(number)
        before = slider.get_attribute("aria-valuetext")
        with page.expect_response("**/api/answer") as answered:
            slider.focus()
            slider.press("ArrowRight")
        assert answered.value.ok and "promises" in answered.value.json()
        page.wait_for_timeout(400)  # it comes to rest
        settled(page)
        assert slider.get_attribute("aria-valuetext") != before
    assert page.locator("main .problems[role=alert]").count() == 0
    words = client.get("/api/state")["policy"]
    assert words["require"][0] == {"k_anonymity": {"k": 6}} and words["suppress"] == 0.025


def test_dragging_answers_before_it_is_dropped_and_tells_what_is_impossible(client: Client, browser: Any) -> None:
    page = opened(browser, client, "promises")
    slider = page.get_by_label("how many values (l)", exact=True)
    box = slider.bounding_box()
    page.mouse.move(box["x"] + 4, box["y"] + box["height"] / 2)
    page.mouse.down()
    with page.expect_response("**/api/answer"):
        page.mouse.move(box["x"] + box["width"] - 4, box["y"] + box["height"] / 2, steps=5)
    assert client.get("/api/state")["version"] == 1  # nothing is changed while it is dragged
    page.mouse.up()
    page.get_by_text("reached where").first.wait_for()
    page.get_by_label("how many look alike (k), as a number").fill("999")
    page.keyboard.press("Enter")
    page.get_by_text("Not possible.").wait_for()
    nearest = page.get_by_role("button", name="Take the nearest that is possible")
    if nearest.count():
        nearest.first.click()
        bar(page).get_by_text("Promises kept").wait_for()


def test_a_secret_that_nothing_guards_is_told_and_guarded_by_a_click(client: Client, browser: Any) -> None:
    client.change((["one_row_per_person"], True), (["require"], [{"k_anonymity": {"k": 3}}]))
    page = opened(browser, client, "publish")
    page.get_by_role("heading", name="Nothing is promised about disease").wait_for()
    page.get_by_role("button", name="Promise that").click()
    page.get_by_role("heading", name="Nothing is promised about disease").wait_for(state="detached")
    half = {"l_diversity": {"l": 2, "kind": "frequency", "attribute": "disease"}}
    assert client.get("/api/state")["policy"]["require"] == [{"k_anonymity": {"k": 3}}, half]


def test_values_are_dragged_into_groups(browser: Any, tmp_path: Path) -> None:
    nations = ("France", "Spain", "China", "India")
    rows = "".join(f"{20 + i * 13 % 40},{nations[i % 4]},{('flu', 'cold', 'gout')[i % 3]}\n" for i in range(240))
    (tmp_path / "people.csv").write_text("age,nation,disease\n" + rows)
    client = Client(str(tmp_path / "people.csv"), tmp_path)
    try:
        page = opened(browser, client, "hierarchies")
        page.get_by_role("tab", name="nation").or_(page.get_by_role("button", name="nation", exact=True)).click()
        page.get_by_label("Rule").select_option("groups")
        for group, members in {"Europe": ("France", "Spain"), "Asia": ("China", "India")}.items():
            page.get_by_label("A new group").fill(group)
            page.get_by_role("button", name="Add", exact=True).click()
            box = page.get_by_role("group", name=group)
            for nation in members:
                page.locator(".pick", has_text=nation).drag_to(box)
                box.locator(".pick", has_text=nation).wait_for()
        page.get_by_role("button", name="Use this hierarchy").click()
        page.get_by_text("tried out, not yet used").wait_for(state="detached")
        words = client.get("/api/state")["policy"]["attributes"]["nation"]["hierarchy"]
        assert {(value, group) for value, group, *_ in words["taxonomy"]} == {
            *(("France", "Europe"), ("Spain", "Europe")),
            *(("China", "Asia"), ("India", "Asia")),
        }
        page.close()
    finally:
        client.close()


def test_a_job_can_be_stopped(client: Client, browser: Any) -> None:
    page = opened(browser, client, "tradeoff")
    page.get_by_role("button", name="Compute the curve").click()
    page.locator("circle.reach").first.wait_for()
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="Compute again").wait_for()
    assert client.get("/api/jobs") == []


def test_a_point_of_the_curve_is_taken(client: Client, browser: Any) -> None:
    page = opened(browser, client, "tradeoff")
    page.get_by_role("button", name="Compute the curve").click()
    page.get_by_role("button", name="Compute again").wait_for()
    page.get_by_role("button", name="Multidimensional, how many look alike (k) 10:").first.focus()
    with page.expect_response("**/api/policy"):
        page.keyboard.press("Enter")
    words = client.get("/api/state")["policy"]
    assert words["publish"] == "multidimensional" and words["require"][0] == {"k_anonymity": {"k": 10}}


def test_a_reload_loses_nothing_and_two_tabs_agree(client: Client, browser: Any) -> None:
    one, two = opened(browser, client), opened(browser, client, "promises")
    decided(one)
    two.get_by_text("everybody looks the same as at least 4 others").wait_for()  # people, no longer rows
    two.get_by_label("how many look alike (k), as a number").fill("9")
    two.keyboard.press("Enter")
    two.get_by_text("everybody looks the same as at least 8 others").wait_for()
    go(one, "promises")
    one.get_by_text("everybody looks the same as at least 8 others").wait_for()
    one.reload()
    one.get_by_text("everybody looks the same as at least 8 others").wait_for()
    assert one.locator(".open-count").count() == 0


def test_a_wrong_token_shows_nothing(client: Client, browser: Any) -> None:
    page = browser.new_page()
    for address in (f"{client.here}/?token=x", f"{client.here}/", f"{client.here}/api/state"):
        assert page.goto(address).status == 403
        assert "belongs to whoever started it" in page.inner_text("body")


def test_names_and_values_are_never_markup(browser: Any, tmp_path: Path) -> None:
    bad = "<script>alert(1)</script>"
    image = "<img src=x onerror=alert(2)>"
    values = ("<script>alert(3)</script>", "<svg onload=alert(4)>", "</td></table>", "{{7*7}}", "${7*7}")
    link = "<a href=javascript:alert(5)>"
    lines = [f'"{bad}","{image}",zip', *(f'"{values[i % 5]}",{("a", link)[i % 2]},{i % 4}' for i in range(120))]
    (tmp_path / "bad.csv").write_text("\n".join(lines) + "\n")
    client = Client(str(tmp_path / "bad.csv"), tmp_path)
    for decision in client.get("/api/state")["open"]:
        client.change((decision["path"], None))
    roles = {bad: "quasi_identifier", image: "sensitive", "zip": "quasi_identifier"}
    client.change(*((["attributes", name, "role"], role) for name, role in roles.items()))
    client.change((["require"], [{"k_anonymity": {"k": 2}}, {"l_diversity": {"l": 2}}]))
    page = browser.new_page()
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    page.goto(client.guard.address)
    page.get_by_role("heading", name=bad).wait_for()
    assert page.get_by_text("<svg onload=alert(4)>").first.is_visible()
    for step in STEPS[1:]:
        go(page, step)
    page.get_by_role("button", name="Publish").click()
    page.get_by_text("✓ written and checked").wait_for()
    assert dialogs == [] and page.locator("main img, main svg[onload]").count() == 0
    page.close()
    client.close()


def test_by_keyboard_alone(client: Client, browser: Any) -> None:
    page = opened(browser, client)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.tagName") == "H1"

    def tab_to(text: str) -> None:
        for _ in range(80):
            page.keyboard.press("Tab")
            if text in page.evaluate("document.activeElement.innerText || document.activeElement.ariaLabel || ''"):
                return
        raise AssertionError(f"no tab leads to {text}")

    tab_to("Every row is another person")
    page.keyboard.press("Enter")
    page.locator(".decisions").wait_for(state="detached")
    for title in ("Hierarchies", "Promises", "Trade-off", "Map of the solutions"):
        tab_to(f"{title} →")
        page.keyboard.press("Enter")
        page.get_by_role("heading", name=title, level=1).wait_for()
        settled(page)
    page.locator("canvas").focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.get_by_label("age of B").wait_for()
    assert page.get_by_label("age of B").input_value() != ""
    for title in ("What became of the data", "What adversaries would learn", "Publish"):
        tab_to(f"{title} →")
        page.keyboard.press("Enter")
        page.get_by_role("heading", name=title, level=1).wait_for()
        settled(page)
    page.get_by_role("textbox", name="Folder").focus()
    page.keyboard.press("Enter")
    page.get_by_text("✓ written and checked").wait_for()


LOOKS = {
    "light": {"viewport": {"width": 1280, "height": 900}},
    "dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
    "narrow": {"viewport": {"width": 400, "height": 800}},
}


@pytest.mark.parametrize("look", list(LOOKS))
def test_axe_finds_nothing_serious_and_nothing_is_cut_off(client: Client, chromium: Any, look: str) -> None:
    client.change((["one_row_per_person"], None), (["require", 0, "k_anonymity", "k"], 3))
    context = chromium.new_context(reduced_motion="reduce", **LOOKS[look])
    context.add_init_script(path=str(AXE))
    page = opened(context, client)
    for step in STEPS:
        go(page, step)
        if step == "tradeoff":
            page.get_by_role("button", name="Compute").click()
            page.get_by_role("button", name="Compute again").wait_for()
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']}).then((told) => told.violations)")
        serious = [
            (one["id"], one["help"], [node["html"][:200] for node in one["nodes"]][:3])
            for one in found
            if one["impact"] in ("serious", "critical")
        ]
        assert serious == [], f"{step}: {json.dumps(serious, indent=1)}"
        assert page.evaluate("document.documentElement.scrollWidth") <= LOOKS[look]["viewport"]["width"]
    context.close()
