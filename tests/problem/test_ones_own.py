"""Sets, regularizers and losses of one's own, written in haste, do no harm."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import zooadmm as zoo
from zooadmm.evaluation import InProcess
from zooadmm.problem.regularizers import Foreign, ProximalSum, as_regularizer
from zooadmm.problem.sets import ConvexSet

M = 5
TARGET = np.array([1.0, -1.0, 0.3, 0.2, 0.6])

both_dtypes = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def bowl(x: np.ndarray) -> float:
    return float(np.square(x - np.resize(TARGET, len(x))).sum())


def run(dtype: type, loss: Any = bowl, **arguments: Any) -> zoo.Result:
    given = {
        "settings": "paper",
        "gradient": zoo.paper.Smoothed(4),
        "smoothing": 0.01,
        "max_iterations": 40,
        "rng": 0,
    }
    x0 = arguments.pop("x0", np.full(M, 0.25, dtype=dtype))
    return zoo.minimize(loss, x0, **{**given, **arguments})


def assert_same(one: zoo.Result, other: zoo.Result) -> None:
    for name in ("x", "y", "dual", "x_average", "y_average", "x_last", "y_last"):
        vector, wanted = getattr(one, name), getattr(other, name)
        assert vector.dtype == wanted.dtype, name
        assert vector.tobytes() == wanted.tobytes(), name
    assert (one.fun, one.nit, one.status) == (other.fun, other.nit, other.status)


# Sets


class Keeping(ConvexSet):
    """[0, 1/2]^m; the answer is always the same array."""

    def __init__(self) -> None:
        self.kept = np.empty(M)

    def project(self, v: np.ndarray) -> np.ndarray:
        np.clip(v, 0.0, 0.5, out=self.kept)
        return self.kept


class Wide(ConvexSet):
    """[0, 1/2]^m, always in double precision."""

    def project(self, v: np.ndarray) -> np.ndarray:
        return np.clip(v.astype(np.float64), 0.0, 0.5)


class Narrow(ConvexSet):
    """[0, 1/2]^m, always in single precision."""

    def project(self, v: np.ndarray) -> np.ndarray:
        return np.clip(v, 0.0, 0.5).astype(np.float32)


@both_dtypes
@pytest.mark.parametrize("role", ["domain", "regularizer"])
@pytest.mark.parametrize("kind", [Keeping, Wide])
@pytest.mark.parametrize("output", ["average", "last"])
@pytest.mark.parametrize("complete", ["x", "y"])
def test_a_set_may_keep_what_it_returns_and_return_another_type(
    kind: type[ConvexSet], role: str, output: Any, complete: Any, dtype: type
) -> None:
    given = {"output": output, "complete": complete}
    own = run(dtype, **{role: kind()}, **given)
    assert_same(own, run(dtype, **{role: zoo.Box(0.0, 0.5)}, **given))
    assert own.x.dtype == own.y.dtype == dtype


@both_dtypes
def test_a_set_of_single_precision_is_as_good_as_it_is(dtype: type) -> None:
    for role in ("domain", "regularizer"):
        own, ours = run(dtype, **{role: Narrow()}), run(dtype, **{role: zoo.Box(0.0, 0.5)})
        assert own.x.dtype == own.x_last.dtype == own.y_last.dtype == dtype
        np.testing.assert_allclose(own.x_last, ours.x_last, atol=1e-3)


@both_dtypes
def test_a_set_goes_with_a_metric_that_projects(dtype: type) -> None:
    own = run(dtype, domain=Keeping(), metric=zoo.paper.Fixed(2.0))
    assert_same(own, run(dtype, domain=zoo.Box(0.0, 0.5), metric=zoo.paper.Fixed(2.0)))


@both_dtypes
@pytest.mark.parametrize("kind", [Keeping, Wide])
def test_a_set_in_a_sum(kind: type[ConvexSet], dtype: type) -> None:
    own = run(dtype, regularizer=ProximalSum(kind(), zoo.L1(0.1)))
    ours = run(dtype, regularizer=ProximalSum(zoo.Box(0.0, 0.5), zoo.L1(0.1)))
    assert_same(own, ours)


class WideSimplex(ConvexSet):
    """The simplex in double precision: float32 points lie in it only to rounding."""

    def project(self, v: np.ndarray) -> np.ndarray:
        return zoo.Simplex().project(v.astype(np.float64))


def test_an_average_that_is_brought_back_keeps_its_type() -> None:
    for seed in range(10):
        own = run(np.float32, domain=WideSimplex(), rng=seed, x0=np.full(7, 1 / 7, np.float32))
        assert own.x.dtype == own.y.dtype == np.float32
        assert own.x_violation < 1e-6
        assert "violated" not in repr(own)


# Regularizers


class Haste:
    """|y|_1 / 10, with everything that can be careless about it."""

    def __init__(self, size: int = M) -> None:
        self.kept = np.empty(size)
        self.size = size

    def __call__(self, y: np.ndarray) -> Any:
        value = 0.1 * np.abs(y).sum()
        y[:] = np.nan  # it was given a copy
        return np.float32(value) if y.dtype == np.float32 else value

    def prox(self, v: np.ndarray, tau: float) -> np.ndarray:
        self.kept[:] = np.sign(v) * np.maximum(np.abs(v) - 0.1 * tau, 0.0)
        v[:] = np.nan
        return self.kept[:, None]


class HasteThatFits(Haste):
    def fits(self, d: int) -> None:
        if d != self.size:
            raise ValueError(f"I am for {self.size} numbers, not {d}.")


@pytest.mark.parametrize("kind", [Haste, HasteThatFits])
@pytest.mark.parametrize("complete", ["x", "y"])
def test_a_regularizer_may_keep_what_it_returns_and_spoil_what_it_gets(
    kind: type[Haste], complete: Any
) -> None:
    own = run(np.float64, regularizer=kind(), complete=complete)
    ours = run(np.float64, regularizer=zoo.L1(0.1), complete=complete)
    np.testing.assert_allclose(own.x_last, ours.x_last, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(own.y_last, ours.y_last, rtol=1e-12, atol=1e-14)
    assert own.fun == pytest.approx(ours.fun, rel=1e-12)


@pytest.mark.parametrize("kind", [Haste, HasteThatFits])
def test_a_regularizer_in_double_precision_leaves_single_precision_alone(kind: type[Haste]) -> None:
    own = run(np.float32, regularizer=kind())
    assert {own.x.dtype, own.y.dtype, own.dual.dtype, own.y_last.dtype} == {np.dtype(np.float32)}
    np.testing.assert_allclose(own.x, run(np.float32, regularizer=zoo.L1(0.1)).x, atol=1e-4)


def test_a_regularizer_that_says_which_length_it_is_for_is_asked() -> None:
    assert isinstance(as_regularizer(HasteThatFits()), Foreign)
    with pytest.raises(ValueError, match="I am for 7 numbers, not 5"):
        run(np.float64, regularizer=HasteThatFits(7))


# Losses


def spoiling(x: np.ndarray, w: np.ndarray | float = 0.0) -> float:
    """Works on its argument in place."""
    x -= TARGET + w
    x *= x
    value = float(x.sum())
    x[:] = np.nan
    return value


def careful(x: np.ndarray, w: np.ndarray | float = 0.0) -> float:
    return spoiling(x.copy(), w)


def spoiling_values(points: np.ndarray, observations: Any = None) -> np.ndarray:
    values = np.array([[careful(x, w) for w in (observations or [0.0])] for x in points.copy()])
    points[:] = np.nan
    return values[:, 0] if observations is None else values


SOURCES = {
    "forward": zoo.paper.Smoothed(3),
    "central": zoo.paper.Smoothed(3, difference="central"),
    "crossed": zoo.paper.Smoothed(3, 4),
    "central crossed": zoo.paper.Smoothed(3, 4, difference="central"),
    "paired": zoo.paper.Paired(4),
    "central paired": zoo.paper.Paired(4, difference="central"),
    "inside": zoo.paper.Smoothed(3, probes="inside"),
}


@pytest.mark.parametrize("batched", [False, True])
@pytest.mark.parametrize("label", SOURCES)
@both_dtypes
def test_a_loss_that_works_in_place_is_harmless(label: str, batched: bool, dtype: type) -> None:
    source = SOURCES[label]
    observed = source.num_observations > 1 or isinstance(source, zoo.paper.Paired)
    given: dict[str, Any] = {"gradient": source, "max_iterations": 12}
    if observed:
        given["observations"] = list(np.linspace(-0.3, 0.3, 9))
    if label == "inside":
        given["domain"] = zoo.Box(-1.0, 1.0)
    loss = zoo.Loss(values=spoiling_values) if batched else spoiling
    result = run(dtype, loss, **given)
    assert_same(result, run(dtype, careful, **given))
    assert "noisy" not in result.message


def test_the_points_of_a_query_are_the_callers_own() -> None:
    """Whatever is done to one evaluation's point, the next is as it should be."""
    for source in SOURCES.values():
        batch = np.linspace(-0.3, 0.3, source.num_observations)
        x = np.full(M, 0.2)
        query = source.query(1, x, 0.01, (1, 2), batch, zoo.Box(-1.0, 1.0))
        untouched = [evaluation.point.copy() for evaluation in query]
        for evaluation, point in zip(query, untouched, strict=True):
            assert evaluation.point.tobytes() == point.tobytes()
            evaluation.point[:] = np.nan
        assert (x == 0.2).all()
        answer = InProcess(careful)(query)
        assert InProcess(spoiling)(query).tobytes() == answer.tobytes()
