"""Random wrong parameters of the estimators: a ValueError or TypeError that names the parameter."""

from __future__ import annotations

import math
import random
import warnings
from typing import Any

import numpy as np
import pytest

from zooadmm.applications import Blender, OverlappingGroupClassifier, SensorSelector, SparseCox

GENERATOR = np.random.default_rng(0)
X = GENERATOR.standard_normal((12, 3))
OUTCOME = np.zeros(12, dtype=[("died", "?"), ("days", "<f8")])
OUTCOME["died"], OUTCOME["days"] = True, np.arange(12.0)
DATA: dict[type, tuple[Any, ...]] = {
    Blender: (X, X @ [0.2, 0.3, 0.5]),
    SparseCox: (X, OUTCOME),
    SensorSelector: (GENERATOR.standard_normal((2, 12, 3)),),
    OverlappingGroupClassifier: (X, np.arange(12) % 2),
}
VALUES: list[Any] = [
    None, True, -1, 0, 10**400, 0.5, -0.5, math.nan, math.inf, 1j, "", "nonsense", b"x", [], [1.0],
    [1.0, "a"], [[0], [1, 2]], (), (1.0, 0.0), ("a", "b"), {"a": 1}, {1}, object(), object,
    np.zeros(0), np.zeros(3), np.ones((3, 3)), np.full(2, np.nan), np.array("x"), np.array([None]),
    np.datetime64("2020-01-01"), np.ma.masked, iter([1]), [[0], ["a"]], [[0, 9], [1], [2]], [0, 1],
]  # fmt: skip


@pytest.mark.parametrize("estimator", DATA, ids=lambda kind: kind.__name__)
def test_wrong_parameters_are_named(estimator: type) -> None:
    rng, faults = random.Random(0), []
    for name in estimator().get_params():
        for value in rng.sample(VALUES, 25):
            given = {"max_evaluations": 40, "random_state": 0}
            if estimator is SensorSelector:
                given["budget"] = 5
            given[name] = value
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)
                try:
                    estimator(**given).fit(*DATA[estimator])
                except (ValueError, TypeError) as error:
                    if name not in str(error):
                        faults.append((name, repr(value)[:40], repr(error)[:150]))
                except Exception as error:
                    faults.append((name, repr(value)[:40], repr(error)[:150]))
    assert faults == []
