"""What MkDocs is told beside mkdocs.yml: pages that are made of files which stand elsewhere."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
_CODE = re.compile(r"<code>([^<]*)</code>")
_LONG = 16  # letters of a word of code that need not stay on one line


def on_files(files: Any, config: Any) -> Any:
    """Adds the changelog, the notebook, and a list of all decisions."""
    from mkdocs.structure.files import File

    changes = re.sub(r"\]\(docs/", "](", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    notebook = _notebook(ROOT / "docs" / "notebook.ipynb")
    for name, text in {"changelog.md": changes, "notebook.md": notebook, "decisions/index.md": _decisions()}.items():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Beside the code, links lead to the notebook itself; here, to its page, on which it is linked."""
    return markdown if page.file.src_uri == "notebook.md" else markdown.replace("](notebook.ipynb)", "](notebook.md)")


def on_page_content(html: str, page: Any, config: Any, files: Any) -> str:
    """In tables, code breaks between its words, never after the hyphens of an option; a long path between its parts."""
    return re.sub(r"<td\b.*?</td>", lambda cell: _CODE.sub(_words_whole, cell[0]), html, flags=re.DOTALL)


def _words_whole(code: re.Match[str]) -> str:
    return f"<code>{' '.join(_word_whole(word) for word in code[1].split(' '))}</code>"


def _word_whole(word: str) -> str:
    if "-" in word:
        return f'<span class="whole">{word}</span>'
    return re.sub(r"(?<=[/_.])(?=\w)", "<wbr>", word) if len(word) > _LONG else word


def _decisions() -> str:
    """Their titles, in order."""
    pages = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    titles = {page.name: page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ") for page in pages}
    about = "Why things are as they are, a page each: what was chosen, what else was looked at, and what it costs."
    return "\n".join(["# Decisions", "", about, "", *(f"- [{title}]({name})" for name, title in titles.items())])


def _notebook(path: Path) -> str:
    """Its cells as a page. It is kept without outputs; `make test` runs it."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    parts = []
    for cell in cells:
        text = "".join(cell["source"])
        parts.append(text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```")
    return "\n\n".join([*parts, "[The notebook itself](notebook.ipynb)"])
