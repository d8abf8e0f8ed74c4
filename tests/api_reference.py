"""The API reference, made of the code: ``python -m tests.api_reference`` writes docs/api.md anew."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterator
from enum import EnumType
from pathlib import Path
from typing import Any

import discreet

TARGET = Path(__file__).parents[1] / "docs" / "api.md"
_GROUPS = {
    "Publishing": ["propose", "anonymize", "apply", "Release"],
    "Judging": ["verify", "audit", "audit_release", "audit_presence", "compare", "sweep"],
    "Policies": ["Policy", "read_policy", "policy_from_words", "Attribute", "Role", "delta_from_harm"],
    "Use of a release": ["compare_tables", "compare_answers", "query_error_of"],
    "Results": [
        "Proposal",
        "VerifyResult",
        "AuditResult",
        "Audit",
        "ComparisonResult",
        "MethodsResult",
        "Sweep",
    ],
    "Errors": ["DiscreetError", "PolicyError", "DataError", "HierarchyError", "Infeasible", "ReleaseError"],
}
_WIDTH = 100


def reference() -> str:
    """All of it; whatever is public and in no group comes last."""
    grouped = {name for names in _GROUPS.values() for name in names}
    groups = _GROUPS | {"More": [name for name in discreet.__all__ if name not in grouped]}
    lines = [
        "# Python: all calls",
        "",
        "Made from the code by `python -m tests.api_reference`; every example is run by `make test`. In a notebook, "
        "releases, reports, audits, comparisons, policies and proposals show themselves: [an example](notebook.ipynb).",
        "",
        "```python",
        ">>> import discreet",
        ">>> from discreet import *     # for the examples of this page alone",
        "",
        "```",
        "",
    ]
    for title, names in groups.items():
        there = [name for name in names if name in discreet.__all__]
        if there:
            lines += [f"## {title}", ""]
            for name in there:
                lines += [f"### `discreet.{name}`", "", *_about(name, getattr(discreet, name)), ""]
    return "\n".join(lines).rstrip() + "\n"


def _about(name: str, thing: Any) -> Iterator[str]:
    if isinstance(thing, EnumType):
        yield from _prose(thing.__doc__)
        return
    if not (inspect.isclass(thing) and issubclass(thing, Exception)) and name not in _MADE_BY_US:
        yield from ["```python", _signature(f"discreet.{name}", thing), "```", ""]
    yield from _prose(thing.__doc__)
    if inspect.isclass(thing) and not issubclass(thing, Exception):
        yield from _members(thing)


# Nobody makes these: they come back from a call.
_MADE_BY_US = {"Release", *_GROUPS["Results"]}


def _members(thing: type) -> Iterator[str]:
    """Public methods and properties, each with its first sentence; those of bases of ours, too."""
    rows = []
    members = {m: v for base in reversed(thing.__mro__) if _ours(base) for m, v in vars(base).items()}
    for member, value in members.items():
        doc = inspect.getdoc(value) if callable(value) or isinstance(value, property) or _cached(value) else None
        if member.startswith("_") or not doc:
            continue
        kind = value.__func__ if isinstance(value, classmethod | staticmethod) else value
        call = f"`.{member}{_short(kind)}`" if inspect.isfunction(kind) else f"`.{member}`"
        rows.append(f"| {call} | {_first(doc)} |")
    if rows:
        yield from ["", "| | |", "|---|---|", *rows]


def _ours(base: type) -> bool:
    return base.__module__.startswith("discreet.")


def _cached(value: object) -> bool:
    return type(value).__name__ == "cached_property"


def _first(doc: str) -> str:
    return " ".join(doc.split("\n\n")[0].split()).replace("|", "\\|")


def _short(function: Any) -> str:
    names = [p.name for p in inspect.signature(function).parameters.values() if p.name != "self"]
    return f"({', '.join(names)})"


def _signature(name: str, thing: Any) -> str:
    """One parameter a line, if it is long; types as they are written."""
    signature = inspect.signature(thing)
    parameters = [_parameter(p) for p in signature.parameters.values()]
    kinds = [p.kind for p in signature.parameters.values()]
    if inspect.Parameter.KEYWORD_ONLY in kinds and inspect.Parameter.VAR_POSITIONAL not in kinds:
        parameters.insert(kinds.index(inspect.Parameter.KEYWORD_ONLY), "*")
    returned = signature.return_annotation
    end = "" if returned is inspect.Signature.empty or inspect.isclass(thing) else f" -> {_type(returned)}"
    short = f"{name}({', '.join(parameters)}){end}"
    if len(short) <= _WIDTH:
        return short
    return f"{name}(\n" + "".join(f"    {p},\n" for p in parameters) + f"){end}"


def _parameter(p: inspect.Parameter) -> str:
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}.get(p.kind, "")
    text = stars + p.name + ("" if p.annotation is p.empty else f": {_type(p.annotation)}")
    if p.default is p.empty:
        return text
    default = p.default.__name__ if inspect.isfunction(p.default) else repr(p.default)
    default = "…" if default.startswith("<") or " at 0x" in default else default
    return f"{text} = {default}"


def _type(annotation: Any) -> str:
    return annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))


def _prose(doc: str | None) -> Iterator[str]:
    """A docstring as Markdown: examples in blocks, ``literals`` as code."""
    text = inspect.cleandoc(doc or "")
    for block in re.split(r"\n\n", text):
        if block.startswith(">>>"):
            yield from ["```python", block, "", "```", ""]
        elif block.startswith("    "):
            yield from ["```", textwrap.dedent(block), "```", ""]
        else:
            yield from [" ".join(block.split()).replace("``", "`"), ""]


if __name__ == "__main__":
    TARGET.write_text(reference(), encoding="utf-8")
