"""What the compiled loops of ART know of people: all of them by kind, where each kind stands, and who has no group."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import BoolArray, Codes, IntArray

Points = NDArray[np.float32]


class Table(NamedTuple):
    """What ART knows of the combinations of a frequency set, for its compiled loops.

    Combination i is of `kind[i]` and has the sensitive value `values[i]`; kind k has the combinations
    ``starts[k]:starts[k + 1]`` of `rows`, and `signatures[k]` (one per attribute set) are rows of `chances`, which have
    a column per value. Kinds with equal signatures have the same number in `alike`. `inside` is as `chances`, of the
    protected set that each value is in. Value v is in the protected sets ``set_offsets[v]:set_offsets[v + 1]`` of
    `sets`. `features` are the quasi-identifiers, as numbers; those of an attribute that is not `ordered` can only be
    equal or not. `person` says whose combinations are that may not stand together, −1 where that does not matter; they
    are ``owned_starts[p]:owned_starts[p + 1]`` of `owned`. When one finds a group that is there but `once`, the others
    of its owner leave the stock, too.
    """

    kind: IntArray
    values: Codes
    starts: IntArray
    rows: IntArray
    signatures: Codes
    alike: IntArray
    chances: Points
    inside: Points
    set_offsets: IntArray
    sets: IntArray
    features: Points
    ordered: BoolArray
    person: IntArray
    owned_starts: IntArray
    owned: IntArray
    once: BoolArray


class Index(NamedTuple):
    """A balanced k-d tree of kinds; inner node i has the children 2i + 1 and 2i + 2, and halves its kinds."""

    points: Points
    order: Codes
    place: Codes  # of each kind in `order`
    dims: Codes
    cuts: Points


class Stock(NamedTuple):
    """Who has no group yet: rows of each combination and kind, and kinds under each node that have some."""

    left: IntArray
    of_kind: IntArray
    alive: IntArray


class Limits(NamedTuple):
    """What a group must be, and how far is looked for its members.

    It is to hold against 1/`r`, with `least` to `most` people. They are looked for among the `kinds` nearest kinds, of
    which `tries` combinations (or groups, where groups join) are weighed. `repeated` is what it costs to have an
    unprotected value once more: less than nothing where that is welcome.
    """

    r: float
    least: int
    most: int
    kinds: int
    tries: int
    repeated: float
