"""A synthetic twin of the recommender predictions that the paper blends, which are private."""

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


LOWEST, MEAN, HIGHEST = 0.0, 50.0, 100.0
SIGNAL, NOISE = 26.0, 17.0
NUM_FAMILIES = 8


def synthetic_predictions(
    num_ratings: int = 131_072, num_models: int = 237, rng: int | np.random.Generator = 0
) -> Predictions:
    """Ratings from 0 to 100 and what correlated models of varied quality predict for them.

    Rating i is 50 + s_i + noise, rounded and cut to [0, 100], with a signal s_i of standard
    deviation 26 and a noise of 17 that nobody can predict. Model j, of family k = j mod 8, says

        p_ij = 50 + bias_j + response_j s_i + shared_j g_ik + own_j e_ij,    cut to [0, 100],

    with standard normal g (an error that its family shares, so that averaging within a family does
    not remove it) and e (its own error). Across models bias ~ N(0, 1.5^2), response is uniform in
    [0.75, 1.02] (models shrink), and shared and own are log-normal about 7 and 3.

    With the defaults single models have a root mean squared error of 16.5 to 20.6, two of them are
    correlated by 0.9 in the median (0.98 within a family), and the least-squares blend, 15.8, is
    nearly 5% better than the best model.

    >>> synthetic_predictions(num_ratings=1000, num_models=20)
    Predictions(1000 ratings, 20 models)
    """
    for name, count in (("num_ratings", num_ratings), ("num_models", num_models)):
        if count < 1:
            raise ValueError(f"{name} is {count}; at least 1 is needed.")
    generator = np.random.default_rng(rng)
    family = np.arange(num_models) % NUM_FAMILIES
    loadings, own = _character(family, generator)
    signal = SIGNAL * generator.standard_normal(num_ratings)
    shared_errors = generator.standard_normal((num_ratings, NUM_FAMILIES))
    noise = NOISE * generator.standard_normal(num_ratings)
    predictions = generator.standard_normal((num_ratings, num_models))
    predictions *= own
    predictions += np.column_stack((np.ones_like(signal), signal, shared_errors)) @ loadings
    return Predictions(
        predictions=np.clip(predictions, LOWEST, HIGHEST, out=predictions),
        targets=np.clip(np.round(MEAN + signal + noise), LOWEST, HIGHEST),
        models=tuple(f"family {k + 1} model {j + 1}" for j, k in enumerate(family)),
    )


def _character(
    family: NDArray[np.int64], generator: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What each model (a column) makes of 1, of the signal and of the families' errors; its own
    error's size.
    """
    m = family.size
    loadings = np.zeros((2 + NUM_FAMILIES, m))
    loadings[0] = MEAN + 1.5 * generator.standard_normal(m)
    loadings[1] = generator.uniform(0.75, 1.02, size=m)
    loadings[2 + family, np.arange(m)] = 7.0 * np.exp(0.12 * generator.standard_normal(m))
    return loadings, 3.0 * np.exp(0.5 * generator.standard_normal(m))
