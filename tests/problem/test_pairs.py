"""Ready structures: the regularizer and the constraint say what the formula says."""

from __future__ import annotations

import numpy as np
import pytest

import zooadmm as zoo


def value(structure: tuple[object, zoo.Linear], x: np.ndarray) -> float:
    phi, constraint = structure
    return phi(constraint.complete_y(x))


def test_overlapping_groups() -> None:
    x = np.array([3.0, 4.0, 0.0, 12.0, 7.0])
    groups = [[0, 1], [1, 3], [2]]
    expected = 0.5 * (5.0 + 2 * np.hypot(4, 12) + 0.0)
    assert value(zoo.overlapping_groups(5, groups, 0.5, [1, 2, 1]), x) == pytest.approx(expected)


def test_total_variation_of_a_signal_and_of_an_image() -> None:
    signal = np.array([1.0, 1.0, 3.0, 0.0])
    assert value(zoo.total_variation(4, 2.0), signal) == pytest.approx(2 * (0 + 2 + 3))
    image = np.random.default_rng(0).standard_normal((3, 4))
    expected = np.abs(np.diff(image, axis=0)).sum() + np.abs(np.diff(image, axis=1)).sum()
    assert value(zoo.total_variation((3, 4), 1.0), image.ravel()) == pytest.approx(expected)
    volume = np.random.default_rng(0).standard_normal((2, 3, 1, 2))
    expected = sum(np.abs(np.diff(volume, axis=axis)).sum() for axis in range(4))
    assert value(zoo.total_variation((2, 3, 1, 2), 1.0), volume.ravel()) == pytest.approx(expected)


def test_isotropic_total_variation() -> None:
    image = np.random.default_rng(0).standard_normal((3, 4))
    down = np.diff(image, axis=0, append=image[-1:])
    right = np.diff(image, axis=1, append=image[:, -1:])
    expected = 0.3 * np.hypot(down, right).sum()
    assert value(
        zoo.problem.isotropic_total_variation((3, 4), 0.3), image.ravel()
    ) == pytest.approx(expected)


@pytest.mark.parametrize("groups", [[], [[0], []], [[0, 9]], [[-1]]])
def test_groups_that_make_no_sense(groups: list[list[int]]) -> None:
    with pytest.raises(ValueError, match="groups"):
        zoo.overlapping_groups(5, groups, 1.0)


def test_a_grid_of_one_point() -> None:
    with pytest.raises(ValueError, match="at least two points"):
        zoo.total_variation(1, 1.0)
