"""The minimizer face by face, against its optimality conditions and an interior-point method."""

from __future__ import annotations

import clarabel
import numpy as np
import pytest
import scipy.sparse as sp

from structure.instances import definite, hard, small
from zooadmm.problem.coordinates import KINK, Coordinates, Floats, coordinates
from zooadmm.problem.form import of_coordinates
from zooadmm.structure import faces
from zooadmm.structure.exact import ExactStep
from zooadmm.structure.factor import Factor, Hessian
from zooadmm.structure.solution import Status


def twin(H: Floats, g: Floats, phi: Coordinates) -> tuple[Floats, str]:
    """The same by Clarabel, the kinks in an epigraph."""
    m = len(g)
    nothing, one = sp.csr_array((m, m)), sp.eye_array(m)
    P = sp.block_diag([sp.triu(H + np.diag(phi.curvature)), nothing])
    rows = [
        sp.hstack([sp.diags_array(phi.above), -one]),
        sp.hstack([sp.diags_array(phi.below), -one]),
        sp.csr_array(sp.hstack([one, nothing]))[np.isfinite(phi.upper)],
        sp.csr_array(sp.hstack([-one, nothing]))[np.isfinite(phi.lower)],
    ]
    upper, lower = phi.upper[np.isfinite(phi.upper)], phi.lower[np.isfinite(phi.lower)]
    b = np.concatenate([phi.above * phi.kink, phi.below * phi.kink, upper, -lower])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    cones = [clarabel.NonnegativeConeT(len(b))]
    A = sp.csc_matrix(sp.vstack(rows))
    q = np.concatenate([g, np.ones(m)])
    found = clarabel.DefaultSolver(sp.csc_matrix(P), q, A, b, cones, settings).solve()
    return np.array(found.x)[:m], str(found.status)


def distance(H: Floats, g: Floats, phi: Coordinates, u: Floats) -> float:
    """Distance to stationarity in units of sqrt(H_ii), relative to g and the slopes of phi."""
    units = np.sqrt(np.maximum(np.diagonal(H) + phi.curvature, 1e-300))
    terms = np.abs(g) + np.maximum(np.abs(phi.below), np.abs(phi.above))
    slope = phi.distances(u, g + H @ u + phi.curvature * u)
    return float(np.abs(slope / units).max() / (terms / units).max())


@pytest.mark.parametrize("seed", range(80))
def test_hard_instances_are_solved_to_rounding(seed: int) -> None:
    H, g, phi = hard(seed)
    found = faces.minimizer(Hessian(H), g, phi)
    assert found.status is Status.SOLVED
    assert distance(H, g, phi, found.u) <= 1e-9
    assert (phi.lower <= found.u).all()
    assert (found.u <= phi.upper).all()


@pytest.mark.parametrize("seed", range(60))
def test_same_objective_as_an_interior_point_method(seed: int) -> None:
    H, g, phi = small(seed)
    found = faces.minimizer(Hessian(H), g, phi)
    other, status = twin(H, g, phi)
    if found.solved:
        assert status in ("Solved", "AlmostSolved")

        def objective(u: Floats) -> float:
            return float(g @ u + u @ H @ u / 2) + phi.value(phi.clip(u))

        assert objective(found.u) <= objective(other) + 1e-6 * (1 + abs(objective(other)))
    else:
        assert "Dual" in status or status == "InsufficientProgress"  # unbounded


def test_a_step_keeps_the_bits_of_bounds_and_kinks() -> None:
    rng = np.random.default_rng(3)
    m = 40
    phi = coordinates(m, 0.1, 0.7, kink=0.3, below=-0.2, above=0.2)
    x = rng.uniform(0.1, 0.7, m)
    S = ExactStep(of_coordinates(phi))
    z, found = S(definite(m, 1e4, rng), x, rng.normal(size=m), x)
    at_kink = found.face == KINK
    assert at_kink.any()
    assert (z[at_kink] == 0.3).all()
    assert set(z[(z <= 0.1) | (z >= 0.7)]) <= {0.1, 0.7}


def test_an_unbounded_model_has_its_status() -> None:
    H = np.array([[1.0, 1.0], [1.0, 1.0]])
    found = faces.minimizer(Hessian(H), np.array([1.0, -1.0]), coordinates(2))
    assert found.status is Status.UNBOUNDED
    flat = faces.minimizer(Hessian(np.diag([1.0, 0.0])), np.array([0.0, 1.0]), coordinates(2))
    assert flat.status is Status.UNBOUNDED


def test_an_iteration_limit_has_its_status() -> None:
    H, g, phi = hard(2)
    assert faces.minimizer(Hessian(H), g, phi, limit=1).status is Status.LIMIT


def test_a_warm_start_takes_fewer_iterations_to_the_same_point() -> None:
    rng = np.random.default_rng(1)
    H = Hessian(definite(200, 1e6, rng))
    g, phi = 0.01 * rng.normal(size=200), coordinates(200, below=-0.002, above=0.002)
    cold = faces.minimizer(H, g, phi)
    warm = faces.minimizer(H, g * 1.001, phi, cold.u)
    again = faces.minimizer(Hessian(H.matrix), g * 1.001, phi)
    assert warm.iterations < again.iterations
    assert np.abs(warm.u - again.u).max() <= 1e-7 * np.abs(again.u).max()


def test_the_same_bits_twice() -> None:
    for seed in range(0, 40, 3):
        H, g, phi = hard(seed)
        first, second = (faces.minimizer(Hessian(H), g, phi) for _ in range(2))
        assert first.u.tobytes() == second.u.tobytes()


def test_borders_solve_like_a_new_factor() -> None:
    rng = np.random.default_rng(0)
    H = definite(150, 1e4, rng)
    factor, b = Factor(H), rng.normal(size=150)
    F = rng.random(150) < 0.7
    assert factor.select(F)
    for _ in range(6):
        F = F ^ (rng.random(150) < 0.02)
        assert factor.select(F)
        z = np.zeros(150)
        z[F] = np.linalg.solve(H[np.ix_(F, F)], b[F])
        assert np.abs(factor.solve(b) - z).max() <= 1e-8 * np.abs(z).max()
    assert factor.bordered
