"""Ready losses, with values of many points at once and with gradients.

Each is f(x) = mean of f(x; w) over w in `loss.observations`. `minimize(loss, x0)` evaluates the
mean; `minimize(loss, x0, observations=loss.observations)` samples it.

The strength of an `L1` beside a loss, in the terms of others:

- `Squares` has no factor 1/2, so strength = 2 alpha for scikit-learn's Lasso(alpha).
- `Logistic` is a mean, so strength = 1 / (n C) for an L1-penalized LogisticRegression(C=C).
- `Cox` is divided by the number of subjects, so strength = alpha for scikit-survival's
  CoxnetSurvivalAnalysis(l1_ratio=1.0, alphas=[alpha]).

An intercept is a column of ones, left out of the `L1`:

>>> import numpy as np
>>> import zooadmm as zoo
>>> A, b = np.array([[1.0], [2.0], [3.0]]), np.array([7.0, 9.0, 11.0])
>>> loss = Squares(np.column_stack([A, np.ones(len(A))]), b)
>>> loss([2.0, 5.0])
0.0
>>> zoo.L1(0.1, weights=np.array([1.0, 0.0]))([2.0, 5.0])
0.2

From the structured array y of scikit-survival, whose fields are the event and the time:

>>> y = np.array([(True, 5.0), (True, 3.0), (False, 1.0)], dtype=[("died", "?"), ("days", "<f8")])
>>> Cox(A, *(y[name] for name in reversed(y.dtype.names)))
Cox(2 events of 3 subjects, 1 variable)
"""

from zooadmm.losses.cox import Cox
from zooadmm.losses.log_determinant import LogDeterminant
from zooadmm.losses.logistic import Logistic
from zooadmm.losses.squares import Squares

__all__ = ["Cox", "LogDeterminant", "Logistic", "Squares"]
