"""Logistic regression whose coefficients vanish in groups that may overlap."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from operator import index
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

import zooadmm as zoo
from zooadmm.applications.formulation import SEEDS, Array, Batch, Formulation, observed, seed_from
from zooadmm.losses import Logistic


class OverlappingGroupClassifier(ClassifierMixin, BaseEstimator):
    """Two classes, and coefficients that vanish in groups (the authors' fourth example):

        minimize  mean_i log(1 + exp(-b_i (a_i'x + x_0))) + strength sum_g weights_g |x_g|_2

    from values only. Groups may overlap: y = A x holds a copy of x_g for each group g, so that
    the groups of y are disjoint. A coefficient is exactly zero where a group that covers it is.

    groups: lists of columns, that cover all of them; by default each column is one by itself.
    strength: zero or more.
    weights: of the groups, zero or more; by default 1 each.
    fit_intercept: whether there is an x_0, which is not penalized.
    batch: "full" evaluates on all samples at once, "sampled" on single ones.
    max_evaluations: how many values of the loss may be taken.
    random_state: a seed, for the same result again.

    coef_: (1, m), with exact zeros. intercept_: (1,). classes_: the two.
    result_: the run, a `zooadmm.Result`. n_features_in_: m.

    >>> generator = np.random.default_rng(0)
    >>> X = generator.standard_normal((300, 4))
    >>> y = X[:, 0] + X[:, 1] > 0
    >>> model = OverlappingGroupClassifier([[0, 1], [1, 2], [2, 3]], 0.1, max_evaluations=3000)
    >>> np.flatnonzero(model.fit(X, y).coef_)
    array([0, 1])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "groups": [Sequence, np.ndarray, None],
        "strength": [Real],
        "weights": ["array-like", None],
        "fit_intercept": ["boolean"],
        "batch": [str],
        "max_evaluations": [Real],
        "random_state": SEEDS,
    }
    """the types of the parameters; their values are checked where they are used"""

    def __init__(
        self,
        groups: Sequence[Sequence[int]] | None = None,
        strength: float = 0.01,
        *,
        weights: Array | None = None,
        fit_intercept: bool = True,
        batch: Batch = "full",
        max_evaluations: int = 30_000,
        random_state: Any = None,
    ) -> None:
        self.groups = groups
        self.strength = strength
        self.weights = weights
        self.fit_intercept = fit_intercept
        self.batch = batch
        self.max_evaluations = max_evaluations
        self.random_state = random_state

    def formulation(self, X: Any, labels: Any) -> Formulation:
        """The problem that `fit` solves, for labels -1 and 1; the intercept is the last entry."""
        features = np.asarray(X, dtype=np.float64)
        groups = self._covering(features.shape[1])
        if self.fit_intercept:
            features = np.column_stack([features, np.ones(len(features))])
        m = features.shape[1]
        phi, constraint = zoo.overlapping_groups(m, groups, self.strength, self.weights)
        loss = Logistic(features, labels)
        seen = observed(self.batch, loss)
        return Formulation(loss, np.zeros(m), phi, None, constraint, "y", seen)

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the coefficients from samples X and their classes y."""
        self._validate_params()
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        if len(self.classes_) != 2:
            raise ValueError(
                "Only binary classification is supported: y has "
                f"{len(self.classes_)} class{'es' if len(self.classes_) > 1 else ''}."
            )
        problem = self.formulation(X, np.where(y == self.classes_[1], 1.0, -1.0))
        self.result_: zoo.Result = problem.minimize(
            self.max_evaluations, seed_from(self.random_state)
        )
        x = without_vanished(self.result_, self._covering(X.shape[1]))
        self.coef_: Array = x[None, : X.shape[1]]
        self.intercept_: Array = x[X.shape[1] :] if self.fit_intercept else np.zeros(1)
        return self

    def decision_function(self, X: Any) -> Array:
        """a'x + x_0: positive for the second of `classes_`."""
        check_is_fitted(self, "coef_")
        X = validate_data(self, X, dtype=np.float64, reset=False)
        margins: Array = X @ self.coef_[0] + self.intercept_[0]
        return margins

    def predict(self, X: Any) -> Any:
        """The classes."""
        positive = self.decision_function(X) > 0
        return self.classes_[positive.astype(np.intp)]

    def predict_proba(self, X: Any) -> Array:
        """The probabilities of the two classes, a column each."""
        p = expit(self.decision_function(X))
        return np.column_stack([1.0 - p, p])

    def _covering(self, m: int) -> list[list[int]]:
        """The groups, or an error that names a column which none of them covers."""
        if self.groups is None:
            return [[j] for j in range(m)]
        try:
            groups = [[index(j) for j in group] for group in self.groups]
        except TypeError as error:
            said = f"groups must be lists of columns, such as [[0, 1], [1, 2]]: {error}."
            raise TypeError(said) from error
        named = {j for group in groups for j in group}
        beyond = sorted(named - set(range(m)))
        if beyond:
            raise ValueError(f"groups name the column {beyond[-1]}; X has columns 0 to {m - 1}.")
        missed = sorted(set(range(m)) - named)
        if missed:
            names = getattr(self, "feature_names_in_", None)
            name = f"{missed[0]}" if names is None else f"{missed[0]} ({names[missed[0]]})"
            raise ValueError(
                f"groups miss column {name}"
                + (f" and {len(missed) - 1} more" if len(missed) > 1 else "")
                + ": put each column of X into a group, if need be into one by itself."
            )
        return groups

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def without_vanished(result: zoo.Result, groups: Sequence[Sequence[int]]) -> Array:
    """x, with zeros in every group whose copy in y is zero."""
    x = np.array(result.x)
    start = 0
    for group in groups:
        copy = result.y_last[start : start + len(group)]
        start += len(group)
        if not copy.any():
            x[np.asarray(group)] = 0.0
    return x
