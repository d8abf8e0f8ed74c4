"""Draws the explorer's pictures in docs/pictures, from invented tables: each step in the light, some dark and narrow.

`make pictures`, or `python -m tests.explorer_page.pictures FOLDER` for all steps in all three ways.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from discreet.samples.hospital import write_sample
from tests.explorer.clients import Client

STEPS = ("columns", "hierarchies", "promises", "tradeoff", "map", "data", "adversaries", "publish")
LOOKS: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1240, "height": 880}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1240, "height": 880}, "color_scheme": "dark"},
    "narrow": {"viewport": {"width": 400, "height": 860}, "color_scheme": "light"},
}
SHOWN = [("promises", "light"), ("map", "light"), ("tradeoff", "dark")]  # in the documents


def draw(folder: Path, wanted: list[tuple[str, str]], *, full: bool = False) -> list[Path]:
    """A picture for each step and look."""
    from playwright.sync_api import sync_playwright

    folder.mkdir(parents=True, exist_ok=True)
    made = []
    with TemporaryDirectory() as place, sync_playwright() as playwright:
        write_sample(Path(place), rows=2000, seed=7)
        client = Client(f"{place}/patients.csv", Path(place))
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for look, options in LOOKS.items():
            steps = [step for step, of in wanted if of == look]
            if not steps:
                continue
            context = browser.new_context(device_scale_factor=1.5, reduced_motion="reduce", **options)
            context.set_default_timeout(90_000)
            page = context.new_page()
            page.goto(client.guard.address)
            page.wait_for_selector("main h1")
            if (page.get_by_role("button", name="Every row is another person")).count():
                page.get_by_role("button", name="Every row is another person").click()
            for step in steps:
                page.goto(f"{client.here}/#{step}")
                page.wait_for_selector(f'a[href="#{step}"][aria-current]')
                READY[step](page)
                page.mouse.move(0, 0)
                made.append(folder / f"explorer-{step}-{look}.png")
                if full:  # else the bar at the bottom would lie in the middle
                    height = page.evaluate("document.documentElement.scrollHeight")
                    page.set_viewport_size({**options["viewport"], "height": height})
                    page.wait_for_timeout(150)
                page.screenshot(path=made[-1])
                page.set_viewport_size(options["viewport"])
            context.close()
        browser.close()
        client.close()
    return made


def _wait_gone(page: Any) -> None:
    page.locator("main .waiting, main .progress").first.wait_for(state="detached")
    page.wait_for_timeout(250)


def _press(name: str) -> Callable[[Any], None]:
    def press(page: Any) -> None:
        page.get_by_role("button", name=name).click()
        page.wait_for_timeout(200)
        _wait_gone(page)

    return press


def _map(page: Any) -> None:
    page.wait_for_selector("canvas")
    _wait_gone(page)
    canvas = page.locator("canvas")
    canvas.focus()
    canvas.press("Home")
    for _ in range(9):
        canvas.press("ArrowRight")
    canvas.press("Enter")
    page.wait_for_timeout(400)


READY: dict[str, Callable[[Any], None]] = {
    "columns": _wait_gone,
    "hierarchies": _wait_gone,
    "promises": _wait_gone,
    "tradeoff": _press("Compute the curve"),
    "map": _map,
    "data": _wait_gone,
    "adversaries": _wait_gone,
    "publish": _wait_gone,
}

if __name__ == "__main__":
    if len(sys.argv) > 1:
        draw(Path(sys.argv[1]), [(step, look) for look in LOOKS for step in STEPS], full=True)
    else:
        draw(Path(__file__).parents[2] / "docs" / "pictures", SHOWN)
