"""Blending classifiers: weights of their probabilities, learned from values of a loss."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

import zooadmm as zoo
from zooadmm.applications import plateaus
from zooadmm.applications.blending_losses import SMALLEST, refuse_score
from zooadmm.applications.formulation import Array, Formulation, seed_from

Score = Callable[..., float]


class BlendingClassifier(ClassifierMixin, BaseEstimator):
    """Weights of m classifiers whose blended probabilities have the least loss:

        minimize  loss(y, sum_j x_j P_j)   subject to  x_j >= 0,  sum_j x_j = 1

    The columns of X are probabilities, as `StackingClassifier` hands them to its final estimator:
    with two classes one column a classifier, that of the second class; with K > 2 classes K columns
    a classifier, in the order of `classes_`.

    loss: "log" (cross entropy) or any metric(y, probabilities) -> float, lower is better; it gets
        the probabilities of the second class, or a column for each of K > 2 classes, and
        sample_weight= where weights of samples are given. It is never differentiated.
    smoothing: as for `Blender`.
    max_evaluations: how many values of the loss may be taken.
    random_state: a seed, for the same result again.

    coef_: the weights of the classifiers. classes_: the classes. n_features_in_: the columns.
    result_: the run, a `zooadmm.Result`.

    >>> generator = np.random.default_rng(0)
    >>> y = generator.random(300) < 0.5
    >>> good = np.clip(0.5 + 0.3 * (2 * y - 1) + 0.1 * generator.standard_normal(300), 0, 1)
    >>> X = np.column_stack([good, generator.random(300)])
    >>> model = BlendingClassifier(max_evaluations=2000, random_state=0).fit(X, y)
    >>> np.round(model.coef_, 1), model.predict_proba(X).shape
    (array([1., 0.]), (300, 2))
    """

    coef_: Array
    result_: zoo.Result

    def __init__(
        self,
        loss: str | Score = "log",
        *,
        smoothing: float | None = None,
        max_evaluations: int = 30_000,
        random_state: Any = None,
    ) -> None:
        self.loss = loss
        self.smoothing = smoothing
        self.max_evaluations = max_evaluations
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the weights from probabilities X and classes y.

        sample_weight: of the rows, zero or more; by default 1 each.
        """
        refuse_score(self.loss)
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError("y has 1 class; a blend of classifiers needs at least two.")
        if not ((X >= 0.0) & (X <= 1.0)).all():
            raise ValueError(
                "X must have probabilities, between 0 and 1; in a StackingClassifier give "
                'stack_method="predict_proba".'
            )
        blocks = self._probabilities(X)
        weight = None
        if sample_weight is not None:
            weight = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        problem = self._formulation(blocks, codes, y, weight)
        seed, beta, spent = seed_from(self.random_state), self.smoothing, 0
        if beta is None and callable(self.loss):
            beta, spent = plateaus.measure(problem, self.max_evaluations, seed)
        self.result_ = problem.minimize(self.max_evaluations, seed, beta, spent=spent)
        self.coef_ = self.result_.x
        return self

    def predict_proba(self, X: Any) -> Array:
        """The blended probabilities, a column for each class."""
        check_is_fitted(self, "coef_")
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return np.asarray(np.einsum("njk,j->nk", self._probabilities(X), self.coef_))

    def predict(self, X: Any) -> Any:
        """The most probable classes."""
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]

    def _probabilities(self, X: Array) -> Array:
        """(rows, classifiers, classes)"""
        K = len(self.classes_)
        if K == 2:
            return np.stack([1.0 - X, X], axis=2)
        if X.shape[1] % K != 0:
            raise ValueError(
                f"X has {X.shape[1]} columns for {K} classes; a classifier needs {K}, one a class."
            )
        return X.reshape(len(X), -1, K)

    def _formulation(self, blocks: Array, codes: Any, y: Any, weight: Array | None) -> Formulation:
        m = blocks.shape[1]
        if callable(self.loss):
            loss: Any = OfProbabilities(self.loss, blocks, y, weight)
        elif self.loss == "log":
            loss = TrueClass(blocks[np.arange(len(codes)), :, codes], weight)
        else:
            raise ValueError(f'loss must be "log" or a function, not {self.loss!r}.')
        return Formulation(loss, np.full(m, 1.0 / m), domain=zoo.Simplex())


class TrueClass:
    """f(x) = - sum_i w_i log(q_i' x) / sum_i w_i, q_i the probabilities of the true class of i."""

    def __init__(self, q: Array, weight: Array | None) -> None:
        given = np.ones(len(q)) if weight is None else weight
        self.q, self.weight = q, given / given.sum()

    def __call__(self, x: Array) -> float:
        return float(self.values(x[None])[0])

    def values(self, points: Array) -> Array:
        """f at each row of points."""
        logs: Array = np.log(np.maximum(points @ self.q.T, SMALLEST))
        return np.asarray(-(logs @ self.weight))


class OfProbabilities:
    """f(x) = metric(y, blended probabilities), lower is better."""

    def __init__(self, metric: Score, blocks: Array, y: Any, weight: Array | None) -> None:
        self.metric, self.blocks, self.y = metric, blocks, y
        self.more = {} if weight is None else {"sample_weight": weight}

    def __call__(self, x: Array) -> float:
        blended = np.einsum("njk,j->nk", self.blocks, x)
        shown = blended[:, 1] if blended.shape[1] == 2 else blended
        return float(self.metric(self.y, shown, **self.more))

    def values(self, points: Array) -> Array:
        """f at each row of points."""
        return np.array([self(point) for point in points])
