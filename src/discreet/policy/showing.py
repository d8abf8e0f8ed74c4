"""A policy as a small page for a notebook: each column with its role, what is promised, and how it is published."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from discreet.labels.notebook import in_frame

if TYPE_CHECKING:
    from discreet.policy.policy import Policy

_STYLE = """
:root { color-scheme: light dark; }
body { font: 14px/1.45 system-ui, sans-serif; margin: 12px 16px; }
table { border-collapse: collapse; margin: 8px 0; }
th, td { text-align: left; padding: 3px 14px 3px 0; vertical-align: top; border-bottom: 1px solid #8883; }
th { font-weight: 600; } code, pre { font: 13px/1.45 ui-monospace, monospace; } pre { white-space: pre-wrap; }
.open { color: #b3261e; } .soft { opacity: .7; }
@media (prefers-color-scheme: dark) { .open { color: #ff8a80; } }
"""
_LINE = 1.75  # em, of a line of such a page
_MOST_LINES = 24


def page(body: str) -> str:
    """A page with our small style; `body` is markup."""
    return f"<!doctype html><html lang=en><meta charset=utf-8><style>{_STYLE}</style><body>{body}</body></html>"


def framed(body: str, lines: int) -> str:
    """The same in a frame that is about as high as its lines."""
    return in_frame(page(body), f"{min(lines, _MOST_LINES) * _LINE + 2:.0f}em")


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of markup."""
    head = "".join(f"<th>{escape(word)}" for word in heads)
    return f"<table><tr>{head}{''.join('<tr>' + ''.join(f'<td>{cell}' for cell in row) for row in rows)}</table>"


def policy_html(policy: Policy) -> str:
    """What a notebook shows of a policy. Whom it lists (`private`) and passwords are not in it."""
    words = policy.to_words()
    attributes: dict[str, dict[str, object]] = words["attributes"]  # type: ignore[assignment]
    columns = [
        (
            f"<b>{escape(name)}</b>",
            escape(str(about["role"])),
            _code(about.get("hierarchy")),
            f"<span class=open>{escape(str(about['decide']))}</span>" if "decide" in about else "",
        )
        for name, about in attributes.items()
    ]
    heads = ("column", "role", "hierarchy", "to decide")
    if not any(row[3] for row in columns):
        heads, columns = heads[:3], [row[:3] for row in columns]  # type: ignore[assignment, misc]
    promises = "".join(f"<li>{escape(model.describe())}" for model in policy.models)
    more = {w: said for w, said in words.items() if w not in ("attributes", "require", "private")}
    told = " · ".join(f"{escape(word)}: {_code(said)}" for word, said in more.items())
    body = f"{table(heads, columns)}<b>promises</b><ul>{promises}</ul><p class=soft>{told}</p>"
    return framed(body, len(columns) + len(policy.models) + 6)


def _code(said: object) -> str:
    return "" if said is None else f"<code>{escape(str(said))}</code>"
