"""Each thing that can be wrong has a sentence that names it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from zooadmm.applications import (
    Blender,
    OverlappingGroupClassifier,
    SensorSelector,
    SparseCox,
    spatial_modes,
)
from zooadmm.applications.cox_path import falling_strengths

GENERATOR = np.random.default_rng(0)
X = GENERATOR.standard_normal((12, 3))
Y = X @ [0.2, 0.3, 0.5]
LABELS = np.arange(12) % 2
A = GENERATOR.standard_normal((2, 12, 3))


def outcome(**changes: Any) -> np.ndarray:
    y = np.zeros(12, dtype=[("died", "?"), ("days", "<f8")])
    y["died"], y["days"] = True, np.arange(12.0)
    for name, value in changes.items():
        y[name] = value
    return y


def holed(array: np.ndarray) -> np.ndarray:
    other = array.copy()
    other.flat[4] = np.nan
    return other


CONSTANT = np.column_stack([X[:, :2], np.full(12, 7.0)])
NAMED = pd.DataFrame(CONSTANT, columns=["deep", "wide", "mean"])

CASES: dict[str, tuple[Callable[[], Any], str]] = {
    "negative times": (
        lambda: SparseCox().fit(X, outcome(days=np.arange(12.0) - 3)),
        "negative times in 'days': -3 for subject 0",
    ),
    "all censored": (lambda: SparseCox().fit(X, outcome(died=False)), "all subjects .* censored"),
    "times that are nan": (lambda: SparseCox().fit(X, outcome(days=np.nan)), "infinite times"),
    "an outcome without fields": (lambda: SparseCox().fit(X, Y), "structured array"),
    "events that are numbers": (
        lambda: SparseCox().fit(X, np.zeros(12, dtype=[("died", "<i8"), ("days", "<f8")])),
        "'died', must be boolean",
    ),
    "nan in covariates": (lambda: SparseCox().fit(holed(X), outcome()), "Input X contains NaN"),
    "another number of outcomes": (lambda: SparseCox().fit(X[:5], outcome()), "inconsistent"),
    "negative strength": (lambda: SparseCox(-1.0).fit(X, outcome()), "strength"),
    "no strengths": (lambda: falling_strengths([], 1.0, 3), "strengths must be"),
    "no length of a path": (lambda: falling_strengths(None, 1.0, 0), "num_strengths = 0"),
    "budget above m": (lambda: SensorSelector(13).fit(A), "budget = 13 is above the 12 sensors"),
    "budget below n": (lambda: SensorSelector(2).fit(A), "budget = 2 is below the 3 unknowns"),
    "half a sensor": (lambda: SensorSelector(4.5).fit(A), "budget = 4.5 must be a whole number"),
    "nan in A": (lambda: SensorSelector(5).fit(holed(A)), "Input A contains NaN"),
    "A of four dimensions": (lambda: SensorSelector(5).fit(A[None]), r"\(T, m, n\)"),
    "a splitting there is not": (
        lambda: SensorSelector(5, splitting="box").fit(A),
        'splitting must be "projection" or "box and budget"',
    ),
    "a rounding there is not": (lambda: SensorSelector(5, rounding="up").fit(A), "rounding must"),
    "an empty stream": (lambda: SensorSelector(5).fit(iter([])), "empty stream"),
    "a stream of vectors": (lambda: SensorSelector(5).fit(iter(A[0])), r"matrices \(m, n\)"),
    "a stream that changes": (lambda: SensorSelector(5).fit(iter([A[0], A[0, :9]])), "went on"),
    "a map of too few places": (
        lambda: SensorSelector(5, max_evaluations=100).fit(A).plot(np.zeros((3, 2))),
        r"positions has shape \(3, 2\), but must be \(12, 2\)",
    ),
    "records of one dimension": (lambda: spatial_modes(Y, 1), r"\(times, stations\)"),
    "infinite records": (lambda: spatial_modes(X / 0.0, 1), "infinite"),
    "too many modes": (lambda: spatial_modes(X, 4), "num_modes = 4 must be 1 to 3"),
    "too many periods": (lambda: spatial_modes(X, 1, 13), "num_periods = 13 must be 1 to 12"),
    "a constant model": (lambda: Blender().fit(CONSTANT, Y), "constant column 2:"),
    "a constant model with a name": (lambda: Blender().fit(NAMED, Y), r"column 2 \(mean\)"),
    "nan in predictions": (lambda: Blender().fit(holed(X), Y), "Input X contains NaN"),
    "nan in targets": (lambda: Blender().fit(X, holed(Y)), "Input y contains NaN"),
    "weights there are not": (lambda: Blender(weights="positive").fit(X, Y), "weights must be"),
    "few weights of a sum": (lambda: Blender(strength=0.1).fit(X, Y), "strength = 0.1 has no"),
    "negative L1": (lambda: Blender(strength=-0.1).fit(X, Y), "strength = -0.1 must be"),
    "a loss there is not": (lambda: Blender("rmse").fit(X, Y), "loss must be"),
    "a loss there is not, in a stream": (lambda: Blender("rmse").partial_fit(X, Y), "loss must"),
    "probabilities above 1": (lambda: Blender("log").fit(X, 2 + Y), "y must lie between 0 and 1"),
    "a metric of samples": (
        lambda: Blender(lambda t, b: 0.0, batch="sampled").fit(X, Y),
        'a metric needs "full"',
    ),
    "a metric of a stream": (lambda: Blender(lambda t, b: 0.0).partial_fit(X, Y), "single rows"),
    "a metric of weighted samples": (
        lambda: (
            Blender(lambda t, b: float(np.var(t - b)), max_evaluations=100)
            .fit(X, Y)
            .score(X, Y, sample_weight=Y)
        ),
        "sample_weight",
    ),
    "no models": (lambda: Blender().fit_remote(lambda x: 0.0, 0), "num_models = 0"),
    "a batch there is not": (lambda: Blender(batch="rows").fit(X, Y), "batch must be"),
    "nan in features": (
        lambda: OverlappingGroupClassifier().fit(holed(X), LABELS),
        "Input X contains NaN",
    ),
    "groups that miss a column": (
        lambda: OverlappingGroupClassifier([[0, 1]]).fit(X, LABELS),
        "groups miss column 2:",
    ),
    "groups that miss columns with names": (
        lambda: OverlappingGroupClassifier([[0]]).fit(NAMED, LABELS),
        r"groups miss column 1 \(wide\) and 1 more",
    ),
    "groups of columns there are not": (
        lambda: OverlappingGroupClassifier([[0, 1, 2, 3]]).fit(X, LABELS),
        "groups name the column 3; X has columns 0 to 2",
    ),
    "three classes": (
        lambda: OverlappingGroupClassifier().fit(X, np.arange(12) % 3),
        "Only binary classification is supported",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_wrong_is_named(name: str) -> None:
    wrong, sentence = CASES[name]
    with np.errstate(all="ignore"), pytest.raises((ValueError, TypeError), match=sentence):
        wrong()
