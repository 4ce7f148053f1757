"""Cox regression with few covariates."""

from __future__ import annotations

from dataclasses import replace
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

import zooadmm as zoo
from zooadmm.applications.cox_path import CoxPath, concordance, event_and_time, falling_strengths
from zooadmm.applications.formulation import SEEDS, Array, Batch, Formulation, observed, seed_from
from zooadmm.losses import Cox


class SparseCox(BaseEstimator):
    """Proportional hazards with few covariates (Sec. 5.3), from values of the likelihood only:

        minimize  (1/n) sum over events i of [-a_i'x + log sum_{j at risk} exp(a_j'x)]
                  + strength |x|_1

    ties after Breslow. `strength` is the alpha of scikit-survival's
    CoxnetSurvivalAnalysis(l1_ratio=1.0). Standardize the covariates: one strength is for all.

    strength: gamma, zero or more; from `gamma_max(X, y)` on no covariate is left.
    batch: "full" evaluates the whole likelihood, "sampled" the terms of single events.
    max_evaluations: how many values of the loss may be taken, on a path for each strength.
    random_state: a seed, for the same result again.

    coef_: x, with exact zeros. result_: the run, a `zooadmm.Result`. n_features_in_: m.

    >>> generator = np.random.default_rng(0)
    >>> X = generator.standard_normal((200, 5))
    >>> time = generator.exponential(np.exp(-2.0 * X[:, 1]))
    >>> y = np.array([(True, t) for t in time], dtype=[("died", "?"), ("days", "<f8")])
    >>> np.flatnonzero(SparseCox(0.2, max_evaluations=2000, random_state=0).fit(X, y).coef_)
    array([1])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "strength": [Real],
        "batch": [str],
        "max_evaluations": [Real],
        "random_state": SEEDS,
    }
    """the types of the parameters; their values are checked where they are used"""

    def __init__(
        self,
        strength: float = 0.05,
        *,
        batch: Batch = "full",
        max_evaluations: int = 30_000,
        random_state: Any = None,
    ) -> None:
        self.strength = strength
        self.batch = batch
        self.max_evaluations = max_evaluations
        self.random_state = random_state

    def formulation(self, X: Any, y: Any) -> Formulation:
        """The problem that `fit` solves."""
        loss = _loss(X, y)
        phi, m = zoo.L1(self.strength), loss.num_variables
        seen = observed(self.batch, loss)
        return Formulation(loss, np.zeros(m), phi, complete="x", observations=seen)

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the coefficients from covariates X and the structured outcome y."""
        self._validate_params()
        X = self._validated(X, y)
        problem = self.formulation(X, y)
        self.result_: zoo.Result = problem.minimize(
            self.max_evaluations, seed_from(self.random_state)
        )
        self.coef_: Array = self.result_.x
        return self

    def gamma_max(self, X: Any, y: Any) -> float:
        """The least strength that leaves no covariate: the largest slope of the loss at zero."""
        loss = _loss(X, y)
        return float(np.abs(loss.gradient(np.zeros(loss.num_variables))).max())

    def path(
        self, X: Any, y: Any, strengths: ArrayLike | None = None, num_strengths: int = 20
    ) -> CoxPath:
        """Fits for falling strengths, each started from the one before.

        strengths: by default `num_strengths` from gamma_max down to a twentieth of it, in equal
            ratios. The estimator itself stays as it is.
        """
        X = np.asarray(X, dtype=np.float64)
        problem, seed = self.formulation(X, y), seed_from(self.random_state)
        falling = falling_strengths(strengths, self.gamma_max(X, y), num_strengths)
        results = []
        for strength in falling:
            problem = replace(problem, regularizer=zoo.L1(strength))
            result = problem.minimize(self.max_evaluations, seed)
            results.append(result)
            problem = replace(problem, x0=result.x)
        coefficients = np.stack([result.x for result in results])
        return CoxPath(falling, coefficients, np.array([result.nfev for result in results]))

    def predict(self, X: Any) -> Array:
        """The risk scores X coef_: of two subjects the one with the higher is expected first."""
        check_is_fitted(self, "coef_")
        risk: Array = validate_data(self, X, dtype=np.float64, reset=False) @ self.coef_
        return risk

    def score(self, X: Any, y: Any) -> float:
        """Harrell's concordance of the risk scores with the outcome (needs scikit-survival)."""
        return concordance(y, self.predict(X))

    def _validated(self, X: Any, y: Any) -> Array:
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None.")
        checked: Array = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        check_consistent_length(checked, y)
        return checked

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def _loss(X: Any, y: Any) -> Cox:
    event, time = event_and_time(y)
    return Cox(np.asarray(X, dtype=np.float64), time, event)
