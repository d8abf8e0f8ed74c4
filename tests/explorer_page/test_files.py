"""What the page is made of: nothing inline or from the network, no text set as markup, and the report's colours."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import discreet

SOURCE = Path(discreet.__file__).parent
PAGE = SOURCE / "explorer" / "page"
TEMPLATES = SOURCE / "report" / "templates"
OURS = sorted(path for path in PAGE.rglob("*.js") if path.parent.name != "vendor")
STYLES = sorted(PAGE.glob("*.css"))


def named(paths: list[Path]) -> dict[str, str]:
    return {str(path.relative_to(PAGE)): path.read_text(encoding="utf-8") for path in paths}


def test_the_page_is_whole() -> None:
    assert len(OURS) >= 15 and len(STYLES) == 2
    for path in PAGE.rglob("*.js"):
        for target in re.findall(r"""(?:^import|\bfrom)\s*"([^"\n]+)";""", path.read_text(encoding="utf-8")):
            assert target.startswith("."), f"{path.name} imports {target}, which no browser finds by itself"
            assert (path.parent / target).is_file(), f"{path.name} imports {target}"


@pytest.mark.parametrize("path", [*OURS, *STYLES], ids=lambda path: path.name)
def test_files_stay_small(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 300


def test_nothing_is_inline() -> None:
    index = (PAGE / "index.html").read_text(encoding="utf-8")
    assert re.findall(r"<script[^>]*>(.*?)</script>", index, re.DOTALL) == [""]
    assert "<style" not in index and not re.search(r"\son\w+=|\sstyle=", index)
    assert {name for name, text in named(OURS).items() if re.search(r"\sstyle=", text)} == set()


def test_no_text_of_a_table_can_become_markup() -> None:
    forbidden = re.compile(
        r"innerHTML|outerHTML|insertAdjacentHTML|dangerously|document\.write|\beval\(|new Function|srcdoc"
    )
    assert {name for name, text in named(OURS).items() if forbidden.search(text)} == set()


def test_nothing_comes_from_the_network() -> None:
    files = named([*OURS, *STYLES, PAGE / "index.html"])
    assert {name for name, text in files.items() if re.search(r"https?://|@import|url\(", text)} == set()


def test_whose_code_is_vendored_is_said_with_its_licence() -> None:
    about = (PAGE / "vendor" / "README.md").read_text(encoding="utf-8")
    for path in sorted((PAGE / "vendor").glob("*.js")):
        first = path.read_text(encoding="utf-8").splitlines()[0]
        [licence] = re.findall(r"see (LICENSE-\w+\.txt)", first)
        assert f"`{path.name}`" in about and (PAGE / "vendor" / licence).is_file()


def variables(text: str, dark: bool) -> dict[str, str]:
    """The colours that a style sheet gives names to, in the light or in the dark."""
    begin = text.index("prefers-color-scheme: dark") if dark else 0
    [block] = re.findall(r":root \{(.*?)\}", text[begin:], re.DOTALL)[:1]
    return {name: value.strip() for name, value in re.findall(r"(--[\w-]+):([^;]+);", block)}


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("sheet", ["report.css", "compare.css"])
def test_colours_are_those_of_the_report(sheet: str, dark: bool) -> None:
    page = variables((PAGE / "style.css").read_text(encoding="utf-8"), dark)
    report = variables((TEMPLATES / sheet).read_text(encoding="utf-8"), dark)
    assert len(report) >= 8 and {name: page.get(name) for name in report} == report


def test_charts_are_drawn_by_the_rules_of_the_report() -> None:
    page = set((PAGE / "style.css").read_text(encoding="utf-8").splitlines())
    rules = [*(TEMPLATES / "report.css").read_text(encoding="utf-8").splitlines()]
    rules += (TEMPLATES / "compare.css").read_text(encoding="utf-8").splitlines()
    of_charts = [rule for rule in rules if re.match(r"svg|\.bar,|\.d\d|\.ladder \.|\.lines|\.s\d ", rule)]
    assert len(of_charts) > 20
    assert [rule for rule in of_charts if rule not in page] == []
