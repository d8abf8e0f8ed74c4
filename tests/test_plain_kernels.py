"""What Python makes of a kernel's source is what numba makes of it, to the last bit: answers and what is written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.compiled import PLAIN, kernel
from tests.plain_kernels import CASES


def _arrays(some: Any) -> Iterator[np.ndarray]:
    if isinstance(some, tuple):
        for part in some:
            yield from _arrays(part)
    elif some is not None:
        yield np.asarray(some)


@pytest.mark.parametrize("name", CASES)
@given(seed=st.integers(0, 2**32 - 1))
def test_plain_kernels_do_what_they_do_compiled(name: str, seed: int) -> None:
    kernel, draw = CASES[name]
    assert kernel.twin is not None
    mine, yours = draw(np.random.default_rng(seed)), draw(np.random.default_rng(seed))
    assert 0 <= kernel.twin.work(*mine) <= PLAIN
    with np.errstate(all="raise"):
        answers = kernel.dispatcher(*mine), kernel.twin.function(*yours)
    for one, other in zip(_arrays((answers[0], mine)), _arrays((answers[1], yours)), strict=True):
        assert one.tobytes() == other.tobytes()
        assert one.dtype == other.dtype and one.flags.c_contiguous == other.flags.c_contiguous


def test_a_plain_kernel_is_compiled_once_it_has_much_to_do() -> None:
    @kernel(plain=lambda n: n)
    def count(n: int) -> int:
        return n + 1

    vars(count)["dispatcher"] = lambda n: -n  # so that we see which of the two it was
    assert count(PLAIN - 10) == PLAIN - 9
    assert count(9) == 10
    assert count(9) == -9 and count(0) == 0 and not count.twin.patience.left
