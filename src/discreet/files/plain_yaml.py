"""YAML of strangers, within bounds: a few lines of anchors can stand for more values than any memory holds.

Only what is composed here is counted; what the values mean is for those who read them.
"""

from __future__ import annotations

import yaml

BYTES = 2_000_000  # a policy for thousands of columns, with a reason for each
VALUES = 100_000  # names, values, lists and mappings, aliases written out
TOO_LARGE = (f"has more than {VALUES:,} values", "put long lists into files: taxonomies and counts may be CSVs")


class TooLarge(yaml.MarkedYAMLError):
    """More values than a policy or a description can need."""


class BoundedLoader(yaml.BaseLoader):
    """Takes every scalar for text, and stops where there are too many values, also those that aliases stand for.

    >>> bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\\n" + "".join(
    ...     f"{n}: &{n} [{', '.join(['*' + b] * 10)}]\\n" for b, n in zip("abcdefgh", "bcdefghi")
    ... )
    >>> len(bomb) < 500
    True
    >>> BoundedLoader(bomb).get_single_node()
    Traceback (most recent call last):
    discreet.files.plain_yaml.TooLarge: more than 100,000 values
    """

    _composed = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        self._composed += 1
        if self._composed > VALUES:
            raise TooLarge(problem=f"more than {VALUES:,} values")
        return super().compose_node(parent, index)

    def get_single_node(self) -> yaml.Node | None:
        root: yaml.Node | None = super().get_single_node()
        if root is not None and _size(root, {}) > VALUES:
            raise TooLarge(problem=f"more than {VALUES:,} values")
        return root


def _size(node: yaml.Node, known: dict[int, int]) -> int:
    """How many values a node stands for; one that contains itself counts once, and is for the reader to refuse."""
    if id(node) not in known:
        known[id(node)] = 1
        inner = [part for pair in node.value for part in pair] if isinstance(node, yaml.MappingNode) else node.value
        if not isinstance(node, yaml.ScalarNode):
            known[id(node)] = 1 + sum(_size(part, known) for part in inner)
    return known[id(node)]
