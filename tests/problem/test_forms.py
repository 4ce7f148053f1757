"""What sets and regularizers say of their form is what they are."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

import zooadmm as zoo
from zooadmm.problem.coordinates import coordinates
from zooadmm.problem.form import form_of, of_coordinates
from zooadmm.problem.regularizers import Foreign, ProximalSum
from zooadmm.problem.regularizers.beside import Beside
from zooadmm.structure import diagonal

M = 5
WEIGHTS = np.array([0.0, 1.0, 2.0, 0.5, 3.0])
LOWER, UPPER = np.array([-1.0, -np.inf, 0.0, -0.2, 0.1]), np.array([1.0, 2.0, np.inf, 0.4, 0.1])


class Hinge:
    """A regularizer of one's own that says its form."""

    def __call__(self, y):
        return float(np.maximum(y, 0.0).sum())

    def prox(self, v, tau):
        return np.where(v > tau, v - tau, np.minimum(v, 0.0))

    def form(self, d):
        return of_coordinates(coordinates(d, above=1.0))


PARTS = {
    "zero": zoo.regularizers.Zero(),
    "l1": zoo.L1(0.7),
    "weighted l1": zoo.L1(0.7, WEIGHTS),
    "elastic net": zoo.ElasticNet(0.7, 1.3),
    "ridge": zoo.regularizers.SquaredL2(1.3),
    "box": zoo.regularizers.Indicator(zoo.Box(LOWER, UPPER)),
    "nonnegative": zoo.regularizers.Indicator(zoo.Nonnegative()),
    "largest entry": zoo.regularizers.Indicator(zoo.sets.LInfBall(0.5)),
    "within": zoo.regularizers.Within(zoo.L1(0.7, WEIGHTS), zoo.Box(LOWER, UPPER)),
    "budget": zoo.regularizers.Indicator(zoo.Budget(1.5)),
    "simplex": zoo.regularizers.Indicator(zoo.Simplex(1.5)),
    "box and budget": zoo.regularizers.Indicator(zoo.BoxBudget(-1.0, 1.0, 1.5)),
    "halfspace": zoo.regularizers.Indicator(zoo.sets.Halfspace(WEIGHTS, 0.4)),
    "plane": zoo.regularizers.Indicator(zoo.sets.AffineSet(WEIGHTS[None], np.array([0.4]))),
    "one's own": Foreign(Hinge()),
    "sum": ProximalSum(zoo.Budget(1.5), zoo.L1(0.7)),
}


def value(form, x):
    """phi(x) + psi(R x), with what rounding leaves of rows forgiven."""
    rows = form.rows @ x
    psi = form.psi._replace(lower=form.psi.lower - 1e-9, upper=form.psi.upper + 1e-9)
    return form.phi.value(x) + psi.value(rows)


@pytest.mark.parametrize("name", PARTS)
def test_the_form_has_the_values_up_to_a_constant(name):
    phi, generator = PARTS[name], np.random.default_rng(0)
    form = form_of(phi, M)
    inside = phi.prox(np.full(M, 0.3), 1.0)
    constant = value(form, inside) - phi(inside)
    for _ in range(20):
        x = phi.prox(generator.standard_normal(M), 0.1)
        assert value(form, x) == pytest.approx(phi(x) + constant)
        away = x + 0.1 * generator.standard_normal(M)
        expected = phi(away)
        assert value(form, away) == pytest.approx(expected + constant)


@pytest.mark.parametrize("name", PARTS)
def test_the_prox_is_that_of_the_form(name):
    phi, generator = PARTS[name], np.random.default_rng(1)
    form, tau = form_of(phi, M), 0.4
    for _ in range(20):
        v = generator.standard_normal(M)
        if form.num_rows == 0:
            found = diagonal.prox(v, 1.0 / tau, form.phi)
        else:
            row, psi = form.rows.toarray()[0], form.psi
            limits = float(psi.lower[0]), float(psi.upper[0])
            found = diagonal.prox_row(v, 1.0 / tau, form.phi, row, *limits).u
        np.testing.assert_allclose(found, phi.prox(v, tau), atol=1e-9)


@pytest.mark.parametrize("name", PARTS)
def test_a_form_through_a_constraint(name):
    """A x + b y = c: the value as a function of x is that at y."""
    phi, generator = PARTS[name], np.random.default_rng(2)
    A, b, c = generator.standard_normal((M, 3)), -2.0, generator.standard_normal(M)
    form = form_of(phi, M)
    moved = form.through(csr_array(A), b, c)
    values = []
    for _ in range(10):
        x = generator.standard_normal(3)
        y = (c - A @ x) / b
        values.append((value(moved, x), value(form, y)))
    finite = [one - two for one, two in values if np.isfinite(two)]
    assert all(np.isfinite(one) == np.isfinite(two) for one, two in values)
    assert np.ptp(finite) <= 1e-9 if finite else True


@pytest.mark.parametrize("name", [name for name in PARTS if hasattr(PARTS[name], "restricted")])
def test_restriction_is_to_some_of_the_coordinates(name):
    phi, to = PARTS[name], np.array([3, 1])
    x = np.zeros(M)
    x[4] = 0.1 if name == "within" else 0.0  # its only point
    x[to] = [0.3, -0.2]
    rest = x.copy()
    rest[to] = 0.0
    assert phi.restricted(to)(x[to]) == pytest.approx(phi(x) - phi(rest))


def test_the_hessian_is_that_of_the_value():
    chain = np.diag([1.0, 2.0, 2.0, 2.0, 1.0]) - np.eye(M, k=1) - np.eye(M, k=-1)
    y = np.random.default_rng(3).standard_normal(M)
    for phi in (
        zoo.regularizers.SquaredL2(1.3),
        zoo.regularizers.Zero(),
        zoo.regularizers.GraphLaplacian(0.7, chain),
    ):
        assert 0.5 * y @ (phi.hessian(M) @ y) == pytest.approx(phi(y))


def test_a_regularizer_beside_a_set():
    phi = Beside(zoo.L1(0.7), zoo.Simplex(1.5), 2)
    x = phi.prox(np.array([1.0, -2.0, 0.4, 0.3, 0.2]), 0.5)
    assert value(form_of(phi, M), x) == pytest.approx(phi(x))
    assert value(form_of(phi, M), x + np.array([0, 0, 0.1, 0, 0])) == np.inf


def test_what_has_no_form_says_none():
    for part in (zoo.GroupL2(1.0, [[0, 1]]), zoo.sets.L2Ball(1.0), object()):
        assert form_of(part, M) is None
