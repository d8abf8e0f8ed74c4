"""What the explorer knows: one table, the words of its policy, and the counts that every answer is computed from.

All tabs have the same session. Whoever changes something changes it for all; a change is taken whole or refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from functools import lru_cache
from threading import Lock, RLock
from typing import Any

from discreet.engines.base import Frequencies
from discreet.engines.profile import Uniqueness
from discreet.errors import Mistake, PolicyError
from discreet.explorer.changes import Change, Words, changed, consistent, mistakes_of
from discreet.explorer.figures.people_counts import values_by_people
from discreet.explorer.starting import Start, with_secrets
from discreet.labels.whose import Whose
from discreet.models.base import least_rows
from discreet.models.promise import VALUES
from discreet.models.registry import MODELS
from discreet.policy.kinds import PUBLICATIONS
from discreet.policy.policy import Policy, policy_from_words
from discreet.policy.proposing.proposals import quasi_identifier
from discreet.policy.words import Role
from discreet.report.marginals import shown
from discreet.run.intake import Counted, Scanned, coded, scan

HIDDEN_BELOW = 5  # values of fewer people are not shown, where no promise asks for more
_PLACEHOLDER = [{"k_anonymity": {"k": 2}}]  # to count a table of which nothing is promised yet
_OF_ROLES = ("role", "hierarchy", "levels", "publish_as", "ranges", "decide")  # words that another role has not
_OF_COUNTING = ("attributes", "private", "missing", "decimal", "thousands", "encoding", "delimiter", "sheet")
_OF_PEOPLE = ("population", "marginals", "pairs", "size")  # of a promise: other tables that are counted
_KEYS = 2  # columns that are offered as the one that says whose rows they are
_LISTED = 1000  # values of a column that can be shown
_VERSIONS = 1000  # that a page may still be at, when it changes a promise by its number
_WHOSE = (
    "Is every row another person? If one person may have several rows, choose the column that says whose row it is "
    "(role: says whose row it is). Until it is said, promises are about rows."
)


class Session:
    """One table and one policy, for all tabs."""

    def __init__(self, start: Start) -> None:
        self.start = start
        self.listener: Callable[[], None] = lambda: None  # is told of every change
        self.columns = tuple(start.engine.columns)
        self.version = 1
        self._words: Words = deepcopy(start.words)
        self._asks_whose = start.ask_whose
        self._lock = RLock()  # of the words
        self._engine = Lock()  # one question at a time; a connection is no place for two
        self._counting = Lock()
        self._promised = {1: self._promised_now()}  # in the last versions
        self._scanned: tuple[str, Scanned] | None = None
        self._counted: tuple[str, Counted] | None = None
        self._remembered: dict[tuple[str, str], Words] = {}  # what a column had when it last had a role
        self._uniqueness = lru_cache(maxsize=16)(self._count_unique)
        self._by_people = lru_cache(maxsize=1000)(self._count_people)
        for name, said in start.words.get("attributes", {}).items():
            self._remember(name, said)

    # The words

    @property
    def words(self) -> Words:
        """The words of the policy, without its source. A copy."""
        with self._lock:
            return deepcopy(self._words)

    def change(self, changes: Sequence[Change], since: int | None = None) -> None:
        """Take changes, or raise what is wrong with them and change nothing.

        Promises are named by their numbers, as whoever changes them saw them in the version `since`. If another stands
        there now, the change was not meant for it.
        """
        with self._lock:
            if since is not None and any(
                self._promised_at(n, since) != self._promised_at(n) for n in _numbers(changes)
            ):
                repair = "look at the promises as they are now, and do it again"
                raise PolicyError(Mistake("require", "other promises were made or taken back meanwhile", repair))
            words = self._changed(changes)
            for name, said in self._words.get("attributes", {}).items():
                self._remember(name, said)
            if any([*path] == ["one_row_per_person"] for path, _ in changes):
                self._asks_whose = False
            self._words = words
            self.version += 1
            self._promised[self.version] = self._promised_now()
            self._promised.pop(self.version - _VERSIONS, None)
        self.listener()

    def _promised_now(self) -> tuple[str, ...]:
        """Which promises are made, and about which columns; whatever their other parameters."""
        made = self._words.get("require") or []
        return tuple(json.dumps([*entry, _about(entry)]) for entry in made if isinstance(entry, Mapping))

    def _promised_at(self, number: str, version: int | None = None) -> str | None:
        """Which promise has a number, now or in a version; None if there was none."""
        made = self._promised_now() if version is None else self._promised.get(version, ())
        return made[int(number)] if number.isdecimal() and int(number) < len(made) else None

    def _changed(self, changes: Sequence[Change]) -> Words:
        """The words with changes; those that were wrong before are not held against them."""
        folder, words = self.start.folder, self._with(changes)
        before = mistakes_of(self.meant(self._words), folder)
        if wrong := [m for m in mistakes_of(self.meant(words), folder) if m not in before]:
            raise PolicyError(*wrong)
        return words

    def _with(self, changes: Sequence[Change]) -> Words:
        """The words with changes and with what these take along, right or wrong."""
        words = changed(self._words, changes, self.columns)
        return consistent(words, self._words, self.start.folder, self.columns, self._fresh)

    def meant(self, words: Words) -> Words:
        """The words with the table and the addresses that they are about."""
        return words | {"require": with_secrets(words.get("require"), self.start.secret), "source": self.start.source}

    def _remember(self, name: str, said: Words) -> None:
        self._remembered[name, said["role"]] = {w: v for w, v in said.items() if w != "decide"}

    def _fresh(self, name: str, role: str) -> Words:
        """What a column with a new role says: what it said when it last had it, or what `init` would say."""
        if (name, role) in self._remembered:
            return deepcopy(self._remembered[name, role])
        reading = self._reading(name)
        if role != Role.QUASI_IDENTIFIER:
            return {"role": role} | reading
        import yaml

        hierarchy = quasi_identifier(self.start.profiles[name], "").hierarchy
        words = yaml.safe_load(hierarchy) if hierarchy else None
        return {"role": role} | ({"hierarchy": words} if words is not None else {}) | reading

    def _reading(self, name: str) -> Words:
        """The words about how its cells are read, which hang on no role."""
        said = self.start.words.get("attributes", {}).get(name, {})
        return {w: v for w, v in said.items() if w not in _OF_ROLES}

    # Policies

    def policy(self, changes: Sequence[Change] = ()) -> Policy:
        """The policy as it stands, or as changes would have it."""
        with self._lock:
            words = self._with(changes) if changes else self._words
        return policy_from_words(self.meant(words), self.start.folder)

    def policy_or_none(self) -> Policy | None:
        """The same; None as long as something is missing in it."""
        with suppress(PolicyError):
            return self.policy()
        return None

    @property
    def whose(self) -> Whose:
        """Whose the rows are."""
        with self._lock:
            roles = [said.get("role") for said in self._words.get("attributes", {}).values()]
            if Role.PERSON in roles:
                return Whose.NAMED
            return Whose.ONE_EACH if self._words.get("one_row_per_person") else Whose.UNSAID

    @property
    def hidden_below(self) -> int:
        """Values of fewer people are not shown."""
        policy = self.policy_or_none()
        return max(HIDDEN_BELOW, least_rows(policy.models) if policy is not None else 0)

    @property
    def open(self) -> list[dict[str, Any]]:
        """What somebody has to decide before anything is published."""
        words = self.words
        found: list[dict[str, Any]] = [
            {"path": ["attributes", name, "decide"], "column": name, "question": said["decide"]}
            for name, said in words.get("attributes", {}).items()
            if said.get("decide")
        ]
        if self._asks_whose and self.whose is Whose.UNSAID:
            path = ["one_row_per_person"]
            answers = [
                {"title": "Every row is another person", "set": [[path, True]]},
                *(
                    {
                        "title": f"{shown(name)} says whose row it is",
                        "set": [[["attributes", name, "role"], Role.PERSON]],
                    }
                    for name in self._keys(words)
                ),
                {"title": "I can't say: speak of rows", "set": [[path, None]]},
            ]
            found.append({"path": path, "column": None, "question": _WHOSE, "answers": answers})
        return found

    def _keys(self, words: Words) -> list[str]:
        """Columns that name people, each perhaps in several rows: one of them may say whose rows they are."""
        said = words.get("attributes", {})
        profiles = {name: self.start.profiles[name] for name in self.columns if name in said}
        named = [n for n, p in profiles.items() if said[n].get("role") == Role.IDENTIFIER and 1 < p.distinct < p.rows]
        return named[:_KEYS]

    @property
    def unguarded(self) -> list[str]:
        """Secrets of which nothing is promised: whoever finds a group in which all have the same knows it."""
        words = self.words
        secrets = [name for name, said in words.get("attributes", {}).items() if said.get("role") == Role.SENSITIVE]
        for entry in words.get("require") or []:
            for word, given in entry.items() if isinstance(entry, Mapping) else ():
                if word in MODELS and VALUES in MODELS[word].about:
                    named = given.get("attribute") if isinstance(given, Mapping) else None
                    secrets = [name for name in secrets if named not in (None, name)]
        return secrets

    def state(self) -> dict[str, Any]:
        """What every tab shows; the release as it stands is added by who knows it."""
        with self._lock:
            words, version = self.words, self.version
        words.pop("private", None)  # it may list people
        rows = next(iter(self.start.profiles.values())).rows
        return {
            "version": version,
            "table": {"name": self.start.table_name, "rows": rows, "columns": len(self.columns)},
            "whose": {
                "people": self.whose.people,
                "person": self.whose.person,
                "rows": self.whose.by_rows.people,
                "several": self.whose.several,
            },
            "policy": words,
            "open": self.open,
            "unguarded": self.unguarded,
            "hidden_below": self.hidden_below,
            "publications": self._publications(),
        }

    def _publications(self) -> list[dict[str, Any]]:
        """All kinds, and whether the policy as it stands can be published by each."""
        return [
            {"word": word, **_titled(PUBLICATIONS[word].words.title), "available": self._goes(word)}
            for word in PUBLICATIONS
        ]

    def _goes(self, publish: str) -> bool:
        if self.policy_or_none() is None:
            return True
        try:
            self.policy([(["publish"], publish)])
        except PolicyError:
            return False
        return True

    # Counts

    def counted(self, policy: Policy) -> Counted:
        """What the table was counted into, for a policy about it: once for all that differ in promises alone."""
        with self._counting:
            key = _key(policy, hierarchies=True)
            if self._counted is None or self._counted[0] != key:
                self._counted = (key, coded(policy, self._scan(policy)))
            counted = self._counted[1]
        return counted

    def _scan(self, policy: Policy) -> Scanned:
        key = _key(policy, hierarchies=False)
        if self._scanned is None or self._scanned[0] != key:
            self._scanned = (key, scan(policy))  # by a connection of its own
        return self._scanned[1]

    def looking(self) -> Policy | None:
        """A policy to look at the table with, although nothing may be promised yet; None without a column that others
        may know."""
        with self._lock:
            words = self._words
        for more in ({}, {"require": _PLACEHOLDER}):
            with suppress(PolicyError):
                return policy_from_words(self.meant(words | more), self.start.folder)
        return None

    @property
    def promises_nothing(self) -> bool:
        """Is nothing promised yet?"""
        with self._lock:
            return not self._words.get("require")

    def scanned_values(self, policy: Policy) -> tuple[Frequencies, tuple[str, ...]]:
        """The combinations of values in the table, and of which columns; whatever hierarchies they have."""
        with self._counting:
            return self._scan(policy).frequencies, (*policy.quasi_identifiers, *policy.sensitive)

    def values_by_people(self, column: str, person: str) -> list[tuple[str | None, int, int]]:
        """The most frequent values of a column, with how many rows and people have each, where `person` says whose."""
        return self._by_people(column, person)

    def _count_people(self, column: str, person: str) -> list[tuple[str | None, int, int]]:
        with self._engine:
            frequencies = self.start.engine.frequencies([column], person)
        return values_by_people(frequencies, 0, _LISTED)

    def uniqueness(self, together: Sequence[str], others: Sequence[str], person: str | None) -> Uniqueness | None:
        """How much columns single out, people if a column names them; None if there is nothing to count."""
        return self._uniqueness(tuple(together), tuple(others), person) if together else None

    def _count_unique(self, together: tuple[str, ...], others: tuple[str, ...], person: str | None) -> Uniqueness:
        with self._engine:
            rows = next(iter(self.start.profiles.values())).rows
            return self.start.engine.uniqueness(together, others, rows, person=person)


def _titled(title: str) -> dict[str, str]:
    """What a kind of publication is called, and what it does."""
    name, _, does = title.partition(": ")
    return {"title": name[:1].upper() + name[1:], "sentence": does[:1].upper() + does[1:] + "."}


def _role(name: str) -> list[str]:
    return ["attributes", name, "role"]


def _numbers(changes: Sequence[Change]) -> set[str]:
    """The promises that are changed, each by its number."""
    return {str(path[1]) for path, _ in changes if len(path) > 1 and path[0] == "require"}


def _about(entry: Mapping[str, Any]) -> list[object]:
    """The columns that a promise is about."""
    return [given.get("attribute") for given in entry.values() if isinstance(given, Mapping)]


def _key(policy: Policy, *, hierarchies: bool) -> str:
    """What decides how a table is counted."""
    words: Mapping[str, Any] = policy.to_words()
    kept = {word: words[word] for word in _OF_COUNTING if word in words}
    attributes = {}
    for name, said in kept["attributes"].items():
        left_out = {"decide", "ranges", "levels"} | (set() if hierarchies or "publish_as" in said else {"hierarchy"})
        attributes[name] = {word: value for word, value in said.items() if word not in left_out}
    others = [
        {part: value for part, value in given.items() if part in _OF_PEOPLE}
        for entry in words["require"]
        for given in (entry.values() if isinstance(entry, Mapping) else ())
        if isinstance(given, Mapping)
    ]
    promised = sorted(word for entry in words["require"] for word in entry if "presence" in word or "map" in word)
    kept = kept | {"attributes": attributes, "others": [o for o in others if o], "promised": promised}
    return json.dumps(kept, default=str)
