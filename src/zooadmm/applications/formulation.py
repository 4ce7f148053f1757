"""What an application hands to `zooadmm.minimize`: problem (1) with all of its parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

import zooadmm as zoo

Array = NDArray[np.floating[Any]]
Batch = Literal["full", "sampled"]
"""Whether one evaluation of the loss is over all the data, or over one observation of it."""


@dataclass(frozen=True, eq=False)
class Formulation:
    """minimize f(x) + phi(y) subject to A x + B y = c, x in X, from x0.

    `observations` is what f is sampled on, or None where a value is the mean over all the data:
    such a loss gives the same value every time. The other names are those of `zooadmm.minimize`.

    >>> from zooadmm.losses import Squares
    >>> problem = Formulation(Squares(np.eye(2), [3.0, 0.1]), np.zeros(2), regularizer=zoo.L1(1.0))
    >>> problem.objective(np.array([2.0, 0.0]))
    2.505
    """

    loss: Any
    x0: Array
    regularizer: Any = None
    domain: Any = None
    constraint: Any = None
    complete: Literal["x", "y"] | None = None
    observations: Any = None

    def minimize(
        self,
        max_evaluations: int | None,
        rng: Any = None,
        smoothing: float | None = None,
        callback: Callable[[zoo.run.Info], Any] | None = None,
        spent: int = 0,
    ) -> zoo.Result:
        """The result of `zooadmm.minimize` with its default settings.

        spent: evaluations that were made before, as part of max_evaluations.
        """
        if max_evaluations is not None and spent > 0:
            max_evaluations -= spent
        return zoo.minimize(
            self.loss,
            self.x0,
            regularizer=self.regularizer,
            domain=self.domain,
            constraint=self.constraint,
            complete=self.complete,
            observations=self.observations,
            smoothing=smoothing,
            max_evaluations=max_evaluations,
            callback=callback,
            rng=rng,
            progress=False,
        )

    def objective(self, x: Array) -> float:
        """f(x) + phi(A x), the mean of f over all the data, for the constraint y = A x."""
        if self.regularizer is None:
            return float(self.loss(x))
        y = x if self.constraint is None else self.constraint.A @ x
        return float(self.loss(x) + self.regularizer(y))


def observed(batch: Batch, loss: Any) -> Any:
    """What a loss is sampled on: its observations, or nothing where each value is over all."""
    if batch not in ("full", "sampled"):
        raise ValueError(f'batch must be "full" or "sampled", not {batch!r}.')
    return loss.observations if batch == "sampled" else None


SEEDS: list[Any] = [
    None,
    Integral,
    np.random.RandomState,
    np.random.Generator,
    np.random.BitGenerator,
    np.random.SeedSequence,
]
"""The types of scikit-learn's random_state here."""


def seed_from(random_state: Any) -> Any:
    """The rng of a run from scikit-learn's random_state: None, a seed, or a numpy generator."""
    if isinstance(random_state, Integral) and random_state < 0:
        raise ValueError(f"random_state = {random_state} must be at least 0.")
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    return random_state
