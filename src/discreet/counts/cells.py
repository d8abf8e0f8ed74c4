"""What a summary says of the groups of a mapping, before anybody has looked at the data."""

from __future__ import annotations

from dataclasses import dataclass

from discreet.arrays import FloatArray


@dataclass(frozen=True, eq=False)
class Cells:
    """The likelihood of each possible group: the share of rows that a summary expects in it. They add up to 1.

    `sensitive[g, s]` is how likely a row of group g has sensitive value s (each row of it adds up to 1), where a
    promise asks for that. Groups that are expected to have no row at all may be left out.
    """

    likelihood: FloatArray
    sensitive: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.likelihood)
