"""`verify`, `audit` and `compare`: of releases, folders, files and frames; results show themselves in a notebook."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Any

from discreet.audit.audit import Description, audit_release
from discreet.engines.sources import arrow_table
from discreet.errors import DiscreetError, Mistake, PolicyError
from discreet.files.temporary import temporary_folder
from discreet.policy.kinds import is_exact
from discreet.policy.policy import Policy
from discreet.policy.words import Role
from discreet.progress import Progress, silent
from discreet.python.arguments import policy_of, table_of, with_words
from discreet.python.results import AuditResult, ComparisonResult, MethodsResult, VerifyResult
from discreet.run.release import Release
from discreet.run.verify import verify as verify_folder
from discreet.run.verify import warnings

_FRAME = "frame"  # what messages call a table in memory
_DESCRIBE = "say attributes={'age': {'role': 'quasi_identifier'}, …}"


def verify(
    release: Release | PathLike[str] | str,
    source: Any = None,
    population: Any = None,
    database: str | None = None,
    key: Path | str | None = None,
    earlier: Sequence[PathLike[str] | str] = (),
) -> VerifyResult:
    """Re-check every promise of a release, from its files alone, and that its report says no more than these.

    `release` is one that `anonymize` returned, or a folder. `source` is the original table (a path or a frame), needed
    for promises about what an adversary knows of it. With it, the release is also compared with the table: is there a
    row of it for everything that is published? `population` is everybody who could be in the table, for promises about
    who is. `database` says where the tables are (a URL without credentials), if they are in one that the environment
    does not name. `key` is the file of a public key that the manifest must be signed by. `earlier` are the
    other releases of a chain, oldest first.

    >>> import discreet
    >>> people = {"age": [23, 27, 31, 38], "disease": ["flu", "cold", "flu", "asthma"]}
    >>> release = discreet.anonymize(
    ...     people,
    ...     attributes={"age": {"role": "quasi_identifier", "hierarchy": {"intervals": [10, 20]}},
    ...                 "disease": {"role": "sensitive"}},
    ...     require=[{"k_anonymity": {"k": 2}}])
    >>> discreet.verify(release, source=people).kept
    True
    """
    folder = Path(release)
    found = verify_folder(folder, source, population, database, key, [Path(one) for one in earlier])
    return VerifyResult.of(found, release=folder.name, warnings=warnings(folder, found))


def audit(
    release: Any,
    policy: Any = None,
    *,
    attributes: Mapping[str, Mapping[str, Any]] | None = None,
    require: Sequence[Mapping[str, Any]] | None = None,
    description: Description | None = None,
    population: Any = None,
    marginals: Mapping[str, Any] | None = None,
    size: int | None = None,
    confidence: float | None = None,
    source: Any = None,
    other: PathLike[str] | str | Sequence[PathLike[str] | str] | None = None,
    other_source: Sequence[Any] = (),
    other_description: Description | None = None,
    known_rows: int = 1,
    stubbornness: float | None = None,
    threshold: float | None = None,
    database: str | None = None,
    person: str | None = None,
    one_row_per_person: bool = False,
    progress: Progress = silent,
) -> AuditResult:
    """Ask every adversary what is now known about the people in a release, ours or another tool's.

    `release` is one that `anonymize` returned, the folder of one, or what another tool published: a file, or a pandas,
    polars or Arrow frame. Of another tool's, something must say what the columns are: `attributes` (roles, and
    hierarchies where there are taxonomies) and `require` (what it is said to keep), a `policy` with both, or a
    `description` (docs/audit.md).

    The rest is what she is said to know: `population`, a list of everybody who may be in the table; `marginals`, how
    many people of the population have each value, believed with a `confidence`; `size`, how many people the population
    has; `source`, the original table; `other`, a second release about the same people, or several, each with its table
    in `other_source`: these are attacked together; `known_rows`, how many people's values; `stubbornness`, on how many
    people's data a belief rests. People of whom she is surer than the `threshold` are counted. `person` is the column
    of the source that says whose row it is, `one_row_per_person` says that every row is another person's, where the
    release does not say it.

    >>> import discreet
    >>> published = {"age": ["20-29", "20-29", "30-39", "30-39"], "disease": ["flu", "cold", "flu", "asthma"]}
    >>> found = discreet.audit(published, attributes={"age": {"role": "quasi_identifier"},
    ...                                               "disease": {"role": "sensitive"}})
    >>> found.smallest_group, found.lines[0].worst
    (2, 0.5)
    """
    known: dict[str, Any] = {
        "population": population,
        "marginals": marginals,
        "size": size,
        "confidence": confidence,
        "source": source,
        "other": Path(other) if isinstance(other, str | PathLike) else [Path(one) for one in other or ()],
        "other_source": other_source,
        "other_description": other_description,
        "known_rows": known_rows,
        "stubbornness": stubbornness,
        "threshold": threshold,
        "database": database,
        "person": person,
        "one_row_per_person": one_row_per_person,
        "progress": progress,
    }
    told = _description(policy, attributes, require, description)
    if isinstance(release, str | PathLike):
        return AuditResult.of(audit_release(Path(release), description=told, **known))
    if told is None:
        raise PolicyError(Mistake("attributes", "nothing is said about the columns of this frame", _DESCRIBE))
    with _as_file(release) as file:
        found = audit_release(file, description=told, **known)
    named = {part: tuple(map(_of_frame, getattr(found, part))) for part in ("lines", "levels")}
    return AuditResult.of(found, release=_FRAME, **named)


def _of_frame(line: Any) -> Any:
    """A line of an audit whose deciding group stands in no file, but in the frame."""
    return line if line.deciding is None else replace(line, deciding=replace(line.deciding, file=_FRAME))


def _description(
    policy: object,
    attributes: Mapping[str, Mapping[str, Any]] | None,
    require: Sequence[Mapping[str, Any]] | None,
    description: Description | None,
) -> Description | None:
    """What is said about the columns, in the words of the audit."""
    if policy is None and attributes is None and require is None:
        return description
    if description is not None:
        rule = "says the same as attributes, require or a policy"
        raise PolicyError(Mistake("description", rule, "leave one of them out"))
    if policy is None and attributes is None:
        raise PolicyError(Mistake("attributes", "nothing is said about the columns", _DESCRIBE))
    # A release may be audited that promises nothing; a policy may not.
    nothing = [] if require is not None or policy is not None else [{"k_anonymity": {"k": 2}}]
    made = policy_of(policy, {"attributes": attributes, "require": require or nothing or None})
    return description_of(made, promises=not nothing)


def description_of(policy: Policy, *, promises: bool = True) -> dict[str, Any]:
    """The words of an audit for a table that was published by a policy.

    >>> from discreet.policy.policy import policy_from_words
    >>> description_of(policy_from_words({"attributes": {"age": {"role": "quasi_identifier"}},
    ...                                   "require": [{"k_anonymity": {"k": 5}}]}))
    {'quasi_identifiers': ['age'], 'sensitive': [], 'promises': [{'k_anonymity': {'k': 5}}]}
    """
    words: dict[str, Any] = {
        "quasi_identifiers": list(policy.quasi_identifiers),
        "sensitive": list(policy.sensitive),
        "promises": [model.to_words() for model in policy.models] if promises else [],
    }
    hierarchies = {a.name: taxonomy for a in policy.attributes if (taxonomy := _taxonomy(a.hierarchy, policy.folder))}
    identifiers = [a.name for a in policy.attributes if a.role is Role.IDENTIFIER]
    more = {"hierarchies": hierarchies, "others": list(policy.others), "identifiers": identifiers}
    words |= {word: said for word, said in more.items() if said}
    if policy.person is not None:
        words["person"] = policy.person
    return words | ({"one_row_per_person": True} if policy.one_row_per_person else {})


def _taxonomy(hierarchy: object, folder: Path) -> object:
    """The file of a taxonomy, or its rows; other rules are told by the published values."""
    named = hierarchy.get("taxonomy") if isinstance(hierarchy, Mapping) else hierarchy
    if isinstance(named, str | Path):
        return folder / named
    return named if isinstance(named, Sequence) else None


@contextmanager
def _as_file(frame: Any) -> Iterator[Path]:
    """A frame as a file that nobody else can read, for as long as it takes; messages call it a frame."""
    table = arrow_table(frame)
    with temporary_folder() as folder:
        from pyarrow import parquet

        file = folder / f"{_FRAME}.parquet"
        parquet.write_table(table, file)
        try:
            yield file
        except DiscreetError as error:
            here = [Mistake(*(_called(part, file) for part in (m.place, m.rule, m.repair))) for m in error.mistakes]
            raise type(error)(*here) from None


def _called(text: str, file: Path) -> str:
    return text.replace(str(file), _FRAME).replace(file.name, _FRAME)


@with_words()
def compare(
    table: Any = None,
    policy: Any = None,
    *,
    source: Any = None,
    epsilon: float | str | Fraction | None = None,
    progress: Progress = silent,
    **words: Any,
) -> ComparisonResult | MethodsResult:
    """What each promise would cost on a table, against adversaries of every class, and what the policy itself delivers.

    Table and policy are given as to `anonymize`. Of a policy that publishes exact values apart (bucketization,
    ambiguity), what each method would cost and leave open. `epsilon` is what costs are told for.

    >>> import discreet
    >>> people = {"age": [23, 27, 31, 38], "disease": ["flu", "cold", "flu", "asthma"]}
    >>> compared = discreet.compare(
    ...     people,
    ...     attributes={"age": {"role": "quasi_identifier", "hierarchy": {"intervals": [10, 20]}},
    ...                 "disease": {"role": "sensitive"}},
    ...     require=[{"k_anonymity": {"k": 2}}])
    >>> round(compared.own.loss, 2)
    0.33
    """
    if isinstance(table, Policy):
        table, policy = None, table
    table, mistakes = table_of(table, source)
    asked, wrong = _epsilon(epsilon)
    made = policy_of(policy, words, [*mistakes, *wrong])
    if is_exact(made.publish):
        from discreet.run.methods import compare_methods

        if asked is not None:
            rule = f"is about coarser values; the policy publishes by {made.publish}"
            raise PolicyError(Mistake("epsilon", rule, "leave it out"))
        return MethodsResult.of(compare_methods(made, source=table, progress=progress))
    from discreet.run.compare import compare as compare_costs

    return ComparisonResult.of(compare_costs(made, source=table, epsilon=asked, progress=progress))


def _epsilon(epsilon: float | str | Fraction | None) -> tuple[Fraction | None, list[Mistake]]:
    from discreet.models.parameters import Number, Wrong

    try:
        return None if epsilon is None else Number(1, closed=True, why="1 is no change of belief").read(epsilon), []
    except Wrong as wrong:
        return None, [Mistake("epsilon", wrong.rule, wrong.repair)]
