"""Sensor selection: both splittings, rounding, streams, fields and maps."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

from zooadmm.applications import SensorSelector, reconstructed, spatial_modes
from zooadmm.applications.baselines import greedy, second_order
from zooadmm.applications.selection import (
    largest,
    log_determinant,
    mean_squared_error,
    swapped,
)
from zooadmm.datasets import load_colorado, sensor_field
from zooadmm.losses import LogDeterminant


def small_field() -> np.ndarray:
    return sensor_field(num_sensors=20, num_locations=3, num_times=12, rng=3).vectors


def mask(m: int, *chosen: int) -> np.ndarray:
    support = np.zeros(m, dtype=bool)
    support[list(chosen)] = True
    return support


@pytest.mark.parametrize("splitting", ["projection", "box and budget"])
def test_both_splittings_reach_the_second_order_method(splitting: Any) -> None:
    A = small_field()
    best = LogDeterminant(A)(second_order(A, 6))
    selector = SensorSelector(6, splitting=splitting, max_evaluations=6000, random_state=0).fit(A)
    assert best - 1e-6 <= selector.objective_ < best + 0.001 * abs(best)
    assert selector.weights_.sum() == pytest.approx(6.0)
    assert selector.weights_.min() >= 0
    assert selector.weights_.max() <= 1
    assert selector.support_.sum() == 6
    np.testing.assert_array_equal(
        selector.get_support(indices=True), np.flatnonzero(selector.support_)
    )


def test_what_is_reported_of_the_choice() -> None:
    A = small_field()
    selector = SensorSelector(6, max_evaluations=1000, random_state=0).fit(A)
    M = [sum(np.outer(a, a) for a in A_t[selector.support_]) for A_t in A]
    assert selector.log_determinant_ == pytest.approx(np.mean(np.log(np.linalg.det(M))))
    assert selector.mse_ == pytest.approx(np.mean([np.trace(np.linalg.inv(each)) for each in M]))
    assert selector.objective_ == pytest.approx(LogDeterminant(A)(selector.weights_))


def test_one_matrix_is_one_time() -> None:
    A = small_field()[0]
    one, two = (
        SensorSelector(5, max_evaluations=500, random_state=0).fit(given) for given in (A, A[None])
    )
    np.testing.assert_array_equal(one.weights_, two.weights_)


def test_swaps_end_where_no_swap_helps() -> None:
    A = small_field()
    start = mask(20, 0, 1, 2, 3)
    end = swapped(start, A)
    assert end.sum() == 4
    reached = log_determinant(end, A)
    assert reached > log_determinant(start, A)
    np.testing.assert_array_equal(start, mask(20, 0, 1, 2, 3))
    for out in np.flatnonzero(end):
        for into in np.flatnonzero(~end):
            other = end.copy()
            other[out], other[into] = False, True
            assert log_determinant(other, A) <= reached + 1e-9


def test_the_first_swap_is_the_best_one() -> None:
    A = small_field()[:2]
    start = mask(20, 0, 1, 2, 3)
    pairs = {
        (out, into): log_determinant(mask(20, into, *({0, 1, 2, 3} - {out})), A)
        for out in range(4)
        for into in range(4, 20)
    }
    out, into = max(pairs, key=lambda pair: pairs[pair])
    only = np.append(np.flatnonzero(start), into)
    kept = swapped(mask(5, 0, 1, 2, 3), A[:, only])  # into is the only one to swap for
    np.testing.assert_array_equal(np.flatnonzero(~kept), [out])


def test_swaps_leave_alone_what_they_cannot_judge() -> None:
    A = np.array([[[1.0, 0.0], [2.0, 0.0], [0.0, 1.0]]])
    singular = mask(3, 0, 1)
    np.testing.assert_array_equal(swapped(singular, A), singular)
    assert log_determinant(singular, A) == -np.inf
    assert mean_squared_error(singular, A) == np.inf
    np.testing.assert_array_equal(swapped(mask(3, 0, 1, 2), A), mask(3, 0, 1, 2))
    np.testing.assert_array_equal(swapped(mask(3, 0, 2), A), mask(3, 1, 2))


def test_largest_takes_as_many_as_asked() -> None:
    np.testing.assert_array_equal(largest(np.full(4, 0.5), 2), [True, True, False, False])


def test_a_stream() -> None:
    field = sensor_field(num_sensors=12, num_locations=3, num_times=600, rng=1).vectors
    seen = (A_t for A_t in field)
    selector = SensorSelector(5, max_evaluations=None, random_state=0).fit(seen)
    loss = LogDeterminant(field)
    best, even = loss(second_order(field, 5)), loss(np.full(12, 5 / 12))
    assert next(seen, None) is None
    assert selector.objective_ == pytest.approx(loss(selector.weights_))
    assert selector.objective_ - best < 0.5 * (even - best)


def test_sampled_times() -> None:
    field = sensor_field(num_sensors=12, num_locations=3, num_times=50, rng=1).vectors
    selector = SensorSelector(5, batch="sampled", max_evaluations=10_000, random_state=0)
    loss = LogDeterminant(field)
    best, even = loss(second_order(field, 5)), loss(np.full(12, 5 / 12))
    assert selector.fit(field).objective_ - best < 0.3 * (even - best)


def test_colorado_beside_greed() -> None:
    record = load_colorado()
    A = spatial_modes(record.anomalies(), 5)
    selector = SensorSelector(10, rounding="swaps", max_evaluations=5000, random_state=0).fit(A)
    assert selector.log_determinant_ >= log_determinant(greedy(A, 10), A)


def test_modes_of_a_field() -> None:
    record = load_colorado()
    A = spatial_modes(record.anomalies(), 5)
    assert A.shape == (1, 104, 5)
    np.testing.assert_allclose(A[0].T @ A[0] / 104, np.eye(5), atol=1e-12)
    np.testing.assert_allclose(np.abs(A[0]), np.sqrt(104) * np.abs(record.spatial_modes(5)))
    yearly = spatial_modes(record.anomalies(), 3, num_periods=48)
    assert yearly.shape == (48, 104, 3)
    holed = record.anomalies()
    holed[5, 7] = np.nan
    usual = record.anomalies()
    usual[5, 7] = 0.0
    np.testing.assert_array_equal(spatial_modes(holed, 2), spatial_modes(usual, 2))


def test_a_field_made_of_the_modes_is_reconstructed() -> None:
    A = spatial_modes(load_colorado().anomalies(), 3)[0]
    field = np.random.default_rng(0).standard_normal((7, 3)) @ A.T
    support = mask(104, 3, 40, 77, 90)
    hidden = np.where(support, field, np.nan)
    np.testing.assert_allclose(reconstructed(A, support, hidden), field, atol=1e-9)


def test_the_map() -> None:
    mpl.use("Agg")
    from matplotlib import pyplot

    A = small_field()
    selector = SensorSelector(6, max_evaluations=500, random_state=0).fit(A)
    positions = np.random.default_rng(0).random((20, 2))
    axis = selector.plot(positions, names=[f"station {i}" for i in range(20)])
    dots, circles = axis.collections
    np.testing.assert_array_equal(dots.get_offsets(), positions)
    np.testing.assert_array_equal(circles.get_offsets(), positions[selector.support_])
    written = {text.get_text() for text in axis.texts}
    assert written == {f"station {i}" for i in selector.get_support(indices=True)}
    _, mine = pyplot.subplots()
    assert selector.plot(positions, axis=mine) is mine
    assert not mine.texts
    pyplot.close("all")
