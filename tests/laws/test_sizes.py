"""Neighbors in m: the gap and the own time of an evaluation do not jump."""

from __future__ import annotations

import pytest

from benchmarks.laws import sizes
from benchmarks.laws.sizes import SizeRow

SEED = 7

SMALL = (
    "dense least squares",
    "Poisson, ridge",
    "sparse least squares",
    "logistic, L1",
    "least squares on the simplex",
    "box",
    "rows",
    "noisy quadratic",
)
"""Losses whose limits hold at 200 variables. There total variation takes about 1 ms an evaluation,
the limit, and a fused lasso two to three times as long."""


def test_gaps_of_neighbors_are_alike() -> None:
    """Left out: a noisy loss, the median gap of which takes five seeds, and structure."""
    exact = [loss for loss in SMALL if loss not in ("box", "rows", "noisy quadratic")]
    rows = [sizes.measured(loss, m, SEED) for loss in exact for m in (10, 14, 20, 28, 40, 57)]
    assert [said for said in sizes.jumps(rows) if ": gap" in said] == []


@pytest.mark.parametrize("loss", SMALL)
def test_own_time_at_200_variables(loss: str) -> None:
    """The least of three: processor time, which a busy machine makes longer."""
    assert min(sizes.measured(loss, 200, seed).milliseconds for seed in range(3)) < 1.0


@pytest.mark.parametrize("loss", ["rows", "total variation", "box"])
def test_many_variables_with_structure(loss: str) -> None:
    """Above 1,500 variables steps served rows and total variation before: gaps of 0.7 at 10 m."""
    rows = [sizes.measured(loss, m, SEED, multiple=6) for m in (1600, 2263)]
    assert sizes.jumps(rows) == []
    assert max(row.gap for row in rows) < 0.6
    assert max(row.milliseconds for row in rows) < 5.0


def row(m: int, gap: float, milliseconds: float) -> SizeRow:
    return SizeRow("noisy quadratic", m, 1, 30, 30 * m, gap, milliseconds, "")


def test_a_jump_between_neighbors_is_seen() -> None:
    even = [row(10, 0.1, 0.1), row(14, 0.2, 0.2), row(20, 0.1, 0.5), row(1500, 0.2, 1.4)]
    assert sizes.jumps(even) == []
    assert len(sizes.jumps([*even, row(2120, 0.7, 1.4)])) == 1
    assert len(sizes.jumps([*even, row(2120, 0.2, 4.3)])) == 1
    assert len(sizes.jumps([row(200, 0.1, 1.1)])) == 1
    assert sizes.jumps([row(10, 1e-12, 1e-3), row(14, 1e-9, 4e-2)]) == []
