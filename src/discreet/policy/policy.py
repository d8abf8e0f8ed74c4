"""The policy: what each column is, what must be promised, and how to publish.

The same words serve YAML files and Python. A wrong policy is refused with all its mistakes at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.addresses import located, without_credentials
from discreet.engines.reading import Reading
from discreet.engines.reading_words import OF_TABLE, words_of
from discreet.errors import Mistake, PolicyError, did_you_mean, shown
from discreet.labels.whose import Whose, whose_rows
from discreet.policy.places import attribute_place
from discreet.policy.private_rows import private_place
from discreet.policy.reading import policy_reading
from discreet.policy.words import (
    Attribute,
    Role,
    checked,
    read_attributes,
    wild,
)

if TYPE_CHECKING:
    from discreet.engines.rows import Rows
    from discreet.hierarchies.published_as import PublishedAs
    from discreet.models.base import PrivacyModel

__all__ = [
    "Attribute",
    "Policy",
    "Role",
    "check_columns",
    "policy_from_words",
    "read_policy",
]

_SHOWN = 100  # columns that a table lacks
_DECIDE = "decide, and then remove the word decide from this attribute (or run with --as-proposed)"


@dataclass(frozen=True)
class Policy:
    """What to publish and what to promise.

    Entries of `require` are words (``{"k_anonymity": {"k": 5}}``) or ready privacy models; `models` are the models
    they mean. Columns that are not among `attributes` are not published. Rows that no group can hold leave the
    release (`suppressed` = drop) or are published as all ``*``, the sensitive values too (star). `private` says
    which rows of the source are the table (`private_rows`), where the source has everybody. Where no column has the
    role person, `one_row_per_person` says that every row is another person's; else nothing is known of whose they are
    (`whose`). Relative paths start at `folder`.

    >>> policy = policy_from_words({
    ...     "attributes": {"age": {"role": "quasi_identifier", "hierarchy": {"intervals": [5, 10]}}},
    ...     "require": [{"k_anonymity": {"k": 5}}], "suppress": 0.02})
    >>> policy.quasi_identifiers, policy.models, policy.search, policy.suppress
    (('age',), (KAnonymity(k=5),), 'optimal', Fraction(1, 50))
    """

    attributes: tuple[Attribute, ...]
    require: tuple[object, ...]
    source: str | None = field(default=None, repr=False)  # may hold a password
    publish: str = "generalization"
    search: str = ""  # empty: the default of the kind of publication
    suppress: Fraction = Fraction(0)
    suppressed: str = "drop"
    utility: str = "loss"
    seed: int | None = None
    format: str | None = None  # None: what suits the source's engine
    csv: dict[str, str] | None = None  # {"formulas": "escape"}: a spreadsheet runs none of the texts
    schema: str | None = None  # of the database, for format: table; None: the name of the release's folder
    time_limit: float | None = None
    summary: str | None = None  # what `instant` searches: a kind, or the file of a saved one
    threshold: Fraction | None = None  # how likely its candidates keep the promises, at least; None: its own
    ranges: str | None = None  # where published ranges end; None: on boundaries, if there are some
    private: object = field(default=None, repr=False)  # may list people
    one_row_per_person: bool = False  # somebody says so: then what holds of rows holds of people
    missing: tuple[str, ...] | None = None  # texts of cells that stand for nothing; attributes may add some
    decimal: str | None = None  # the decimal sign of numbers, where attributes don't say otherwise
    thousands: str | None = None  # what stands between groups of three digits
    encoding: str | None = None  # of a text file that is not UTF-8
    delimiter: str | None = None  # of a CSV file, where it can't be told from its rows
    sheet: str | None = None  # of a workbook
    folder: Path = Path()
    models: tuple[PrivacyModel, ...] = field(init=False, repr=False, compare=False)
    private_rows: Rows | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        values, mistakes = checked(vars(self))
        if mistakes:
            raise PolicyError(*mistakes)
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """Names of the columns that are published coarser, in order."""
        return self._names(Role.QUASI_IDENTIFIER)

    @property
    def sensitive(self) -> tuple[str, ...]:
        """Names of the columns that the promises protect, in order."""
        return self._names(Role.SENSITIVE)

    @property
    def others(self) -> tuple[str, ...]:
        """Names of the columns that are published as they are, in order."""
        return self._names(Role.OTHER)

    @property
    def person(self) -> str | None:
        """Name of the column that says whose row it is, if there is one."""
        return next(iter(self._names(Role.PERSON)), None)

    @property
    def whose(self) -> Whose:
        """Whose the rows are, as far as the policy says so."""
        return whose_rows((a.role for a in self.attributes), self.one_row_per_person)

    @property
    def wishes(self) -> str | None:
        """Name of the column that says what each row's person wants hidden, if there is one."""
        return next(iter(self._names(Role.WISHES)), None)

    @property
    def published_as(self) -> dict[str, PublishedAs]:
        """The columns that are published, and judged, as a coarser level of their values."""
        from discreet.hierarchies.published_as import published_as

        return {
            a.name: published_as(a.publish_as, f"{attribute_place(a.name)}.publish_as", self.folder)
            for a in self.attributes
            if a.publish_as is not None
        }

    @property
    def location(self) -> str | Path | None:
        """Where the table is: a path, or the address of an engine."""
        return None if self.source is None else located(self.folder, self.source)

    @property
    def reading(self) -> Reading:
        """How the cells of the table are read."""
        return policy_reading(self.attributes, {word: getattr(self, word) for word in OF_TABLE})

    @property
    def undecided(self) -> tuple[Mistake, ...]:
        """What somebody has to decide before anything is published."""
        return tuple(
            Mistake(f"{attribute_place(a.name)}.decide", a.decide, _DECIDE) for a in self.attributes if a.decide
        )

    def _names(self, role: Role) -> tuple[str, ...]:
        return tuple(a.name for a in self.attributes if a.role == role)

    def _repr_html_(self) -> str:
        from discreet.policy.showing import policy_html  # late: for notebooks alone

        return policy_html(self)

    def to_words(self) -> dict[str, object]:
        """The policy in plain words (for YAML and JSON), without passwords; `policy_from_words` reads them back."""
        attributes: dict[str, dict[str, object]] = {}
        for a in self.attributes:
            attributes[a.name] = {"role": a.role.value}
            if a.hierarchy is not None:
                attributes[a.name]["hierarchy"] = _plain(a.hierarchy)
            if a.levels is not None:
                attributes[a.name]["levels"] = _plain(a.levels)
            if a.publish_as is not None:
                attributes[a.name]["publish_as"] = _plain(a.publish_as)
            if a.ranges is not None:
                attributes[a.name]["ranges"] = a.ranges
            if a.decide:
                attributes[a.name]["decide"] = a.decide
            attributes[a.name] |= words_of(a.reading)
        found = {
            "source": None if self.source is None else without_credentials(self.source),
            "attributes": attributes,
            "require": [_plain(entry, without_credentials) for entry in self.require],
            "publish": self.publish,
            "search": self.search,
            "suppress": _number_words(self.suppress),
            "suppressed": self.suppressed,
            "utility": self.utility,
            "seed": self.seed,
            "format": self.format,
            "csv": self.csv,
            "schema": self.schema,
            "time_limit": self.time_limit,
            "summary": self.summary,
            "threshold": None if self.threshold is None else _number_words(self.threshold),
            "ranges": self.ranges,
            "private": _plain(self.private),
            "one_row_per_person": self.one_row_per_person or None,
            **words_of(self.reading),
        }
        return {name: value for name, value in found.items() if value is not None}


def _number_words(share: Fraction) -> float | str:
    """A share as people write it, where that is exactly the same."""
    return float(share) if Fraction(str(float(share))) == share else str(share)


def read_policy(path: Path | str) -> Policy:
    """The policy of a YAML file; relative paths in it start at the file's folder.

    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "policy.yaml"
    >>> _ = file.write_text("attributes: {age: {role: quasi_identifier}}\\nrequire: [{k_anonymity: {k: 5}}]\\n")
    >>> read_policy(file).models
    (KAnonymity(k=5),)
    """
    from discreet.policy.yaml_text import read_words

    path = Path(path)
    words, mistakes = read_words(path)
    try:
        policy = policy_from_words(words, path.parent, place=str(path))
    except PolicyError as e:
        raise PolicyError(*mistakes, *e.mistakes) from None
    if mistakes:
        raise PolicyError(*mistakes)
    return policy


def policy_from_words(words: object, folder: Path | str = ".", *, place: str = "policy") -> Policy:
    """The policy that a mapping describes; it may hold ready models in `require` and rules as hierarchies.

    >>> policy_from_words({"atributes": {}, "require": [], "suppress": "2%"})
    Traceback (most recent call last):
    discreet.errors.PolicyError: atributes: no such word; did you mean 'attributes'?
    attributes: must be a mapping of columns, got nothing; for example {age: {role: quasi_identifier}}
    require: must be a list of promises, got an empty one; for example [{k_anonymity: {k: 5}}]
    suppress: must be a share of the rows between 0 and 1, got '2%'; for 2% write 0.02
    """
    if not isinstance(words, Mapping):
        got = "text" if isinstance(words, str) else shown(words)  # perhaps of the table itself
        rule = f"must be a mapping, got {got}"
        raise PolicyError(Mistake(place, rule, "start with 'attributes:' and 'require:'"))
    if wild(words):
        rule = "is nested too deeply, or has a number of thousands of digits as a name"
        raise PolicyError(Mistake(place, rule, "a policy has four levels, and names are text"))
    known = [f.name for f in fields(Policy) if f.init and f.name != "folder"]
    mistakes = [Mistake(str(k), "no such word", did_you_mean(k, known)) for k in words if k not in known]
    values: dict[str, Any] = {k: v for k, v in words.items() if k in known and v is not None}
    values |= {"folder": Path(folder), "require": words.get("require")}
    attributes, wrong = read_attributes(values.pop("attributes", None))
    if attributes is not None:
        values["attributes"] = attributes
    mistakes += wrong
    if mistakes:
        raise PolicyError(*mistakes, *checked(values)[1])
    return Policy(**values)


def check_columns(policy: Policy, columns: Iterable[str]) -> list[Mistake]:
    """What keeps the policy from fitting a table with these columns."""
    columns = list(columns)
    mistakes = [
        Mistake("source", f"{count} columns are called {shown(name)}", "rename them")
        for name, count in Counter(columns).items()
        if count > 1
    ]
    folded, there = {name.strip().casefold(): name for name in columns}, set(columns)
    asked = [(a.name, attribute_place(a.name)) for a in policy.attributes]
    asked += [(name, private_place(name)) for name in (policy.private_rows.columns if policy.private_rows else ())]
    lacking = [(name, place) for name, place in asked if name not in there]
    for name, place in lacking[:_SHOWN]:
        same = folded.get(name.strip().casefold())
        repair = f"did you mean {shown(same)}?" if same is not None else did_you_mean(name, columns)
        mistakes.append(Mistake(place, "no such column", repair))
    if len(lacking) > _SHOWN:
        mistakes.append(Mistake("attributes", f"{len(lacking) - _SHOWN:,} more are not columns of the table"))
    return mistakes


def _plain(value: object, text: Callable[[str], str] = str) -> Any:
    """Words only: models and rules say theirs, containers become lists and dicts."""
    if callable(speak := getattr(value, "to_words", None)):
        return _plain(speak(), text)
    match value:
        case Mapping():
            # The name of a column is no address, whatever it looks like.
            return {k: _plain(v, str if k == "attribute" else text) for k, v in value.items()}
        case list() | tuple():
            return [_plain(v, text) for v in value]
        case str() | Path():
            return text(str(value))
        case Fraction():
            return str(value)
    return value
