"""Random wrong arguments, one at a time: a ValueError or TypeError that names the argument.

Seeded. A value may also be right for its argument; then the run goes through.
"""

from __future__ import annotations

import math
import random
import warnings
from collections.abc import Callable
from decimal import Decimal
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


class Opaque:
    """An object that is no array and no sequence, and says so in its own way."""

    def __array__(self, *_: object, **__: object) -> np.ndarray:
        raise LookupError("made an array")

    def __iter__(self) -> Any:
        raise LookupError("iterated over")


VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 2, 10**400, 0.0, 0.5, -0.5, math.nan, math.inf, -math.inf, 1j,
    "", "auto", "nonsense", b"x", [], [1.0], [1.0, "a"], [[1.0], [1.0, 2.0]], (), (1, 2, 3), {},
    {"a": 1}, {1, 2}, object(), object, print, np.zeros(0), np.zeros(M), np.ones((M, M)),
    np.full(M, np.nan), np.array("x"), np.array(0.5), np.array([None, 1]), np.float32(0.5),
    np.int64(-3), np.bool_(True), np.datetime64("2020-01-01"), np.ma.masked, range(3), iter([1]),
    lambda t: 1.0 / t, lambda t: "a", lambda t: None, lambda t: [1.0, 2.0], lambda: 1.0,
    Fraction(1, 2), zoo.Box, zoo.Box(0, 1), zoo.L1(0.1), zoo.Auto, zoo.Auto(), zoo.Retry,
    Unhelpful(), 2**64, Ellipsis, NotImplemented, slice(3), memoryview(b"abc"), Decimal("sNaN"),
    np.timedelta64(3, "s"), np.longdouble("1e400"), np.ma.masked_less(np.zeros(M), 1.0), Opaque(),
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
    "limits",
    "max_trace_rows",
    "rng",
    "starts",
    "verbose",
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
    if name in ("limits", "starts"):
        del given["max_iterations"]
        given["max_evaluations" if name == "starts" else "target"] = 60
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
        if name == "observations" and isinstance(value, Opaque):
            continue  # a stream, and what it raises is its own
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


PARTS: dict[Callable[..., Any], dict[str, Any]] = {
    zoo.Box: {"lower": 0.0, "upper": 1.0},
    zoo.Budget: {"budget": 1.0},
    zoo.BoxBudget: {"lower": 0.0, "upper": 1.0, "budget": 1.0},
    zoo.Simplex: {"budget": 1.0},
    zoo.sets.AffineSet: {"M": np.ones((1, M)), "b": np.ones(1)},
    zoo.sets.Halfspace: {"normal": np.ones(M), "offset": 1.0},
    zoo.sets.L2Ball: {"radius": 1.0},
    zoo.sets.NuclearBall: {"radius": 1.0, "shape": (1, M)},
    zoo.L1: {"strength": 0.1, "weights": np.ones(M)},
    zoo.ElasticNet: {"l1_strength": 0.1, "l2_strength": 0.1},
    zoo.GroupL2: {"strength": 0.1, "groups": [[0], [1, 2]], "weights": np.ones(2)},
    zoo.regularizers.GraphLaplacian: {"strength": 0.1, "laplacian": np.eye(M)},
    zoo.Equality: {"A": np.ones((1, M)), "b": 1.0},
    zoo.Inequality: {"A": np.ones((1, M)), "lower": 0.0, "upper": 1.0},
    zoo.Linear: {"A": np.eye(M), "B": -1.0, "c": np.zeros(M)},
    zoo.overlapping_groups: {"m": M, "groups": [[0, 1], [1, 2]], "strength": 0.1},
    zoo.total_variation: {"shape": M, "strength": 0.1},
    zoo.Auto: {"horizon": 9, "noise": 0.0, "probes": "inside", "budget": 9, "without": ()},
    zoo.Limits: {"max_evaluations": 9, "max_seconds": 1.0, "target": 0.0, "tolerance": 0.1},
    zoo.Samples: {"values": [1, 2], "order": "in order"},
    zoo.Retry: {"times": 2, "then": "drop"},
    zoo.Command: {"arguments": ["true"], "timeout": 1.0},
    zoo.paper.Smoothed: {"num_directions": 2, "difference": "forward", "probes": "inside"},
    zoo.paper.LinearizedDiagonal: {"weights": np.ones(M)},
}
SAID = {"values": "observations"}
"""Where the sentence has another name, the one that `minimize` has for it."""


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__)
def test_wrong_arguments_of_parts_are_named(part: Callable[..., Any]) -> None:
    for name in PARTS[part]:
        for value in VALUES:
            if hasattr(value, "__next__"):
                continue  # would be empty the next time
            try:
                part(**{**PARTS[part], name: value})
            except (ValueError, TypeError) as error:
                assert SAID.get(name, name) in str(error), f"{name}={value!r}: {error!r}"  # noqa: PT017
            except Exception as error:
                pytest.fail(f"{name}={value!r}: {error!r}")


@pytest.mark.parametrize("value", [[1 + 1j, 2.0, 3.0], np.ma.masked_less([0.0, 1.0, 2.0], 1.0)])
def test_what_numpy_would_drop_is_refused(value: Any) -> None:
    """The imaginary part, and the mask."""
    for make in (
        lambda: zoo.L1(0.1, value),
        lambda: zoo.Box(value, 9.0),
        lambda: zoo.Equality(np.eye(3), value),
        lambda: zoo.Optimizer(value, max_iterations=2),
    ):
        with pytest.raises(TypeError, match=r"real numbers|masked|complex"):
            make()


@pytest.mark.parametrize("name", ["max_evaluations", "max_iterations"])
def test_whole_numbers_may_be_floats(name: str) -> None:
    assert getattr(zoo.Limits(**{name: 1e4}), name) == 10_000
    assert zoo.Auto(budget=1e4).budget == 10_000


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("bounds", "Box"),
        ("seed", "rng"),
        ("maxiter", "max_iterations"),
        ("n_jobs", "workers"),
        ("tol", "tolerance"),
        ("max_time", "max_seconds"),
        ("args", "lambda x"),
        ("callbacks", "callback"),
        ("max_evaluation", "did you mean max_evaluations"),
    ],
)
def test_habits_from_elsewhere_get_a_sentence(name: str, said: str) -> None:
    for face in (lambda **given: zoo.minimize(loss, np.zeros(M), **given), zoo.Optimizer):
        start = {} if face is not zoo.Optimizer else {"x0": np.zeros(M)}
        with pytest.raises(TypeError, match=f"^{name} is not an argument here.*{said}"):
            face(**start, **{name: 1})
