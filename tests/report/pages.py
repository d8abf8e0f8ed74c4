"""Pages read as a browser does."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "br", "rect", "line", "circle"}


class Page(HTMLParser):
    """Collects elements and text, and complains of elements that are not closed in order."""

    def __init__(self, text: str):
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.text += data

    def count(self, tag: str, name: str = "") -> int:
        return sum(t == tag and name in [*(a.get("class") or "").split(), ""] for t, a in self.elements)
