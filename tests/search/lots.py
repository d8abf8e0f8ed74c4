"""Chance that is known, so that all of it can be gone through."""

from __future__ import annotations

import numpy as np


class Lot:
    """A random order that is known: the one that is given."""

    def __init__(self, order: tuple[int, ...]) -> None:
        self.order = order

    def permutation(self, many: int) -> np.ndarray:
        return np.array(self.order[:many])
