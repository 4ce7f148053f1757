"""What is blended: predictions whose first half is learned from and whose second half tests."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

import zooadmm as zoo
from zooadmm import datasets
from zooadmm.applications.baselines import least_squares_weights
from zooadmm.losses import Squares
from zooadmm_reproduction.predictions import recommender_predictions
from zooadmm_reproduction.rows import Row

Array = NDArray[np.float64]
Source = Literal["recommenders", "synthetic"]

SOURCES: tuple[Source, ...] = ("recommenders", "synthetic")
"""What is blended."""

BOUNDS = (-1.0, 1.0)
"""Every weight lies between them: the paper names no X here, and its theory needs a bounded one."""

TWIN, TWIN_SEED = "synthetic twin", 2018


@dataclass(frozen=True)
class Data:
    """Which predictions: at most so many ratings of so many models."""

    source: Source
    num_ratings: int
    num_models: int = 237

    def blend(self) -> Blend:
        """The problem, made once in a process."""
        return _blend(self)


@dataclass(frozen=True, eq=False)
class Blend:
    """minimize (1/n) sum_i (a_i'x - b_i)^2 over the box, from the first half of the ratings.

    name: of the ratings. predictions: the rows a_i, train and test; ratings: b.
    """

    name: str
    predictions: Array
    ratings: Array

    @property
    def label(self) -> Row:
        """Which ratings, and how many the models had not seen, for the rows."""
        return {"data": self.name, "held out": len(self.ratings)}

    @property
    def num_models(self) -> int:
        """m"""
        return int(self.predictions.shape[1])

    @property
    def half(self) -> int:
        """n, where the test ratings begin."""
        return len(self.ratings) // 2

    @cached_property
    def curvature(self) -> float:
        """The largest eigenvalue of the Hessian 2 mean a_i a_i', ratings as they are."""
        A = self.predictions[: self.half]
        return float(np.linalg.eigvalsh(2.0 * (A.T @ A) / len(A))[-1])

    def loss(self, unit: float) -> Squares:
        """The loss with ratings and predictions in that unit: the same minimizer, f / unit^2."""
        A, b = self.predictions[: self.half], self.ratings[: self.half]
        return Squares(A, b) if unit == 1.0 else Squares(A / unit, b / unit)

    @cached_property
    def _test(self) -> Squares:
        return Squares(self.predictions[self.half :], self.ratings[self.half :])

    def rmse(self, x: NDArray[Any]) -> float:
        """The root mean squared error on the test ratings."""
        return float(np.sqrt(self._test(x)))

    @cached_property
    def solution(self) -> Array:
        """Least squares on the train ratings, within the box: the best there is to find."""
        A, b = self.predictions[: self.half], self.ratings[: self.half]
        return np.asarray(least_squares_weights(A, b, "box", BOUNDS))

    @property
    def domain(self) -> zoo.Box:
        """X"""
        return zoo.Box(*BOUNDS)

    @property
    def start(self) -> Array:
        """x_1 = 0, as in the paper."""
        return np.zeros(self.num_models)


@cache
def _blend(data: Data) -> Blend:
    if data.source == "synthetic":
        name = TWIN
        known = datasets.synthetic_predictions(data.num_ratings, data.num_models, rng=TWIN_SEED)
    else:
        ratings = datasets.load_ratings()
        name = ratings.name
        known = recommender_predictions(ratings, data.num_models, progress=False)
    first = slice(data.num_ratings)
    return Blend(name, known.predictions[first], known.targets[first])


def check() -> None:
    """Raise now what loading the real ratings would raise later."""
    datasets.load_ratings()
