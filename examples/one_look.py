"""A rule that is tried on each patient once: nobody is examined by two rules.

The data are real: 569 tumors (scikit-learn's breast cancer data), of which three measurements are
used. A rule is linear, with a threshold. A tumor comes, is judged by one rule, and only the loss of
that judgment becomes known: not what another rule would have lost. `Once` says so. The same values
without it, as if tumors could be judged again by as many rules as a difference needs, are what a
stream is otherwise.

    python examples/one_look.py
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_breast_cancer

import zooadmm as zoo

measured, benign = load_breast_cancer(return_X_y=True)
chosen = measured[:, [0, 1, 7]]  # mean radius, texture, concave points
rows = np.column_stack([np.ones(569), (chosen - chosen.mean(axis=0)) / chosen.std(axis=0)])
sign = np.where(benign, 1.0, -1.0)
order = np.random.default_rng(0).permutation(569)


def surprise(x: np.ndarray, tumor: int) -> float:
    """How surprised a rule is by the truth, in nats."""
    return float(np.logaddexp(0.0, -sign[tumor] * (rows[tumor] @ x)))


def right(x: np.ndarray) -> float:
    return float(np.mean(sign * (rows @ x) > 0))


given = {"domain": zoo.Box(-5, 5), "rng": 0}
once = zoo.minimize(surprise, np.zeros(4), observations=zoo.Once(order), **given)
again = zoo.minimize(surprise, np.zeros(4), observations=zoo.Stream(order), **given)
print(f"each tumor once: {right(once.x):.0%} right after {once.nfev} judgments")
print(f"as often as wanted: {right(again.x):.0%} right after {again.nfev} judgments")
