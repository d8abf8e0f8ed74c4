"""`anonymize`, from a frame to a frame: by the same path as the command, through a private folder that goes with it."""

from __future__ import annotations

from dataclasses import replace as change
from pathlib import Path
from typing import Any

from discreet.addresses import is_address
from discreet.engines.frames import kind_of
from discreet.engines.open import POSTGRESQL
from discreet.errors import Mistake, PolicyError
from discreet.files.held import HeldFolder
from discreet.policy.policy import Policy
from discreet.progress import Progress, silent
from discreet.python.arguments import policy_of, table_of, with_words
from discreet.run.anonymize import anonymize as publish_into
from discreet.run.release import Release


@with_words()
def anonymize(
    table: Any = None,
    policy: Any = None,
    *,
    folder: Path | str | None = None,
    source: Any = None,
    private: Any = None,
    replace: bool = False,
    sign: Path | str | None = None,
    as_proposed: bool = False,
    progress: Progress = silent,
    **words: Any,
) -> Release:
    """Publish a table, every promise proven, or raise and leave nothing behind.

    ``anonymize(frame, attributes=…, require=…)``: the policy in keywords (docs/policy.md has the words), or as a
    second argument: a Policy, a mapping of words, or the path of a YAML file. The table is a pandas, polars or Arrow
    frame, a mapping of columns, a path or an address; it is never modified. What comes back has `frame`, the published
    table as the same kind of frame, `report`, and `save(folder)`. Until then it is in a private folder of ours, written
    there, read back and judged like any release; it goes with the object.

    ``anonymize(policy, folder, source=frame)`` writes into `folder`, and what is known of the source beyond the release
    into `private`, which is not to be published (``<folder>.private``, if nothing is said; without a folder, `private`
    is the policy's word for the rows that are the table). With `replace`, an older release there is replaced. `sign` is
    the file of an Ed25519 private key, to sign the manifest with. With `as_proposed`, columns that the policy has open
    questions about (`decide`) are taken as they stand.

    >>> import discreet
    >>> people = {"age": [23, 27, 31, 38], "disease": ["flu", "cold", "flu", "asthma"]}
    >>> release = discreet.anonymize(
    ...     people,
    ...     attributes={"age": {"role": "quasi_identifier", "hierarchy": {"intervals": [10, 20]}},
    ...                 "disease": {"role": "sensitive"}},
    ...     require=[{"k_anonymity": {"k": 2}}])
    >>> sorted(zip(release.frame["age"], release.frame["disease"]))
    [('20-29', 'cold'), ('20-29', 'flu'), ('30-39', 'asthma'), ('30-39', 'flu')]
    >>> discreet.anonymize(people, atributes={}, require=[{"k_anonymity": {"k": 2}}])
    Traceback (most recent call last):
    discreet.errors.PolicyError: atributes: no such word; did you mean 'attributes'?
    attributes: must be a mapping of columns, got nothing; for example {age: {role: quasi_identifier}}
    """
    mistakes: list[Mistake] = []
    if isinstance(table, Policy):  # the form of a policy and a folder
        if policy is not None and folder is not None:
            mistakes.append(Mistake("folder", "is the second argument already", "leave one of them out"))
        table, policy, folder = None, table, folder if policy is None else policy
    table, wrong = table_of(table, source)
    mistakes += wrong
    kind = kind_of(table)
    if folder is not None:
        made = policy_of(policy, words, mistakes)
        into: dict[str, Any] = {"private": private, "replace": replace, "sign": sign, "progress": progress}
        into["as_proposed"] = as_proposed
        return change(publish_into(made, folder, source=table, **into), kind=kind)
    mistakes += _only_with_a_folder(replace, sign, words)
    made = _as_files(policy_of(policy, {**words, "private": private}, mistakes), table)
    held = HeldFolder()
    try:
        release = publish_into(
            made,
            held.path / "release",
            source=table,
            private=held.path / "private",
            as_proposed=as_proposed,
            progress=progress,
        )
    except BaseException:
        held.close()
        raise
    return change(release, kind=kind, held=held)


def _only_with_a_folder(replace: bool, sign: object, words: dict[str, Any]) -> list[Mistake]:
    """Arguments that mean nothing as long as there is no folder."""
    given = {"replace": replace, "sign": sign is not None, "schema": words.get("schema") is not None}
    repair = {"schema": "leave it out, or say folder=…"}
    return [
        Mistake(word, "is for a release in a folder", repair.get(word, f"say release.save(folder, {word}=…)"))
        for word, said in given.items()
        if said
    ]


def _as_files(policy: Policy, table: Any) -> Policy:
    """The same policy; what is in a database is published as files, where it would go there by itself."""
    if policy.format == "table":
        rule = "a release without a folder is not written into a database"
        raise PolicyError(Mistake("format", rule, "leave it out, or say folder=…"))
    where = policy.location if table is None else table
    in_database = isinstance(where, str) and is_address(where) and where.startswith(POSTGRESQL[:8])
    return change(policy, format="csv") if in_database and policy.format is None else policy
