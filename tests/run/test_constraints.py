"""Plain linear constraints: any number of them, with any regularizer and any set, and they hold."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from scipy.optimize import Bounds, LinearConstraint

import zooadmm as zoo

EXACT = 1e-9


class Watched:
    """A loss that notes how far outside bounds it was called."""

    def __init__(self, loss: Callable[..., float], domain: Any) -> None:
        self.loss, self.domain, self.calls, self.outside = loss, domain, 0, 0.0

    def __call__(self, x: np.ndarray, *w: Any) -> float:
        self.calls += 1
        bounds = None if self.domain is None else self.domain.bounds()
        if bounds is not None:
            low, high = bounds
            self.outside = max(self.outside, float(np.max([low - x, x - high])))
        elif self.domain is not None:
            self.outside = max(self.outside, self.domain.distance(x) - 1e-12)
        return self.loss(x, *w)


def quadratic(generator: np.random.Generator, m: int) -> Callable[[np.ndarray], float]:
    G, center = generator.standard_normal((m + 2, m)), 2.0 * generator.standard_normal(m)
    return lambda x: float(np.square(G @ (x - center)).sum())


def rows(generator: np.random.Generator, m: int) -> dict[str, Any]:
    """Constraints that the point 1/m satisfies."""
    A, inner = generator.standard_normal((2, m)), np.full(m, 1.0 / m)
    scale = 10.0 ** generator.integers(-3, 4)
    return {
        "none": None,
        "equality": zoo.Equality(scale * A, scale * A @ inner),
        "inequality": zoo.Inequality(scipy.sparse.csr_array(A), upper=A @ inner + 0.01),
        "both": [zoo.Equality(A[0], A[0] @ inner), zoo.Inequality(A[1], A[1] @ inner, math.inf)],
        "scipy": LinearConstraint(scale * A, scale * A @ inner - 1e-3, scale * A @ inner),
    }


DOMAINS: dict[str, Any] = {
    "everything": lambda m: None,
    "box": lambda m: zoo.Box(0.0, 1.0),
    "half bounded": lambda m: zoo.Box(np.where(np.arange(m) % 2, 0.0, -math.inf), 2.0),
    "simplex": lambda m: zoo.Simplex(),
    "ball": lambda m: zoo.sets.L2Ball(1.0),
    "scipy": lambda m: Bounds(0.0, np.full(m, 0.9)),
}
REGULARIZERS: dict[str, Any] = {
    "none": lambda m: None,
    "L1": lambda m: zoo.L1(0.5),
    "groups": lambda m: zoo.GroupL2(0.5, [range(2), range(2, m)]),
}


def violation(constraint: Any, x: np.ndarray) -> float:
    """The largest violation of a row, relative to max(1, |bound|)."""
    worst = 0.0
    for one in constraint if isinstance(constraint, list) else [constraint]:
        if one is None:
            continue
        A = one.A.toarray() if scipy.sparse.issparse(one.A) else np.atleast_2d(one.A)
        low, high = (one.b, one.b) if isinstance(one, zoo.Equality) else _bounds(one)
        for y, lower, upper in np.broadcast(A @ x, low, high):
            worst = max(worst, (lower - y) / max(1.0, abs(lower)) if lower > y else 0.0)
            worst = max(worst, (y - upper) / max(1.0, abs(upper)) if y > upper else 0.0)
    return worst


def _bounds(one: Any) -> tuple[Any, Any]:
    return (one.lower, one.upper) if isinstance(one, zoo.Inequality) else (one.lb, one.ub)


@pytest.mark.parametrize("settings", ["auto", "paper"])
@pytest.mark.parametrize("kind", ["equality", "inequality", "both", "scipy"])
@pytest.mark.parametrize("domain", DOMAINS)
def test_the_answer_is_feasible(domain: str, kind: str, settings: Any) -> None:
    """With each regularizer in turn, on random problems."""
    for number, (name, phi) in enumerate(REGULARIZERS.items()):
        if name == "groups" and kind != "both":
            continue  # ADMM solves these, more slowly
        generator = np.random.default_rng([len(domain), len(kind), number])
        m = int(generator.integers(4, 8))
        X, constraint = DOMAINS[domain](m), rows(generator, m)[kind]
        given = zoo.Box(0.0, 0.9) if isinstance(X, Bounds) else X
        loss = Watched(quadratic(generator, m), given)
        x0 = np.zeros(m) if given is None else given.project(generator.standard_normal(m))
        result = zoo.minimize(
            loss,
            x0,
            domain=X,
            constraint=constraint,
            regularizer=phi(m),
            settings=settings,
            max_evaluations=16 * (m + 1),
            rng=0,
        )
        assert violation(constraint, result.x) <= EXACT
        assert given is None or result.x_violation <= 1e-12
        bounds = None if given is None else given.bounds()
        if bounds is not None:
            assert (bounds[0] <= result.x).all()
            assert (result.x <= bounds[1]).all()
            assert loss.outside <= 0.0
        elif settings == "auto":
            assert loss.outside <= 0.0
        assert len(result.y) == m


def test_the_answer_is_the_optimum() -> None:
    """Against scipy's SLSQP, with bounds, equations and inequalities."""
    from scipy.optimize import minimize

    for seed in range(4):
        generator = np.random.default_rng(seed)
        m = 6
        loss, constraint = quadratic(generator, m), rows(generator, m)["both"]
        lower, upper = constraint
        ours = zoo.minimize(
            loss, np.full(m, 0.1), domain=zoo.Box(-1, 1), constraint=constraint,
            max_evaluations=2_000, rng=0,
        )  # fmt: skip
        theirs = minimize(
            loss, np.full(m, 0.1), bounds=[(-1, 1)] * m, method="SLSQP",
            constraints=[LinearConstraint(np.atleast_2d(lower.A), lower.b, lower.b),
                         LinearConstraint(np.atleast_2d(upper.A), upper.lower, np.inf)],
            options={"ftol": 1e-14, "maxiter": 500},
        )  # fmt: skip
        assert ours.success
        assert ours.fun is not None
        assert ours.fun <= theirs.fun + 1e-6 * max(1.0, abs(theirs.fun))


REFUSED: dict[str, tuple[Callable[[], dict[str, Any]], str]] = {
    "NaN": (lambda: {"constraint": zoo.Equality(np.ones(3), math.nan)}, "b has entries"),
    "infinite b": (lambda: {"constraint": zoo.Equality(np.ones(3), math.inf)}, "b must be finite"),
    "NaN in A": (lambda: {"constraint": zoo.Equality([[math.nan] * 3], 1)}, "A has entries"),
    "empty row": (lambda: {"constraint": zoo.Inequality(np.zeros((1, 3)), 0)}, "row 0 of A is"),
    "no bound": (lambda: {"constraint": zoo.Inequality(np.ones(3))}, "row 0 has neither"),
    "crossed": (lambda: {"constraint": zoo.Inequality(np.ones(3), 2, 1)}, r"lower\[0\] = 2 is"),
    "columns": (lambda: {"constraint": zoo.Equality(np.ones(4), 1)}, "A of constraint Equality"),
    "rows": (lambda: {"constraint": zoo.Inequality(np.ones((2, 3)), [1, 2, 3])}, "lower has shape"),
    "contradiction": (
        lambda: {"constraint": [zoo.Equality(np.ones(3), 1), zoo.Equality(np.ones(3), 2)]},
        "constraint: A x = b has no solution",
    ),
    "bounds": (
        lambda: {"constraint": zoo.Inequality([1, 2, 3], 10), "domain": zoo.Box(0, 1)},
        "allow no point",
    ),
    "several rows": (
        lambda: {
            "constraint": zoo.Inequality([[1, 1, 0], [-1, -1, 0]], [1, 0]),
            "domain": zoo.Box(0, 1),
        },
        "no point satisfies rows 0, 1",
    ),
    "two boxes": (lambda: {"domain": zoo.Box(0, 1), "regularizer": zoo.Box(2, 3)}, "no point"),
    "a box and a simplex": (
        lambda: {"domain": zoo.Box(0, 0.1), "regularizer": zoo.Simplex()},
        "allow no point",
    ),
    "a ball": (
        lambda: {"domain": zoo.sets.L2Ball(0.5), "constraint": zoo.Inequality(np.ones(3), 9)},
        "the sets stay .* apart",
    ),
    "two y": (lambda: {"constraint": [zoo.Linear(np.eye(3))] * 2}, "a second Linear"),
    "y is free": (
        lambda: {"constraint": zoo.Linear(np.ones((1, 3)), c=[1.0])},
        r"enforces nothing without a regularizer.*Equality\(A, c\)",
    ),
    "scipy's": (lambda: {"constraint": LinearConstraint(np.ones(4), 0, 1)}, "has 4 columns"),
    "scipy's bounds": (lambda: {"domain": Bounds([0, 0], [1, 1])}, "Bounds have lengths 2 and 2"),
}


@pytest.mark.parametrize("label", REFUSED)
def test_what_cannot_be_is_refused_before_an_evaluation(label: str) -> None:
    make, said = REFUSED[label]
    calls = []
    for settings in ("auto", "paper"):
        if label in ("two boxes", "a box and a simplex") and settings == "paper":
            continue  # as printed, y is not projected on
        with pytest.raises(ValueError, match=said):
            zoo.minimize(
                lambda x: calls.append(1) or float(x @ x),  # type: ignore[func-returns-value]
                np.zeros(3),
                settings=settings,  # type: ignore[arg-type]
                max_evaluations=100,
                **make(),
            )
    assert calls == []


def values(
    kind: str, loss: Callable[[np.ndarray], float], data: np.ndarray
) -> Callable[..., float]:
    """The loss as each kind of run sees it, with noise of its own."""
    noise = np.random.default_rng(7)

    def value(x: np.ndarray, *w: int) -> float:
        exact = float((data[w[0], :-1] @ x - data[w[0], -1]) ** 2) if w else loss(x)
        if kind == "plateaus":
            return round(exact, 1)
        return exact + (1e-2 * noise.standard_normal() if "noisy" in kind else 0.0)

    return value


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("kind", ["exact", "noisy", "sampled"])
def test_an_inactive_box_changes_nothing(kind: str, seed: int) -> None:
    """A wide box: no bit; a box that some trial would leave: not the answer, up to noise."""
    generator = np.random.default_rng(seed)
    m = int(generator.integers(3, 6))
    loss, phi = quadratic(generator, m), (None, zoo.L1(0.3))[seed % 2]
    data = generator.standard_normal((20, m + 1))
    given = {"observations": range(20)} if kind == "sampled" else {}
    free, wide, near = (
        zoo.minimize(
            values(kind, loss, data),
            np.zeros(m),
            domain=domain,
            regularizer=phi,
            max_evaluations=800,
            rng=0,
            **given,
        )
        for domain in (None, zoo.Box(-200.0, 200.0), zoo.Box(-6.0, 6.0))
    )
    assert free.x.tobytes() == wide.x.tobytes()
    assert free.nfev == wide.nfev
    if kind == "noisy":  # other points, other noise, and a last query of another size
        left = [loss(r.x) + (0.0 if phi is None else phi(r.x)) for r in (near, free)]
        assert abs(left[0] - left[1]) <= 2.0 * np.hypot(near.fun_error, free.fun_error)
    else:
        assert near.nfev <= free.nfev
        np.testing.assert_allclose(near.x, free.x, atol=1e-6)
    assert ((near.x == 0.0) == (free.x == 0.0)).all()


@pytest.mark.parametrize("kind", ["exact", "noisy", "sampled", "sampled noisy", "plateaus"])
@pytest.mark.parametrize(
    "X",
    [zoo.Box(0.0, 1.0), zoo.Nonnegative(), zoo.Simplex(), zoo.BoxBudget(0.0, 0.5, 1.0)],
    ids=lambda X: type(X).__name__,
)
def test_nothing_is_evaluated_outside_the_domain(kind: str, X: Any) -> None:
    m = 5
    generator = np.random.default_rng(2)
    loss, data = quadratic(generator, m), generator.standard_normal((20, m + 1))
    given = {"observations": range(20)} if "sampled" in kind else {}
    for start in (np.array([9.0, -9, -9, -9, -9]), np.full(m, 0.2)):  # a corner, and inside
        watched = Watched(values(kind, loss, data), X)
        zoo.minimize(watched, X.project(start), domain=X, max_evaluations=400, rng=0, **given)
        assert watched.calls > 40
        assert watched.outside <= 0.0


def test_anywhere_allows_points_outside() -> None:
    watched = Watched(lambda x: float(np.square(x - 2.0).sum()), zoo.Box(0.0, 1.0))
    result = zoo.minimize(
        watched, np.zeros(3), domain=zoo.Box(0.0, 1.0), settings=zoo.Auto(probes="anywhere"),
        max_evaluations=300, rng=0,
    )  # fmt: skip
    assert watched.outside > 0.0
    assert result.x.tolist() == [1.0, 1.0, 1.0]


def test_domain_or_within_is_the_same() -> None:
    for seed in range(2):
        generator = np.random.default_rng(seed)
        m = 6
        loss, box = quadratic(generator, m), zoo.Box(-0.3, 0.4)
        pairs = (
            {"domain": box, "regularizer": zoo.L1(0.5)},
            {"regularizer": zoo.regularizers.Within(zoo.L1(0.5), box)},
            {"constraint": Bounds(-0.3, 0.4), "regularizer": zoo.L1(0.5)},
        )
        found = [
            zoo.minimize(loss, np.zeros(m), max_evaluations=600, rng=0, **pair) for pair in pairs
        ]
        for other in found[1:]:
            np.testing.assert_allclose(other.x, found[0].x, atol=1e-5)


@pytest.mark.parametrize("seed", [0, 1])
def test_an_order_shift_or_scale_changes_nothing(seed: int) -> None:
    generator = np.random.default_rng(seed)
    m = 6
    loss, A = quadratic(generator, m), generator.standard_normal((1, m))
    order = generator.permutation(m)
    back = np.argsort(order)

    def run(f: Callable[[np.ndarray], float], row: np.ndarray) -> np.ndarray:
        return zoo.minimize(
            f,
            np.zeros(m),
            domain=zoo.Box(-1, 1),
            constraint=zoo.Inequality(row, -0.5, 0.5),
            max_evaluations=600,
            rng=0,
        ).x

    plain = run(loss, A)
    np.testing.assert_allclose(run(lambda x: loss(x[back]), A[:, order])[back], plain, atol=1e-5)
    np.testing.assert_allclose(run(lambda x: loss(x) + 3.0, A), plain, atol=1e-5)
    np.testing.assert_allclose(run(lambda x: 1e3 * loss(x), A), plain, atol=1e-5)


def test_a_start_moved_to_where_the_loss_is_not_finite_is_explained() -> None:
    def loss(x: np.ndarray) -> float:
        return float(x @ x) if x[0] < 0.9 else math.nan

    with pytest.raises(ValueError, match="an x0 that violates linear constraints is moved"):
        zoo.minimize(
            loss, np.zeros(3), constraint=zoo.Inequality(np.ones(3), 3.0), max_evaluations=100
        )
