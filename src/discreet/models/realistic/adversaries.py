"""Realistic adversaries: how strongly they believe what, and how many people of the table they know.

Machanavajjhala, Gehrke & Götz 2009. The adversary formed a belief about the sensitive attribute from other data: a
Dirichlet prior with parameters σ(s). Its *shape* σ(s) / σ is what she expects, its *stubbornness* σ = Σ σ(s) how much
data stands behind it, and so how hard it is to change her mind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from discreet.arrays import FloatArray
from discreet.models.parameters import Number, Parameter, Parameterized, Threshold, Whole, as_text, as_word, exact
from discreet.models.realistic.priors import TABLE, Prior

_STUBBORNNESS = Number(1, closed=True, why="a belief weighs at least as much as one person")
_KNOWN = Whole(0, "she knows 0 people or more")


@dataclass(frozen=True)
class ClassOne(Parameterized):
    """Her belief is known: its shape and its stubbornness.

    She has seen other data on `stubbornness` people, with the shares of `prior`, and she knows `known` people of the
    table. She wants to learn a sensitive value of somebody else. She has won when her belief in it is more than ε times
    what it would be had that person not been in the table.

    >>> ClassOne(1000).describe()
    "1000 people's worth of belief in the table's shares"
    """

    stubbornness: Threshold
    prior: Prior = TABLE
    known: int = 0
    word = "realistic"
    parameters: ClassVar[Mapping[str, Parameter]] = {"stubbornness": _STUBBORNNESS, "known": _KNOWN}

    @property
    def total(self) -> Fraction | None:
        """σ + b: what stands behind her belief, the people she knows included; None if that is infinite."""
        return exact(self.stubbornness) + self.known

    def sigma(self, share: FloatArray, rest: FloatArray) -> tuple[FloatArray, FloatArray]:
        """What speaks for a predicate in her prior, and what against it."""
        stubbornness = float(exact(self.stubbornness))
        return share * stubbornness, rest * stubbornness + self.known

    def sigma_exactly(self, share: Fraction) -> Fraction:
        return share * exact(self.stubbornness)

    def words(self) -> dict[str, object]:
        stubbornness = as_word(exact(self.stubbornness))
        return {"class": "I", "stubbornness": stubbornness, "prior": self.prior.to_words(), "known": self.known}

    def describe(self) -> str:
        return f"{as_text(self.stubbornness)} people's worth of belief in {_shape(self.prior)}{_knowing(self.known)}"


@dataclass(frozen=True)
class ClassTwo(Parameterized):
    """Her stubbornness is bounded, what she believes is not known.

    She has seen other data on at most `stubbornness` people, whatever they had; of the value in question perhaps nobody
    had it: σ(s) = 1. Otherwise as `ClassOne`.
    """

    stubbornness: Threshold
    known: int = 0
    prior: ClassVar[None] = None
    word = "realistic"
    parameters: ClassVar[Mapping[str, Parameter]] = {"stubbornness": _STUBBORNNESS, "known": _KNOWN}

    @property
    def total(self) -> Fraction | None:
        return exact(self.stubbornness) + self.known

    def sigma(self, share: FloatArray, rest: FloatArray) -> tuple[FloatArray, FloatArray]:
        return np.ones(len(share)), np.full(len(share), float(exact(self.stubbornness) + self.known - 1))

    def sigma_exactly(self, share: Fraction) -> Fraction:
        return Fraction(1)

    def words(self) -> dict[str, object]:
        return {"class": "II", "stubbornness": as_word(exact(self.stubbornness)), "known": self.known}

    def describe(self) -> str:
        return f"any belief worth {as_text(self.stubbornness)} people{_knowing(self.known)}"


@dataclass(frozen=True)
class ClassThree(Parameterized):
    """The shape of her belief is known, and nothing changes her mind: her stubbornness is infinite.

    What a group shows about others never moves her, so a group must look like her prior, however large it is. Otherwise
    as `ClassOne`.
    """

    prior: Prior = TABLE
    known: int = 0
    word = "realistic"
    parameters: ClassVar[Mapping[str, Parameter]] = {"known": _KNOWN}

    @property
    def total(self) -> Fraction | None:
        return None

    def sigma(self, share: FloatArray, rest: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Shares, as there is no finite weight."""
        return share, rest

    def sigma_exactly(self, share: Fraction) -> Fraction:
        return share

    def words(self) -> dict[str, object]:
        return {"class": "III", "prior": self.prior.to_words(), "known": self.known}

    def describe(self) -> str:
        return f"unshakable belief in {_shape(self.prior)}{_knowing(self.known)}"


Adversary = ClassOne | ClassTwo | ClassThree


def _shape(prior: Prior) -> str:
    words = prior.to_words()
    named = {"table": "the table's shares", "uniform": "equal shares"}
    return named[words] if isinstance(words, str) else "given shares"


def _knowing(known: int) -> str:
    return "" if not known else f", knowing {known:,} row{'s' * (known != 1)} of the table"
