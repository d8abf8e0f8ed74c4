"""The worked cases of the guide: what their pages type on the command line answers as they show."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[2] / "docs"
_BLOCK = re.compile(r'^```(?P<kind>\w+)(?: title="(?P<file>[^"]+)")?\n(?P<text>.*?)^```$', re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", sorted(DOCS.glob("case_*.md")), ids=lambda page: page.stem)
def test_commands_answer_as_the_page_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Any
) -> None:
    """Python makes the table, files with a title are written, and every command is run, from above to below."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    commands = 0
    for block in _BLOCK.finditer(page.read_text(encoding="utf-8").partition("\n## The same from Python")[0]):
        if block["kind"] == "python":
            for example in doctest.DocTestParser().get_examples(block["text"]):
                exec(example.source, names)  # our own pages
            monkeypatch.chdir(names["home"])
        elif block["file"]:
            Path(block["file"]).write_text(block["text"], encoding="utf-8")
        elif block["kind"] == "console":
            for command, shown in _sessions(block["text"]):
                commands += 1
                words = shlex.split(command)
                if words[0] == "cd":
                    monkeypatch.chdir(words[1])
                    continue
                if words[0] == "cat":
                    answer = Path(words[1]).read_text(encoding="utf-8")
                else:
                    assert words[0] == "discreet", command
                    answer = call(*words[1:]).out
                _assert_shown(shown, answer.splitlines(), command)
    assert commands >= 4


def _sessions(text: str) -> list[tuple[str, list[str]]]:
    """The commands of a block, each with the lines that are shown of its answer."""
    sessions: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            sessions.append((line[2:], []))
        else:
            sessions[-1][1].append(line)
    return sessions


def _assert_shown(shown: list[str], answer: list[str], command: str) -> None:
    """Is every line there, in order, with nothing between them but where a line is an ellipsis?

    A line that ends with one stands for all that begin so.
    """
    at, gap = 0, False
    for line in shown:
        if line == "…":
            gap = True
            continue
        places = range(at, len(answer)) if gap else range(at, min(at + 1, len(answer)))
        place = next((i for i in places if _alike(line, answer[i])), None)
        assert place is not None, f"{command}: {line!r} is not in the answer:\n" + "\n".join(answer)
        at, gap = place + 1, False


def _alike(line: str, answered: str) -> bool:
    return answered.startswith(line[:-1]) if line.endswith("…") else answered.rstrip() == line.rstrip()


def test_a_line_that_is_not_in_the_answer_is_noticed() -> None:
    for shown, fits in ((["a", "…", "c"], True), (["a", "c"], False), (["…", "b", "a"], False), (["a…"], True)):
        if fits:
            _assert_shown(shown, ["a", "b", "c"], "command")
        else:
            with pytest.raises(AssertionError, match="is not in the answer"):
                _assert_shown(shown, ["a", "b", "c"], "command")
