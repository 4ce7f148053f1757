"""Random wrong arguments, one at a time: a ValueError or TypeError that names the argument.

Seeded. A value may also be right for its argument; then the run goes through.
"""

from __future__ import annotations

import math
import random
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import zooadmm as zoo

M = 3


class Unhelpful:
    """An object whose comparisons and conversions raise."""

    def __eq__(self, other: object) -> bool:
        raise LookupError("compared")

    def __float__(self) -> float:
        raise LookupError("converted")

    __hash__ = None  # type: ignore[assignment]


VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 2, 10**400, 0.0, 0.5, -0.5, math.nan, math.inf, -math.inf, 1j,
    "", "auto", "nonsense", b"x", [], [1.0], [1.0, "a"], [[1.0], [1.0, 2.0]], (), (1, 2, 3), {},
    {"a": 1}, {1, 2}, object(), object, print, np.zeros(0), np.zeros(M), np.ones((M, M)),
    np.full(M, np.nan), np.array("x"), np.array(0.5), np.array([None, 1]), np.float32(0.5),
    np.int64(-3), np.bool_(True), np.datetime64("2020-01-01"), np.ma.masked, range(3), iter([1]),
    lambda t: 1.0 / t, lambda t: "a", lambda t: None, lambda t: [1.0, 2.0], lambda: 1.0,
    Fraction(1, 2), zoo.Box, zoo.Box(0, 1), zoo.L1(0.1), zoo.Auto, zoo.Auto(), zoo.Retry,
    Unhelpful(), 2**64, Ellipsis, NotImplemented, slice(3), memoryview(b"abc"),
]  # fmt: skip

ARGUMENTS = [
    "x0",
    "regularizer",
    "domain",
    "constraint",
    "observations",
    "gradient",
    "settings",
    "step_size",
    "smoothing",
    "penalty",
    "proximal_weight",
    "metric",
    "y0",
    "dual0",
    "max_evaluations",
    "max_iterations",
    "max_seconds",
    "target",
    "tolerance",
    "output",
    "complete",
    "max_trace_rows",
    "rng",
    "regret",
    "callback",
    "progress",
    "checkpoint_seconds",
    "workers",
    "evaluator",
    "on_error",
    "on_nan",
]


def loss(x: np.ndarray, w: Any = 0) -> float:
    return float(x @ x)


def fault(name: str, value: Any, settings: str | None) -> str:
    """What went wrong beside a ValueError or TypeError that names the argument; or nothing."""
    given: dict[str, Any] = {"max_iterations": 2, "rng": 0, "x0": np.full(M, 0.5)}
    if settings is not None:
        given["settings"] = settings
    given[name] = value
    if name == "max_iterations":
        given["max_evaluations"] = 60
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # ours; numpy's are another test's
        try:
            zoo.minimize(loss, **given)
        except (ValueError, TypeError) as error:
            return "" if name.removesuffix("0") in str(error) else f"{error!r}"
        except Exception as error:
            return f"{error!r}"
    return ""


@pytest.mark.parametrize("name", ARGUMENTS)
def test_wrong_arguments_are_named(name: str) -> None:
    rng = random.Random(name)
    for value in rng.sample(VALUES, 40):
        if name == "workers" and type(value) is int and value < 9:
            continue  # right, and slow
        if name == "callback" and callable(value) and not isinstance(value, type):
            continue  # what it raises is its own
        for settings in rng.sample([None, "auto", "paper"], 1 if name == "x0" else 2):
            said = fault(name, value, settings)
            assert not said, f"{name}={value!r}, settings={settings}: {said}"


@pytest.mark.parametrize("name", ["y0", "dual0"])
@pytest.mark.parametrize("value", [np.datetime64("2020-01-01"), ["a", "b"], [1.0, 2.0], [np.nan]])
def test_starts_beside_rows_are_named(name: str, value: Any) -> None:
    """Before entries of the rows join them."""
    rows = zoo.Inequality(np.ones((1, M)), -9.0, 9.0)
    given: dict[str, Any] = {"regularizer": zoo.L1(0.1), "constraint": rows, name: value}
    with pytest.raises((TypeError, ValueError), match=f"^{name} "):
        zoo.Optimizer(np.full(M, 0.5), **given)
