"""The page that is published beside a release, as adversaries read it: every visible text, and what it is about."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6", "caption", "summary", "legend", "dt")
_CELLS = ("td", "th", "li", "dd", "dt", "option", "figcaption")
_HIDDEN = ("script", "style")
_VOID = ("br", "hr", "img", "input", "meta", "link", "rect", "path", "line", "circle", "col", "wbr", "use", "polyline")
_SPOKEN = ("title", "alt", "aria-label", "value", "content", "data-value")  # attributes that are told
_DEEPEST = 500  # elements in each other


@dataclass(frozen=True)
class Said:
    """A text of the page, with the headings above it: the last of each rank, the nearest first."""

    text: str
    about: tuple[str, ...] = ()


@dataclass(frozen=True)
class Sheet:
    """A table of the page, row by row."""

    rows: tuple[tuple[str, ...], ...]


@dataclass
class Page:
    """All that a page says."""

    texts: list[Said] = field(default_factory=list)
    sheets: list[Sheet] = field(default_factory=list)


def read_page(html: str) -> Page:
    """The texts and tables of a page, hidden ones, comments and spoken attributes too.

    >>> page = read_page("<h3>zip</h3><table><tr><th>Z<td>10%</table><!-- secret -->")
    >>> [(said.text, said.about) for said in page.texts], page.sheets
    ([('zip', ()), ('Z', ('zip',)), ('10%', ('zip',)), ('secret', ('zip',))], [Sheet(rows=(('Z', '10%'),))])
    """
    reader = _Reader()
    reader.feed(html)
    reader.close()
    reader.end()
    return reader.page


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.page = Page()
        self._open: list[str] = []
        self._headings: dict[int, str] = {}  # by rank
        self._heading: list[str] = []  # pieces of the one that is being read
        self._rank = 0
        self._cell: list[str] | None = None
        self._rows: list[list[str]] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value and name in _SPOKEN:
                self._say(value)
        if tag in _CELLS or tag in _HEADINGS or tag in ("tr", "table"):
            self._close()
        if tag in _HEADINGS:
            self._rank, self._heading = _HEADINGS.index(tag) + 1, []
        if tag in _CELLS:
            self._cell = []
        if tag == "table":
            self._rows = []
        elif tag == "tr" and self._rows is not None:
            self._rows.append([])
        if tag not in _VOID and len(self._open) < _DEEPEST:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._open:
            while self._open.pop() != tag:
                pass
        if tag in _CELLS or tag in _HEADINGS or tag in ("tr", "table"):
            self._close()
        if tag == "table":
            self.end()

    def handle_data(self, data: str) -> None:
        if not any(tag in _HIDDEN for tag in self._open):
            self._say(data)

    def handle_comment(self, data: str) -> None:
        self._say(data)

    def end(self) -> None:
        """The table, or the page, is over."""
        self._close()
        if self._rows:
            self.page.sheets.append(Sheet(tuple(tuple(row) for row in self._rows if row)))
        self._rows = None

    def _say(self, text: str) -> None:
        text = " ".join(text.split())
        if not text:
            return
        about = tuple(self._headings[rank] for rank in sorted(self._headings, reverse=True))
        self.page.texts.append(Said(text, about))
        if self._rank:
            self._heading.append(text)
        if self._cell is not None:
            self._cell.append(text)

    def _close(self) -> None:
        """A cell or a heading ends where another begins."""
        if self._rank and self._heading:
            self._headings = {rank: said for rank, said in self._headings.items() if rank < self._rank}
            self._headings[self._rank] = self._heading[0]
        self._rank, self._heading = 0, []
        if self._cell is not None:
            whole = " ".join(self._cell)
            if len(self._cell) > 1:
                about = tuple(self._headings[rank] for rank in sorted(self._headings, reverse=True))
                self.page.texts.append(Said(whole, about))
            if self._rows:
                self._rows[-1].append(whole)
        self._cell = None
