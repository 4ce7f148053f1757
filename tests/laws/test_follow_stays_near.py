"""A follower never runs away: its later gaps beside those of staying at x0.

40 drifting problems of seeds 2200 to 2239: a loss of random rows whose data moves by c_t, with a
structure, a noise in values and a path c_t. The gap of x_t is F_t(x_t) - F*_t, with F*_t from an
interior-point method. Its mean over the second half of the rounds is at most twice that of x0.
"""

from __future__ import annotations

import math
from typing import Any

import cvxpy as cp
import numpy as np
import pytest

import zooadmm as zoo

ROUNDS, CHECKS, FACTOR, ROUNDED = 80, 5, 2.0, 1e-6
ACCURACY = dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), 0.1 * ROUNDED)
SEEDS = range(2200, 2240)
STRUCTURES = ("none", "L1", "box", "simplex", "equalities", "groups")
LOSSES = ("squares", "logistic", "poisson", "absolute", "huber")
EXACT = {
    "squares": lambda z, b: 0.5 * np.square(z - b),
    "logistic": lambda z, b: np.logaddexp(0.0, -b * z),
    "poisson": lambda z, b: np.exp(z) - b * z,
    "absolute": lambda z, b: np.abs(z - b),
    "huber": lambda z, b: np.where(
        np.abs(z - b) < 1.0, 0.5 * np.square(z - b), np.abs(z - b) - 0.5
    ),
}
CONVEX = {
    "squares": lambda z, b: 0.5 * cp.square(z - b),
    "logistic": lambda z, b: cp.logistic(-cp.multiply(b, z)),
    "poisson": lambda z, b: cp.exp(z) - cp.multiply(b, z),
    "absolute": lambda z, b: cp.abs(z - b),
    "huber": lambda z, b: 0.5 * cp.huber(z - b),
}


class Drifting:
    """One problem: mean_i l(a_i'(x - c_t), b_i) + noise."""

    def __init__(self, seed: int) -> None:
        draw = np.random.default_rng([7, seed])
        self.loss = LOSSES[seed % 5]
        self.structure = STRUCTURES[seed % 6]
        self.m = m = int(draw.integers(8, 17))
        level = float(draw.choice([0.0, 0.01, 0.1]))
        self.path, self.speed = str(draw.choice(["circle", "trend", "jumps"])), draw.choice([1, 4])
        rows = 4 * m
        self.rows = draw.standard_normal((rows, m)) * 10.0 ** draw.uniform(-0.5, 0.5, m)
        self.rows /= math.sqrt(m) if self.loss == "poisson" else 1.0
        z = self.rows @ np.where(draw.random(m) < 0.3, draw.standard_normal(m), 0.0)
        self.targets = {
            "logistic": np.where(draw.random(rows) < 1.0 / (1.0 + np.exp(-z)), 1.0, -1.0),
            "poisson": draw.poisson(np.exp(np.minimum(z, 5.0))).astype(float),
        }.get(self.loss, z + draw.standard_normal(rows))
        self.matrix, self.sides = draw.standard_normal((3, m)), 0.3 * draw.standard_normal(3)
        self.plane = np.linalg.qr(draw.standard_normal((m, 2)))[0].T
        self.random = np.random.default_rng([8, seed])
        self.now, self.noise = 0, level * self(self.start, 0)

    noise = 0.0

    @property
    def start(self) -> np.ndarray:
        if self.structure == "simplex":
            return np.full(self.m, 1.0 / self.m)
        if self.structure == "equalities":
            return np.linalg.lstsq(self.matrix, self.sides)[0]
        return np.zeros(self.m)

    @property
    def groups(self) -> list[np.ndarray]:
        return [np.arange(self.m // 2), np.arange(self.m // 2, self.m)]

    @property
    def given(self) -> dict[str, Any]:
        return {
            "L1": {"regularizer": zoo.L1(0.05)},
            "groups": {"regularizer": zoo.GroupL2(0.05, self.groups)},
            "box": {"domain": zoo.Box(-0.5, 0.5)},
            "simplex": {"domain": zoo.Simplex()},
            "equalities": {"constraint": zoo.Equality(self.matrix, self.sides)},
        }.get(self.structure, {})

    def moved(self, t: int) -> np.ndarray:
        """c_t: one or four radians, or as long a way, or four places one after the other."""
        angle = self.speed * t / ROUNDS
        if self.path == "circle":
            angle = (math.cos(angle) - 1.0, math.sin(angle))
        elif self.path == "jumps":
            angle = (0.0, float(4 * t // ROUNDS % 2))
        else:
            angle = (0.0, angle)
        return np.asarray(angle @ self.plane)

    def __call__(self, x: np.ndarray, t: int) -> float:
        self.now = t
        value = self.exact(x, t)
        return value + self.noise * self.random.standard_normal() if self.noise else value

    def exact(self, x: np.ndarray, t: int) -> float:
        z = self.rows @ (x - self.moved(t))
        with np.errstate(over="ignore"):
            return float(EXACT[self.loss](z, self.targets).mean())

    def phi(self, x: Any, size: Any, lengths: Any) -> Any:
        if self.structure == "L1":
            return 0.05 * size(x)
        if self.structure == "groups":
            return 0.05 * sum(lengths(x[group]) for group in self.groups)
        return 0.0

    def objective(self, x: np.ndarray, t: int) -> float:
        return self.exact(x, t) + self.phi(x, lambda v: np.abs(v).sum(), np.linalg.norm)

    def optima(self, times: list[int]) -> list[float]:
        """F*_t."""
        x, c = cp.Variable(self.m), cp.Parameter(self.m)
        conditions = {
            "box": [x >= -0.5, x <= 0.5],
            "simplex": [x >= 0.0, cp.sum(x) == 1.0],
            "equalities": [self.matrix @ x == self.sides],
        }.get(self.structure, [])
        value = cp.sum(CONVEX[self.loss](self.rows @ (x - c), self.targets)) / len(self.rows)
        best = cp.Problem(cp.Minimize(value + self.phi(x, cp.norm1, cp.norm2)), conditions)
        found = []
        for t in times:
            c.value = self.moved(t)
            found.append(float(best.solve(solver=cp.CLARABEL, **ACCURACY)))
        return found


@pytest.mark.parametrize("seed", SEEDS)
def test_later_gaps_are_at_most_twice_those_of_staying_at_x0(seed: int) -> None:
    problem, played = Drifting(seed), {}

    def note(info: Any) -> None:
        played[problem.now] = info.x.copy()

    zoo.minimize(
        problem,
        problem.start,
        observations=zoo.Stream(range(ROUNDS)),
        settings="follow",
        callback=note,
        rng=seed,
        **problem.given,
    )
    late = np.linspace(ROUNDS // 2, ROUNDS - 1, CHECKS).astype(int)
    values = np.array([[problem.objective(x, t) for x in (played[t], problem.start)] for t in late])
    gap, stay = (values - np.array(problem.optima(list(late)))[:, None]).mean(axis=0)
    assert gap <= FACTOR * stay + ROUNDED
