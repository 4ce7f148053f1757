"""scipy's minimize with our method comes to the answers of scipy's own."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from scipy.optimize import (
    Bounds,
    LinearConstraint,
    NonlinearConstraint,
    OptimizeResult,
    basinhopping,
    minimize,
)

import zooadmm as zoo

M = 6
generator = np.random.default_rng(0)
ROOT = generator.standard_normal((M, M))
CENTER = generator.standard_normal(M)
ROW = generator.standard_normal(M)
ROWS = generator.standard_normal((3, M))


def bowl(x: np.ndarray, shift: float = 0.0) -> float:
    return float(np.square(ROOT @ (x - CENTER - shift)).sum() + np.square(x).sum())


def flat_near_zero(x: np.ndarray) -> float:
    return max(0.0, float(x @ x) - 25.0)


def ours(x0: Any = None, fun: Any = bowl, **given: Any) -> OptimizeResult:
    options = {"rng": 0, **given.pop("options", {})}
    x0 = np.zeros(M) if x0 is None else x0
    return minimize(fun, x0, method=zoo.scipy_method, options=options, **given)


def theirs(**given: Any) -> OptimizeResult:
    options = {"ftol": 1e-14, "maxiter": 1000}
    return minimize(bowl, np.zeros(M), method="SLSQP", options=options, **given)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"args": (0.5,)},
        {"args": 0.5},
        {"bounds": Bounds(-0.1, [0.2, 0.3, np.inf, np.inf, 0.1, 0.1])},
        {"bounds": [(0.1, None), (None, 0.2), (None, None), (0, 0), (-1, 1), (-0.1, 0.1)]},
        {"constraints": LinearConstraint(ROW, 1.0, 1.0)},
        {"constraints": [{"type": "eq", "fun": lambda x: ROWS @ x - [0.3, 0.2, 0.1]}]},
        {"constraints": {"type": "eq", "fun": lambda x: 1 - x.sum()}, "bounds": [(0, 1)] * M},
        {"constraints": LinearConstraint(scipy.sparse.csr_array(ROWS), -0.5, [-0.2, 0.0, 0.2])},
        {"constraints": {"type": "ineq", "fun": lambda x, k: ROWS @ x - k, "args": (0.1,)}},
        {
            "constraints": NonlinearConstraint(lambda x: ROW @ x + 2, 1.0, 1.5),
            "bounds": [(-1, 1)] * M,
        },
        {
            "constraints": [
                LinearConstraint(ROW, 0.2, 0.2),
                {"type": "ineq", "fun": lambda x: 0.1 - x[0] - x[1]},
            ],
            "bounds": Bounds(-0.5, 0.5),
        },
    ],
)
def test_the_answers_of_slsqp(given: dict[str, Any]) -> None:
    found, expected = ours(**given), theirs(**given)
    assert found.success
    assert found.status == 0
    np.testing.assert_allclose(found.fun, expected.fun, rtol=1e-7)
    np.testing.assert_allclose(found.x, expected.x, atol=1e-4)
    np.testing.assert_allclose(found.fun, bowl(found.x, *np.atleast_1d(given.get("args", ()))))
    assert found.get("maxcv", 0.0) <= 1e-8


def test_an_equation_holds_to_rounding() -> None:
    found = ours(constraints=LinearConstraint(ROWS, 0.1, 0.1))
    assert np.abs(ROWS @ found.x - 0.1).max() < 1e-14
    budget = ours(constraints=LinearConstraint(np.full(M, 2.0), 3.0, 3.0), bounds=[(0, 1)] * M)
    assert budget.x.sum() == pytest.approx(1.5, abs=1e-14)


def test_nothing_is_evaluated_out_of_bounds_and_every_call_is_counted() -> None:
    asked = []

    def watched(x: np.ndarray) -> float:
        asked.append(x.copy())
        return bowl(x)

    found = ours(np.full(M, 5.0), watched, bounds=[(-0.1, 0.2)] * M)
    assert np.min(asked) >= -0.1
    assert np.max(asked) <= 0.2
    assert found.nfev == len(asked)


def test_a_regularizer_and_rows() -> None:
    cvxpy = pytest.importorskip("cvxpy")
    x = cvxpy.Variable(M)
    loss = cvxpy.sum_squares(ROOT @ (x - CENTER)) + cvxpy.sum_squares(x) + 2 * cvxpy.norm1(x)
    best = cvxpy.Problem(cvxpy.Minimize(loss), [ROWS @ x <= -0.1]).solve()
    found = ours(
        constraints=LinearConstraint(ROWS, -np.inf, -0.1), options={"regularizer": zoo.L1(2.0)}
    )
    assert found.success
    assert found.fun == pytest.approx(best, rel=1e-6)
    alone = ours(options={"regularizer": zoo.L1(2.0)})
    assert alone.fun == pytest.approx(bowl(alone.x) + 2 * np.abs(alone.x).sum())
    assert (alone.x == 0).any()


def test_a_limit_is_kept_and_is_no_success() -> None:
    noise = np.random.default_rng(0)
    found = ours(fun=lambda x: bowl(x) + 0.1 * noise.standard_normal(), options={"maxfev": 3000})
    assert not found.success
    assert found.status == 2
    assert 2500 < found.nfev <= 3000
    assert found.result.nfev + found.result.nfev_report == found.nfev
    np.testing.assert_allclose(found.x, theirs().x, atol=0.1)
    assert ours(options={"maxiter": 3}).nit == 3


def test_numbers_as_scipy_takes_them() -> None:
    single = ours(np.zeros(M, dtype=np.float32), lambda x: np.array([[bowl(x)]]))
    assert single.success
    np.testing.assert_allclose(single.x, theirs().x, atol=1e-5)
    whole = ours([1] * M, bounds=[(1, 1)] * M)
    np.testing.assert_array_equal(whole.x, np.ones(M))


def test_tol_ends_sooner() -> None:
    early = ours(tol=1e-2)
    assert early.success
    assert early.nfev < ours().nfev


def test_callbacks_of_both_kinds() -> None:
    seen: list[np.ndarray] = []
    ours(callback=lambda xk: seen.append(xk))
    assert len(seen) > 3
    assert all(x.shape == (M,) for x in seen)
    funs = []

    def stop(intermediate_result: OptimizeResult) -> None:
        funs.append(intermediate_result.fun)
        if intermediate_result.nit == 4:
            raise StopIteration

    found = ours(callback=stop)
    assert (found.status, found.success, found.nit, len(funs)) == (99, False, 4, 4)


def test_inside_basinhopping() -> None:
    found = basinhopping(
        lambda x: float(np.square(x).sum() + 2 * np.cos(3 * x).sum()),
        np.array([2.0, 2.0]),
        niter=8,
        rng=0,
        minimizer_kwargs={"method": zoo.scipy_method, "options": {"rng": 0}},
    )
    assert found.lowest_optimization_result.success
    np.testing.assert_allclose(np.abs(found.x), 0.9416, atol=1e-3)


def test_derivatives_are_warned_of() -> None:
    with pytest.warns(RuntimeWarning, match="does not use jac") as caught:
        ours(fun=lambda x: (float(x @ x), 2 * x), jac=True)
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"options": {"ftol": 1e-9}}, "does not know the options ftol; it knows maxfev"),
        ({"options": {"maxfev": 1}}, "maxfev must be at least 2, not 1"),
        ({"bounds": [(0, 1)]}, "6 pairs"),
        ({"bounds": [(1, 0)] * M}, "lower must not exceed upper"),
        ({"constraints": LinearConstraint([1.0, 1.0], 0, 0)}, r"constraints\[0\] has 2 columns"),
        ({"constraints": LinearConstraint(ROW, 1, 0)}, "above the upper bound"),
        ({"constraints": {"type": "==", "fun": np.sum}}, '"eq" or "ineq"'),
        ({"constraints": NonlinearConstraint(flat_near_zero, np.inf, np.inf)}, "no x satisfies"),
        (
            {"constraints": NonlinearConstraint(lambda x: x @ x, 0, 0, keep_feasible=True)},
            "no room for keep_feasible",
        ),
        (
            {
                "constraints": [
                    {"type": "eq", "fun": lambda x: x @ x - 1.0},
                    NonlinearConstraint(lambda x: x[0] * x[1], -1, 1, keep_feasible=True),
                ]
            },
            r"constraints\[0\] is an equation .* and constraints\[1\] has keep_feasible",
        ),
        (
            {"constraints": NonlinearConstraint(lambda x: "a", 0, 1)},
            r"value of constraints\[0\] must",
        ),
        ({"constraints": NonlinearConstraint(lambda x: 1j * x, 0, 1)}, "real numbers, not complex"),
        ({"constraints": NonlinearConstraint(lambda x: x[x < 1e-5], 0, 1)}, "different lengths"),
        (
            {"constraints": NonlinearConstraint(np.diag, 0, 1)},
            r"of shape \(6, 6\); return",
        ),
        ({"constraints": NonlinearConstraint(np.square, [0, 0], 1)}, "has 6 values; give as many"),
        ({"constraints": ["x > 0"]}, "give a LinearConstraint"),
        (
            {"constraints": LinearConstraint(np.ones(M), 9, np.inf), "bounds": [(0, 1)] * M},
            "no point satisfies",
        ),
        ({"options": {"domain": zoo.Simplex()}, "bounds": [(0, 1)] * M}, "takes the place"),
        ({"bounds": Bounds([0, 0], [1, 1])}, "Bounds have lengths 2 and 2"),
        ({"bounds": 5}, "bounds must be"),
        ({"constraints": 5}, r"constraints\[0\] is 5; give a LinearConstraint"),
        ({"constraints": {"type": "eq", "fun": "a"}}, "has the fun 'a'; give a function"),
        ({"constraints": LinearConstraint(ROW, np.nan, 1)}, "bounds that are NaN"),
        ({"constraints": Bounds(2, 3), "bounds": [(0, 1)] * M}, "no point in common"),
        ({"options": {"maxfev": "a"}}, "maxfev must be a number"),
        ({"options": {"maxfev": 2.5}}, "maxfev must be a whole number"),
        ({"options": {"maxiter": -1}}, "maxiter must be at least 0"),
        ({"tol": -1}, "tol must be at least 0"),
    ],
)
def test_what_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises((TypeError, ValueError), match=said):
        ours(**given)


@pytest.mark.parametrize("seed", range(6))
def test_constraints_that_are_not_linear_are_evaluated_with_the_loss(seed: int) -> None:
    random = np.random.default_rng(seed)
    center, root = 1.0 + random.random(M), random.standard_normal((M, M))
    ball = NonlinearConstraint(lambda x: x @ x, 0.1, 1.0)
    quartic = {"type": "ineq", "fun": lambda x, most: most - (x**4).sum(), "args": (0.5,)}
    given: dict[str, Any] = {
        "fun": lambda x: float(np.square((x - center) @ (root + 3.0 * np.eye(M))).sum()),
        "constraints": [ball, quartic, LinearConstraint(ROW, -np.inf, 0.9)],
        "bounds": [(-1.0, 0.6)] * M,
    }
    found = ours(**given)
    judge = minimize(**given, x0=np.zeros(M), method="SLSQP", tol=1e-12)
    assert found.success
    assert found.maxcv <= 1e-8
    assert found.fun == pytest.approx(judge.fun, rel=1e-5)


@pytest.mark.parametrize("kept", [tuple, iter, np.array, lambda one: one[0]])
def test_constraints_come_in_any_collection(kept: Any) -> None:
    ball = NonlinearConstraint(lambda x: x @ x, -np.inf, 1.0)
    found = ours(fun=lambda x: -float(x.sum()), constraints=kept([ball]))
    assert found.fun == pytest.approx(-math.sqrt(M))


def test_a_constraint_that_raises_where_it_is_tested_is_not_linear() -> None:
    logs = {"type": "ineq", "fun": lambda x: 1.0 - sum(map(math.log, x))}
    found = ours(fun=lambda x: float(np.square(x - 2.0).sum()), constraints=logs, x0=[0.01] * M)
    assert found.success
    assert found.x == pytest.approx([math.exp(1 / M)] * M, abs=1e-4)


def test_an_equation_that_is_not_linear() -> None:
    sphere = {"type": "eq", "fun": lambda x: x @ x - 1.0}
    found = ours(fun=lambda x: float(x.sum()), constraints=sphere, x0=np.linspace(0.1, 0.6, M))
    np.testing.assert_allclose(found.x, np.full(M, -1.0 / math.sqrt(M)), atol=1e-5)
    assert found.success


def test_constraints_are_evaluated_within_the_bounds() -> None:
    def growth(x: np.ndarray) -> float:
        assert ((x >= 0.0) & (x <= 2.0)).all()
        return float(np.log(0.1 + x).sum())

    for keeps in (False, True):
        kept = NonlinearConstraint(growth, -6.0, np.inf, keep_feasible=keeps)
        found = ours(
            fun=lambda x: float((x + np.arange(M)) @ x),
            constraints=kept,
            bounds=[(0.0, 2.0)] * M,
            x0=np.ones(M),
        )
        assert found.success
        assert growth(found.x) == pytest.approx(-6.0, abs=1e-6)


def test_a_constraint_to_be_kept_is_not_violated_on_the_way() -> None:
    seen: list[float] = []

    def within(x: np.ndarray) -> float:
        seen.append(float(x @ x))
        return seen[-1]

    def violated(keep_feasible: bool) -> int:
        kept = NonlinearConstraint(within, -np.inf, 1.0, keep_feasible=keep_feasible)
        given = {"constraints": kept, "bounds": [(-2.0, 2.0)] * M, "x0": np.full(M, 0.1)}
        assert ours(fun=lambda x: -float(x.sum()), **given).success
        found = sum(value > 1.0 for value in seen)
        seen.clear()
        return found

    assert violated(keep_feasible=True) == 0 < violated(keep_feasible=False)


def test_a_start_that_violates_what_is_to_be_kept_is_refused_by_name() -> None:
    kept = NonlinearConstraint(lambda x: x @ x, -np.inf, 9.0, keep_feasible=True)
    others = [
        LinearConstraint(ROW, -np.inf, 5.0),
        {"type": "ineq", "fun": lambda x: 1.0 - x**2},
    ]
    said = r"x0 violates constraints\[2\] by 0\.25, and constraints\[0\] has keep_feasible"
    with pytest.raises(ValueError, match=said) as caught:
        ours([0.0, 0.0, 0.0, 0.0, math.sqrt(1.25), 0.0], constraints=[kept, *others])
    assert "mode=" not in str(caught.value)


def test_parameters_are_tested_for_linearity_within_their_scales() -> None:
    seen = []

    def line(x: np.ndarray) -> float:
        seen.append(x.copy())
        return 1.0 - float(x.sum())

    named = zoo.Parameters({"a": (0.1, 10.0), "b": (0.0, 1.0)})
    line_of = {"type": "ineq", "fun": line}
    found = minimize(
        lambda at: (at["a"] - 3.0) ** 2 + at["b"],
        named,
        method=zoo.scipy_method,
        constraints=line_of,
        options={"rng": 0},
    )
    assert found.success
    assert np.min(seen) >= 0.0
    assert np.max(seen) <= 1.0


def test_a_constraint_that_is_linear_near_the_start_only() -> None:
    given: dict[str, Any] = {"fun": lambda x: float(np.square(x - 50.0).sum())}
    given["constraints"] = NonlinearConstraint(flat_near_zero, -np.inf, 0.0)
    found = ours(**given, bounds=[(-100.0, 100.0)] * M)
    assert flat_near_zero(found.x) == pytest.approx(found.maxcv, abs=1e-12)
    assert found.maxcv <= 1e-6
    without_bounds = ours(**given)  # constant near x0, so it is not taken for linear there either
    assert without_bounds.success
    assert flat_near_zero(without_bounds.x) <= 1e-8


@pytest.mark.parametrize("far", [2.0, 0.5])
def test_what_turns_out_not_to_be_linear_is_no_success(far: float) -> None:
    """Its answer violates the constraint, or stops short of it."""

    def bent(x: np.ndarray) -> float:
        return float(x.sum() + (far - 1.0) * max(0.0, x.sum() - 25.0))

    given: dict[str, Any] = {"fun": lambda x: float(np.square(x - 50.0).sum())}
    found = ours(**given, constraints=NonlinearConstraint(bent, -np.inf, 100.0))
    assert not found.success
    assert "is not linear at x" in found.message
    assert found.maxcv == pytest.approx(max(0.0, bent(found.x) - 100.0))
    assert found.x.sum() == pytest.approx(100.0)
    slack = ours(**given, constraints=NonlinearConstraint(bent, -np.inf, 1e4))
    assert slack.success  # it is far from any side


@pytest.mark.parametrize("unit", [1e-12, 1e-6, 1.0, 1e6, 1e10, 1e12])
@pytest.mark.parametrize("kind", ["ineq", "eq"])
def test_linear_constraints_in_any_units(unit: float, kind: str) -> None:
    line = {"type": kind, "fun": lambda x: unit * (1.0 - x @ np.array([1.1, 0.7, 0.3]))}
    x0, loss = [0.3, 0.1, -0.2], lambda x: float(np.square(x - 2.0).sum())
    found = ours(x0, loss, constraints=line)
    assert found.success
    assert found.maxcv <= 1e-15 * unit
    assert found.x @ [1.1, 0.7, 0.3] == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(
    "constraint",
    [
        NonlinearConstraint(lambda x: np.maximum(0.0, x - 6.0), -np.inf, 0.0),
        {"type": "ineq", "fun": lambda x: -max(0.0, float((x - 6.0).max()))},
        {"type": "ineq", "fun": lambda x: min(1.0, 6.0 - float(x[0]))},
    ],
)
def test_a_constraint_that_is_satisfied_and_constant_near_the_start(constraint: Any) -> None:
    found = ours([0.0] * 3, lambda x: float(np.square(x - 10.0).sum()), constraints=constraint)
    assert found.maxcv <= 1e-6
    assert found.x[0] == pytest.approx(6.0, abs=1e-3)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"constraints": Bounds(0, 1)}, 0.0),
        ({"constraints": NonlinearConstraint(lambda x: x @ x, -np.inf, np.inf)}, 0.0),
        ({"constraints": NonlinearConstraint(lambda x: x @ x - 1.0, 1.0, np.inf)}, 2.0),
        ({"constraints": NonlinearConstraint(lambda x: x @ x * math.nan, 0.0, 1.0)}, math.nan),
        ({"constraints": LinearConstraint(ROW, -np.inf, np.inf)}, 0.0),
        ({"constraints": []}, None),
    ],
)
def test_the_violation_is_given_where_there_are_constraints(given: Any, expected: Any) -> None:
    """Also where no iteration was possible."""
    found = ours(**given, options={"maxfev": 2})
    if expected is None:
        assert "maxcv" not in found
    else:
        np.testing.assert_equal(found.maxcv, expected)


def test_a_constraint_that_is_violated_and_constant_near_the_start() -> None:
    far = {"type": "ineq", "fun": lambda x: max(0.0, x.sum() - 20.0) - 1.0}
    found = ours(fun=lambda x: float(np.square(x - 50.0).sum()), constraints=far)
    assert found.maxcv == 0.0
    assert found.x == pytest.approx([50.0] * M)
    never = ours(fun=lambda x: float(x @ x), constraints={"type": "ineq", "fun": lambda x: -1.0})
    assert not never.success
    assert "No feasible point was found: constraint 1 is 1 at x." in never.message


def test_functions_may_overwrite_x_and_stay_within_a_domain() -> None:
    def spoiling(x: np.ndarray) -> float:
        value = float(x @ x)
        assert (x >= 0.1).all()
        x[:] = 7.0
        return value

    found = ours(
        fun=lambda x: -spoiling(x),
        constraints=NonlinearConstraint(spoiling, -np.inf, 1.0),
        options={"domain": zoo.Box(0.1, 1.0)},
        x0=np.full(M, 0.2),
    )
    assert float(found.x @ found.x) == pytest.approx(1.0, abs=1e-6)


def test_names_and_constraints_that_are_not_linear() -> None:
    named = zoo.Parameters({"a": (0.0, 1.0), "b": (0.0, 1.0)})
    ball = {"type": "ineq", "fun": lambda x: 1.0 - x @ x}
    with pytest.raises(ValueError, match="must be linear; call zooadmm"):
        minimize(lambda at: at["a"], named, method=zoo.scipy_method, constraints=ball)


def test_bounds_among_constraints_and_as_a_domain() -> None:
    outside = []

    def loss(x: np.ndarray) -> float:
        outside.append(bool(((x < 0.0) | (x > 0.2)).any()))
        return float(np.square(x - 0.3).sum())

    for given in ({"constraints": Bounds(0, 0.2)}, {"options": {"domain": Bounds(0, 0.2)}}):
        found = minimize(loss, np.ones(M), method=zoo.scipy_method, **given)
        assert found.x.tolist() == [0.2] * M
    assert not any(outside)


def test_status_0_is_success() -> None:
    found = minimize(lambda x: float(x @ x), np.zeros(M), method=zoo.scipy_method)
    assert found.success == (found.status == 0)


@pytest.mark.parametrize("maxfev", [2, 3, 9, 40])
def test_no_more_calls_than_maxfev(maxfev: int) -> None:
    calls = 0

    def counted(x: np.ndarray) -> float:
        nonlocal calls
        calls += 1
        return bowl(x)

    found = ours(fun=counted, options={"maxfev": maxfev})
    assert found.nfev == calls <= maxfev


def test_a_domain() -> None:
    found = ours(options={"domain": zoo.Simplex()})
    expected = theirs(
        bounds=[(0, None)] * M, constraints={"type": "eq", "fun": lambda x: x.sum() - 1}
    )
    np.testing.assert_allclose(found.x, expected.x, atol=1e-5)


def test_parameters() -> None:
    parameters = zoo.Parameters({"rate": (1e-4, 1, "log"), "depth": (0, 5)})

    def error(values: dict[str, float], where: float) -> float:
        return float(np.log10(values["rate"] / 0.02) ** 2 + (values["depth"] - where) ** 2)

    given = {"args": (4.0,), "method": zoo.scipy_method, "options": {"rng": 0}}
    found = minimize(error, parameters, **given)
    assert found.success
    assert found.result.named == pytest.approx({"rate": 0.02, "depth": 4.0}, rel=1e-3)
    with pytest.raises(ValueError, match="leave bounds and domain out"):
        minimize(error, parameters, bounds=[(0, 1)] * 2, **given)
