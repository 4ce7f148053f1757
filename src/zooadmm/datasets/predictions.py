"""Predicted ratings beside the true ones: what a blend of models is made from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False, repr=False)
class Predictions:
    """What m models predict for n ratings.

    predictions: (n, m), in double precision: a blend's loss is differenced over steps as short as
    1 / (m^1.5 t), which single precision does not resolve.
    targets: (n,), the ratings.
    models: m names.
    """

    predictions: NDArray[np.float64]
    targets: NDArray[np.float64]
    models: tuple[str, ...]

    def rmse(self) -> NDArray[np.floating[Any]]:
        """The root mean squared error of each model.

        >>> Predictions(np.array([[1.0, 5.0], [2.0, 6.0]]), np.array([1.0, 2.0]), ("a", "b")).rmse()
        array([0., 4.])
        """
        squares = ((column - self.targets) for column in self.predictions.T)
        return np.array([np.sqrt(np.mean(errors**2)) for errors in squares])

    def __repr__(self) -> str:
        ratings, models = self.predictions.shape
        return f"Predictions({ratings} ratings, {models} models)"
