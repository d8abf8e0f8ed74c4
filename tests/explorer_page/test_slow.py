"""The page while the server is slow: nothing that was typed is lost, what takes long is told, and gives way."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.explorer.clients import Client, people, until
from tests.explorer.slowness import slow
from tests.explorer_page.pages import bar, go, opened

pytestmark = pytest.mark.browser


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    (tmp_path / "people.csv").write_text(people())
    made = Client(str(tmp_path / "people.csv"), tmp_path)
    made.change((["one_row_per_person"], True))
    yield made
    made.close()


def slowly(owner: Any, name: str, monkeypatch: pytest.MonkeyPatch, seconds: float = 1.5) -> None:
    """Whatever calls it waits, before it is done."""
    done = getattr(owner, name)

    def late(*given: Any, **more: Any) -> Any:
        time.sleep(seconds)
        return done(*given, **more)

    monkeypatch.setattr(owner, name, late)


def words(client: Client) -> Any:
    return client.get("/api/state")["policy"]


def test_what_is_typed_before_an_earlier_change_is_answered_is_not_lost(
    client: Client, browser: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = opened(browser, client, "promises")
    slowly(client.explorer.session, "change", monkeypatch)
    k = page.get_by_label("how many look alike (k), as a number")
    values = page.get_by_label("how many values (l), as a number")
    k.fill("9")
    k.press("Enter")
    values.fill("2")
    values.press("Enter")
    k.focus()
    k.press("Control+a")
    page.keyboard.type("1")
    assert (k.input_value(), values.input_value()) == ("1", "2")
    until(lambda: client.get("/api/state")["version"] >= 4)  # both were answered, while k is being typed
    page.wait_for_timeout(700)
    assert (k.input_value(), values.input_value()) == ("1", "2")
    page.keyboard.type("2")
    k.press("Enter")
    assert k.input_value() == "12"
    until(lambda: client.get("/api/state")["version"] == 5)
    assert words(client)["require"] == [{"k_anonymity": {"k": 12}}, {"l_diversity": {"l": 2}}]
    page.get_by_text("everybody looks the same as at least 11 others").wait_for()
    assert (k.input_value(), values.input_value()) == ("12", "2")
    assert page.locator("main .problems[role=alert]").count() == 0


def test_choices_show_what_was_wished_and_are_taken_in_their_order(
    client: Client, browser: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = opened(browser, client)
    slowly(client.explorer.session, "change", monkeypatch, 0.8)
    sex, postcode = page.get_by_label("role of sex"), page.get_by_label("role of zip")
    for role in ("other", "identifier", "quasi_identifier", "other"):
        sex.select_option(role)
    postcode.select_option("identifier")
    client.explorer.news.tell()  # another tab did something: the page is drawn anew
    page.wait_for_timeout(300)
    assert (sex.input_value(), postcode.input_value()) == ("other", "identifier")
    until(lambda: client.get("/api/state")["version"] == 7)
    roles = {name: said["role"] for name, said in words(client)["attributes"].items()}
    assert (roles["sex"], roles["zip"]) == ("other", "identifier")
    page.wait_for_timeout(500)
    assert (sex.input_value(), postcode.input_value()) == ("other", "identifier")


def test_a_hierarchy_that_is_being_typed_is_left_alone(
    client: Client, browser: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from discreet.explorer import hierarchies

    page = opened(browser, client, "hierarchies")
    slowly(hierarchies, "tried_out", monkeypatch, 0.5)
    slowly(client.explorer.session, "change", monkeypatch)
    widths, top = page.get_by_label("Widths, level by level"), page.get_by_label("everything from")
    widths.fill("")
    widths.press_sequentially("10, 20", delay=60)
    top.press_sequentially("5", delay=60)
    page.wait_for_timeout(1500)  # the widths were tried out meanwhile
    top.press_sequentially("0", delay=60)
    assert (widths.input_value(), top.input_value()) == ("10, 20", "50")
    top.press("Tab")
    page.get_by_text("tried out, not yet used").wait_for()
    page.wait_for_timeout(1500)
    page.get_by_role("button", name="Use this hierarchy").click()
    widths.fill("10, 20, 40")  # on, before it was taken
    until(lambda: client.get("/api/state")["version"] == 3)
    assert words(client)["attributes"]["age"]["hierarchy"] == {"intervals": [10, 20], "top": 50}
    page.wait_for_timeout(1200)
    assert (widths.input_value(), top.input_value()) == ("10, 20, 40", "50")
    assert page.get_by_text("tried out, not yet used").is_visible()
    page.get_by_role("button", name="Use this hierarchy").click()
    page.get_by_text("tried out, not yet used").wait_for(state="detached")
    assert words(client)["attributes"]["age"]["hierarchy"] == {"intervals": [10, 20, 40], "top": 50}


def test_a_move_that_takes_long_is_told_gives_way_and_can_be_stopped(
    client: Client, browser: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = opened(browser, client, "promises")
    bar(page).get_by_text("Promises kept").wait_for()
    slider = page.get_by_label("how many look alike (k)", exact=True)
    box = slider.bounding_box()

    def to(share: float) -> None:
        page.mouse.move(box["x"] + share * box["width"], box["y"] + box["height"] / 2)

    with slow(monkeypatch) as go_on:
        to(0.1)
        page.mouse.down()
        to(0.3)
        bar(page).get_by_text("search: a slow one").wait_for()
        page.get_by_text("searching …").first.wait_for()
        wish = page.get_by_label("how many look alike (k), as a number").input_value()
        page.get_by_text(f"everybody looks the same as at least {int(wish) - 1} others").wait_for()  # what is wished
        [first] = client.get("/api/jobs")
        to(0.5)
        until(lambda: [job["job"] for job in client.get("/api/jobs")] not in ([], [first["job"]]))
        assert client.events(first["job"])[-1] == ("stopped", {})
        bar(page).get_by_text("search: a slow one").wait_for()
        go_on.set()  # the slider shows its answer when it comes, although nobody has let it go
        bar(page).get_by_text("Promises kept").wait_for()
        assert client.get("/api/state")["version"] == 2
        go_on.clear()
        to(0.9)
        page.mouse.up()
        bar(page).get_by_text("search: a slow one").wait_for()
        until(lambda: client.get("/api/state")["version"] == 3)
        bar(page).get_by_role("button", name="Stop").click()
        bar(page).get_by_text("Not possible.").wait_for()
        bar(page).get_by_text("was stopped").wait_for()
        assert client.get("/api/jobs") == []


def test_steps_tell_how_far_the_search_is_that_they_wait_for(
    client: Client, browser: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = opened(browser, client, "promises")
    with slow(monkeypatch) as go_on:
        client.change((["require", 0, "k_anonymity", "k"], 12))
        page.get_by_text("everybody looks the same as at least 11 others").wait_for()  # the cards don't wait
        for step, title in (("data", "What became of the data"), ("adversaries", "What adversaries would learn")):
            page.locator(f'.steps-nav a[href="#{step}"]').click()
            page.get_by_role("heading", name=title, level=1).wait_for()
            page.locator("main .progress").get_by_text("search: a slow one").wait_for()
        page.locator("main .progress").get_by_role("button", name="Stop").click()
        page.get_by_role("button", name="Ask again").click()
        page.locator("main .progress").get_by_text("search: a slow one").wait_for()
        go_on.set()
        page.get_by_role("heading", name="Every adversary in one table").wait_for()
        go(page, "promises")
        page.get_by_text("✓ kept").first.wait_for()


HIDDEN = "Object.defineProperty(document, 'visibilityState', {get: () => window.hiddenNow ? 'hidden' : 'visible'})"


def test_ten_tabs_leave_each_other_room(client: Client, browser: Any) -> None:
    """A browser has six connections to a server: a tab that nobody looks at keeps none."""
    browser.add_init_script(HIDDEN)
    tabs = []
    for _ in range(10):
        tabs.append(opened(browser, client, "promises"))
        tabs[-1].evaluate("window.hiddenNow = true; document.dispatchEvent(new Event('visibilitychange'))")
    until(lambda: not client.explorer.news._listeners)
    first = tabs[0]
    first.evaluate("window.hiddenNow = false; document.dispatchEvent(new Event('visibilitychange'))")
    first.get_by_label("how many look alike (k), as a number").fill("9")
    first.keyboard.press("Enter")
    first.get_by_text("everybody looks the same as at least 8 others").wait_for()
    last = tabs[-1]
    assert last.get_by_text("everybody looks the same as at least 4 others").count() == 1
    last.evaluate("window.hiddenNow = false; document.dispatchEvent(new Event('visibilitychange'))")
    last.get_by_text("everybody looks the same as at least 8 others").wait_for()


def test_all_steps_at_work_leave_room_for_a_question(
    client: Client, browser: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Curve, map, audit and a question, each as a job: all are heard on one stream."""
    page = opened(browser, client, "tradeoff")
    with slow(monkeypatch) as go_on:
        page.get_by_role("button", name="Compute the curve").click()
        for step in ("map", "promises", "data", "adversaries"):
            page.locator(f'.steps-nav a[href="#{step}"]').click()
        client.change((["suppress"], 0.03))
        page.locator('.steps-nav a[href="#promises"]').click()
        slider = page.get_by_label("how many look alike (k)", exact=True)
        slider.focus()
        slider.press("ArrowRight")
        until(lambda: words(client)["require"][0] == {"k_anonymity": {"k": 6}})
        go_on.set()
    bar(page).get_by_text("Promises kept").wait_for()
