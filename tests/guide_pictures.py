"""Draws the guide's pictures of reports, from invented tables: `make pictures`.

Of each worked case the first screen of the custodian's report, and of the sample the page that is published with it.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from discreet import anonymize, read_policy
from discreet.samples.hospital import write_sample

DOCS = Path(__file__).parents[1] / "docs"
WIDTH, HEIGHT = 1100, 860


def reports(folder: Path) -> Iterator[tuple[Path, Path]]:
    """Pages, each with the picture that is to be made of it."""
    write_sample(folder)
    _write_survey(folder)
    for name, policy in {"visits": "visits", "register": "presence", "survey": "survey"}.items():
        made = anonymize(replace(read_policy(folder / f"{policy}.yaml"), seed=1), folder / name)
        yield Path(f"{made.folder}.private", "report.html"), DOCS / "pictures" / f"case-{name}.png"
    made = anonymize(replace(read_policy(folder / "policy.yaml"), seed=1), folder / "release")
    yield Path(made.folder, "report.html"), DOCS / "report.png"


def _write_survey(folder: Path) -> None:
    """The table and the policy of the page about the survey, as they stand there."""
    text = (DOCS / "case_survey.md").read_text(encoding="utf-8")
    code = re.sub(r"^(>>> |\.\.\. )", "", text.partition("```python\n")[2].partition("```")[0], flags=re.MULTILINE)
    names: dict[str, Any] = {}
    exec(code, names)  # our own page
    shutil.copy(names["home"] / "survey.csv", folder)
    policy = text.partition('```yaml title="policy.yaml"\n')[2].partition("```")[0]
    (folder / "survey.yaml").write_text(policy, encoding="utf-8")


def draw() -> None:
    """Every picture, in the light."""
    from playwright.sync_api import sync_playwright

    with TemporaryDirectory() as place, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        context = browser.new_context(
            viewport={"width": WIDTH, "height": HEIGHT}, device_scale_factor=1.5, color_scheme="light"
        )
        page = context.new_page()
        for report, picture in reports(Path(place)):
            page.goto(report.as_uri())
            page.screenshot(path=picture)
        browser.close()


if __name__ == "__main__":
    draw()
