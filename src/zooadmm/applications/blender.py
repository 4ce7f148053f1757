"""Blending models: weights learned from values of a loss."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils.validation import check_is_fitted, validate_data

import zooadmm as zoo
from zooadmm.applications import blending_losses, plateaus, weight_sets
from zooadmm.applications.blending_losses import Metric, Named
from zooadmm.applications.blending_stream import BlendingStream
from zooadmm.applications.formulation import SEEDS, Array, Batch, Formulation, observed, seed_from
from zooadmm.applications.weight_sets import Weights


class Blender(RegressorMixin, BaseEstimator):
    """Weights of m models whose blend has the least loss (Sec. 5.1), from values of it only:

        minimize  loss(target, predictions x) + strength |x|_1   subject to  x in the chosen set

    loss: "squared", "absolute", "log" (cross entropy of probabilities) or any
        metric(target, blended) -> float, lower is better; it is never differentiated.
    weights: "simplex" (at least 0, adding up to 1), "nonnegative", "box" (within `bounds`) or
        "free".
    bounds: (least, largest) weight, for "box".
    strength: of the L1 norm, for few nonzero weights.
    batch: "full" evaluates on all rows at once, "sampled" on single rows; a metric needs "full".
    smoothing: beta, how far apart points are put. By default the method finds it; for a metric with
        plateaus (AUC, NDCG) it is made longer than these, and no theory covers the result.
    max_evaluations: how many values of the loss may be taken.
    random_state: a seed, for the same result again.

    coef_: the weights. result_: the run, a `zooadmm.Result` (None after `partial_fit`).
    n_features_in_: m.

    >>> generator = np.random.default_rng(0)
    >>> truth = generator.standard_normal(500)
    >>> models = truth[:, None] + generator.standard_normal((500, 3)) * [1.0, 1.0, 9.0]
    >>> blender = Blender(max_evaluations=2000, random_state=0).fit(models, truth)
    >>> np.round(blender.coef_, 1)
    array([0.5, 0.5, 0. ])
    """

    coef_: Array
    result_: zoo.Result | None

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "loss": [str, callable],
        "weights": [str],
        "bounds": ["array-like"],
        "strength": [Real],
        "batch": [str],
        "smoothing": [Real, None],
        "max_evaluations": [Real],
        "random_state": SEEDS,
    }
    """the types of the parameters; their values are checked where they are used"""

    def __init__(
        self,
        loss: Named | Metric = "squared",
        *,
        weights: Weights = "simplex",
        bounds: tuple[float, float] = (-1.0, 1.0),
        strength: float = 0.0,
        batch: Batch = "full",
        smoothing: float | None = None,
        max_evaluations: int = 30_000,
        random_state: Any = None,
    ) -> None:
        self.loss = loss
        self.weights = weights
        self.bounds = bounds
        self.strength = strength
        self.batch = batch
        self.smoothing = smoothing
        self.max_evaluations = max_evaluations
        self.random_state = random_state

    def formulation(self, predictions: Any, target: Any) -> Formulation:
        """The problem that `fit` solves."""
        X, y = np.asarray(predictions, dtype=np.float64), np.asarray(target, dtype=np.float64)
        loss = blending_losses.loss_of(self.loss, X, y)
        if callable(self.loss) and self.batch == "sampled":
            raise ValueError('batch="sampled" needs a loss of single rows; a metric needs "full".')
        return self._around(loss, X.shape[1], observed(self.batch, loss))

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the weights from predictions X, a model a column, and the targets y."""
        self._validate_params()
        if isinstance(self.loss, type):
            raise TypeError(f"loss is the class {self.loss.__name__}; give a function of it.")
        blending_losses.refuse_score(self.loss)
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True, ensure_min_samples=2)
        refuse_constant_columns(X, getattr(self, "feature_names_in_", None))
        problem = self.formulation(X, np.asarray(y, dtype=np.float64))
        beta, spent = self.smoothing, 0
        if beta is None and callable(self.loss):
            seed = seed_from(self.random_state)
            beta, spent = plateaus.measure(problem, self.max_evaluations, seed)
        self._run(problem, beta, spent)
        return self

    def fit_remote(self, loss: Any, num_models: int, observations: Any = None) -> Self:
        """Learn the weights from loss(weights) -> float; the predictions stay with their owner.

        loss: any loss that `zooadmm.minimize` takes; a noisy one is recognized as such. For one
            with plateaus give `smoothing`: they are not measured here.
        num_models: m.
        observations: what loss(weights, w) is sampled on, if it is.
        """
        if num_models < 1:
            raise ValueError(f"num_models = {num_models} must be at least 1.")
        self.n_features_in_ = num_models
        self.__dict__.pop("feature_names_in_", None)
        self._run(self._around(loss, num_models, observations), self.smoothing)
        return self

    def partial_fit(self, X: Any, y: Any) -> Self:
        """Continue with these rows of a stream, and use each once. After `fit`, start again.

        Up to forty rows are kept until the next call, since an iteration may need as many.
        """
        if callable(self.loss):
            raise ValueError("partial_fit needs a loss of single rows; a metric is of all of them.")
        blending_losses.refuse_unknown(self.loss)
        continued = hasattr(self, "stream_")
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True, reset=not continued)
        if not continued:
            parts = self._around(None, X.shape[1], None)
            self.stream_ = BlendingStream(self.loss, parts, seed_from(self.random_state))
        self.result_ = None
        self.coef_ = self.stream_.follow(X, np.asarray(y, dtype=np.float64))
        return self

    def predict(self, X: Any) -> Array:
        """The blend of the predictions X."""
        check_is_fitted(self, "coef_")
        blended: Array = validate_data(self, X, dtype=np.float64, reset=False) @ self.coef_
        return blended

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R^2 of the blend, as of any regressor; for a metric, minus its value."""
        if not callable(self.loss):
            return float(r2_score(y, self.predict(X), sample_weight=sample_weight))
        if sample_weight is not None:
            raise ValueError("sample_weight has no meaning for a metric; leave it out.")
        return -float(self.loss(np.asarray(y), self.predict(X)))

    def _around(self, loss: Any, m: int, observations: Any) -> Formulation:
        even = np.full(m, 1.0 / m)
        parts = weight_sets.parts(self.weights, self.bounds, self.strength, even)
        return Formulation(loss, observations=observations, **parts)

    def _run(self, problem: Formulation, smoothing: float | None, spent: int = 0) -> None:
        self.__dict__.pop("stream_", None)
        seed = seed_from(self.random_state)
        result = problem.minimize(self.max_evaluations, seed, smoothing, spent=spent)
        self.result_, self.coef_ = result, result.x

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # a blend of columns that predict nothing
        return tags


def refuse_constant_columns(X: Array, names: Any = None) -> None:
    """Raise if a model predicts the same for every row, and name it."""
    constant = np.flatnonzero(np.ptp(X, axis=0) == 0.0)
    if len(constant) > 0:
        first = int(constant[0])
        name = f"column {first}" if names is None else f"column {first} ({names[first]})"
        raise ValueError(
            f"X has a constant {name}: a model that predicts the same for every row can only shift "
            "the blend; drop it, or subtract a mean from all predictions and targets."
        )
