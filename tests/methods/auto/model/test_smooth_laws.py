"""Smooth losses without noise are solved whatever their units, and never taken for kinked."""

from __future__ import annotations

import numpy as np
import pytest
        np.testing.assert_array_equal(result.x, -width * np.sign(c))


def test_a_linear_loss_is_never_called_not_convex():
    """Near zero the rounding of a chord between far values is more than that of the values."""
    for seed in range(40):
        c = np.random.default_rng(seed).standard_normal(2 + seed % 9)
        given = {"domain": zoo.Box(-1e3, 1e3), "max_evaluations": 20 * len(c), "rng": seed}
        result = zoo.minimize(lambda x, c=c: float(c @ x), np.zeros(len(c)), **given)
        assert "not convex" not in result.message
