"""Every bad input gets a sentence that names the argument and says what to do about it.

Wherever it can be known beforehand, it comes before the loss is called for the first time.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import zooadmm as zoo

M = 4
NAN, INF = math.nan, math.inf
ORTHONORMAL = np.eye(M)[:, :2]


class Counted:
    """A sum of squares that counts how often it is asked."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, x: np.ndarray, *observation: Any) -> float:
        self.calls += 1
        return float(np.square(x - 1).sum())


def run(loss: Any = None, x0: Any = None, **arguments: Any) -> zoo.Result:
    arguments = {"settings": "paper", "max_iterations": 5, **arguments}
    return zoo.minimize(
        Counted() if loss is None else loss, np.zeros(M) if x0 is None else x0, rng=0, **arguments
    )


class OwnSet(zoo.sets.ConvexSet):
    def project(self, v: np.ndarray) -> np.ndarray:
        return np.maximum(v, 0.0)


def cosine(t: int) -> float:
    return math.cos(t)


REFUSED: list[tuple[str, Callable[[], dict[str, Any]], type[Exception], str]] = [
    # the start
    (
        "x0 matrix",
        lambda: {"x0": np.zeros((2, 2))},
        ValueError,
        r"x0 has shape \(2, 2\); give a vector",
    ),
    ("x0 number", lambda: {"x0": 3.0}, ValueError, r"x0 has shape \(\); give a vector"),
    (
        "x0 empty",
        lambda: {"x0": []},
        ValueError,
        r"x0 has shape \(0,\); give a vector with at least one entry",
    ),
    (
        "x0 ragged",
        lambda: {"x0": [[1, 2], [3]]},
        ValueError,
        "x0 has rows of different lengths; give a vector",
    ),
    (
        "x0 NaN",
        lambda: {"x0": [0.0, NAN]},
        ValueError,
        "x0 has entries .* not finite; give a finite start point",
    ),
    (
        "x0 inf",
        lambda: {"x0": [0.0, INF]},
        ValueError,
        "x0 has entries .* not finite; give a finite start point",
    ),
    (
        "x0 complex",
        lambda: {"x0": [1j, 0]},
        TypeError,
        "x0 has dtype complex128; give float32 or float64",
    ),
    (
        "x0 strings",
        lambda: {"x0": ["a", "b"]},
        TypeError,
        "x0 has dtype <U1; give float32 or float64",
    ),
    (
        "x0 objects",
        lambda: {"x0": [None, 1]},
        TypeError,
        "x0 has dtype object; give float32 or float64",
    ),
    (
        "x0 half",
        lambda: {"x0": np.zeros(2, np.float16)},
        TypeError,
        "x0 has dtype float16; give float32 or float64",
    ),
    ("y0 length", lambda: {"y0": np.zeros(3)}, ValueError, r"y0 has shape \(3,\); .* needs \(4,\)"),
    ("y0 matrix", lambda: {"y0": np.eye(M)}, ValueError, r"y0 has shape \(4, 4\); .* \(4,\)"),
    ("y0 NaN", lambda: {"y0": [NAN] * M}, ValueError, "y0 has entries that are not finite"),
    (
        "y0 complex",
        lambda: {"y0": [1j] * M},
        TypeError,
        "y0 must be made of real numbers, not complex",
    ),
    ("y0 text", lambda: {"y0": "abcd"}, TypeError, "y0 must be made of real numbers, not <U4"),
    (
        "dual0 length",
        lambda: {"dual0": np.zeros(5)},
        ValueError,
        r"dual0 has shape \(5,\); .* needs \(4,\)",
    ),
    (
        "dual0 inf",
        lambda: {"dual0": [INF] * M},
        ValueError,
        "dual0 has entries that are not finite",
    ),
    ("dual0 complex", lambda: {"dual0": [1j] * M}, TypeError, "dual0 must be made of real numbers"),
    # the constraint
    (
        "A vector",
        lambda: {"constraint": zoo.Linear(np.ones(M))},
        ValueError,
        "A has 1 dimensions; it must be a matrix with two",
    ),
    (
        "A text",
        lambda: {"constraint": zoo.Linear("A")},
        TypeError,
        "A must be made of real numbers",
    ),
    (
        "A ragged",
        lambda: {"constraint": zoo.Linear([[1, 2], [3]])},
        ValueError,
        "A has rows of different lengths",
    ),
    (
        "A complex",
        lambda: {"constraint": zoo.Linear(1j * np.eye(M))},
        TypeError,
        "A must be made of real numbers, not complex128",
    ),
    (
        "A sparse complex",
        lambda: {"constraint": zoo.Linear(scipy.sparse.csr_array(1j * np.eye(M)))},
        TypeError,
        "A must be made of real numbers, not complex128",
    ),
    (
        "A NaN",
        lambda: {"constraint": zoo.Linear(np.full((2, M), NAN))},
        ValueError,
        "A has entries that are not finite",
    ),
    (
        "A columns",
        lambda: {"constraint": zoo.Linear(np.eye(3))},
        ValueError,
        "A has 3 columns, but x0 has length 4: they must agree",
    ),
    (
        "B rows",
        lambda: {"constraint": zoo.Linear(np.eye(M), np.eye(3))},
        ValueError,
        "B has 3 rows, but A has 4: both need one row a constraint",
    ),
    (
        "B zero",
        lambda: {"constraint": zoo.Linear(np.eye(M), 0)},
        ValueError,
        "B = 0.0 leaves y out of the constraint; give another number",
    ),
    (
        "B NaN",
        lambda: {"constraint": zoo.Linear(np.eye(M), NAN)},
        ValueError,
        "B = nan leaves y out of the constraint; give another number",
    ),
    (
        "B with dependent columns and nothing to settle them",
        lambda: {"constraint": zoo.Linear(np.eye(M), np.ones((M, 2)))},
        ValueError,
        "the y-step has no unique solution: B has dependent columns, .* Remove columns or add",
    ),
    (
        "metric of another length",
        lambda: {"metric": zoo.paper.LinearizedDiagonal(np.ones(3))},
        ValueError,
        "weights has length 3, but x0 has length 4",
    ),
    (
        "metric below the identity",
        lambda: {"metric": zoo.paper.LinearizedDiagonal([1.0, 0.5, 1.0, 1.0])},
        ValueError,
        "weights must be at least 1, so that G_t >= I",
    ),
    (
        "metric that is no metric",
        lambda: {"metric": np.eye(M)},
        TypeError,
        r"metric must be a Metric, such as Linearized\(\) or Fixed\(G\), not an? ndarray\.",
    ),
    (
        "metric class",
        lambda: {"metric": zoo.paper.Linearized},
        TypeError,
        r"metric is the class Linearized; pass an instance, such as Linearized\(\) or Fixed\(G\)\.",
    ),
    (
        "diagonal metric on a simplex",
        lambda: {
            "metric": zoo.paper.Fixed(np.ones(M)),
            "domain": zoo.Simplex(),
            "x0": np.full(M, 1 / M),
        },
        ValueError,
        "goes with a domain that has bounds only",
    ),
    (
        "dense metric on a box",
        lambda: {"metric": zoo.paper.Fixed(np.eye(M)), "domain": zoo.Box(-1, 1)},
        ValueError,
        "is a quadratic program of its own, not a projection. Use Linearized",
    ),
    (
        "metric not symmetric",
        lambda: {"metric": zoo.paper.Fixed(np.triu(np.ones((M, M))))},
        ValueError,
        "G must be a symmetric matrix",
    ),
    (
        "metric not positive definite",
        lambda: {"metric": zoo.paper.Fixed(np.ones((M, M)))},
        ValueError,
        "G must be positive definite",
    ),
    (
        "metric and proximal weight",
        lambda: {"metric": zoo.paper.Fixed(2.0), "proximal_weight": 3.0},
        ValueError,
        r"proximal_weight is the alpha of Linearized\(\); leave one of them out",
    ),
    (
        "c length",
        lambda: {"constraint": zoo.Linear(np.eye(M), c=np.ones(3))},
        ValueError,
        r"c has shape \(3,\); A has 4 rows, so give \(4,\)",
    ),
    (
        "c NaN",
        lambda: {"constraint": zoo.Linear(np.eye(M), c=[NAN] * M)},
        ValueError,
        "c has entries that are not finite",
    ),
    (
        "c complex",
        lambda: {"constraint": zoo.Linear(np.eye(M), c=[1j] * M)},
        TypeError,
        "c must be made of real numbers",
    ),
    (
        "constraint",
        lambda: {"constraint": np.eye(M)},
        TypeError,
        r"constraint must be a Constraint, such as Equality\(A, b\), .*, not an? ndarray\.",
    ),
    (
        "constraint class",
        lambda: {"constraint": zoo.problem.Consensus},
        TypeError,
        r"constraint is the class Consensus; pass an instance, such as Linear\(A, B, c\)\.",
    ),
    (
        "complete y",
        lambda: {"constraint": zoo.Linear(np.eye(M), ORTHONORMAL), "complete": "y"},
        ValueError,
        'complete="y" needs an invertible B; use "x"',
    ),
    (
        "complete x",
        lambda: {
            "constraint": zoo.Linear(np.ones((M, M))),
            "regularizer": zoo.L1(1.0),
            "complete": "x",
        },
        ValueError,
        'complete="x" needs an invertible A; use "y"',
    ),
    (
        "complete x, sparse A",
        lambda: {
            "constraint": zoo.Linear(scipy.sparse.diags_array([1.0, 0.0, 1.0, 1.0])),
            "regularizer": zoo.L1(1.0),
            "complete": "x",
        },
        ValueError,
        'complete="x" needs an invertible A; use "y"',
    ),
    ("complete", lambda: {"complete": "z"}, ValueError, """complete must be "x" or "y", not 'z'"""),
    # the domain and the regularizer
    (
        "domain",
        lambda: {"domain": (0, 1)},
        TypeError,
        r"domain must be a ConvexSet, such as Box\(0, 1\) or Simplex\(\), or .* not a tuple\.",
    ),
    (
        "domain 0",
        lambda: {"domain": 0},
        TypeError,
        r"domain must be a ConvexSet, such as Box\(0, 1\) or Simplex\(\), or .* not an? int",
    ),
    (
        "domain class",
        lambda: {"domain": zoo.Simplex},
        TypeError,
        r"domain is the class Simplex; pass an instance, such as Box\(0, 1\) or Simplex\(\)\.",
    ),
    (
        "x0 outside",
        lambda: {"domain": zoo.Box(1.0, 2.0)},
        ValueError,
        r"x0 lies outside the domain Box\(.* at a distance of 2; start from domain.project\(x0\)",
    ),
    (
        "domain length",
        lambda: {"domain": zoo.Box(np.zeros(3), np.ones(3))},
        ValueError,
        "lower has length 3, but the vector has length 4; give one entry per coordinate",
    ),
    (
        "domain empty",
        lambda: {"domain": zoo.BoxBudget(0.0, 1.0, 9.0)},
        ValueError,
        "budget is 9, but the upper bounds of 4 coordinates only add up to 4; lower the budget",
    ),
    ("regularizer", lambda: {"regularizer": 0.1}, TypeError, "regularizer must be None, .* float"),
    ("prox", lambda: {"regularizer": abs}, TypeError, r"regularizer .* object with prox\(v, tau\)"),
    (
        "class",
        lambda: {"regularizer": zoo.L1},
        TypeError,
        "regularizer is the class L1; pass an instance",
    ),
    # observations
    (
        "observations text",
        lambda: {"observations": "ab"},
        TypeError,
        "observations cannot be a str",
    ),
    (
        "observations set",
        lambda: {"observations": {1, 2}},
        TypeError,
        "observations cannot be a set; give a sequence",
    ),
    (
        "observations dict",
        lambda: {"observations": {"a": [1, 2]}},
        TypeError,
        "observations cannot be a dict; give a sequence",
    ),
    (
        "observations sparse",
        lambda: {"observations": scipy.sparse.csr_array(np.eye(3))},
        TypeError,
        r"observations cannot be a sparse matrix; give np.arange\(n\) and let the loss take row w",
    ),
    (
        "observations (X, y)",
        lambda: {"observations": (np.ones((9, M)), np.ones(9))},
        TypeError,
        r"observations is a tuple of arrays, .* give list\(zip\(X, y\)\) for pairs of rows, or",
    ),
    (
        "observations number",
        lambda: {"observations": 3},
        TypeError,
        "observations must be an array",
    ),
    (
        "no observations",
        lambda: {"observations": []},
        ValueError,
        "observations is empty: give at least one",
    ),
    (
        "empty stream",
        lambda: {"observations": iter([])},
        ValueError,
        "observations is an empty stream; let it show at least one",
    ),
    (
        "order",
        lambda: {"observations": zoo.Samples([1], order="sorted")},  # type: ignore[arg-type]
        ValueError,
        'order must be "with replacement", .*, not .sorted.',
    ),
    (
        "too many without replacement",
        lambda: {
            "observations": zoo.Samples([1, 2], order="without replacement"),
            "gradient": zoo.paper.Smoothed(2, 3),
        },
        ValueError,
        "num_observations = 3 cannot be drawn without replacement from 2 observations; lower it",
    ),
    (
        "time in batches",
        lambda: {"observations": zoo.Time(), "gradient": zoo.paper.Smoothed(2, 3)},
        ValueError,
        r"Time\(\) shows one observation an iteration, not num_observations = 3",
    ),
    # gradients
    (
        "gradient",
        lambda: {"gradient": "exact"},
        TypeError,
        r"gradient must be a GradientSource, such as Smoothed\(num_directions=30\), .* not a str\.",
    ),
    (
        "gradient 0",
        lambda: {"gradient": 0},
        TypeError,
        r"gradient must be a GradientSource, such as Smoothed\(num_directions=30\), .* not an? int",
    ),
    (
        "gradient class",
        lambda: {"gradient": zoo.paper.Exact},
        TypeError,
        r"gradient is the class Exact; pass an instance, such as Smoothed\(num_directions=30\), or",
    ),
    (
        "directions",
        lambda: {"gradient": zoo.paper.Smoothed(0)},
        ValueError,
        "num_directions = 0 must be a whole number, at least 1",
    ),
    (
        "negative directions",
        lambda: {"gradient": zoo.paper.Smoothed(-3)},
        ValueError,
        "num_directions = -3 must be a whole number, at least 1",
    ),
    (
        "half a direction",
        lambda: {"gradient": zoo.paper.Smoothed(2.5)},  # type: ignore[arg-type]
        ValueError,
        "num_directions = 2.5 must be a whole number, at least 1",
    ),
    (
        "observations an iteration",
        lambda: {"gradient": zoo.paper.Smoothed(2, 0)},
        ValueError,
        "num_observations = 0 must be a whole number, at least 1",
    ),
    (
        "pairs",
        lambda: {"gradient": zoo.paper.Paired(0)},
        ValueError,
        "num_pairs = 0 must be a whole number, at least 1",
    ),
    (
        "gradients an iteration",
        lambda: {"gradient": zoo.paper.Exact(0)},
        ValueError,
        "num_observations = 0 must be a whole number, at least 1",
    ),
    (
        "distribution",
        lambda: {"gradient": zoo.paper.Smoothed(distribution="sphere")},  # type: ignore[arg-type]
        TypeError,
        r"distribution must be Sphere\(\), .* not 'sphere'",
    ),
    (
        "distribution class",
        lambda: {"gradient": zoo.paper.Smoothed(distribution=zoo.paper.Sphere)},  # type: ignore[arg-type]
        TypeError,
        r"distribution must be Sphere\(\)",
    ),
    (
        "difference",
        lambda: {"gradient": zoo.paper.Smoothed(difference="backward")},  # type: ignore[arg-type]
        ValueError,
        """difference must be "forward" or "central", not 'backward'""",
    ),
    (
        "probes",
        lambda: {"gradient": zoo.paper.Paired(probes="outside")},  # type: ignore[arg-type]
        ValueError,
        """probes must be "anywhere" or "inside", not 'outside'""",
    ),
    (
        "probes without bound",
        lambda: {
            "gradient": zoo.paper.Smoothed(distribution=zoo.paper.Gaussian(), probes="inside")
        },
        ValueError,
        r'probes="inside" needs .* bounded length, and Gaussian\(\) has none; take Sphere\(\)',
    ),
    (
        "probes in a point",
        lambda: {
            "x0": np.ones(M),
            "domain": zoo.BoxBudget(0.0, 1.0, float(M)),
            "gradient": zoo.paper.Smoothed(probes="inside"),
        },
        ValueError,
        'probes="inside" needs room, and BoxBudget.* is a single point',
    ),
    (
        "probes in a set of one's own",
        lambda: {"domain": OwnSet(), "gradient": zoo.paper.Smoothed(probes="inside")},
        ValueError,
        'probes="inside" works for the sets of zooadmm; .* or probes="anywhere"',
    ),
    (
        "pairs without observations",
        lambda: {"gradient": zoo.paper.Paired()},
        ValueError,
        r"Paired\(\) needs an observation of its own .*: give observations .* or use Smoothed\(\)",
    ),
    (
        "pairs of a stream",
        lambda: {"gradient": zoo.paper.Paired(), "observations": iter([1, 2])},
        ValueError,
        r"Paired\(\) needs an observation of its own",
    ),
    (
        "exact without gradient",
        lambda: {"gradient": zoo.paper.Exact()},
        TypeError,
        r"Exact\(\) needs a loss with gradient\(x, w\); use Smoothed\(\)",
    ),
    (
        "exact with evaluations",
        lambda: {"gradient": zoo.paper.Exact(), "max_evaluations": 10},
        ValueError,
        r"max_evaluations and target .* Exact\(\) asks for gradients only; give max_iterations",
    ),
    (
        "exact with target",
        lambda: {"gradient": zoo.paper.Exact(), "target": 0.0},
        ValueError,
        r"max_evaluations and target .* Exact\(\) asks for gradients only; give max_iterations",
    ),
    # parameters
    (
        "settings",
        lambda: {"settings": "fast"},
        ValueError,
        "settings must be .*, not 'fast'",
    ),
    *(
        (
            f"settings and {name}",
            lambda given=given: {"settings": "auto", **given},
            ValueError,
            rf'{re.escape(name)} belongs to Algorithm 1 as printed: add settings="paper"',
        )
        for name, given in {
            "gradient=Exact()": {"gradient": zoo.paper.Exact()},
            "proximal_weight": {"proximal_weight": "constant"},
            "metric": {"metric": zoo.paper.Fixed()},
        }.items()
    ),
    (
        "penalty",
        lambda: {"penalty": -1.0},
        ValueError,
        "penalty = -1.0 must be positive and finite",
    ),
    ("penalty 0", lambda: {"penalty": 0}, ValueError, "penalty = 0 must be positive and finite"),
    (
        "penalty inf",
        lambda: {"penalty": INF},
        ValueError,
        "penalty = inf must be positive and finite",
    ),
    (
        "penalty list",
        lambda: {"penalty": [1, 2]},
        TypeError,
        "penalty must be a number, not a list",
    ),
    (
        "step_size text",
        lambda: {"step_size": "big"},
        TypeError,
        "step_size must be a number or a function of t, not 'big'",
    ),
    (
        "step_size list",
        lambda: {"step_size": [0.1, 0.2]},
        TypeError,
        r"step_size must be a number or a function of t, not \[0.1, 0.2\]",
    ),
    (
        "step_size bool",
        lambda: {"step_size": True},
        TypeError,
        "step_size must be a number or a function of t, not True",
    ),
    (
        "smoothing text",
        lambda: {"smoothing": "small"},
        TypeError,
        "smoothing must be a number or a function of t, not 'small'",
    ),
    ("penalty bool", lambda: {"penalty": True}, TypeError, "penalty must be a number, not True"),
    (
        "step_size 0",
        lambda: {"step_size": 0},
        ValueError,
        "step_size = 0 must be positive and finite",
    ),
    (
        "step_size < 0",
        lambda: {"step_size": -1},
        ValueError,
        "step_size = -1 must be positive and finite",
    ),
    (
        "step_size NaN",
        lambda: {"step_size": NAN},
        ValueError,
        "step_size = nan must be positive and finite",
    ),
    (
        "step_size schedule",
        lambda: {"step_size": lambda t: -cosine(t)},
        ValueError,
        r"step_size at t = 1 = -0.54\d* must be positive and finite",
    ),
    (
        "step_size schedule of text",
        lambda: {"step_size": lambda t: "x"},
        TypeError,
        "step_size at t = 1 must be a number, not 'x'",
    ),
    (
        "smoothing 0",
        lambda: {"smoothing": 0.0},
        ValueError,
        "smoothing = 0.0 must be positive and finite",
    ),
    (
        "smoothing < 0",
        lambda: {"smoothing": -1},
        ValueError,
        "smoothing = -1 must be positive and finite",
    ),
    (
        "proximal_weight small",
        lambda: {"proximal_weight": 1.0},
        ValueError,
        r"proximal_weight = 1 is below penalty \* step_size \* lambda_max.* = 6, .* raise it",
    ),
    (
        "proximal_weight",
        lambda: {"proximal_weight": "adaptive"},
        ValueError,
        'proximal_weight must be "varying", "constant", a number or a function of t, '
        "not 'adaptive'",
    ),
    (
        "proximal_weight list",
        lambda: {"proximal_weight": [9.0]},
        TypeError,
        "proximal_weight must be a number, not a list",
    ),
    (
        "proximal_weight schedule",
        lambda: {"proximal_weight": lambda t: -float(t)},
        ValueError,
        "proximal_weight at t = 1 = -1.0 must be positive and finite",
    ),
    (
        "output",
        lambda: {"output": "best"},
        ValueError,
        'output must be "average" or "last", not \'best\'',
    ),
    # limits
    (
        "no limit",
        lambda: {"max_iterations": None},
        ValueError,
        "nothing would end this run: give max_evaluations, max_iterations",
    ),
    (
        "iterations",
        lambda: {"max_iterations": -1},
        ValueError,
        "max_iterations = -1 must be at least 0, or None",
    ),
    (
        "evaluations",
        lambda: {"max_evaluations": -1},
        ValueError,
        "max_evaluations = -1 must be at least 0, or None",
    ),
    (
        "evaluations text",
        lambda: {"max_evaluations": "9"},
        ValueError,
        "max_evaluations = '9' must be a whole number, or None",
    ),
    (
        "evaluations float",
        lambda: {"max_evaluations": 1000.5},
        ValueError,
        "max_evaluations = 1000.5 must be a whole number, or None",
    ),
    (
        "evaluations bool",
        lambda: {"max_evaluations": True},
        ValueError,
        "max_evaluations = True must be a whole number, or None",
    ),
    (
        "iterations float",
        lambda: {"max_iterations": 2.5},
        ValueError,
        "max_iterations = 2.5 must be a whole number, or None",
    ),
    (
        "iterations inf",
        lambda: {"max_iterations": INF},
        ValueError,
        "max_iterations = inf must be a whole number, or None",
    ),
    (
        "iterations bool",
        lambda: {"max_iterations": True},
        ValueError,
        "max_iterations = True must be a whole number, or None",
    ),
    (
        "directions bool",
        lambda: {"gradient": zoo.paper.Smoothed(True)},
        ValueError,
        "num_directions = True must be a whole number, at least 1",
    ),
    (
        "pairs bool",
        lambda: {"gradient": zoo.paper.Paired(True)},
        ValueError,
        "num_pairs = True must be a whole number, at least 1",
    ),
    (
        "observations an iteration, bool",
        lambda: {"gradient": zoo.paper.Exact(True)},
        ValueError,
        "num_observations = True must be a whole number, at least 1",
    ),
    ("seconds text", lambda: {"max_seconds": "1"}, ValueError, "max_seconds = '1' must be"),
    ("seconds", lambda: {"max_seconds": -0.5}, ValueError, "max_seconds = -0.5 must be at least 0"),
    (
        "seconds NaN",
        lambda: {"max_seconds": NAN},
        ValueError,
        "max_seconds = nan must be at least 0",
    ),
    (
        "tolerance",
        lambda: {"tolerance": -1e-3},
        ValueError,
        "tolerance = -0.001 must be at least 0",
    ),
    ("target NaN", lambda: {"target": NAN}, ValueError, "target is nan; give a number, or None"),
    (
        "target text",
        lambda: {"target": "low"},
        ValueError,
        "target is 'low'; give a number, or None",
    ),
    ("rows", lambda: {"max_trace_rows": -1}, ValueError, "max_trace_rows = -1 must be"),
    ("rows float", lambda: {"max_trace_rows": 2.5}, ValueError, "max_trace_rows = 2.5 must be"),
    ("rows bool", lambda: {"max_trace_rows": True}, ValueError, "max_trace_rows = True must be"),
    # the rest
    (
        "callback",
        lambda: {"callback": 3},
        TypeError,
        "callback must be a function of an Info, not 3",
    ),
    (
        "checkpoint",
        lambda: {"checkpoint": ""},
        ValueError,
        "checkpoint is an empty path; give a file name, or None",
    ),
    (
        "checkpoint_seconds",
        lambda: {"checkpoint_seconds": -1.0},
        ValueError,
        "checkpoint_seconds = -1.0 must be at least 0",
    ),
    (
        "checkpoint_seconds NaN",
        lambda: {"checkpoint_seconds": NAN},
        ValueError,
        "checkpoint_seconds = nan must be at least 0",
    ),
]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [row[1:] for row in REFUSED],
    ids=[row[0] for row in REFUSED],
)
def test_refused_before_any_evaluation(
    arguments: Callable[[], dict[str, Any]], error: type[Exception], message: str
) -> None:
    loss = Counted()
    with pytest.raises(error, match=message):
        run(loss, **arguments())
    assert loss.calls == 0


def test_loss_of_no_known_form() -> None:
    with pytest.raises(
        TypeError, match=r"loss must be callable as f\(x\) .* list has none of these"
    ):
        run([1, 2])
    with pytest.raises(TypeError, match="dict has none of these"):
        run({"value": 1.0})
    with pytest.raises(
        ValueError, match=r"Loss\(\) needs at least one of value, values and gradient"
    ):
        zoo.Loss()
    with pytest.raises(
        TypeError, match=r"loss has a gradient but no values; use gradient=Exact\(\)"
    ):
        run(zoo.Loss(gradient=np.sin))


def test_whole_numbers_and_lists_are_fine_start_points() -> None:
    for x0 in ([0, 0, 0, 0], np.zeros(M, int), np.zeros(M, bool), (0.0,) * M):
        assert run(x0=x0).x.dtype == np.float64
    assert run(gradient=zoo.paper.Smoothed(np.int64(3))).nfev == 5 * 4


def test_x0_may_be_outside_by_rounding() -> None:
    third = np.full(3, np.float32(1 / 3))
    assert run(x0=third, domain=zoo.Simplex()).nit == 5


@pytest.mark.parametrize(
    "A",
    [
        np.ones((M, M)),
        np.diag([1.0, 1.0, 1.0, 0.0]),
        scipy.sparse.diags_array([1.0, 1.0, 1.0, 0.0]),
    ],
    ids=["dense", "exactly singular", "sparse"],
)
def test_neither_side_can_be_completed(A: Any) -> None:
    constraint = zoo.Linear(A, ORTHONORMAL)
    with pytest.warns(RuntimeWarning, match="neither A nor B has an inverse") as caught:
        result = run(constraint=constraint)
    assert len(caught) == 1
    assert result.residual == pytest.approx(np.linalg.norm(constraint.residual(result.x, result.y)))


# What the loss returns


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (np.ones(M), r"an array of shape \(4,\)"),
        (np.ones((1, 1)), r"an array of shape \(1, 1\)"),
        ([1.0], r"an array of shape \(1,\)"),
        ("1.0", "a string"),
        (None, "None"),
        (1j, "complex numbers"),
        (np.complex128(1), "complex numbers"),
        (np.ma.masked, "None"),
    ],
    ids=["array", "matrix", "list", "string", "None", "complex", "numpy complex", "masked"],
)
def test_loss_that_returns_no_real_number(value: Any, what: str) -> None:
    with pytest.raises(TypeError, match=f"loss returned {what}; it must return one real number"):
        run(lambda x: value)


@pytest.mark.parametrize("value", [1, True, np.float32(2), np.int64(3), np.array(4.0)])
def test_loss_that_returns_a_real_number_of_another_type(value: Any) -> None:
    with pytest.warns(RuntimeWarning, match="the loss is flat here"):
        assert run(lambda x: value).fun == float(value)


@pytest.mark.parametrize(
    ("values", "what"),
    [
        (lambda points: np.ones(1), r"an array of shape \(1,\); .* real numbers of shape \(31,\)"),
        (lambda points: points, r"an array of shape \(31, 4\); .* a row for each point"),
        (lambda points: 1.0, r"an array of shape \(\)"),
        (lambda points: None, "None"),
        (lambda points: points[:, 0] + 1j, "complex numbers"),
        (lambda points: ["a"] * len(points), "a string"),
    ],
    ids=["one", "matrix", "number", "None", "complex", "strings"],
)
def test_values_of_the_wrong_shape_or_type(values: Any, what: str) -> None:
    with pytest.raises(TypeError, match=f"loss.values returned {what}"):
        run(zoo.Loss(values=values))


def test_values_without_a_column_for_each_observation() -> None:
    loss = zoo.Loss(values=lambda points, observations: points.sum(axis=1))
    with pytest.raises(
        TypeError, match=r"shape \(3, 5\), a row .* and a column for each observation"
    ):
        run(loss, observations=np.arange(9), gradient=zoo.paper.Smoothed(2, 5))


def test_values_may_come_in_an_array_that_the_loss_uses_again() -> None:
    buffers: dict[tuple[int, int], np.ndarray] = {}

    def values(points: np.ndarray, observations: np.ndarray) -> np.ndarray:
        shape = len(points), len(observations)
        buffer = buffers.setdefault(shape, np.empty(shape))
        np.sum(np.square(points[:, None, :] - observations[:, None]), axis=2, out=buffer)
        return buffer

    arguments = {
        "observations": np.arange(9.0),
        "gradient": zoo.paper.Paired(6),
        "max_iterations": 4,
    }
    again = run(zoo.Loss(values=values), **arguments)
    fresh = run(zoo.Loss(values=lambda p, w: values(p, w).copy()), **arguments)
    assert again.x_last.tobytes() == fresh.x_last.tobytes()


@pytest.mark.parametrize("gradient", [np.ones(3), 1.0, None, np.ones(M) * 1j, "abcd"])
def test_gradient_of_the_wrong_shape_or_type(gradient: Any) -> None:
    loss = zoo.Loss(gradient=lambda x: gradient)
    with pytest.raises(
        TypeError, match=r"loss.gradient returned .*; it must return 4 real numbers"
    ):
        run(loss, gradient=zoo.paper.Exact())


def test_an_attribute_called_values_is_not_taken_for_a_method() -> None:
    class WithData(Counted):
        values = np.arange(3)
        gradient = None

    assert run(WithData()).nit == 5


# Values that are not finite


@pytest.mark.parametrize("bad", [NAN, INF, -INF])
def test_loss_not_finite_at_x0(bad: float) -> None:
    with pytest.raises(ValueError, match=f"evaluation 0 of query 1 is {bad}, .* not finite at x0"):
        run(lambda x: bad if not x.any() else 1.0)


@pytest.mark.parametrize(
    ("source", "cell"),
    [(zoo.paper.Smoothed(2, 3), 2), (zoo.paper.Paired(3), 4)],
    ids=["crossed", "paired"],
)
def test_loss_not_finite_at_x0_for_a_later_observation(source: Any, cell: int) -> None:
    observations = zoo.Samples([1, 2, 3], order="in order")
    with pytest.raises(ValueError, match=f"evaluation {cell} of query 1 is nan, .* finite at x0"):
        run(
            lambda x, w: NAN if w == 3 else float(x @ x),
            observations=observations,
            gradient=source,
        )


@pytest.mark.parametrize("difference", ["forward", "central"])
@pytest.mark.parametrize("bad", [NAN, INF])
def test_probe_that_is_not_finite(bad: float, difference: Any) -> None:
    """x0 is fine, the points around it are not: the message is not about x0."""
    first = 0 if difference == "central" else 1
    with pytest.raises(ValueError, match=f"evaluation {first} of query 1 is {bad}") as caught:
        run(
            lambda x: float(x @ x) if not x.any() else bad,
            gradient=zoo.paper.Smoothed(3, difference=difference),
        )
    assert 'use Smoothed(probes="inside")' in str(caught.value)
    assert "x0" not in str(caught.value)


def test_later_value_that_is_not_finite_names_its_query() -> None:
    loss = Counted()

    def failing(x: np.ndarray) -> float:
        return loss(x) if loss.calls < 31 + 7 else NAN

    with pytest.raises(ValueError, match="evaluation 7 of query 2 is nan, not finite, at"):
        run(failing)


def test_infinities_of_both_signs() -> None:
    signs = zoo.Loss(values=lambda points: np.where(np.arange(len(points)) % 2, INF, -INF))
    with pytest.raises(ValueError, match="evaluation 0 of query 1 is -inf"):
        run(signs)


def test_gradient_that_is_not_finite() -> None:
    with pytest.raises(ValueError, match="not finite at x0"):
        run(zoo.Loss(gradient=lambda x: np.full(M, NAN)), gradient=zoo.paper.Exact())


# Divergence


both_dtypes = pytest.mark.parametrize("dtype", [np.float32, np.float64])


@both_dtypes
def test_values_that_overflow(dtype: type) -> None:
    def steep(x: np.ndarray) -> float:
        with np.errstate(over="ignore"):
            return 1e5 * float(np.cosh(x).sum())

    with pytest.raises(
        ValueError, match=r"is inf, not finite, .* the run diverges\. Lower step_size"
    ):
        run(steep, np.ones(M, dtype), step_size=1e10, smoothing=1e-2)


@both_dtypes
def test_gradients_that_grow_without_limit(dtype: type) -> None:
    """Where no value is asked, divergence shows in the gradients."""
    loss = zoo.Loss(gradient=lambda x: 2e4 * x)
    result = run(
        loss, np.ones(M, dtype), gradient=zoo.paper.Exact(), step_size=1e10, max_iterations=5000
    )
    assert (result.status, result.success) == (zoo.Status.DIVERGED, False)
    assert "its gradient) from 4e+04 to" in result.message
    assert np.isfinite(result.x).all()


@pytest.mark.parametrize(("dtype", "slope"), [(np.float32, 1e12), (np.float64, 1e100)])
def test_gradients_that_overflow(dtype: type, slope: float) -> None:
    with (
        np.errstate(over="ignore"),
        pytest.raises(FloatingPointError, match=r"iteration 2 .* not finite .* Lower step_size"),
    ):
        run(
            zoo.Loss(gradient=lambda x: slope * x),
            np.ones(M, dtype),
            gradient=zoo.paper.Exact(),
            step_size=1e10,
        )


@both_dtypes
def test_iterates_that_overflow(dtype: type) -> None:
    huge = np.full(M, 0.1 * np.finfo(dtype).max)
    with (
        np.errstate(over="ignore", invalid="ignore"),
        pytest.raises(FloatingPointError, match=r"diverges\. Lower step_size, now Constant"),
    ):
        run(
            zoo.Loss(gradient=lambda x: huge),
            np.ones(M, dtype),
            gradient=zoo.paper.Exact(),
            step_size=1e10,
            penalty=1e-10,
        )


@both_dtypes
def test_an_x_that_overflows_by_itself(dtype: type) -> None:
    """With A = 0 the dual never hears of x."""
    huge = np.full(M, 0.1 * np.finfo(dtype).max)
    with (
        np.errstate(over="ignore", invalid="ignore"),
        pytest.raises(FloatingPointError, match="iteration 1 leads to an x that is not finite"),
    ):
        run(
            zoo.Loss(gradient=lambda x: huge),
            np.ones(M, dtype),
            constraint=zoo.Linear(np.zeros((1, M))),
            regularizer=zoo.regularizers.Zero(),
            gradient=zoo.paper.Exact(),
            step_size=1e10,
        )


def steep(x: np.ndarray) -> float:
    return 1e4 * float(np.square(x.astype(np.float64)).sum())


@both_dtypes
def test_divergence_ends_the_run_and_is_named(dtype: type) -> None:
    result = run(steep, np.ones(M, dtype), step_size=1e10, smoothing=1e-2, max_iterations=100)
    assert (result.status, result.success) == (zoo.Status.DIVERGED, False)
    assert result.nit < 10
    assert np.isfinite(result.x).all()
    assert re.match(
        r"The run diverges: \|x\| grew from 2 to \S+, and the loss \(or its gradient\) from 4e\+04 "
        r"to \S+\. Lower step_size, now Constant\(value=10000000000\.0\), by a factor of 10",
        result.message,
    )
    assert repr(result).startswith("no success: The run diverges: ")


@pytest.mark.parametrize(
    "source", [zoo.paper.Smoothed(1), zoo.paper.Exact()], ids=["values", "gradients"]
)
@pytest.mark.parametrize(("eta", "latest"), [(3.0, 32), (0.3, 400)])
def test_divergence_is_looked_for_at_1_2_4_and_64s(source: Any, eta: float, latest: int) -> None:
    """It is |x_t| > 1e3 max(1, |x_1|) and a loss (a |g_t| where there is none) that has risen.

    By 1e3 times its first size, and by 4 times what it had risen when last looked at.
    """
    sign = (
        -1.0 if isinstance(source, zoo.paper.Exact) else 1.0
    )  # uphill, since a true gradient is kind
    infos: list[zoo.run.Info] = []
    result = run(
        zoo.Loss(lambda x: float(x @ x), gradient=lambda x: sign * 2 * x),
        np.full(M, 5.0),  # |x_1| = 10
        step_size=eta,
        penalty=1e-3,
        gradient=source,
        smoothing=1e-3,
        max_iterations=1000,
        callback=infos.append,
    )
    assert result.status is zoo.Status.DIVERGED
    height = [info.gradient_norm if np.isnan(info.loss) else info.loss for info in infos]
    first, ended = height[0], []
    last = first
    for t in [2**k for k in range(6)] + list(range(64, 1000, 64)):
        if t <= len(infos):
            rise, before = height[t - 1] - first, max(last - first, 0.0)
            last = height[t - 1]
            if np.linalg.norm(infos[t - 1].x) > 1e4 and rise > max(1e3 * first, 4 * before):
                ended.append(t)
    assert ended == [result.nit]
    assert 2 < result.nit <= latest


HALF: dict[str, tuple[Any, float]] = {
    "far, and it falls": (lambda x: -float(x.sum()), 1e-5),
    "far, and it falls from above": (lambda x: 10.0 - float(x.sum()), 1e-5),
    "far, and it falls to a minimum": (lambda x: float(np.square(x - 5e3).sum()) - 1e8, 1.0),
    "worse, and not far": (lambda x: 1e-3 if not x.any() else 1e4 + x[0], 10.0),
    "worse, then far without getting worse": (
        lambda x, t: (1e-3 if t == 1 else 1e5) - float(x.sum()),
        1.5e-3,
    ),
}


@pytest.mark.parametrize("label", HALF)
def test_one_half_of_divergence_is_none(label: str) -> None:
    loss, penalty = HALF[label]
    infos: list[zoo.run.Info] = []
    given = {"penalty": penalty, "step_size": 1e3 if penalty < 1 else 0.1, "smoothing": 1.0}
    given["observations"] = zoo.Time() if "then far" in label else None
    result = run(loss, **given, max_iterations=70, callback=infos.append)
    far = [np.linalg.norm(info.x) > 1e3 for info in infos]
    worse = [info.loss - infos[0].loss > 1e3 * abs(infos[0].loss) for info in infos]
    assert any(far) == label.startswith(("far", "worse, then far"))
    assert any(worse) == label.startswith("worse")
    if "then far" in label:
        assert not far[1]
        assert worse[1]
        assert far[3]
        assert worse[3]
    assert result.status is zoo.Status.MAX_ITERATIONS


def test_rounding_far_from_the_start_may_be_divergence() -> None:
    """A loss that only falls is not ended, but the warning thinks of it."""
    with pytest.warns(RuntimeWarning, match=r"if \|x_t\| = .* is divergence, a smaller step_size"):
        result = run(lambda x: -float(x.sum()), penalty=1e-8, step_size=1e9, smoothing=1e-7)
    assert result.status is zoo.Status.MAX_ITERATIONS


# Schedules that go wrong later


LATER: dict[str, tuple[dict[str, Any], str]] = {
    "step_size 0": (
        {"step_size": lambda t: 0.1 if t < 3 else 0.0},
        "step_size is 0.0 at t = 3; it must stay positive",
    ),
    "step_size < 0": (
        {"step_size": lambda t: 0.1 * (3.5 - t)},
        "step_size is -0.05.* at t = 4; it must stay positive",
    ),
    "step_size NaN": (
        {"step_size": lambda t: 0.1 if t < 3 else NAN},
        "step_size is nan at t = 3; it must stay positive",
    ),
    "smoothing 0": (
        {"smoothing": lambda t: 0.1 if t < 3 else 0.0},
        "smoothing is 0.0 at t = 3; it must stay positive",
    ),
    "smoothing < 0": (
        {"smoothing": lambda t: 0.1 * (3.5 - t)},
        "smoothing is -0.05.* at t = 4; it must stay positive",
    ),
    "smoothing inf": (
        {"smoothing": lambda t: 0.1 if t < 3 else INF},
        "smoothing is inf at t = 3; it must stay positive",
    ),
    "proximal_weight at once": (
        {"proximal_weight": lambda t: 1.5, "step_size": 0.1, "penalty": 10.0},
        "proximal_weight is 1.5 at t = 1, below penalty .* G_t >= I fails",
    ),
    "proximal_weight later": (
        {"proximal_weight": lambda t: 5.0 / t, "step_size": 0.1, "penalty": 10.0},
        r"proximal_weight is 1\.66\d+ at t = 3, below penalty \* step_size \* lambda_max",
    ),
    "proximal_weight NaN": (
        {"proximal_weight": lambda t: 5.0 if t < 3 else NAN, "step_size": 0.1},
        "proximal_weight is nan at t = 3",
    ),
    "a step_size that grows": (
        {"proximal_weight": "constant", "step_size": lambda t: 0.1 * t},
        "proximal_weight is 2 at t = 2, below .* Let step_size not increase",
    ),
    "a step_size that outgrows a number": (
        {"proximal_weight": 4.5, "step_size": lambda t: 0.1 * t},
        "proximal_weight is 4.5 at t = 4, below .* Let step_size not increase",
    ),
}


@pytest.mark.parametrize("label", LATER)
def test_a_schedule_that_goes_wrong_is_named_with_its_t(label: str) -> None:
    arguments, message = LATER[label]
    with pytest.raises(ValueError, match=message):
        run(**arguments)


def test_proximal_weight_as_a_function_of_t() -> None:
    """The function that "varying" stands for gives the same run, and a larger one another."""
    eta = zoo.paper.schedules.Power(0.3, 0.5)
    varying = run(step_size=eta, penalty=10.0, max_iterations=30)
    by_hand = run(
        step_size=eta,
        penalty=10.0,
        proximal_weight=lambda t: 10.0 * eta(t) + 1.0,
        max_iterations=30,
    )
    assert by_hand.x_last.tobytes() == varying.x_last.tobytes()
    larger = run(step_size=eta, penalty=10.0, proximal_weight=lambda t: 50.0, max_iterations=30)
    number = run(step_size=eta, penalty=10.0, proximal_weight=50, max_iterations=30)
    assert larger.x_last.tobytes() == number.x_last.tobytes() != varying.x_last.tobytes()


def test_whole_numbers_of_numpy_count() -> None:
    result = run(max_iterations=np.int32(3), max_evaluations=np.uint8(200))
    assert result.nit == 3


@pytest.mark.parametrize(
    ("G", "smallest"),
    [(0.5, "0.5"), ([1.0, 0.25, 1.0, 2.0], "0.25"), (np.eye(M) * 0.1, "0.1")],
    ids=["number", "vector", "matrix"],
)
def test_a_metric_below_the_identity_is_allowed_and_warned_of(G: Any, smallest: str) -> None:
    sentence = f"the smallest eigenvalue of G is {smallest}; the theory wants G >= I"
    with pytest.warns(RuntimeWarning, match=sentence) as caught:
        assert run(metric=zoo.paper.Fixed(G)).nit == 5
    assert len(caught) == 1
    run(metric=zoo.paper.Fixed(np.ones(M)))  # and this is not


# Callbacks and losses that raise


def test_a_callback_stops_the_run() -> None:
    def enough(info: zoo.run.Info) -> None:
        if info.t == 3:
            raise StopIteration

    result = run(callback=enough, max_iterations=100)
    assert result.status is zoo.Status.CALLBACK
    assert result.nit == 3


def test_any_other_error_of_a_callback_is_its_own() -> None:
    def failing(info: zoo.run.Info) -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        run(callback=failing)


class SensorError(Exception):
    """Something of the user's own."""


def broken(*arguments: Any) -> Any:
    raise SensorError("sensor unplugged")


@pytest.mark.parametrize(
    ("loss", "source", "note"),
    [
        (broken, zoo.paper.Smoothed(), "raised by the loss at evaluation 0 of query 1"),
        (zoo.Loss(values=broken), zoo.paper.Smoothed(), "raised by the loss during query 1"),
        (zoo.Loss(gradient=broken), zoo.paper.Exact(), "raised by the loss during query 1"),
    ],
    ids=["value", "values", "gradient"],
)
def test_the_error_of_a_loss_is_its_own_with_a_note(loss: Any, source: Any, note: str) -> None:
    with pytest.raises(SensorError, match="sensor unplugged") as caught:
        run(loss, gradient=source)
    assert caught.value.__notes__ == [note]


@pytest.mark.parametrize("calls", [0, 1, 5, 40])
def test_a_loss_that_raises_stop_iteration_does_not_pass_for_a_callback(calls: int) -> None:
    """Not from its values, its gradients or its regret, here or in threads."""
    said = "loss raised StopIteration: it called next"

    def loss(x: np.ndarray) -> float:
        return next(left) + float(x @ x)

    threads, regret = zoo.evaluation.Threads(2), zoo.Regret(np.ones(M))
    for given in ({}, {"evaluator": threads}, {"regret": regret}):
        left = iter([0.0] * calls)
        with pytest.raises(RuntimeError, match=said) as caught:
            run(loss, **given)
        assert "raised by the loss" in caught.value.__notes__[0]
    left = iter([0.0] * calls)
    with pytest.raises(RuntimeError, match=said):
        run(zoo.Loss(values=lambda points: np.array([loss(x) for x in points])))
    left = iter([0.0] * calls)
    exact = {"gradient": zoo.paper.Exact(), "max_iterations": 50}
    with pytest.raises(RuntimeError, match=said):
        run(zoo.Loss(gradient=lambda x: loss(x) * x), **exact)
    left = iter([0.0] * (calls + 32))
    dropped = run(loss, on_error="drop", max_iterations=1)
    assert dropped.nit == 1


def test_a_loss_that_wants_observations_and_gets_none() -> None:
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'w'") as caught:
        run(lambda x, w: 0.0)
    assert caught.value.__notes__


def test_the_loss_cannot_write_to_the_iterates() -> None:
    optimizer = zoo.Optimizer(np.ones(M), settings="paper", max_iterations=2, rng=0)
    query = optimizer.ask()
    assert query is not None
    query.points[0][:] = 5.0  # points are the loss's to play with
    assert (optimizer.state.x == 1.0).all()
    with pytest.raises(ValueError, match="read-only"):
        optimizer.state.x[0] = 5.0


def test_a_loss_that_takes_other_arguments_is_told_how_it_is_called():
    with pytest.raises(TypeError) as caught:
        zoo.minimize(lambda x, row: 0.0, np.zeros(2), max_evaluations=100)
    assert any("give observations=" in note for note in caught.value.__notes__)
    with pytest.raises(TypeError) as caught:
        zoo.minimize(lambda x: 0.0, np.zeros(2), observations=np.arange(3), max_evaluations=100)
    assert any("loss(x, w)" in note for note in caught.value.__notes__)

    def own_mistake(x):
        return len(3)  # type: ignore[arg-type]

    with pytest.raises(TypeError) as caught:
        zoo.minimize(own_mistake, np.zeros(2), max_evaluations=100)
    assert not any("observations" in note for note in caught.value.__notes__)


def test_a_query_in_place_of_its_number():
    optimizer = zoo.Optimizer(np.zeros(2), rng=0)
    query = optimizer.ask()
    with pytest.raises(ValueError, match=r"tell\(query.id, values\)"):
        optimizer.tell(query, np.zeros(len(query)))


def test_strengths_one_each_are_weights():
    with pytest.raises(TypeError, match="weights="):
        zoo.L1(np.ones(3))
