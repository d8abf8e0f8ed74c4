"""Things that are named by a word: promises, searches, kinds of publication, sections of the report.

Ours are listed where they belong, as ``module:name``, and loaded when somebody asks for them. Others come by a call of
`register`, or with an installed package that names an entry point of the registry's group.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Generic, TypeVar, cast

from discreet.errors import DiscreetError, Mistake

Thing = TypeVar("Thing")

_WORD = re.compile(r"[a-z][a-z_]{0,39}")  # as policies and manifests write them


class Registry(Generic[Thing]):
    """What each word of one sort stands for.

    >>> colours: Registry[str] = Registry("colour", "discreet.colours", {"red": "string:hexdigits"})
    >>> colours.register("blue", "#00f")
    >>> list(colours), colours["red"], "green" in colours
    (['red', 'blue'], '0123456789abcdefABCDEF', False)
    """

    def __init__(self, noun: str, group: str, own: Mapping[str, str | Thing]):
        """`own` are ours, or where they are; `group` is that of the entry points of others."""
        self.noun, self.group = noun, group
        self._own = dict(own)
        self._things: dict[str, Thing] = {}  # those that were loaded, or registered by a call
        self._brought: dict[str, EntryPoint] | None = None  # by other packages; None: nobody has looked

    def __iter__(self) -> Iterator[str]:
        yield from dict.fromkeys((*self._own, *self._packages(), *self._things))

    def __contains__(self, word: object) -> bool:
        return word in self._own or word in self._things or word in self._packages()

    def __getitem__(self, word: str) -> Thing:
        """What the word stands for; `KeyError` if nobody knows it."""
        if word not in self._things:
            self._things[word] = self._load(word)
        return self._things[word]

    def get(self, word: str) -> Thing | None:
        """The same; None if nobody knows it."""
        return self[word] if word in self else None  # noqa: SIM401, this is what it stands for

    def register(self, word: str, thing: Thing) -> None:
        """Let a word stand for something. None can be taken twice: a policy means the same wherever it is read."""
        if not _WORD.fullmatch(word):
            rule = f"can't be the word of a {self.noun}"
            raise DiscreetError(Mistake(repr(word), rule, "take small letters and _, beginning with a letter"))
        if word in self:
            raise DiscreetError(Mistake(word, f"is a {self.noun} already", "take another word"))
        self._things[word] = thing

    def unregister(self, word: str) -> None:
        """Forget what was registered by a call."""
        if word in self._own or word in self._packages():
            raise DiscreetError(Mistake(word, f"was not registered by a call: it is a {self.noun} that is installed"))
        del self._things[word]

    def look_again(self) -> None:
        """Forget what packages brought, and see what is installed now."""
        for word in self._packages():
            self._things.pop(word, None)
        self._brought = None

    def _load(self, word: str) -> Thing:
        if word in self._own:
            own = self._own[word]
            if not isinstance(own, str):
                return own
            module, _, name = own.partition(":")
            return cast(Thing, getattr(import_module(module), name))
        brought = self._packages()[word]
        try:
            return cast(Thing, brought.load())
        except Exception as error:  # whatever is wrong with somebody else's package
            package = brought.dist.name if brought.dist is not None else brought.value
            rule = f"the {self.noun} of the package {package} can't be loaded: {type(error).__name__}"
            raise DiscreetError(Mistake(word, rule, "mend the package, or uninstall it")) from error

    def _packages(self) -> Mapping[str, EntryPoint]:
        """What installed packages bring, but for words that are ours: these mean what we say."""
        if self._brought is None:
            found = entry_points(group=self.group)
            self._brought = {e.name: e for e in found if e.name not in self._own and _WORD.fullmatch(e.name)}
        return self._brought
