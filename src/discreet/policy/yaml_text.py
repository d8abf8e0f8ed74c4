"""Reads the YAML of a policy, with the line of every mistake.

Two things differ from what YAML libraries do by default, because policies are full of codes and column names:
keys are always text (a column may be called ``no`` or ``2020``), and only what can't be anything else is taken for a
number or a truth value (``01234``, ``12:30``, ``yes`` and ``2020-01-31`` stay text, as in the data).
"""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from discreet.errors import DataError, Mistake, PolicyError, shortened, shown
from discreet.files.plain_yaml import BYTES, TOO_LARGE, BoundedLoader, TooLarge
from discreet.files.small_files import read_small

_TAG = "tag:yaml.org,2002:"


class _Loader(BoundedLoader):
    """Composes nodes; the base class takes every plain scalar for text until a pattern below says otherwise."""


for _name, _pattern, _first in [
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?(0|[1-9][0-9]*)", list("-+0123456789")),
    ("float", r"[-+]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?", list("-+.0123456789")),
    ("merge", r"<<", ["<"]),
]:
    _Loader.add_implicit_resolver(_TAG + _name, re.compile(f"^(?:{_pattern})$"), _first)


def read_words(path: Path) -> tuple[object, list[Mistake]]:
    """The words of a file, and what is wrong with keys and tags; raises when nothing can be read at all."""
    text = _text(path)
    reader = _Reader(path)
    try:
        root = _Loader(text).get_single_node()
        return (None if root is None else reader.value(root)), reader.mistakes
    except yaml.reader.ReaderError as e:
        line = text.count("\n", 0, e.position) + 1
        raise PolicyError(Mistake(f"{path} line {line}", "a character that YAML does not allow", "remove it")) from None
    except TooLarge:
        raise PolicyError(Mistake(str(path), *TOO_LARGE)) from None
    except yaml.MarkedYAMLError as e:
        raise PolicyError(_broken(path, e)) from None
    except RecursionError:
        raise PolicyError(Mistake(str(path), "is nested too deeply", "a policy has four levels")) from None


def _text(path: Path) -> str:
    try:
        return read_small(path, str(path), BYTES, missing="'discreet init DATA' proposes a policy")
    except DataError as error:
        raise PolicyError(*error.mistakes) from None


def _broken(path: Path, error: yaml.MarkedYAMLError) -> Mistake:
    mark = error.problem_mark or error.context_mark
    place = f"{path} line {mark.line + 1}" if mark else str(path)
    problem = shortened(error.problem or "can't be understood", 200)
    repair = ""
    if "'\\t'" in problem:
        problem, repair = "a tab", "indent with spaces"
    elif "single document" in (error.context or ""):
        problem, repair = "a second document", "a policy is one document: remove the line '---'"
    elif "mapping values are not allowed" in problem:
        repair = "a colon too many, or a wrong indentation; put quotes around text with a colon"
    elif "could not find expected ':'" in problem:
        repair = "every line of a mapping is 'name: value'"
    elif "alias" in (error.context or "") or "token" in problem:
        repair = "put quotes around text that starts with a special character"
    return Mistake(place, f"broken YAML: {problem}", repair)


class _Reader:
    """Turns nodes into plain values and remembers what it had to object to."""

    def __init__(self, path: Path):
        self.mistakes: list[Mistake] = []
        self._path = path
        self._open: set[int] = set()  # nodes being read, to notice one that contains itself

    def value(self, node: yaml.Node) -> object:
        if id(node) in self._open:
            self._object(node, "an anchor that contains itself", "write the value out")
            return None
        self._open.add(id(node))
        try:
            if isinstance(node, yaml.MappingNode):
                return self._mapping(node)
            if isinstance(node, yaml.SequenceNode):
                return [self.value(item) for item in node.value]
            return self._scalar(node)
        finally:
            self._open.remove(id(node))

    def _mapping(self, node: yaml.MappingNode) -> dict[str, object]:
        found: dict[str, object] = {}
        inherited: dict[str, object] = {}
        lines: dict[str, int] = {}
        for key, item in node.value:
            if not isinstance(key, yaml.ScalarNode):
                self._object(key, "a list or a mapping as a name", "names are text")
                continue
            value = self.value(item)
            if key.tag == _TAG + "merge":
                if not isinstance(value, dict):
                    self._object(key, "'<<' takes one mapping", "write the values out")
                else:
                    inherited |= value
                continue
            name = self._text(key)
            if name in lines:
                self._object(key, f"{shown(name)} is given twice, first in line {lines[name]}", "keep one of them")
                continue
            lines[name] = key.start_mark.line + 1
            found[name] = value
        return inherited | found

    def _scalar(self, node: yaml.Node) -> object:
        kind, text = node.tag.removeprefix(_TAG), self._text(node)
        try:
            match kind:
                case "null":
                    return None
                case "bool":
                    return text.lower() == "true"
                case "int":
                    return int(text)
                case "float":
                    return float(text)
                case "str" | "merge":
                    return text
        except ValueError:
            if kind == "int" and text.lstrip("+-").isdecimal():
                self._object(node, "a number of too many digits", "put it in quotes, or write a rounder one")
                return 0
            self._object(node, f"{shown(text)} is not what its tag says", "remove the tag")
            return text
        self._object(node, f"unknown tag {shown(node.tag)}", "remove it, or put the text in quotes")
        return text

    def _text(self, node: yaml.Node) -> str:
        """The text of a scalar; JSON writes rare characters as two halves, which YAML leaves apart."""
        try:
            return str(node.value).encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError:
            self._object(node, "half a character", "write the character itself")
            return ""

    def _object(self, node: yaml.Node, rule: str, repair: str) -> None:
        self.mistakes.append(Mistake(f"{self._path} line {node.start_mark.line + 1}", rule, repair))
