"""What tests of the explorer's page do with it, as a person would."""

from __future__ import annotations

from typing import Any

from tests.explorer.clients import Client

STEPS = ("columns", "hierarchies", "promises", "tradeoff", "map", "data", "adversaries", "publish")


def opened(browser: Any, client: Client, step: str = "columns") -> Any:
    """A tab with the page, at a step."""
    page = browser.new_page()
    page.goto(client.guard.address)
    page.wait_for_selector("main h1")
    if step != "columns":
        go(page, step)
    return page


def go(page: Any, step: str) -> None:
    """By the link of the step, and until it is there."""
    page.locator(f'.steps-nav a[href="#{step}"]').click()
    settled(page)


def settled(page: Any) -> None:
    """Nothing is waited for any more."""
    page.locator("main .waiting, main .progress").first.wait_for(state="detached")


def bar(page: Any) -> Any:
    """The line at the bottom: the release as it stands."""
    return page.get_by_label("The release as it stands")
