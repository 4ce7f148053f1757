"""Norms: right, and silent where they overflow."""

from __future__ import annotations

import math

import numpy as np
import pytest

from zooadmm.problem.arrays import norm, squared_norm


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("m", [1, 2, 7, 237, 20_001])
def test_the_norm_is_the_root_of_the_sum_of_squares(m: int, dtype: type) -> None:
    v = np.random.default_rng(m).normal(size=2 * m).astype(dtype)
    v.setflags(write=False)
    for part in (v[:m], v[::2]):
        exact = math.fsum(float(entry) ** 2 for entry in part)
        rounding = 20 * float(np.finfo(dtype).eps)
        assert squared_norm(part) == pytest.approx(exact, rel=rounding)
        assert norm(part) == pytest.approx(math.sqrt(exact), rel=rounding)


@pytest.mark.parametrize(("dtype", "large"), [(np.float32, 1e30), (np.float64, 1e200)])
def test_the_norm_overflows_in_silence(dtype: type, large: float) -> None:
    """A warning would be an error here."""
    assert norm(np.array([1.0, large], dtype=dtype)) == math.inf
    assert norm(np.array([1.0, -math.inf], dtype=dtype)) == math.inf
    assert math.isnan(norm(np.array([math.nan, 1.0], dtype=dtype)))


def test_whole_numbers_are_no_single_precision() -> None:
    assert squared_norm(np.array([2**13 + 1])) == (2**13 + 1) ** 2
