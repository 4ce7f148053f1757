"""The matrices of the constraint, in every form they may come in, and what is known of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pylops
import pytest
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, aslinearoperator

import zooadmm as zoo
from zooadmm.problem.linear_map import SMALL

ROWS, COLUMNS = 530, 510  # beyond what is decomposed as a dense matrix
LOOSE = 1.05


# lambda_max of large matrices: the Lanczos bound


@cache
def _bases() -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(0)
    left = np.linalg.qr(generator.standard_normal((ROWS, COLUMNS)))[0]
    right = np.linalg.qr(generator.standard_normal((COLUMNS, COLUMNS)))[0]
    return left, right


def of_spectrum(values: np.ndarray) -> np.ndarray:
    """A matrix with these singular values."""
    left, right = _bases()
    return (left * values) @ right.T


def unlucky(n: int) -> np.ndarray:
    """A diagonal whose top is where a vector of normal numbers from seed 0 is smallest."""
    diagonal = np.linspace(0.5, 1.0, n)
    diagonal[np.abs(np.random.default_rng(0).standard_normal(n)).argmin()] = 1.1
    return diagonal


def fresh() -> np.random.Generator:
    """The same numbers for every matrix, whichever tests ran before."""
    return np.random.default_rng(1)


INDEX = np.arange(COLUMNS)
LARGE: dict[str, Callable[[], np.ndarray]] = {
    "clustered": lambda: of_spectrum(1 + 1e-6 * fresh().random(COLUMNS)),
    "a cluster and one above": lambda: of_spectrum(np.append(np.ones(COLUMNS - 1), 1.0001)),
    "two clusters": lambda: of_spectrum(np.where(INDEX < 9, 1.0, 0.999)),
    "geometric decay": lambda: of_spectrum(0.5**INDEX),
    "slow geometric decay": lambda: of_spectrum(0.99**INDEX),
    "linear decay": lambda: of_spectrum(1.0 - INDEX / COLUMNS),
    "scaled up": lambda: of_spectrum(1e8 * (1.0 - INDEX / COLUMNS)),
    "scaled down": lambda: of_spectrum(1e-8 * (1.0 - INDEX / COLUMNS)),
    "rank one": lambda: np.outer(np.cos(np.arange(ROWS)), np.sin(INDEX)),
    "rank two": lambda: (
        np.outer(np.cos(np.arange(ROWS)), np.sin(INDEX)) + np.eye(ROWS, COLUMNS) * (INDEX == 3)
    ),
    "orthonormal": lambda: _bases()[0],
    "diagonal": lambda: np.diag(unlucky(COLUMNS)),
    "identity": lambda: np.eye(ROWS, COLUMNS),
    "differences": lambda: np.diff(np.eye(COLUMNS), axis=0),
    "cumulative sums": lambda: np.tri(ROWS, COLUMNS),
    "gaussian": lambda: fresh().standard_normal((ROWS, COLUMNS)),
    "wide gaussian": lambda: fresh().standard_normal((COLUMNS, 900)),
    "positive": lambda: fresh().random((ROWS, COLUMNS)),
    "zero": lambda: np.zeros((ROWS, COLUMNS)),
    "one entry": lambda: np.pad([[7.0]], ((3, ROWS - 4), (5, COLUMNS - 6))),
}
FORMS: dict[str, Callable[[np.ndarray], Any]] = {
    "dense": lambda M: M,
    "sparse": sparse.csr_array,
    "operator": aslinearoperator,
    "float32": lambda M: M.astype(np.float32),
    "sparse float32": lambda M: sparse.csc_array(M.astype(np.float32)),
    "float32 operator": lambda M: aslinearoperator(M.astype(np.float32)),
}


@cache
def large(label: str) -> tuple[np.ndarray, float, float]:
    """The matrix, its largest eigenvalue, and that of its rounding to float32."""
    M = LARGE[label]()
    return M, top(M), top(M.astype(np.float32).astype(np.float64))


def top(M: np.ndarray) -> float:
    """The largest eigenvalue of M'M, by a dense decomposition.

    Of all eigenvalues: the search for one alone fails now and then where they are clustered.
    """
    return float(np.linalg.eigvalsh(M.T @ M)[-1])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "label", [pytest.param(label, marks=pytest.mark.xdist_group(label)) for label in LARGE]
)  # a matrix is decomposed by one process
def test_lambda_max_is_never_below_and_hardly_above(label: str, form: str) -> None:
    matrix, double, single = large(label)
    assert min(matrix.shape) > SMALL
    true = single if "float32" in form else double
    found = zoo.Linear(FORMS[form](matrix)).lambda_max
    # the judge is itself right only to rounding, and so is a product in single precision
    rounding = 1e-6 if form == "float32 operator" else 1e-13
    assert true * (1 - rounding) <= found <= true * LOOSE


INTEGERS: dict[str, Callable[[], np.ndarray]] = {
    "signs": lambda: fresh().choice([-1, 1], size=(ROWS, COLUMNS)).astype(np.int8),
    "the whole range": lambda: fresh().integers(-128, 128, (ROWS, COLUMNS)).astype(np.int8),
    "constant": lambda: np.full((ROWS, COLUMNS), 127, dtype=np.int8),
    "unsigned": lambda: fresh().integers(0, 256, (ROWS, COLUMNS)).astype(np.uint8),
    "short": lambda: fresh().integers(-30_000, 30_000, (ROWS, COLUMNS)).astype(np.int16),
    "long": lambda: fresh().integers(-9, 9, (ROWS, COLUMNS)),
    "bool": lambda: fresh().random((ROWS, COLUMNS)) < 0.3,
}


@pytest.mark.parametrize("form", ["dense", "sparse", "coo"])
@pytest.mark.parametrize("label", INTEGERS)
@pytest.mark.parametrize("size", ["large", "small"])
def test_whole_numbers_do_not_overflow(label: str, form: str, size: str) -> None:
    matrix = INTEGERS[label]()
    matrix = matrix if size == "large" else matrix[:6, :5]
    true = top(matrix.astype(np.float64))
    given = {"dense": np.array, "sparse": sparse.csr_array, "coo": sparse.coo_matrix}[form](matrix)
    constraint = zoo.Linear(given)
    assert true * (1 - 1e-12) <= constraint.lambda_max <= true * (LOOSE if size == "large" else 1.1)
    x = np.linspace(-1, 1, matrix.shape[1])
    y = np.zeros(matrix.shape[0])
    expected = matrix.astype(np.float64) @ x
    np.testing.assert_allclose(constraint.residual(x, y), expected, rtol=1e-9, atol=1e-9)


def test_a_diagonal_that_only_an_operator_knows() -> None:
    for n in (501, 5000, 40_000):
        diagonal = unlucky(n)
        operator = LinearOperator(
            (n, n),
            matvec=lambda v, d=diagonal: d * v.reshape(-1),
            rmatvec=lambda v, d=diagonal: d * v.reshape(-1),
            dtype=float,
        )
        assert 1.1**2 <= zoo.Linear(operator).lambda_max <= 1.1**2 * LOOSE


@pytest.mark.parametrize("n", [600, 20_000])
def test_a_long_chain(n: int) -> None:
    """The differences of neighbors: the eigenvalues crowd below 4."""
    chain = sparse.diags_array([-1.0, 1.0], offsets=[0, 1], shape=(n - 1, n), format="csr")
    true = 4 * np.cos(np.pi / (2 * n)) ** 2
    assert true <= zoo.Linear(chain).lambda_max <= 4 * (1 + 1e-9)
    assert true <= zoo.Linear(aslinearoperator(chain)).lambda_max <= true * LOOSE
    assert true <= zoo.Linear(chain.astype(np.int8)).lambda_max <= 4 * (1 + 1e-9)


@pytest.mark.parametrize(
    ("shape", "form"),
    [((600, 260_000), "operator"), ((260_000, 600), "sparse"), ((3, 260_000), "operator")],
)
def test_long_sides(shape: tuple[int, int], form: str) -> None:
    M = sparse.random_array(shape, density=1e-4, rng=np.random.default_rng(2), format="csr")
    true = top((M @ M.T if shape[0] < shape[1] else M.T @ M).toarray()) ** 0.5
    assert true * (1 - 1e-12) <= zoo.Linear(FORMS[form](M)).lambda_max <= true * LOOSE


@pytest.mark.parametrize("size", [2, 600])
@pytest.mark.parametrize(
    "kind",
    [
        sparse.csr_matrix,
        sparse.csc_matrix,
        sparse.coo_matrix,
        sparse.lil_matrix,
        sparse.dia_matrix,
        sparse.csr_array,
        sparse.coo_array,
        sparse.dok_array,
    ],
)
def test_matrices_of_the_old_kind_are_not_multiplied_by_themselves(kind: Any, size: int) -> None:
    """For a csr_matrix M ** 2 is M @ M, and of a strictly triangular M with two entries zero."""
    M = np.zeros((size, size))
    M[0, -1] = 5.0
    constraint = zoo.Linear(kind(M), kind(2 * np.eye(size)))
    assert 25 <= constraint.lambda_max <= 25 * (1 + 1e-10)
    assert constraint.tau == pytest.approx(4.0)
    rectangular = zoo.Linear(kind(np.ones((3, 5))))
    assert 15 <= rectangular.lambda_max <= 15 * (1 + 1e-10)


def test_entries_stored_in_two_parts_are_one_entry() -> None:
    parts = (np.ones(4), np.array([0, 0, 1, 1]), np.array([0, 2, 4]))
    M = sparse.csr_array(parts, shape=(2, 2))  # 2 I
    constraint = zoo.Linear(M, M)
    assert constraint.lambda_max == pytest.approx(4.0)
    assert constraint.tau == pytest.approx(4.0)
    assert M.nnz == 4  # what is the user's stays as it was


@pytest.mark.parametrize("form", FORMS)
def test_small_matrices_are_known_exactly(form: str) -> None:
    for matrix in (np.diff(np.eye(7), axis=0), np.ones((3, 5)), np.array([[2.0]]), np.eye(4)):
        true = float(np.linalg.norm(matrix, 2)) ** 2
        found = zoo.Linear(FORMS[form](matrix)).lambda_max
        assert true * (1 - 1e-14) <= found <= true * (1 + 1e-10)


# tau: whether B'B is a multiple of the identity

ORTHONORMAL = np.linalg.qr(np.random.default_rng(3).standard_normal((9, 5)))[0]


@pytest.mark.parametrize("size", [5, COLUMNS])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("scale", [1.0, -2.5, 1e-3, 1e4])
def test_orthonormal_columns_are_recognized(form: str, scale: float, size: int) -> None:
    columns = ORTHONORMAL if size == 5 else _bases()[0]
    B = FORMS[form](scale * columns)
    constraint = zoo.Linear(np.eye(len(columns)), B)
    assert constraint.tau == pytest.approx(scale**2, rel=1e-5 if "float32" in form else 1e-10)


@pytest.mark.parametrize("size", [5, COLUMNS])
@pytest.mark.parametrize("form", FORMS)
def test_nearly_orthonormal_columns_are_not(form: str, size: int) -> None:
    columns = np.array(ORTHONORMAL if size == 5 else _bases()[0])
    columns[:, 1] += 1e-2 * columns[:, 0]
    columns[:, 2] *= 1.01
    assert zoo.Linear(np.eye(len(columns)), FORMS[form](columns)).tau is None


@pytest.mark.parametrize("dtype", [np.int8, np.int64, bool, np.float32, np.float64])
@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.coo_matrix, np.asarray])
def test_a_permutation_in_any_type(kind: Any, dtype: Any) -> None:
    """127 squared is beyond an int8, True + True is True: it is not computed in these types."""
    scale = 1 if dtype is bool else 100
    B = kind((np.fliplr(np.eye(6)) * scale).astype(dtype))
    constraint = zoo.Linear(np.eye(6), B)
    assert constraint.tau == scale**2
    assert constraint.B_invertible
    x = np.arange(6.0)
    np.testing.assert_allclose(constraint.complete_y(x), -x[::-1] / scale, rtol=1e-12)


@pytest.mark.parametrize("settings", ["auto", "paper"])
@pytest.mark.parametrize("x_type", [np.float32, np.float64])
def test_a_run_with_single_precision_orthonormal_columns(x_type: type, settings: Any) -> None:
    """Rounded to float32 the columns are orthonormal to 1e-7 only, and that is enough."""
    square = np.linalg.qr(np.random.default_rng(4).standard_normal((6, 6)))[0]

    def run(B: Any) -> zoo.Result:
        return zoo.minimize(
            lambda x: float(np.square(x - 0.4).sum()),
            np.zeros(6, x_type),
            settings=settings,
            regularizer=zoo.L1(0.1),
            constraint=zoo.Linear(np.eye(6), B),
            smoothing=0.01,
            max_iterations=40,
            rng=0,
        )

    double, single = run(square), run(square.astype(np.float32))
    assert single.x.dtype == single.y.dtype == x_type
    np.testing.assert_allclose(single.x, double.x, atol=1e-4)
    np.testing.assert_allclose(single.y, double.y, atol=1e-4)
    assert single.residual < 1e-5


# What is refused


def operator(
    shape: tuple[int, int], matvec: Any, rmatvec: Any = None, dtype: Any = float
) -> LinearOperator:
    return LinearOperator(shape, matvec=matvec, rmatvec=rmatvec, dtype=dtype)


REFUSED: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "complex operator": (
        lambda: aslinearoperator(1j * np.eye(4)),
        TypeError,
        "{} is a complex operator; it must be real",
    ),
    "operator without adjoint": (
        lambda: operator((4, 4), lambda v: 2 * v),
        ValueError,
        "{} is an operator without rmatvec; its adjoint is needed",
    ),
    "operator with another's adjoint": (
        lambda: operator((4, 4), np.cumsum, np.cumsum),
        ValueError,
        "{} is an operator whose rmatvec is not the adjoint of its matvec",
    ),
    "operator with the inverse for an adjoint": (
        lambda: operator((4, 4), lambda v: 2 * v, lambda v: v / 2),
        ValueError,
        "{} is an operator whose rmatvec is not the adjoint",
    ),
    "operator with the sign wrong": (
        lambda: operator((4, 4), lambda v: v, lambda v: -v),
        ValueError,
        "{} is an operator whose rmatvec is not the adjoint",
    ),
    "operator of NaN": (
        lambda: operator((4, 4), lambda v: v * np.nan, lambda v: v * np.nan),
        ValueError,
        "{} is an operator whose rmatvec is not the adjoint",
    ),
    "no columns": (
        lambda: np.zeros((4, 0)),
        ValueError,
        r"{} has shape \(4, 0\); it needs at least one row and column",
    ),
    "no columns, sparse": (
        lambda: sparse.csr_array((4, 0)),
        ValueError,
        r"{} has shape \(4, 0\); it needs at least one row and column",
    ),
    "no rows": (
        lambda: np.zeros((0, 4)),
        ValueError,
        r"{} has shape \(0, 4\); it needs at least one row and column",
    ),
    "no rows, sparse": (
        lambda: sparse.csr_array((0, 4)),
        ValueError,
        r"{} has shape \(0, 4\); it needs at least one row and column",
    ),
    "no rows, operator": (
        lambda: operator((0, 4), lambda v: v[:0], lambda v: np.zeros(4)),
        ValueError,
        r"{} has shape \(0, 4\); it needs at least one row and column",
    ),
    "sparse NaN": (
        lambda: sparse.csr_array(np.full((4, 4), np.nan)),
        ValueError,
        "{} has entries that are not finite",
    ),
    "float32 inf": (
        lambda: np.full((4, 4), np.inf, dtype=np.float32),
        ValueError,
        "{} has entries that are not finite",
    ),
    "complex sparse": (
        lambda: sparse.csr_array(1j * np.eye(4)),
        TypeError,
        "{} must be made of real numbers, not complex128",
    ),
    "objects": (
        lambda: np.full((4, 4), None),
        TypeError,
        "{} must be made of real numbers, not object",
    ),
}


@pytest.mark.parametrize("name", ["A", "B"])
@pytest.mark.parametrize("label", REFUSED)
def test_what_is_no_real_matrix_is_refused_by_name(label: str, name: str) -> None:
    make, error, sentence = REFUSED[label]
    given = {"A": np.eye(4), "B": np.eye(4), name: make()}
    with pytest.raises(error, match=sentence.format(name)):
        zoo.Linear(**given)


# What is accepted


class Duck:
    """Not a LinearOperator of scipy's, but it has what one has."""

    shape = (3, 4)
    dtype = np.dtype(np.float32)

    def matvec(self, v: np.ndarray) -> np.ndarray:
        return np.diff(v.reshape(-1))

    def rmatvec(self, v: np.ndarray) -> np.ndarray:
        v = v.reshape(-1)
        return np.concatenate([[-v[0]], v[:-1] - v[1:], [v[-1]]])


@pytest.mark.parametrize(
    "make",
    [
        Duck,
        lambda: pylops.MatrixMult(np.diff(np.eye(4), axis=0)),
        lambda: aslinearoperator(np.diff(np.eye(4, dtype=np.float32), axis=0)),
        lambda: 2.0 * aslinearoperator(0.5 * np.diff(np.eye(4), axis=0)),
    ],
    ids=["duck", "pylops", "float32", "a multiple"],
)
def test_operators_from_elsewhere(make: Callable[[], Any]) -> None:
    matrix = np.diff(np.eye(4), axis=0)
    constraint = zoo.Linear(make())
    x, y, v = np.array([1.0, 4.0, 9.0, 16.0]), np.ones(3), np.array([1.0, -1.0, 2.0])
    np.testing.assert_allclose(constraint.residual(x, y), matrix @ x - y, rtol=1e-6)
    np.testing.assert_allclose(constraint.adjoint(v), matrix.T @ v, rtol=1e-6, atol=1e-6)
    assert constraint.lambda_max == pytest.approx(np.linalg.norm(matrix, 2) ** 2, rel=1e-5)


def test_an_operator_whose_adjoint_is_right_to_single_precision() -> None:
    M = np.random.default_rng(5).standard_normal((300, 200)).astype(np.float32)
    rounded = operator(
        (300, 200),
        lambda v: M @ v.astype(np.float32),
        lambda v: M.T @ v.astype(np.float32),
        np.float32,
    )
    assert zoo.Linear(rounded).sizes(200) == (300, 300)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", [np.array, sparse.csr_array, sparse.coo_matrix])
def test_a_constraint_is_not_changed_from_outside(kind: Any, dtype: Any) -> None:
    A, c = kind(np.diff(np.eye(4), axis=0).astype(dtype)), np.ones(3)
    constraint = zoo.Linear(A, c=c)
    x, y = np.array([1.0, 4.0, 9.0, 16.0]), np.zeros(3)
    before = constraint.residual(x, y)
    (A if isinstance(A, np.ndarray) else A.data)[:] = 7.0
    c[:] = 7.0
    np.testing.assert_array_equal(constraint.residual(x, y), before)
    np.testing.assert_array_equal(before, [2.0, 4.0, 6.0])


# multiples of the identity


@pytest.mark.parametrize(
    "form", [np.asarray, sparse.csr_array, sparse.coo_matrix, sparse.dia_array]
)
def test_a_matrix_that_is_a_multiple_of_the_identity_is_known(form: Callable[..., object]) -> None:
    A = np.diff(np.eye(4), axis=0)
    assert zoo.Linear(A, form(-2.0 * np.eye(3))).multiple == -2.0
    assert zoo.Linear(A, form(np.diag([-1.0, -1.0, -2.0]))).multiple is None
    assert zoo.Linear(A, form(np.eye(3)[[1, 0, 2]])).multiple is None
    assert zoo.Linear(np.eye(3), form(-np.eye(3, 2))).multiple is None


def test_entries_of_one_place_are_summed_before_a_multiple_is_seen() -> None:
    twice = sparse.coo_array((np.ones(2), ([0, 0], [0, 0])), shape=(2, 2))
    assert zoo.Linear(np.eye(2), twice).multiple is None


def test_minus_identity_as_a_matrix_is_solved_as_the_number() -> None:
    A, center = np.diff(np.eye(5), axis=0), np.arange(5.0)

    def found(B: object) -> zoo.Result:
        return zoo.minimize(
            lambda x: float(np.square(x - center).sum()),
            np.zeros(5),
            regularizer=zoo.L1(0.3),
            constraint=[zoo.Linear(A, B), zoo.Equality(np.ones((1, 5)), [1.0])],
            max_evaluations=300,
        )

    as_matrix, as_number = found(-np.eye(4)), found(-1.0)
    assert as_number.success
    assert np.array_equal(as_matrix.x, as_number.x)
    assert as_matrix.nfev == as_number.nfev
