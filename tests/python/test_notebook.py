"""The notebook of the docs runs from top to bottom, shows what it says, and is kept without outputs."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

FILE = Path(__file__).parents[2] / "docs" / "notebook.ipynb"


def code_cells(notebook: Any) -> dict[str, Any]:
    """The cells with code, by their first line."""
    return {cell.source.splitlines()[0]: cell for cell in notebook.cells if cell.cell_type == "code"}


def shown(cell: Any, kind: str = "text/html") -> str:
    """What a cell shows in one form, all of it."""
    data = [output.data.get(kind, "") for output in cell.outputs if "data" in output]
    return "".join("".join(text) for text in data)


def printed(cell: Any) -> str:
    return "".join(output.text for output in cell.outputs if output.output_type == "stream")


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> Any:
    notebook = nbformat.read(FILE, as_version=4)
    here = tmp_path_factory.mktemp("notebook")
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(here)}}).execute()
    assert list(here.iterdir()) == []
    return notebook


def test_it_is_kept_without_outputs() -> None:
    notebook = nbformat.read(FILE, as_version=4)
    nbformat.validate(notebook)
    assert all(not c.outputs and c.execution_count is None for c in notebook.cells if c.cell_type == "code")


def test_pages_are_shown_in_frames_that_leave_the_notebook_alone(executed: Any) -> None:
    cells = code_cells(executed)
    titles = {
        "proposal = discreet.propose(people, one_row_per_person=True)": "to decide:",
        "policy": "promises",
        "release": "from the release alone",
        "release.report": "Not for publication",
        "audit = discreet.audit(release, source=people)": "adversar",
        "discreet.compare(people, policy)": "adversar",
    }
    for first, words in titles.items():
        html = shown(cells[first])
        assert html.startswith('<iframe sandbox=""') and html.count("<") == 2, first
        page = unescape(re.search(r'srcdoc="([^"]*)"', html)[1])  # type: ignore[index]
        assert words in page and "<script" not in page, first
        assert shown(cells[first], "text/plain").strip(), first  # for who shows no HTML


def test_frames_come_out_as_they_went_in(executed: Any) -> None:
    cells = code_cells(executed)
    assert "dataframe" in shown(cells["release = discreet.anonymize(people, policy, seed=1)"])
    assert "shape: (5, 4)" in shown(cells["frame = pl.from_pandas(people)"], "text/plain")
    saved = cells['saved = release.save(here / "release")']
    assert "Every promise is kept" in printed(saved) and "figures.json" in shown(saved, "text/plain")
    loss = cells["print(f\"loss {finer.figures['loss']:.1%}, beside {release.figures['loss']:.1%}\")"]
    assert re.match(r"loss \d", printed(loss)) and shown(loss, "text/plain") == "True"


def test_what_is_broken_or_mistaken_is_told(executed: Any) -> None:
    *_, theirs, mistaken, _ = code_cells(executed).values()
    assert shown(theirs, "text/plain") == "False"
    assert "did you mean 'attributes'?" in printed(mistaken) and "for 2% write 0.02" in printed(mistaken)
