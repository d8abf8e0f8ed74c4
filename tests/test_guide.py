"""The guide: its pages are listed, links lead somewhere, it builds, and nothing in it comes from the network."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

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


@pytest.mark.slow
def test_the_site_builds_without_a_warning_and_asks_nothing_of_the_network(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env={"NO_MKDOCS_2_WARNING": "1"})
    assert built.returncode == 0, built.stdout + built.stderr
    assert (tmp_path / "search" / "search_index.js").is_file()
    for page in tmp_path.rglob("*.html"):
        loaded = re.findall(r"<(?:script|link|img|iframe)\b[^>]*?(?:src|href)=\"?(https?:)?//", page.read_text("utf-8"))
        assert loaded == [], page.name
    for style in tmp_path.rglob("*.css"):
        assert not re.search(r"url\(\s*[\"']?(https?:)?//", style.read_text("utf-8")), style.name
