"""A browser for tests of pages: Debian's Chromium, driven by Playwright. One for all tests of a process."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest


def why_no_browser() -> str:
    """Why pages can't be looked at here; nothing, if they can."""
    if shutil.which("chromium") is None:
        return "NO CHROMIUM: the explorer's page was NOT LOOKED AT. apt-get install chromium (make test does, as root)."
    return (
        ""
        if find_spec("playwright")
        else "no playwright: pip install playwright; the explorer's page was NOT LOOKED AT"
    )


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser itself."""
    reason = why_no_browser()
    if reason:
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # Root has no sandbox of Chromium's own; the page is ours, and comes from this machine.
        launched = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture
def browser(chromium: Any) -> Iterator[Any]:
    """A fresh profile: no cookies, one size, and every fault that a page has is the test's."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    faults: list[str] = []
    context.on("weberror", lambda error: faults.append(str(error.error)))
    context.on("console", lambda message: faults.append(message.text) if _is_fault(message) else None)
    context.set_default_timeout(20_000)
    yield context
    context.close()
    assert faults == [], faults


def _is_fault(message: Any) -> bool:
    """What the page itself did wrong; not that the server refused something, which the page tells."""
    return message.type in ("error", "warning") and "the server responded with a status of" not in message.text
