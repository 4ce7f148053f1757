"""A follower on structure: candidates against cvxpy, points within sets, bits, zeros."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import cvxpy as cp
import numpy as np
import pytest

import zooadmm as zoo
from zooadmm.methods.follow.experts import (
    OUTLIER,
    REFUTED,
    Experts,
    LocalModel,
    Structure,
    first,
    memories,
    two_curvatures,
)
from zooadmm.problem.problem import Problem

M = 4
ROW = np.array([1.0, -2.0, 0.5, 1.0])


class Case(NamedTuple):
    """A structure, and what it is to cvxpy."""

    given: dict[str, Any]
    phi: Callable[[Any], Any]
    conditions: Callable[[Any], list[Any]]


def nothing(x: Any) -> float:
    return 0.0


CASES = {
    "L1": Case({"regularizer": zoo.L1(0.4)}, lambda x: 0.4 * cp.norm1(x), lambda x: []),
    "simplex": Case({"domain": zoo.Simplex()}, nothing, lambda x: [x >= 0, cp.sum(x) == 1]),
    "box budget": Case(
        {"domain": zoo.sets.BoxBudget(-0.2, 0.6, budget=1.0)},
        nothing,
        lambda x: [x >= -0.2, x <= 0.6, cp.sum(x) == 1],
    ),
    "equality": Case({"constraint": zoo.Equality(ROW, 0.3)}, nothing, lambda x: [ROW @ x == 0.3]),
    "L1 and equality": Case(
        {"regularizer": zoo.L1(0.4), "constraint": zoo.Equality(ROW, 0.3)},
        lambda x: 0.4 * cp.norm1(x),
        lambda x: [ROW @ x == 0.3],
    ),
}


def target(t: int) -> np.ndarray:
    return np.array([math.cos(t / 60), math.sin(t / 60), 0.5, -0.1])


def bowl(x: np.ndarray, t: int) -> float:
    return float(np.square(x - target(t)).sum())


def start(case: Case) -> np.ndarray:
    return np.full(M, 1 / M) if "domain" in case.given else np.zeros(M)


def problem_of(case: Case) -> Problem:
    made = zoo.Optimizer(start(case), settings="follow", max_iterations=1, **case.given)
    return made.method.problem


def models(count: int) -> list[LocalModel]:
    generator = np.random.default_rng(0)
    found = []
    for _ in range(count):
        x, g = 0.3 * generator.standard_normal((2, M))
        curvatures = two_curvatures(g, 2.0 + generator.random(), generator.random())
        found.append(LocalModel(x, g, curvatures))
    return found


def run(case: Case, loss: Any = bowl, rounds: int = 200, **given: Any) -> zoo.Result:
    return zoo.minimize(
        loss,
        start(case),
        observations=zoo.Stream(range(rounds)),
        settings="follow",
        rng=0,
        **case.given,
        **given,
    )


@pytest.mark.parametrize("name", CASES)
def test_candidates_minimize_the_sums_with_their_structure(name: str) -> None:
    """To 1e-6 of the interior-point method, every candidate allowed."""
    case = CASES[name]
    structure = Structure(problem_of(case))
    experts, seen = first(structure.inside(start(case))), models(8)
    for model in seen:
        before, experts = experts, experts.after(model, structure)
    for k, rounds in enumerate(memories(M)):
        ages = [(1 - 1 / rounds) ** (len(seen) - 1 - i) for i in range(len(seen))]
        x = cp.Variable(M)
        value = sum(ages) * case.phi(x)
        trace = 0.0
        for age, model in zip(ages, seen, strict=True):
            s = x - model.x
            value += age * (model.gradient @ s + 0.5 * cp.quad_form(s, model.hessian))
            trace += age * np.trace(model.hessian)
        value += 0.5 * 0.01 * trace / M * cp.sum_squares(x - before.points[k])
        tight = dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), 1e-12)
        cp.Problem(cp.Minimize(value), case.conditions(x)).solve(solver=cp.CLARABEL, **tight)
        np.testing.assert_allclose(experts.points[k], x.value, atol=1e-6)
    for point in experts.allowed(structure):
        x = cp.Variable(M)
        x.value = point
        assert all(condition.violation().max() <= 1e-9 for condition in case.conditions(x))


@pytest.mark.parametrize("noise", [0.0, 0.02])
@pytest.mark.parametrize("name", ["simplex", "box budget"])
def test_no_point_leaves_the_set(name: str, noise: float) -> None:
    """Sums to 1e-12, bounds to the last bit; and the moving minimizer is followed."""
    case, generator, seen, off = CASES[name], np.random.default_rng(0), [], []
    domain = case.given["domain"]
    lower, upper = (0.0, 1.0) if name == "simplex" else (-0.2, 0.6)

    def loss(x: np.ndarray, t: int) -> float:
        seen.append(x.copy())
        return bowl(x, t) + noise * generator.standard_normal()

    def note(info: Any) -> None:
        off.append(np.abs(info.x - domain.project(target(info.t // 2))).max())

    run(case, loss, callback=note)
    points = np.array(seen)
    assert points.min() >= lower
    assert points.max() <= upper
    assert np.abs(points.sum(axis=1) - 1).max() <= 1e-12
    assert np.median(off[200:]) < (0.03 if noise == 0.0 else 0.15)


def test_an_equality_holds_at_every_point_played() -> None:
    off = []
    run(CASES["equality"], callback=lambda info: off.append(abs(ROW @ info.x - 0.3)))
    assert max(off) <= 1e-9


def test_zeros_of_L1_are_exact_and_followed() -> None:
    """x* = soft(c, 0.2) of |x - c|^2 + 0.4 |x|_1."""
    wrong, off = [], []

    def note(info: Any) -> None:
        c = target(info.t // 2)
        best = np.sign(c) * np.maximum(np.abs(c) - 0.2, 0.0)
        wrong.append(np.mean((info.x == 0.0) != (best == 0.0)))
        off.append(np.abs(info.x - best).max())

    run(CASES["L1"], callback=note)
    assert np.mean(wrong[200:]) < 0.05
    assert np.median(off[200:]) < 0.03


@pytest.mark.parametrize("name", ["L1", "simplex", "L1 and equality"])
def test_a_resumed_run_is_the_unbroken_one(name: str, tmp_path: Path) -> None:
    case = CASES[name]

    def made() -> zoo.Optimizer:
        return zoo.Optimizer(
            start(case),
            observations=zoo.Time(),
            settings="follow",
            rng=3,
            max_iterations=30,
            **case.given,
        )

    def drain(optimizer: zoo.Optimizer, count: int) -> None:
        while count > 0 and (query := optimizer.ask()) is not None:
            optimizer.tell(query.id, [[bowl(cell.point, cell.observation)] for cell in query])
            count -= 1

    whole = made()
    drain(whole, 99)
    for split in (1, 2, 3, 12, 17):
        begun, resumed = made(), made()
        drain(begun, split)
        begun.save(tmp_path / "run")
        resumed.load(tmp_path / "run")
        drain(resumed, 99)
        assert resumed.state.x.tobytes() == whole.state.x.tobytes()
        assert resumed.state.y.tobytes() == whole.state.y.tobytes()


def plain_after(known: Experts, model: LocalModel) -> Experts:
    """A round without structure, written out."""
    rounds, scale = known.rounds + 1, known.scale or model.excess
    logs = known.log_weights - model.losses(known.candidates) / (2.0 * scale)
    logs = logs - logs.max()
    scale += max(1.0 / rounds, 0.01) * (min(model.excess, OUTLIER * scale) - scale)
    count = len(known.points)
    order, leader = np.arange(count), int(np.argmax(logs)) % count
    refuted = (order > leader) & (logs[:count] < -REFUTED)
    source = np.where(refuted, leader, order)
    logs[:count][refuted] = -1.0
    shared = np.exp(logs) / np.exp(logs).sum()
    shared += (1.0 / len(shared) - shared) / (rounds + 1)
    kept, H = 1.0 - 1.0 / memories(M), model.hessian
    hessians = kept[:, None, None] * known.hessians[source] + H
    targets = kept[:, None] * known.targets[source] + (H @ model.x - model.gradient)
    points = known.points[source]
    missing = targets - np.einsum("kij,kj->ki", hessians, points)
    held = 0.01 * np.trace(hessians, axis1=1, axis2=2) / M
    damped = hessians + held[:, None, None] * np.eye(M)
    points = points + np.linalg.solve(damped, missing[:, :, None])[:, :, 0]
    counts = kept * known.counts[source] + 1.0
    logs = np.log(shared / shared.max())
    return Experts(rounds, hessians, targets, points, logs, scale, counts)


def test_without_structure_no_bit_changes() -> None:
    one = other = first(np.zeros(M))
    for model in models(60):
        one, other = one.after(model), plain_after(other, model)
        for mine, expected in zip(one, other, strict=True):
            assert np.asarray(mine).tobytes() == np.asarray(expected).tobytes()


def test_no_structure_needs_no_structured_step(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError

    monkeypatch.setattr(Structure, "__init__", refuse)
    zoo.minimize(bowl, np.zeros(M), observations=zoo.Stream(range(20)), settings="follow", rng=0)
