"""The guide: its pages are listed, links lead somewhere, it builds, and nothing in it comes from the network."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.word_reference import TARGET, reference

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("*.md"))
_MADE = {"changelog.md", "notebook.md", "decisions/index.md"}  # by docs/site/hooks.py


def test_the_reference_is_that_of_the_code() -> None:
    assert TARGET.read_text(encoding="utf-8") == reference(), "python -m tests.word_reference writes it anew"


def test_every_page_is_in_the_navigation_and_every_entry_is_a_page() -> None:
    listed = set(re.findall(r"[\w/]+\.md", (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[2]))
    assert listed == {page.name for page in PAGES} | _MADE


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md"], ids=lambda page: page.name)
def test_examples_stand_in_fences(page: Path) -> None:
    """What stands outside of one is drawn as a quotation."""
    outside = re.sub(r"^( *)```.*?^\1```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    assert [line for line in outside.splitlines() if line.startswith((">>>", "... "))] == []


@pytest.mark.parametrize("page", [*DOCS.rglob("*.md"), ROOT / "README.md", ROOT / "CHANGELOG.md"], ids=lambda p: p.name)
def test_links_lead_to_files_of_the_repository(page: Path) -> None:
    """Whoever reads the pages beside the code follows them, too. (Headings are looked for when the site is built.)"""
    text = re.sub(r"^( *)```.*?^\1```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    links = [link.partition("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in link]
    assert [link for link in links if link and not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", [*DOCS.rglob("*.md"), ROOT / "README.md", ROOT / "CHANGELOG.md"], ids=lambda p: p.name)
def test_rows_of_a_table_stand_below_its_head(page: Path) -> None:
    """After an empty line they are drawn as text, bars and all."""
    text = re.sub(r"^( *)```.*?^\1```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    first_lines = re.findall(r"\n\n *(\|.*)\n *(.*)", text)
    assert [row for row, below in first_lines if not re.match(r"\|[-:| ]+\|$", below)] == []


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole guide, built without a warning."""
    folder = tmp_path_factory.mktemp("guide")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env={"NO_MKDOCS_2_WARNING": "1"})
    assert built.returncode == 0, built.stdout + built.stderr
    return folder


_TOO_WIDE = """[...document.querySelectorAll("article table")]
    .map((table) => [table.rows[0], table.closest(".md-typeset__scrollwrap")])
    .filter(([head, box]) => head.cells.length <= 10 && box.scrollWidth > box.clientWidth + 1)
    .map(([head]) => head.innerText)"""


@pytest.mark.slow
def test_tables_of_the_site_show_all_their_columns(site: Path, browser: Any) -> None:
    """On a desk; on a telephone they scroll. (Of the campaigns, sixteen columns do here, too.)"""
    page = browser.new_page()
    page.set_viewport_size({"width": 1240, "height": 880})
    for file in sorted(set(site.rglob("*.html")) - {site / "404.html"}):  # that one is for servers
        page.goto(file.as_uri())
        assert page.evaluate(_TOO_WIDE) == [], file.name


@pytest.mark.slow
def test_the_site_builds_without_a_warning_and_asks_nothing_of_the_network(site: Path) -> None:
    assert (site / "search" / "search_index.js").is_file()
    for page in site.rglob("*.html"):
        loaded = re.findall(r"<(?:script|link|img|iframe)\b[^>]*?(?:src|href)=\"?(https?:)?//", page.read_text("utf-8"))
        assert loaded == [], page.name
    for style in site.rglob("*.css"):
        assert not re.search(r"url\(\s*[\"']?(https?:)?//", style.read_text("utf-8")), style.name
