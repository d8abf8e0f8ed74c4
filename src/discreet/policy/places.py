"""How messages call the parts of a policy."""

from __future__ import annotations

import re

from discreet.errors import shown


def attribute_place(name: object) -> str:
    """How messages call an attribute; quoted when its name could be misread.

    >>> attribute_place("age"), attribute_place("a.b")
    ('attributes.age', "attributes['a.b']")
    """
    text = name if isinstance(name, str) else shown(name)
    return f"attributes.{text}" if re.fullmatch(r"[\w-]{1,100}", text) else f"attributes[{shown(name)}]"
