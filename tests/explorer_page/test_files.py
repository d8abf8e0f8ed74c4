"""What the page is made of: nothing inline or from the network, no text set as markup, and the reports' look."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from discreet.explorer.server import OF_REPORTS, PAGE
from discreet.report.html import TEMPLATES

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


ANY_TABLE = (  # what is so whosever the rows are, or says what a role is for
    "They may name a person: look when nobody is looking over your shoulder",
    "Each line is somebody who holds the published files",
    "What shall nobody be able to find out?",
    "Each is against somebody who knows a little more",
    '["identifier", "Names a person"',
    "nobody may learn whose it is",
    '["person", "Says whose row it is"',
    "where people have several rows",
    '["wishes", "What people ask to hide"',
)


def test_no_text_of_the_page_takes_rows_for_people() -> None:
    """Whose they are is told by the server (`whose`); texts that have to speak of people put its words in."""
    found = []
    for path in OURS:
        text = re.sub(r"^import .*$|^export const (people|person|rows) =.*$|//.*$", "", path.read_text(), flags=re.M)
        text = re.sub(r"\$\{[^{}]*\}", "", text)
        for phrase in ANY_TABLE:
            text = text.replace(phrase, "")
        words = re.finditer(
            r"\b(people|persons?|every(body|one)|any(body|one)|(no|some)body|individuals?)\b", text, re.I
        )
        found += [f"{path.name}: {text[max(word.start() - 40, 0) : word.end() + 20]!r}" for word in words]
    assert found == []


def test_nothing_comes_from_the_network() -> None:
    files = named([*OURS, *STYLES, PAGE / "index.html"])
    assert {name for name, text in files.items() if re.search(r"https?://|@import|url\(", text)} == set()


def test_whose_code_is_vendored_is_said_with_its_licence() -> None:
    about = (PAGE / "vendor" / "README.md").read_text(encoding="utf-8")
    for path in sorted((PAGE / "vendor").glob("*.js")):
        first = path.read_text(encoding="utf-8").splitlines()[0]
        [licence] = re.findall(r"see (LICENSE-\w+\.txt)", first)
        assert f"`{path.name}`" in about and (PAGE / "vendor" / licence).is_file()


def test_the_page_has_the_look_of_the_reports() -> None:
    index = (PAGE / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'stylesheet" href="([^"]+)"', index)[: len(OF_REPORTS)] == list(OF_REPORTS)
    of_reports = [rule for name in OF_REPORTS for rule in (TEMPLATES / name).read_text(encoding="utf-8").splitlines()]
    again = set(of_reports) & {rule for path in STYLES for rule in path.read_text(encoding="utf-8").splitlines()}
    assert {rule for rule in again if ";" in rule} == set()
    for name, sheet in zip(OF_REPORTS, ("report.css", "compare.css"), strict=True):
        assert f'{{% include "{name}" %}}' in (TEMPLATES / sheet).read_text(encoding="utf-8")
