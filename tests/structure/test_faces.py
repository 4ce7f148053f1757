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


def test_sets_near_and_far_are_solved_together_like_new_factors() -> None:
    rng = np.random.default_rng(6)
    H = definite(120, 1e3, rng)
    H = H / np.sqrt(np.outer(np.diagonal(H), np.diagonal(H)))
    factor = Factor(H)
    assert factor.select(np.arange(120) < 90)
    F = np.tile(np.arange(120) < 90, (6, 1))
    F[1, 3:5] = F[5, 100] = F[2, 40:90] = False
    F[2, 90:] = F[3, 90:100] = F[5, 110:114] = True
    F[4] = False
    B = rng.normal(size=F.shape)
    for _ in range(2):  # the second time with columns that are known
        for z, free, b in zip(factor.solve_each(F, B), F, B, strict=True):
            alone = np.zeros(120)
            alone[free] = np.linalg.solve(H[np.ix_(free, free)], b[free])
            np.testing.assert_allclose(z, alone, rtol=1e-9, atol=1e-10)
            assert (z[~free] == 0.0).all()
        F, B = F[::-1].copy(), B[::-1].copy()
        F[0, 60] = False


@pytest.mark.parametrize("seed", range(40))
def test_minimizers_of_many_slopes_are_those_of_each(seed: int) -> None:
    H, g, phi = hard(seed)
    rng = np.random.default_rng(seed)
    start = faces.minimizer(Hessian(H), g, phi)
    sizes = np.repeat([1e-6, 1e-2, 1.0], 4)[:, None]
    G = g + sizes * np.abs(g).max() * rng.standard_normal((12, len(g)))
    together = faces.minimizers(Hessian(H), G, phi, start.u)
    solved = np.isfinite(together[:, 0])
    assert solved.all() or np.linalg.cond(H) > 1e9
    for slopes, u in zip(G[solved], together[solved], strict=True):
        assert distance(H, slopes, phi, u) <= 1e-10
        assert ((u >= phi.lower) & (u <= phi.upper)).all()


def test_minimizers_whose_guesses_fail_are_found_one_by_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(2)
    H, phi = definite(40, 1e2, rng), coordinates(40, below=-0.1, above=0.1)
    G = rng.normal(size=(5, 40))
    guessed = faces.minimizers(Hessian(H), G, phi, np.zeros(40))
    monkeypatch.setattr(faces, "GUESSES", 1)
    np.testing.assert_allclose(
        faces.minimizers(Hessian(H), G, phi, np.zeros(40)), guessed, rtol=1e-9, atol=1e-9
    )
