"""What the explorer begins with: a table that nobody has described, or a policy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from discreet.addresses import is_address, without_credentials
from discreet.engines.base import Engine
from discreet.engines.open import open_source
from discreet.engines.profile import ColumnProfile
from discreet.errors import Mistake, PolicyError
from discreet.files.temporary import temporary_folder
from discreet.labels.whose import Whose
from discreet.policy.policy import Policy, check_columns, read_policy
from discreet.policy.proposing.proposals import Proposal
from discreet.policy.proposing.proposed import proposed, proposed_for

Words = dict[str, Any]
_IS_POLICY = (".yaml", ".yml")


@dataclass(frozen=True, eq=False)
class Start:
    """One table, the words of its policy, and what `init` says of its columns.

    `words` have no source: that may hold a password, and stays the one of the command line. So do the passwords of
    other addresses (`secret`: what is shown, and what is meant).
    """

    source: str
    folder: Path  # where relative paths start
    words: Words
    engine: Engine
    proposals: Mapping[str, Proposal]
    policy_file: Path | None  # that was named on the command line
    ask_whose: bool  # nobody has said whose rows they are
    secret: Mapping[str, str]
    why_person: str = ""  # a column says whose row it is

    @property
    def profiles(self) -> dict[str, ColumnProfile]:
        """What each column has."""
        return {name: proposal.profile for name, proposal in self.proposals.items()}

    @property
    def table_name(self) -> str:
        """The table as people call it."""
        return without_credentials(self.source) if is_address(self.source) else Path(self.source).name


def start(named: str) -> Start:
    """Begin with what the command line names: a policy, if it is a YAML file, else a table."""
    return _with_policy(Path(named)) if Path(named).suffix.lower() in _IS_POLICY else _with_table(named)


def _with_table(source: str) -> Start:
    seen, engine = proposed_for(source)
    with temporary_folder() as folder:
        file = folder / "policy.yaml"
        file.write_text(seen.text(source), encoding="utf-8")
        policy = read_policy(file)
    owner = seen.owner
    return Start(
        source,
        Path(),
        _words_of(policy),
        engine,
        {p.name: p for p in seen.proposals},
        None,
        owner.whose is Whose.UNSAID,
        {},
        owner.why if owner.column is not None else "",
    )


def _with_policy(file: Path) -> Start:
    policy = read_policy(file)
    if policy.location is None:
        raise PolicyError(Mistake("source", "is missing", "name a CSV or Parquet file"))
    engine = open_source(policy.location, [a.name for a in policy.attributes], policy.reading)
    if mistakes := check_columns(policy, engine.columns):
        raise PolicyError(*mistakes)
    seen = proposed(engine)
    secret = {without_credentials(text): text for text in _texts(policy.require)}
    return Start(
        str(policy.source),
        policy.folder,
        _words_of(policy),
        engine,
        {p.name: p for p in seen.proposals},
        file,
        False,
        {shown: text for shown, text in secret.items() if shown != text},
    )


def _words_of(policy: Policy) -> Words:
    words = dict(replace(policy, source=None).to_words())
    return {word: value for word, value in words.items() if word != "source"}


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [text for inner in value.values() for text in _texts(inner)]
    if isinstance(value, list | tuple):
        return [text for inner in value for text in _texts(inner)]
    return []


def with_secrets(value: Any, secret: Mapping[str, str]) -> Any:
    """The words with the addresses that are meant, passwords and all."""
    if isinstance(value, str):
        return secret.get(value, value)
    if isinstance(value, Mapping):
        return {name: with_secrets(inner, secret) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [with_secrets(inner, secret) for inner in value]
    return value
