"""The type of x0 is the type of everything: what the loss sees and what the result holds."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from scipy.sparse.linalg import aslinearoperator

import zooadmm as zoo
from zooadmm.problem.regularizers import GraphLaplacian, LInf, NuclearNorm

M = 6
DIFFERENCES = np.diff(np.eye(M), axis=0)
CENTERS = np.linspace(-1, 1, 5 * M).reshape(5, M)
ORTHOGONAL = np.linalg.qr(np.vander(np.linspace(-1, 1, M)))[0]
ANY = np.tri(M) / M + np.eye(M)

CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "consensus": {},
    "dense A": {"constraint": zoo.Linear(DIFFERENCES)},
    "dense float32 A": {"constraint": zoo.Linear(DIFFERENCES.astype(np.float32))},
    "integer A": {"constraint": zoo.Linear(DIFFERENCES.astype(int))},
    "sparse A": {"constraint": zoo.Linear(scipy.sparse.csr_array(DIFFERENCES))},
    "sparse integer A": {"constraint": zoo.Linear(scipy.sparse.coo_array(DIFFERENCES.astype(int)))},
    "operator A": {"constraint": zoo.Linear(aslinearoperator(DIFFERENCES))},
    "dense B and c": {"constraint": zoo.Linear(np.eye(M), 2 * ORTHOGONAL, np.ones(M))},
    "sparse B": {"constraint": zoo.Linear(np.eye(M), scipy.sparse.eye_array(M) * -3.0)},
    "number B": {"constraint": zoo.Linear(np.eye(M), 0.5, np.arange(M))},
    "completed x": {"complete": "x", "regularizer": zoo.L1(0.1)},
    "completed x, dense": {"constraint": zoo.Linear(2.0 * np.eye(M)), "complete": "x"},
    "completed x, sparse": {
        "constraint": zoo.Linear(scipy.sparse.eye_array(M, format="csc")),
        "complete": "x",
    },
    "last": {"output": "last"},
    "constant weight": {"proximal_weight": "constant"},
    "numpy parameters": {
        "penalty": np.float64(2.0),
        "step_size": np.float64(0.1),
        "smoothing": np.float64(0.1),
        "proximal_weight": np.float64(5.0),
    },
    "numpy schedules": {
        "step_size": lambda t: np.float64(0.1) / np.sqrt(t),
        "smoothing": lambda t: 0.1 / np.sqrt(t),
    },
    "warm start": {"y0": np.ones(M), "dual0": list(range(M))},
    "a function as weight": {"proximal_weight": lambda t: np.float64(9.0) + np.sqrt(t)},
    "metric, a number": {"metric": zoo.paper.Fixed(2.0)},
    "metric, a numpy number": {"metric": zoo.paper.Fixed(np.float64(2.0))},
    "metric, a vector": {"metric": zoo.paper.Fixed(np.linspace(1, 2, M))},
    "metric, a matrix": {"metric": zoo.paper.Fixed(np.eye(M) + 0.1)},
    "metric, with any A": {"metric": zoo.paper.Fixed(), "constraint": zoo.Linear(DIFFERENCES)},
    "metric, a linearized diagonal": {
        "metric": zoo.paper.LinearizedDiagonal(np.linspace(1, 2, M)),
        "constraint": zoo.Linear(DIFFERENCES),
    },
    **{
        f"any B, {name}": {"constraint": zoo.Linear(np.eye(M), form(ANY)), "regularizer": phi}
        for name, form, phi in (
            ("quadratic", np.asarray, zoo.regularizers.SquaredL2(0.1)),
            ("sparse quadratic", scipy.sparse.csr_array, zoo.regularizers.SquaredL2(0.1)),
            ("no regularizer", np.asarray, None),
            ("iterative", np.asarray, zoo.L1(0.1)),
            ("sparse iterative", scipy.sparse.csc_matrix, zoo.L1(0.1)),
            ("operator", aslinearoperator, zoo.L1(0.1)),
            ("float32", lambda B: B.astype(np.float32), zoo.L1(0.1)),
            ("integer", lambda B: np.rint(4 * B).astype(np.int8), zoo.L1(0.1)),
        )
    },
    "float32 orthogonal B": {
        "constraint": zoo.Linear(np.eye(M), ORTHOGONAL.astype(np.float32)),
        "regularizer": zoo.L1(0.1),
    },
    **{
        f"{mu} {difference}": {
            "gradient": zoo.paper.Smoothed(4, 2, distribution=mu, difference=difference)
        }
        for mu in (
            zoo.paper.Sphere(),
            zoo.paper.Gaussian(),
            zoo.paper.Rademacher(),
            zoo.paper.Coordinate(),
            zoo.paper.Orthogonal(),
        )
        for difference in ("forward", "central")
    },
    "more directions than entries": {
        "gradient": zoo.paper.Smoothed(2 * M, distribution=zoo.paper.Orthogonal())
    },
    "paired": {"gradient": zoo.paper.Paired(4)},
    "paired, central": {"gradient": zoo.paper.Paired(4, difference="central")},
    "paired, numpy schedule": {
        "gradient": zoo.paper.Paired(4),
        "smoothing": lambda t: 0.1 / np.sqrt(t),
    },
    "exact": {"gradient": zoo.paper.Exact(2)},
    **{
        f"{type(phi).__name__}": {"regularizer": phi}
        for phi in (
            zoo.L1(0.1),
            zoo.regularizers.SquaredL2(0.1),
            zoo.ElasticNet(0.1, 0.2),
            zoo.GroupL2(0.1, [[0, 1], [2, 3], [4, 5]]),
            zoo.regularizers.Indicator(zoo.Box(-1.0, 1.0)),
            zoo.regularizers.Within(zoo.L1(0.1), zoo.Box(-1.0, 1.0)),
            zoo.regularizers.Zero(),
            LInf(0.1),
            NuclearNorm(0.1, (2, 3)),
            GraphLaplacian(0.1, scipy.sparse.csr_array(DIFFERENCES.T @ DIFFERENCES)),
        )
    },
    "weighted L1": {"regularizer": zoo.L1(0.1, np.linspace(1, 2, M))},
    **{
        f"{type(domain).__name__} {probes}": {
            "domain": domain,
            "gradient": zoo.paper.Smoothed(4, probes=probes),
        }
        for domain in (
            zoo.Box(-np.ones(M), np.arange(1.0, M + 1.0)),
            zoo.Nonnegative(),
            zoo.Simplex(),
            zoo.BoxBudget(np.zeros(M), np.ones(M), 1.0),
            zoo.Budget(1.0),
            zoo.sets.WholeSpace(),
        )
        for probes in ("anywhere", "inside")
    },
}
for _given in CONFIGURATIONS.values():
    if "constraint" in _given and _given.get("regularizer") is None:
        _given["regularizer"] = zoo.regularizers.Zero()  # on purpose


class Watching:
    """A sum of squares that notes the type of every point it sees."""

    def __init__(self) -> None:
        self.seen: set[np.dtype[Any]] = set()

    def __call__(self, x: np.ndarray, w: np.ndarray) -> float:
        self.seen.add(x.dtype)
        return float(np.square(x - w).sum())

    def gradient(self, x: np.ndarray, w: np.ndarray) -> np.ndarray:
        self.seen.add(x.dtype)
        return 2 * (x - w)


class WatchingBatches(Watching):
    """The same, for many points at once."""

    def values(self, points: np.ndarray, observations: np.ndarray) -> np.ndarray:
        self.seen.add(points.dtype)
        return np.square(points[:, None] - observations).sum(axis=2)


@pytest.mark.parametrize("form", [Watching, WatchingBatches])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("configuration", CONFIGURATIONS)
def test_one_type_throughout(configuration: str, dtype: type, form: type[Watching]) -> None:
    loss = form()
    infos: list[zoo.run.Info] = []
    result = zoo.minimize(
        loss,
        np.full(M, 1 / M, dtype=dtype),
        settings="paper",
        observations=CENTERS,
        max_iterations=4,
        rng=0,
        callback=infos.append,
        **{"smoothing": 0.01, **CONFIGURATIONS[configuration]},
    )
    for name in ("x", "y", "dual", "x_average", "y_average", "x_last", "y_last"):
        vector = getattr(result, name)
        assert vector.dtype == dtype, name
        assert np.isfinite(vector).all(), name
    for info in infos:
        assert {info.x.dtype, info.y.dtype, info.dual.dtype} == {np.dtype(dtype)}
    assert loss.seen == {np.dtype(dtype)}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("difference", ["forward", "central"])
def test_queries_and_gradients(dtype: type, difference: Any) -> None:
    optimizer = zoo.Optimizer(
        np.zeros(M, dtype=dtype),
        settings="paper",
        gradient=zoo.paper.Smoothed(3, difference=difference),
        smoothing=0.1,
        max_iterations=3,
    )
    while (query := optimizer.ask()) is not None:
        assert query.points.dtype == dtype
        assert all(cell.point.dtype == dtype for cell in query)
        source = optimizer.algorithm.source
        answer = np.square(query.points - 1).sum(axis=1).astype(np.float64)
        assert source.gradient(query, answer).dtype == dtype
        optimizer.tell(query.id, answer)
    assert optimizer.state.x.dtype == dtype


def test_an_answer_in_single_precision_is_taken() -> None:
    loss = zoo.Loss(values=lambda points: np.square(points - 1).sum(axis=1))
    result = zoo.minimize(
        loss,
        np.zeros(M, np.float32),
        settings="paper",
        max_iterations=300,
        smoothing=1e-2,
        step_size=0.05,
        rng=0,
    )
    np.testing.assert_allclose(result.x_last, 1.0, atol=0.02)


def test_the_average_in_single_precision_is_the_mean_of_the_iterates() -> None:
    iterates = []
    result = zoo.minimize(
        lambda x: float(np.square(x - 1).sum()),
        np.zeros(M, np.float32),
        settings="paper",
        max_iterations=2000,
        smoothing=1e-2,
        step_size=1e-3,
        rng=0,
        callback=lambda info: iterates.append(info.x.astype(np.float64)),
    )
    mean = np.mean(iterates, axis=0)
    np.testing.assert_allclose(result.x_average, mean, rtol=2 * np.finfo(np.float32).eps)


# Rounding


def values_far_from_zero(points: np.ndarray) -> np.ndarray:
    return 10.0 + np.square(points.astype(np.float64)).sum(axis=1)


def rounding_warnings(x0: np.ndarray, **arguments: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        zoo.minimize(
            zoo.Loss(values=values_far_from_zero), x0, settings="paper", rng=0, **arguments
        )
    assert all(warning.category is RuntimeWarning for warning in caught)
    assert all(warning.filename == __file__ for warning in caught)  # the line that led to it
    return [str(warning.message) for warning in caught]


def test_the_papers_smoothing_in_single_precision_is_warned_of_once() -> None:
    (message,) = rounding_warnings(np.full(1000, 0.1, np.float32), max_iterations=70)
    assert "rounding is" in message
    assert "smoothing = Power(scale=3.1" in message
    assert "Give a larger smoothing" in message


def test_the_papers_smoothing_in_double_precision_is_not_warned_of() -> None:
    assert rounding_warnings(np.full(1000, 0.1), max_iterations=70) == []


def test_a_larger_smoothing_in_single_precision_is_not_warned_of() -> None:
    x0 = np.full(1000, 0.1, np.float32)
    assert rounding_warnings(x0, max_iterations=70, smoothing=1e-2) == []


@pytest.mark.parametrize(
    ("dtype", "smoothing"), [(np.float32, 1e-9), (np.float64, 1e-17)], ids=["single", "double"]
)
@pytest.mark.parametrize("difference", ["forward", "central"])
def test_a_smoothing_lost_beside_x_is_warned_of_at_once(
    dtype: type, smoothing: float, difference: Any
) -> None:
    messages = rounding_warnings(
        np.ones(M, dtype),
        smoothing=smoothing,
        gradient=zoo.paper.Smoothed(3, difference=difference),
        max_iterations=40,
    )
    assert len(messages) == 1
    assert messages[0].startswith("at iteration 1 rounding is 100%")


def test_exact_gradients_are_not_warned_of() -> None:
    loss = zoo.Loss(values=values_far_from_zero, gradient=lambda x: 2 * x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        zoo.minimize(
            loss,
            np.ones(1000, np.float32),
            settings="paper",
            gradient=zoo.paper.Exact(),
            max_iterations=40,
            smoothing=1e-9,
        )


@pytest.mark.parametrize("unit", [1.0, 1e-5])
def test_a_streamed_loss_from_zero_is_as_good_in_single_precision(unit: float) -> None:
    """Numbers near zero are close to each other; where x ends, they are 1e-7 of it apart."""
    for seed in range(5):
        generator = np.random.default_rng([31, seed])
        A = generator.standard_normal((40, 5))
        signs = np.sign(A @ generator.standard_normal(5) + 0.5 * generator.standard_normal(40))

        def loss(x: np.ndarray, w: int, A: np.ndarray = A, signs: np.ndarray = signs) -> float:
            z = np.asarray(x, dtype=np.float64) / unit
            return float(np.logaddexp(0.0, -signs[w] * (A[w] @ z)) + 0.01 * (z @ z))

        def drawn(seed: int = seed) -> Iterator[int]:
            order = np.random.default_rng(seed)
            while True:
                yield int(order.integers(40))

        ends = []
        for dtype in (np.float32, np.float64):
            given = {"observations": drawn(), "max_evaluations": 2_000, "rng": seed}
            x = zoo.minimize(loss, np.zeros(5, dtype=dtype), **given).x
            ends.append(np.mean([loss(x, w) for w in range(40)]))
        assert abs(ends[0] - ends[1]) < 0.02, seed
