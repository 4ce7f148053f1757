"""Choosing sensors within a budget."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array, check_is_fitted

import zooadmm as zoo
from zooadmm.applications import selection
from zooadmm.applications.formulation import SEEDS, Array, Batch, Formulation, observed, seed_from
from zooadmm.applications.sensor_losses import SensorStream, StreamedLogDeterminant
from zooadmm.losses import LogDeterminant

Splitting = Literal["projection", "box and budget"]
Rounding = Literal["largest", "swaps"]


class SensorSelector(BaseEstimator):
    """The `budget` of m sensors that tell most about a field (Sec. 5.2), from values only:

        minimize  mean_t -log det(sum_i x_i a_{t,i} a_{t,i}')
        subject to  0 <= x <= 1,  1'x = budget

    and then a choice of `budget` sensors from the weights x.

    budget: how many sensors.
    splitting: "projection", the set above as the domain of x, or "box and budget", the paper's: the
        box is the domain of x, the budget the indicator of y.
    rounding: "largest" takes the sensors of largest weight; "swaps" then exchanges one for another
        as long as that raises the log-determinant (Joshi and Boyd).
    batch: "full" evaluates the mean over all t, "sampled" single ones. A stream is always sampled.
    max_evaluations: how many values of the loss may be taken; for a stream None: all of it.
    random_state: a seed, for the same result again.

    weights_: x, feasible. support_: which sensors are chosen. log_determinant_, mse_: the merits of
    the choice, mean_t log det M_t and mean_t tr M_t^-1. objective_: the loss at weights_. All are
    over the latest 1000 matrices where A is a stream. result_: the run.

    >>> A = np.array([[2.0, 0.0], [0.0, 2.0], [1.0, 0.0], [0.0, 0.1]])
    >>> selector = SensorSelector(budget=2, max_evaluations=500, random_state=0).fit(A)
    >>> selector.support_
    array([ True,  True, False, False])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "budget": [Real],
        "splitting": [str],
        "rounding": [str],
        "batch": [str],
        "max_evaluations": [Real, None],
        "random_state": SEEDS,
    }
    """the types of the parameters; their values are checked where they are used"""

    def __init__(
        self,
        budget: int = 10,
        *,
        splitting: Splitting = "projection",
        rounding: Rounding = "largest",
        batch: Batch = "full",
        max_evaluations: int | None = 30_000,
        random_state: Any = None,
    ) -> None:
        self.budget = budget
        self.splitting = splitting
        self.rounding = rounding
        self.batch = batch
        self.max_evaluations = max_evaluations
        self.random_state = random_state

    def formulation(self, A: Any) -> Formulation:
        """The problem that `fit` solves, for an array."""
        vectors = _as_vectors(A)
        loss = LogDeterminant(vectors)
        return self._around(loss, vectors.shape[1:], observed(self.batch, loss))

    def fit(self, A: Any, y: Any = None) -> Self:
        """Choose sensors for the vectors a_{t,i} = A[t, i].

        A: (T, m, n), (m, n) for T = 1, or an iterable that shows (m, n) matrices.
        y: ignored.
        """
        self._validate_params()
        if hasattr(A, "__array__") or hasattr(A, "__len__"):
            vectors = _as_vectors(A)
            self._solve(self.formulation(vectors), vectors)
            return self
        stream = SensorStream(A)
        parts = self._around(StreamedLogDeterminant(), stream.shape, zoo.Stream(iter(stream)))
        self._solve(parts, stream)
        return self

    def get_support(self, indices: bool = False) -> Any:
        """Which sensors are chosen: a mask, or their indices, as of scikit-learn's selectors."""
        check_is_fitted(self, "support_")
        return np.flatnonzero(self.support_) if indices else self.support_.copy()

    def plot(self, positions: Any, axis: Any = None, names: Any = None) -> Any:
        """Draw the map: dots as large as weights, the chosen sensors circled (needs matplotlib).

        positions: (m, 2). names: of the sensors; those of the chosen are written beside them.
        """
        from zooadmm.applications.selection import draw_choice

        check_is_fitted(self, "support_")
        return draw_choice(self.weights_, self.support_, positions, axis, names)

    def _around(self, loss: Any, shape: tuple[int, ...], observations: Any) -> Formulation:
        m, n = shape
        _refuse_budget(self.budget, m, n)
        x0, both = np.full(m, self.budget / m), zoo.BoxBudget(0.0, 1.0, self.budget)
        if self.splitting == "projection":
            return Formulation(loss, x0, domain=both, observations=observations)
        if self.splitting != "box and budget":
            raise ValueError(
                f'splitting must be "projection" or "box and budget", not {self.splitting!r}.'
            )
        budget = zoo.regularizers.Indicator(zoo.Budget(self.budget))
        return Formulation(loss, x0, budget, zoo.Box(0.0, 1.0), None, "y", observations)

    def _solve(self, problem: Formulation, seen: Array | SensorStream) -> None:
        if self.rounding not in ("largest", "swaps"):
            raise ValueError(f'rounding must be "largest" or "swaps", not {self.rounding!r}.')
        self.result_: zoo.Result = problem.minimize(
            self.max_evaluations, seed_from(self.random_state)
        )
        vectors = np.stack(seen.latest) if isinstance(seen, SensorStream) else seen
        both = zoo.BoxBudget(0.0, 1.0, self.budget)
        self.weights_: Array = np.asarray(both.project(self.result_.x), dtype=np.float64)
        chosen = selection.largest(self.weights_, self.budget)
        self.support_ = selection.swapped(chosen, vectors) if self.rounding == "swaps" else chosen
        self.objective_ = LogDeterminant(vectors)(self.weights_)
        self.log_determinant_ = selection.log_determinant(self.support_, vectors)
        self.mse_ = selection.mean_squared_error(self.support_, vectors)


def _as_vectors(A: Any) -> Array:
    given: Array = check_array(A, dtype=np.float64, allow_nd=True, input_name="A")
    if given.ndim > 3:
        raise ValueError(f"A has shape {given.shape}, but must be (T, m, n), or (m, n) for T = 1.")
    return given[None] if given.ndim == 2 else given


def _refuse_budget(budget: Any, m: int, n: int) -> None:
    if not isinstance(budget, int | np.integer):
        raise TypeError(f"budget = {budget!r} must be a whole number of sensors.")
    if budget > m:
        raise ValueError(f"budget = {budget} is above the {m} sensors of A; ask for {m} at most.")
    if budget < n:
        raise ValueError(
            f"budget = {budget} is below the {n} unknowns of the field, which so few sensors do "
            f"not determine; ask for {n} at least."
        )
