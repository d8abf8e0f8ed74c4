"""What somebody who must choose a promise can choose from: a few policies about one table, with what each costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from discreet.labels.whose import Whose
from discreet.models.base import PrivacyModel
from discreet.models.parameters import as_word
from discreet.releases.sweep import Point
from discreet.search.lattice.comparison import Comparison, Cost


@dataclass(frozen=True)
class Dial:
    """The number by which a policy's first promise is made stronger: its `name` in the promise called `word`.

    It may be the upper end of an interval, of which the `lower` end stays as it is.

    >>> dial = Dial("presence", "delta", more_is_stronger=False, lower=0)
    >>> dial.title, dial.said(Fraction(1, 5))
    ('δmax', [0, 0.2])
    """

    word: str
    name: str
    more_is_stronger: bool
    lower: object = None
    others: tuple[tuple[str, object], ...] = ()  # what else the promise says, as in the policy

    @property
    def title(self) -> str:
        """The number as people are told of it."""
        return self.name if self.lower is None else "δmax"

    def said(self, strength: Fraction | None) -> object:
        """What the promise says where the dial stands there, as in the policy."""
        number = as_word(strength)
        return number if self.lower is None else [self.lower, number]


@dataclass(frozen=True)
class Choice:
    """One policy: how it publishes, what it promises, where its dial stands, and what it would deliver."""

    publish: str
    models: tuple[PrivacyModel, ...]
    strength: Fraction | None  # None without a dial
    point: Point
    more: Mapping[str, object] | None = None  # what it promises beside the policy, as a policy says it

    @property
    def loss(self) -> float | None:
        """What it loses of exactness; None where there is no such release."""
        return self.point.loss

    @property
    def suppressed(self) -> int:
        """How many rows it leaves out."""
        return self.point.suppressed or 0

    @property
    def why(self) -> str:
        """Why there is no such release, if there is none."""
        return self.point.why


@dataclass(frozen=True)
class Choices:
    """The policy as it was `asked`, and what is near it.

    `ways` promise the same and publish in each way that can keep it; `strengths` turn the dial, published as asked and
    as recommended, weakest first; `further` promise something more than what is recommended. `recommended` is None
    where nothing can be published at all.
    """

    dial: Dial | None
    asked: Choice
    ways: tuple[Choice, ...]
    strengths: tuple[Choice, ...]
    further: tuple[Choice, ...]
    recommended: Choice | None

    @property
    def stronger(self) -> Choice | None:
        """The next strength beyond the recommended one, in the same way to publish: what was too dear, or can't be."""
        if self.recommended is None:
            return None
        same_way = [c for c in self.strengths if c.publish == self.recommended.publish]
        places = [i for i, c in enumerate(same_way) if c.strength == self.recommended.strength]
        return same_way[places[0] + 1] if places and places[0] + 1 < len(same_way) else None


@dataclass(frozen=True, eq=False)
class PolicyComparison:
    """What a policy about a table could deliver, and what promises cost one by one, on every node of the lattice.

    `nodes` is None, and `without` says why, where no column is sensitive or the lattice is too large to be walked.
    """

    limit: float  # the share of rows that the policy lets be suppressed
    whose: Whose
    rows: int
    sensitive: tuple[str, ...]
    choices: Choices
    nodes: Comparison | None
    without: str = ""

    @property
    def own(self) -> Choice:
        """What the policy itself would publish, in its own way, which need not be a node."""
        return self.choices.asked

    @property
    def costs(self) -> tuple[Cost, ...]:
        """What each promise costs with every row published; none where nodes were not compared."""
        return () if self.nodes is None else self.nodes.costs
