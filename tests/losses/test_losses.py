"""Every ready loss, held to the same promises. A new loss is one row of ROWS."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import zooadmm as zoo
from twins import losses as twins
from zooadmm.losses import Cox, LogDeterminant, Logistic, Squares
from zooadmm.losses import data as loss_data
from zooadmm.losses import features as features_module
from zooadmm.losses import log_determinant as log_determinant_module
from zooadmm.losses import squares as squares_module
from zooadmm.losses.average import Average
from zooadmm.losses.features import Features
from zooadmm.losses.log_determinant import log_determinants

GENERATOR = np.random.default_rng(3)
N, M = 40, 6
A = GENERATOR.normal(size=(N, M))
SINGLE = A.astype(np.float32)
SPARSE = A * (GENERATOR.random((N, M)) < 0.3)
B = GENERATOR.normal(size=N)
LABELS = np.where(GENERATOR.random(N) < 0.5, -1, 1)
TIME = GENERATOR.exponential(size=N)
TIED = GENERATOR.integers(0, 6, size=N)
EVENT = GENERATOR.random(N) < 0.4
SENSORS = GENERATOR.normal(size=(7, M, 3))


def anywhere(count: int, m: int) -> np.ndarray:
    return np.random.default_rng(m).normal(size=(count, m))


def weights(count: int, m: int) -> np.ndarray:
    return np.random.default_rng(m).uniform(0.2, 1.0, size=(count, m))


@dataclass(frozen=True)
class Row:
    """A loss, made anew at every call, its twin, what it prints as, and points to try it at."""

    make: Callable[[], Average]
    terms: Callable[[np.ndarray], dict[int, float]]
    printed: str
    points: Callable[[int, int], np.ndarray] = anywhere


ROWS = {
    "squares": Row(
        lambda: Squares(A, B),
        lambda x: twins.squares(A, B, x),
        "Squares(40 observations, 6 variables)",
    ),
    "squares, wide": Row(
        lambda: Squares(A[:5], B[:5]),
        lambda x: twins.squares(A[:5], B[:5], x),
        "Squares(5 observations, 6 variables)",
    ),
    "squares, one variable": Row(
        lambda: Squares(A[:, :1], B),
        lambda x: twins.squares(A[:, :1], B, x),
        "Squares(40 observations, 1 variable)",
    ),
    "squares, single precision": Row(
        lambda: Squares(SINGLE, B.astype(np.float32)),
        lambda x: twins.squares(SINGLE, B.astype(np.float32), x),
        "Squares(40 observations, 6 variables)",
    ),
    "squares, sparse": Row(
        lambda: Squares(sparse.coo_matrix(SPARSE), B),
        lambda x: twins.squares(SPARSE, B, x),
        "Squares(40 observations, 6 variables)",
    ),
    "logistic": Row(
        lambda: Logistic(A, LABELS),
        lambda x: twins.logistic(A, LABELS, x),
        "Logistic(40 observations, 6 variables)",
    ),
    "logistic, single precision": Row(
        lambda: Logistic(SINGLE, LABELS),
        lambda x: twins.logistic(SINGLE, LABELS, x),
        "Logistic(40 observations, 6 variables)",
    ),
    "logistic, sparse": Row(
        lambda: Logistic(sparse.csc_array(SPARSE), LABELS),
        lambda x: twins.logistic(SPARSE, LABELS, x),
        "Logistic(40 observations, 6 variables)",
    ),
    "cox": Row(
        lambda: Cox(A, TIME, EVENT),
        lambda x: twins.cox(A, TIME, EVENT, x),
        f"Cox({EVENT.sum()} events of 40 subjects, 6 variables)",
    ),
    "cox, ties": Row(
        lambda: Cox(A, TIED, EVENT.astype(int)),
        lambda x: twins.cox(A, TIED, EVENT, x),
        f"Cox({EVENT.sum()} events of 40 subjects, 6 variables)",
    ),
    "cox, everyone": Row(
        lambda: Cox(A + 10.0, TIED, np.ones(N)),
        lambda x: twins.cox(A + 10.0, TIED, np.ones(N), x),
        "Cox(40 events of 40 subjects, 6 variables)",
    ),
    "cox, one event": Row(
        lambda: Cox(A, TIME, np.arange(N) == 11),
        lambda x: twins.cox(A, TIME, np.arange(N) == 11, x),
        "Cox(1 event of 40 subjects, 6 variables)",
    ),
    "cox, far apart": Row(
        lambda: Cox(500.0 * A, TIME, EVENT),
        lambda x: twins.cox(500.0 * A, TIME, EVENT, x),
        f"Cox({EVENT.sum()} events of 40 subjects, 6 variables)",
    ),
    "log determinant": Row(
        lambda: LogDeterminant(SENSORS),
        lambda x: twins.log_determinant(SENSORS, x),
        "LogDeterminant(7 observations, 6 variables, matrices of order 3)",
        weights,
    ),
    "log determinant, one observation": Row(
        lambda: LogDeterminant(SENSORS[2].astype(np.float32)),
        lambda x: twins.log_determinant(SENSORS[2:3].astype(np.float32).astype(float), x),
        "LogDeterminant(1 observation, 6 variables, matrices of order 3)",
        weights,
    ),
    "log determinant, numbers": Row(
        lambda: LogDeterminant(SENSORS[:, :, :1]),
        lambda x: twins.log_determinant(SENSORS[:, :, :1], x),
        "LogDeterminant(7 observations, 6 variables, matrices of order 1)",
        weights,
    ),
}
every_loss = pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)


def points_for(row: Row, loss: Average, count: int = 4) -> np.ndarray:
    return row.points(count, loss.num_variables)


def mean(terms: dict[int, float]) -> float:
    return math.fsum(terms.values()) / len(terms)


@every_loss
def test_values_are_those_of_the_twin(row: Row) -> None:
    loss = row.make()
    for x in points_for(row, loss):
        terms = row.terms(x)
        assert loss.observations.tolist() == list(terms)
        assert loss.observations.dtype == np.int64
        scale = max(abs(term) for term in terms.values())
        assert loss(x) == pytest.approx(mean(terms), rel=1e-12, abs=0)
        for w, term in terms.items():
            assert loss(x, w) == pytest.approx(term, rel=1e-12, abs=1e-13 * scale)


@every_loss
def test_the_mean_over_observations_is_the_full_batch(row: Row) -> None:
    loss = row.make()
    points = points_for(row, loss)
    table = loss.values(points, loss.observations)
    assert table.shape == (4, len(loss.observations))
    np.testing.assert_allclose(table.mean(axis=1), loss.values(points), rtol=1e-13)


@every_loss
def test_many_at_once_are_one_by_one(row: Row) -> None:
    loss = row.make()
    points = points_for(row, loss, 9)
    some = np.random.default_rng(0).choice(loss.observations, size=11)
    table, full = loss.values(points, some), loss.values(points)
    assert table.shape == (9, 11)
    assert full.shape == (9,)
    assert table.dtype == full.dtype == np.float64
    scale = np.abs(table).max()
    for x, values, value in zip(points, table, full, strict=True):
        assert loss(x) == pytest.approx(value, rel=1e-13, abs=0)
        assert isinstance(loss(x), float)
        for w, one in zip(some, values, strict=True):
            assert loss(x, w) == pytest.approx(one, rel=1e-12, abs=1e-14 * scale)


@every_loss
@pytest.mark.parametrize("size", [1, 50, 100])
def test_the_size_of_the_blocks_does_not_matter(
    row: Row, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    loss = row.make()
    points = points_for(row, loss)
    full, table = loss.values(points), loss.values(points, loss.observations)
    slope = loss.gradient(points[0])
    monkeypatch.setattr(loss_data, "BLOCK_ELEMENTS", size)
    monkeypatch.setattr(squares_module, "BLOCK_ELEMENTS", size)
    again = row.make()
    np.testing.assert_allclose(again.values(points), full, rtol=1e-12)
    np.testing.assert_allclose(
        again.values(points, loss.observations), table, atol=1e-12 * np.abs(table).max()
    )
    np.testing.assert_allclose(again.gradient(points[0]), slope, atol=1e-12 * np.abs(slope).max())


def by_differences(f: Callable[[np.ndarray], float], x: np.ndarray) -> np.ndarray:
    """Central differences of the fourth order."""
    h = 1e-3 * np.eye(len(x))
    near = np.array([f(x + e) - f(x - e) for e in h])
    far = np.array([f(x + 2 * e) - f(x - 2 * e) for e in h])
    return (8 * near - far) / 12e-3


@pytest.mark.parametrize("label", [label for label in ROWS if "far apart" not in label])
def test_gradients_are_slopes_of_the_twin(label: str) -> None:
    row = ROWS[label]
    loss = row.make()
    for x in points_for(row, loss, 2):
        numeric = by_differences(lambda u: mean(row.terms(u)), x)
        np.testing.assert_allclose(loss.gradient(x), numeric, atol=1e-8 * np.abs(numeric).max())
        for w in loss.observations[[0, -1]]:
            numeric = by_differences(lambda u, w=w: row.terms(u)[w], x)
            atol = 1e-8 * max(1.0, np.abs(numeric).max())
            np.testing.assert_allclose(loss.gradient(x, w), numeric, atol=atol)


@every_loss
def test_the_mean_gradient_is_the_mean_of_gradients(row: Row) -> None:
    loss = row.make()
    for x in points_for(row, loss):
        gradients = np.array([loss.gradient(x, w) for w in loss.observations])
        scale = np.abs(gradients).max()
        np.testing.assert_allclose(loss.gradient(x), gradients.mean(axis=0), atol=1e-13 * scale)


@every_loss
def test_points_in_single_precision_or_as_lists(row: Row) -> None:
    loss = row.make()
    single = points_for(row, loss).astype(np.float32)
    exact, w = single.astype(np.float64), loss.observations[:2]
    np.testing.assert_array_equal(loss.values(single), loss.values(exact))
    np.testing.assert_array_equal(loss.values(single, w), loss.values(exact, w))
    np.testing.assert_array_equal(loss.gradient(single[0]), loss.gradient(exact[0]))
    assert loss(single[0]) == loss(exact[0]) == loss(exact[0].tolist())
    assert loss.values(single, w.tolist()).dtype == np.float64
    assert loss.gradient(single[0], w[0]).dtype == np.float64


@every_loss
def test_nothing_given_is_changed_and_nothing_kept_can_be(row: Row) -> None:
    loss = row.make()
    points, w = points_for(row, loss), loss.observations[:1].copy()
    before = points.copy()
    loss.values(points)
    loss.values(points, w)
    loss.gradient(points[0])
    loss.gradient(points[0], w[0])
    np.testing.assert_array_equal(points, before)
    with pytest.raises(ValueError, match="read-only"):
        loss.observations[0] = 1


@every_loss
def test_a_loss_prints_its_sizes_and_travels(row: Row) -> None:
    loss = row.make()
    assert repr(loss) == row.printed
    points = points_for(row, loss)
    for again in (pickle.loads(pickle.dumps(loss)), copy.deepcopy(loss)):
        np.testing.assert_array_equal(again.values(points), loss.values(points))
        assert not again.observations.flags.writeable


def at_everywhere(loss: Average, number: float) -> float:
    """The loss where every variable is that number, which warns of nothing."""
    x = np.full(loss.num_variables, number)
    with np.errstate(all="raise"):
        loss.values(x[None], loss.observations)
        loss.gradient(x)
        loss.gradient(x, loss.observations[0])
        return loss(x)


@every_loss
@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_where_there_is_no_number_the_loss_is_not_finite(row: Row, number: float) -> None:
    loss = row.make()
    value = at_everywhere(loss, number)
    assert not math.isfinite(value)
    if isinstance(loss, LogDeterminant):
        assert value == math.inf


@every_loss
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_far_out_the_loss_is_what_its_growth_says(row: Row, sign: float) -> None:
    """Squares overflow; logistic and Cox grow like |x|, and the log-determinant like log x."""
    loss = row.make()
    near, far = at_everywhere(loss, sign * 1e9), at_everywhere(loss, sign * 1e300)
    if isinstance(loss, Squares):
        assert far == math.inf
    elif isinstance(loss, LogDeterminant):
        assert far == pytest.approx(near - loss._order * math.log(1e291), rel=1e-12)
        assert math.isfinite(far) == (sign > 0)
    else:
        assert far == pytest.approx(1e291 * near, rel=1e-6)


@every_loss
def test_no_points_have_no_values(row: Row) -> None:
    loss = row.make()
    none = np.empty((0, loss.num_variables))
    assert loss.values(none).shape == (0,)
    assert loss.values(none, loss.observations).shape == (0, len(loss.observations))


@every_loss
def test_points_and_observations_that_do_not_fit_are_named(row: Row) -> None:
    loss = row.make()
    m = loss.num_variables
    x, points = points_for(row, loss)[0], points_for(row, loss)
    for wrong in (np.zeros(m + 1), np.zeros((1, m)), 0.0):
        with pytest.raises(ValueError, match=rf"x has shape .* {m} variable"):
            loss(wrong)
        with pytest.raises(ValueError, match="x has shape"):
            loss.gradient(wrong)
    for wrong in (x, np.zeros((2, m + 1)), points[None]):
        with pytest.raises(ValueError, match=rf"points has shape .* \(p, {m}\)"):
            loss.values(wrong)
    for wrong in ("abc", x * 1j, [[1.0], [1.0, 2.0]]):
        with pytest.raises(TypeError, match="x must be an array of real numbers"):
            loss(wrong)
    for outside in (-1, loss.observations[-1] + 1):
        with pytest.raises(IndexError, match=rf"observation {outside} is not one of"):
            loss(x, outside)
        with pytest.raises(IndexError, match=rf"observation {outside} is not one of"):
            loss.values(points, [loss.observations[0], outside])
        with pytest.raises(IndexError, match=rf"observation {outside} is not one of"):
            loss.gradient(x, outside)
    for wrong in (1.0, True, "1", [0, 1]):
        with pytest.raises(TypeError, match="observations must be integers"):
            loss(x, wrong)
    with pytest.raises(TypeError, match="one or more of loss"):
        loss.values(points, np.array([], dtype=int))


@pytest.mark.parametrize("label", ["squares", "logistic, sparse", "cox, ties", "log determinant"])
def test_a_run_lowers_the_loss_in_every_way_it_can_be_asked(label: str) -> None:
    row = ROWS[label]
    loss = row.make()
    x0 = np.full(M, 0.5)
    domain = zoo.Box(0.1, 1.0)
    statuses = []
    for arguments in (
        {},
        {"settings": "paper"},
        {"observations": loss.observations, "gradient": zoo.paper.Smoothed(6, 4)},
        {
            "settings": "paper",
            "observations": loss.observations,
            "gradient": zoo.paper.Smoothed(6, 4),
        },
        {"settings": zoo.Paper(zoo.paper.Exact())},
        {"settings": zoo.Paper(zoo.paper.Exact(4)), "observations": loss.observations},
    ):
        result = zoo.minimize(
            loss, x0, domain=domain, step_size=0.02, max_iterations=200, rng=0, **arguments
        )
        assert loss(result.x) < loss(x0) - 0.01
        if result.fun_status == "exact":
            assert result.fun == pytest.approx(loss(result.x))
        statuses.append(result.fun_status)
    assert statuses == ["exact"] * 5 + ["estimated"]


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Squares(A[0], B), r"features has shape \(6,\), but must be \(n, m\)"),
        (
            lambda: Squares(sparse.coo_array(B), B),
            r"features has shape \(40,\), but must be \(n, m",
        ),
        (lambda: Squares(A, B[:-1]), "targets has length 39, but features has 40 rows"),
        (lambda: Squares(sparse.csr_array(A), B[:-1]), "targets has length 39"),
        (lambda: Squares(A, A), r"targets has shape \(40, 6\), but must be \(n\)"),
        (lambda: Squares(A, np.where(B[3] == B, np.nan, B)), "targets must be finite"),
        (lambda: Squares(np.where(A[3, 3] == A, np.nan, A), B), "features must be finite"),
        (lambda: Squares(sparse.csr_array(np.full((2, 2), np.inf)), B[:2]), "features must be fin"),
        (lambda: Squares(np.zeros((0, 3)), []), r"features is empty, of shape \(0, 3\)"),
        (lambda: Squares(np.zeros((3, 0)), B[:3]), "features is empty"),
        (lambda: Logistic(A, (LABELS + 1) // 2), r"not 0 or 1; .* np\.where\(labels == 1, 1, -1\)"),
        (lambda: Logistic(A, LABELS == 1), r"convert them by np\.where\(labels == 1, 1, -1\)"),
        (lambda: Logistic(A, B), "labels must be -1 or 1, but there are 40 kinds"),
        (lambda: Logistic(A, LABELS[:3]), "labels has length 3"),
        (lambda: Logistic(A, np.where(LABELS == 1, 1.0, np.nan)), "labels must be finite"),
        (lambda: Cox(A[0], TIME, EVENT), r"covariates has shape \(6,\), but must be \(n, m\)"),
        (lambda: Cox(A * np.inf, TIME, EVENT), "covariates must be finite"),
        (lambda: Cox(A, TIME[1:], EVENT), "time has length 39, but covariates has 40 rows"),
        (lambda: Cox(A, TIME, EVENT[1:]), "event has length 39"),
        (lambda: Cox(A, TIME - 1.0, EVENT), "time must be zero or more, but the least is -0.9"),
        (lambda: Cox(A, TIME / 0.0, EVENT), "time must be finite"),
        (lambda: Cox(A, TIME, EVENT + 1), r"event must be 0 \(censored\) or 1"),
        (lambda: Cox(A, TIME, np.zeros(N)), "event is 0 everywhere"),
        (lambda: LogDeterminant(A[0]), r"vectors has shape \(6,\), but must be \(T, m, n\)"),
        (lambda: LogDeterminant(SENSORS[None]), "vectors has shape"),
        (lambda: LogDeterminant(SENSORS * np.nan), "vectors must be finite"),
        (lambda: LogDeterminant(SENSORS[:0]), "vectors is empty"),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.filterwarnings("ignore:invalid value")
def test_data_that_make_no_sense_are_refused_by_name(
    make: Callable[[], Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        make()


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Squares("many", B), "features must be an array of real numbers"),
        (lambda: Squares(A * 1j, B), "features must be an array of real numbers"),
        (lambda: Squares(sparse.csr_array(A * 1j), B), "features must be an array of real numbers"),
        (lambda: Squares(np.ma.array(A), B), r"features is a masked .* features\.filled\(\)"),
        (lambda: Logistic(np.ma.array(SINGLE), LABELS), "features is a masked array"),
        (lambda: Cox(A, np.ma.array(TIME), EVENT), "time is a masked array"),
        (lambda: Squares(A, None), "targets must be an array of real numbers"),
        (lambda: Logistic(A, ["yes"] * N), "labels must be an array of real numbers"),
        (lambda: Cox(sparse.csr_array(A), TIME, EVENT), r"give covariates\.toarray\(\)"),
        (lambda: Cox(A, TIME, ["dead"] * N), "event must be an array of real numbers"),
        (lambda: LogDeterminant([A, A[1:]]), "vectors must be an array of real numbers"),
    ],
)
def test_data_of_the_wrong_kind_are_a_type_error(make: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(TypeError, match=sentence):
        make()


def test_squares_keep_the_digits_that_normal_equations_lose() -> None:
    generator = np.random.default_rng(0)
    features = 1.0 + 1e-3 * generator.normal(size=(5000, 8))
    x = generator.normal(size=8)
    noise = 1e-9 * generator.normal(size=5000)
    targets = features @ x + noise
    direct = np.square(features @ x - targets).mean()
    by_gram = (x @ (features.T @ features) @ x - 2 * x @ features.T @ targets) / 5000
    by_gram += targets @ targets / 5000
    assert by_gram != pytest.approx(direct, rel=0.1, abs=0)
    assert Squares(features, targets)(x) == pytest.approx(direct, rel=1e-5, abs=0)


def test_squares_of_single_precision_are_summed_in_double() -> None:
    generator = np.random.default_rng(0)
    features = generator.normal(size=(20_000, 5)).astype(np.float32)
    targets, x = generator.normal(size=20_000), generator.normal(size=5)
    exact = np.square(features.astype(np.float64) @ x - targets).mean()
    for layout in (features, np.asfortranarray(features)):
        assert Squares(layout, targets)(x) == pytest.approx(exact, rel=1e-14, abs=0)


def test_a_second_full_evaluation_of_tall_squares_does_not_read_the_data() -> None:
    features = A.copy()
    loss = Squares(features, B)
    x = np.ones(M)
    value, slope = loss(x), loss.gradient(x)
    features[:] = np.nan
    assert loss(x) == value
    np.testing.assert_array_equal(loss.gradient(x), slope)
    assert math.isnan(loss(x, 3))


def test_squares_of_many_variables_are_not_condensed() -> None:
    tall, wide = Squares(np.ones((2100, 1000)), np.ones(2100)), np.ones((2100, 1001))
    assert tall._condensed[0].shape == (1001, 1000)
    wider = Squares(wide, np.ones(2100))
    assert wider._condensed[0].rows(slice(None)) is wide


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_matrix_of_numpy_is_an_array(dtype: type) -> None:
    features = A.astype(dtype)
    for given in (features.view(np.matrix), sparse.csr_matrix(features)):
        loss, plain = Squares(given, B), Squares(features, B)
        assert loss(np.ones(M)) == pytest.approx(plain(np.ones(M)), rel=1e-14)
        np.testing.assert_allclose(loss.gradient(np.ones(M), 3), plain.gradient(np.ones(M), 3))


@pytest.mark.parametrize("given", [SINGLE, A, sparse.csr_array(A)], ids=["single", "double", "csr"])
def test_floats_are_kept_and_not_copied(given: Any) -> None:
    kept = Features("features", given)
    numbers, mine = (
        rows.data if sparse.issparse(rows) else rows for rows in (kept.rows(slice(None)), given)
    )
    assert np.shares_memory(numbers, mine)
    assert kept.rows(slice(0, N)) is kept.rows(slice(None))


def test_blocks_of_sparse_rows_count_what_the_rows_hold() -> None:
    wide = Features("features", sparse.random(50, 10**6, density=1e-5, format="csr", rng=0))
    assert list(wide.table_blocks(40, 4)) == [slice(0, 40)]
    dense = Features("features", A)
    step = loss_data.BLOCK_ELEMENTS // 1000
    assert next(iter(dense.table_blocks(10**5, 1000))) == slice(0, step)


@pytest.mark.parametrize("make", [lambda S: Squares(S, B), lambda S: Logistic(S, LABELS)])
def test_sparse_products_point_by_point_are_the_same(
    make: Callable[[Any], Average], monkeypatch: pytest.MonkeyPatch
) -> None:
    loss, points = make(sparse.csr_array(SPARSE)), anywhere(5, M)
    full, table = loss.values(points), loss.values(points, loss.observations)
    monkeypatch.setattr(features_module, "MANY_VARIABLES", M - 1)
    np.testing.assert_allclose(loss.values(points), full, rtol=1e-14)
    np.testing.assert_allclose(loss.values(points, loss.observations), table, rtol=1e-13)
    assert loss.values(points[:0], loss.observations).shape == (0, N)


def test_a_sparse_matrix_without_entries_is_a_matrix() -> None:
    assert Squares(sparse.csr_array((N, M)), B)(np.ones(M)) == pytest.approx(np.square(B).mean())


def test_logistic_is_safe_for_large_margins() -> None:
    loss = Logistic([[1.0], [-1.0]], [1, 1])
    assert loss([1e4], 0) == 0.0
    assert loss([-1e4], 0) == 1e4
    assert loss([1e4]) == 5e3
    assert loss([40.0], 0) == pytest.approx(math.exp(-40.0), rel=1e-12, abs=0)
    np.testing.assert_array_equal(loss.gradient([1e4]), [0.5])


def test_late_risk_sets_of_low_predictors_do_not_underflow() -> None:
    """Survivors at the low end, 3000 below the first to die: one common shift would lose them."""
    time = np.arange(61.0)
    covariates = -50.0 * time[:, None] + np.random.default_rng(0).normal(size=(61, 1))
    predictors = covariates[:, 0]
    shifted = np.cumsum(np.exp(predictors - predictors.max())[::-1])
    assert (shifted == 0.0).any()
    for sign in (1.0, -1.0):
        loss, x = Cox(covariates, time, np.ones(61)), np.array([sign])
        terms = twins.cox(covariates, time, np.ones(61), x)
        assert loss(x) == pytest.approx(mean(terms), rel=1e-12, abs=1e-13)
        for w, term in terms.items():
            assert loss(x, w) == pytest.approx(term, rel=1e-12, abs=1e-12)
        gradients = [loss.gradient(x, w) for w in loss.observations]
        np.testing.assert_allclose(loss.gradient(x), np.mean(gradients, axis=0), atol=1e-10)


def test_a_constant_added_to_a_covariate_changes_nothing() -> None:
    x = np.ones(M)
    near, far = Cox(A, TIME, EVENT), Cox(A + 1e6, TIME, EVENT)
    assert far(x) == pytest.approx(near(x), rel=1e-9)
    np.testing.assert_allclose(far.gradient(x), near.gradient(x), atol=1e-9)


def test_an_event_asks_for_its_own_risk_set_only() -> None:
    loss = Cox(A, TIME, EVENT)
    last = max(loss.observations, key=lambda i: TIME[i])
    x = np.ones(M)
    before = loss(x, last), loss.gradient(x, last)
    loss._covariates[np.count_nonzero(TIME[last] <= TIME) :] = np.nan
    assert loss(x, last) == before[0]
    np.testing.assert_array_equal(loss.gradient(x, last), before[1])
    assert math.isnan(loss(x))


def test_a_censored_subject_is_no_observation() -> None:
    loss = Cox(A, TIME, EVENT)
    inside = np.arange(loss.observations[0], loss.observations[-1])
    censored = np.setdiff1d(inside, loss.observations)[0]
    with pytest.raises(IndexError, match=rf"observation {censored} is a censored subject"):
        loss.values(np.zeros((1, M)), [loss.observations[0], censored])


@pytest.mark.parametrize(
    "x",
    [
        np.zeros(M),
        -np.ones(M),
        np.array([1.0, 1.0, 1.0, -5.0, 0.0, 0.0]),
        np.array([1.0, 0.3, 0.0, 0.0, 0.0, 0.0]),
        np.full(M, np.nan),
    ],
    ids=["nothing", "negative", "indefinite", "too few sensors", "nan"],
)
def test_a_matrix_that_is_not_positive_definite_is_infinitely_bad(x: np.ndarray) -> None:
    loss = LogDeterminant(SENSORS)
    good = np.ones(M)
    with np.errstate(all="raise"):
        assert loss(x) == math.inf
        np.testing.assert_array_equal(loss.values([x, good]), [math.inf, loss(good)])
        assert math.isfinite(loss(good))
        assert np.isnan(loss.gradient(x)).all()


def test_two_negative_eigenvalues_do_not_make_a_positive_matrix() -> None:
    loss = LogDeterminant(np.eye(4))
    assert loss([-1.0, -1.0, 1.0, 1.0]) == math.inf
    assert loss([1.0, 1.0, -1.0, -1.0]) == math.inf
    assert loss([1.0, 2.0, 3.0, 4.0]) == pytest.approx(-math.log(24.0))


def test_a_pivot_that_overflows_the_next_leaves_no_nan() -> None:
    tiny = np.array([[-1e-310, 2.0], [2.0, 1.0]])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(log_determinants(tiny[:, :, None]), [-math.inf])


def test_fewer_sensors_than_dimensions_are_never_enough() -> None:
    generator = np.random.default_rng(0)
    loss = LogDeterminant(generator.normal(size=(500, 20, 5)))
    few = np.zeros(20)
    few[:4] = generator.random(4)
    assert (loss.values(few[None], loss.observations) == math.inf).all()


def test_large_and_small_determinants_do_not_overflow() -> None:
    for scale in (1e-20, 1e20):
        loss = LogDeterminant(scale * np.eye(40))
        assert loss(np.ones(40)) == pytest.approx(-80 * math.log(scale))


@pytest.mark.parametrize("scale", [1e155, 1e-170, 1e300, 1e-300])
def test_vectors_whose_squares_no_number_can_hold(scale: float) -> None:
    plain, scaled = LogDeterminant(SENSORS), LogDeterminant(scale * SENSORS)
    x = np.linspace(0.2, 1.0, M)
    assert scaled(x) == pytest.approx(plain(x) - 6 * math.log(scale), rel=1e-13)
    np.testing.assert_allclose(scaled.gradient(x), plain.gradient(x), rtol=1e-12)


def test_vectors_of_zeros_are_infinitely_bad() -> None:
    assert LogDeterminant(np.zeros((3, 2)))(np.ones(3)) == math.inf


def test_many_points_of_a_log_determinant_come_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    largest = 0

    def watched(points: np.ndarray, vectors: np.ndarray) -> np.ndarray:
        nonlocal largest
        matrices = information(points, vectors)
        largest = max(largest, matrices.size)
        return matrices

    information = log_determinant_module.information
    monkeypatch.setattr(log_determinant_module, "information", watched)
    monkeypatch.setattr(loss_data, "BLOCK_ELEMENTS", 900)
    loss, points = LogDeterminant(SENSORS), weights(1000, M)
    values = loss.values(points)
    table = loss.values(points, loss.observations)
    assert largest == 900
    np.testing.assert_allclose(values, table.mean(axis=1), rtol=1e-13)
    assert values[777] == pytest.approx(mean(twins.log_determinant(SENSORS, points[777])))
