"""A taxonomy drawn on the terminal: what each level puts together, and how many rows of the table that is.

Numbers of rows below a limit are hidden, unless they are asked for: what is on a screen is soon in a message.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from discreet.errors import shown
from discreet.hierarchies.hierarchy import EVERYTHING, Value

LINES = 60  # of a drawing
_SHORTEST = 3  # children of a node that are drawn, however long the drawing gets


@dataclass(frozen=True)
class Node:
    """A name of a level, the leaves below it, the table's rows that have one of them (None if no table was given)."""

    name: Value
    leaves: int
    rows: int | None
    children: tuple[Node, ...] = ()


@dataclass(frozen=True)
class Level:
    """What a level puts together: how many names, and how many leaves and rows the smallest and largest have."""

    names: int
    leaves: tuple[int, int]
    rows: tuple[int, int] | None


def tree_of(paths: Mapping[Value, Sequence[Value]], counts: Mapping[Value, int] | None) -> Node:
    """The tree below ``*``; `paths` have what each value becomes, level by level without the last."""
    return _node(EVERYTHING, list(paths), [tuple(reversed(path)) for path in paths.values()], counts)


def _node(
    name: Value, leaves: Sequence[Value], paths: Sequence[tuple[Value, ...]], counts: Mapping[Value, int] | None
) -> Node:
    rows = None if counts is None else sum(counts.get(leaf, 0) for leaf in leaves)
    if not paths or not paths[0]:
        below = tuple(Node(leaf, 1, None if counts is None else counts.get(leaf, 0)) for leaf in leaves)
        alone = len(below) == 1 and below[0].name == name
        return Node(name, len(leaves), rows, () if alone else below)
    parts: dict[Value, list[int]] = {}
    for i, path in enumerate(paths):
        parts.setdefault(path[0], []).append(i)
    children = tuple(
        _node(part, [leaves[i] for i in places], [paths[i][1:] for i in places], counts)
        for part, places in parts.items()
    )
    if len(children) == 1 and children[0].name == name:
        return children[0]
    return Node(name, len(leaves), rows, children)


def levels_of(paths: Mapping[Value, Sequence[Value]], counts: Mapping[Value, int] | None) -> list[Level]:
    """What each level between a value and ``*`` puts together; names that no row of the table has count for no rows."""
    levels = []
    for level in range(min((len(path) for path in paths.values()), default=0)):
        leaves: dict[Value, int] = {}
        rows: dict[Value, int] = {}
        for leaf, path in paths.items():
            leaves[path[level]] = leaves.get(path[level], 0) + 1
            if counts is not None:
                rows[path[level]] = rows.get(path[level], 0) + counts.get(leaf, 0)
        there = [n for n in rows.values() if n]
        levels.append(
            Level(
                len(leaves),
                (min(leaves.values()), max(leaves.values())),
                (min(there), max(there)) if there else None,
            )
        )
    return levels


def drawn(root: Node, *, hide_below: int, lines: int = LINES) -> str:
    """The tree as text, the coarsest names first; what would be too long is counted.

    >>> counts = {"Spain": 40, "France": 3, "Peru": 12}
    >>> print(drawn(tree_of({"Spain": ("Europe",), "France": ("Europe",), "Peru": ("America",)}, counts), hide_below=5))
    * — 55 rows
    ├─ Europe — 43 rows
    │  ├─ Spain — 40 rows
    │  └─ France — fewer than 5 rows
    └─ America — 12 rows
       └─ Peru — 12 rows
    """
    deepest = _depth_that_fits(root, lines)
    written = [_line(root, hide_below, hidden=deepest == 0 and bool(root.children))]
    written += _below(root, "", deepest, max(lines // 2, _SHORTEST), hide_below)
    if len(written) > lines:
        written = [*written[:lines], f"… {len(written) - lines:,} more lines"]
    return "\n".join(written)


def _depth_that_fits(root: Node, lines: int) -> int:
    """How many levels below the root can be drawn in so many lines; at least one."""
    depth, here, total = 0, [root], 1
    while here := [child for node in here for child in node.children if child.rows != 0]:
        total += len(here)
        if total > lines and depth >= 1:
            break
        depth += 1
    return depth


def _below(node: Node, indent: str, depth: int, most: int, hide_below: int) -> list[str]:
    if depth == 0:
        return []
    written = []
    there = [child for child in node.children if child.rows != 0]  # without a table, all of them
    if node.rows is not None:
        there.sort(key=lambda child: -(child.rows or 0))
    kept, unused = there[:most], len(node.children) - len(there)
    rest = [f"{len(there) - len(kept):,} more"] if len(there) > len(kept) else []
    rest += [f"{unused:,} that no row has"] if unused else []
    for i, child in enumerate(kept):
        last = i == len(kept) - 1 and not rest
        written.append(f"{indent}{'└─ ' if last else '├─ '}{_line(child, hide_below, hidden=depth == 1)}")
        written += _below(child, indent + ("   " if last else "│  "), depth - 1, most, hide_below)
    if rest:
        written.append(f"{indent}└─ … {', '.join(rest)}")
    return written


def _line(node: Node, hide_below: int, *, hidden: bool) -> str:
    """A name, how many values are below it if these are not drawn, and how many rows."""
    name = "NULL" if node.name is None else node.name if _plain(node.name) else shown(node.name)
    parts = [f"{node.leaves:,} values"] if hidden and node.children else []
    parts += [] if node.rows is None else [rows_in_words(node.rows, hide_below)]
    return f"{name} — {', '.join(parts)}" if parts else str(name)


def _plain(name: str) -> bool:
    return bool(name) and name.isprintable() and name == name.strip() and len(name) <= 60


def rows_in_words(rows: int, hide_below: int) -> str:
    """
    >>> rows_in_words(1200, 5), rows_in_words(3, 5), rows_in_words(0, 5), rows_in_words(1, 0)
    ('1,200 rows', 'fewer than 5 rows', 'no rows', '1 row')
    """
    if not rows:
        return "no rows"
    if rows < hide_below:
        return f"fewer than {hide_below} rows"
    return f"{rows:,} row{'' if rows == 1 else 's'}"


def in_json(node: Node, *, hide_below: int) -> dict[str, Any]:
    """The tree for scripts; numbers of rows that are hidden are null."""
    known = node.rows is not None and (node.rows == 0 or node.rows >= hide_below)
    about: dict[str, Any] = {"name": node.name, "values": node.leaves, "rows": node.rows if known else None}
    if node.children:
        about["children"] = [in_json(child, hide_below=hide_below) for child in node.children]
    return about
