"""Mistakes of a first day: each message says what to do instead."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

import zooadmm as zoo
from zooadmm.analysis.theory import method_of
from zooadmm.applications import Blender, BlendingClassifier, blend

START = np.zeros(3)


def bowl(x: np.ndarray) -> float:
    return float(x @ x)


def minimized(loss: Any = bowl, x0: Any = START, **given: Any) -> zoo.Result:
    return zoo.minimize(loss, x0, **{"max_evaluations": 100, "rng": 0, **given})


def at_theory() -> None:
    optimizer = zoo.Optimizer(START, settings="paper", domain=zoo.Box(-1, 1), max_evaluations=100)
    method_of(optimizer.algorithm)


PARAMETERS = zoo.Parameters({"rate": (1e-3, 1.0, "log"), "depth": (0, 5)})
FRAME = pd.DataFrame({"a": [0.1, 0.2, 0.9, 0.8], "b": [0.5, 0.1, 0.6, 0.4]})
LABELS = np.array([False, False, True, True])


@pytest.mark.parametrize(
    ("mistake", "said"),
    [
        (lambda: minimized(lambda x: (x @ x, 2 * x)), r"tuple of 2.*return the value alone"),
        (
            lambda: minimized(lambda x: {"loss": x @ x}),
            r"a dictionary \('loss'\).*return the entry",
        ),
        (lambda: minimized(START, bowl), r"the loss comes first, minimize\(loss, x0\)"),
        (lambda: minimized(bowl, {"a": (1, 2)}), r"give Parameters\(\{"),
        (lambda: minimized(n_trials=5), "give max_evaluations"),
        (lambda: minimized(learning_rate=0.1), "give step_size"),
        (lambda: PARAMETERS.at(np.array([0.5, 1.7])), r"use parameters.point\(values\)"),
        (lambda: PARAMETERS.at(np.array([0.5])), "2 numbers from 0 to 1"),
        (at_theory, r'give gradient=zoo.paper.Smoothed\(30, probes="anywhere"\)'),
        (lambda: blend(FRAME, LABELS, roc_auc_score), 'give direction="maximize"'),
        (lambda: Blender(roc_auc_score).fit(FRAME, LABELS), r"lambda y, blended: -roc_auc_score"),
        (lambda: BlendingClassifier(roc_auc_score).fit(FRAME, LABELS), "where higher is better"),
        (
            lambda: blend(FRAME, pd.Series(LABELS, index=[3, 2, 1, 0]), "log"),
            r"target.reindex\(predictions.index\)",
        ),
    ],
)
def test_the_message_has_the_remedy(mistake: Callable[[], object], said: str) -> None:
    with pytest.raises((TypeError, ValueError), match=said):
        mistake()


def test_a_loss_of_several_arguments_is_told_of_one_vector() -> None:
    with pytest.raises(TypeError) as caught:
        minimized(lambda a, b, c: a + b + c)
    assert any("with one vector x" in note for note in caught.value.__notes__)


def test_a_result_is_a_mapping() -> None:
    result = minimized()
    assert isinstance(result, Mapping)
    assert {**result}["nfev"] == result.nfev
