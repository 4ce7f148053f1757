"""Following a target that moves: `settings="follow"` beside horizons and tuned gradient steps.

    python -m benchmarks.follow

prints the mean of |x_t - c_t|^2 over the second half of 2,000 rounds, the median over seeds 31 to
33, m = 10. Round t has the loss (a'(x - c_t))^2 / 2 with a ~ N(0, I), "rows", or |x - c_t|^2 / 2,
"bowls", with noise in values where it says so. Gradient steps have the exact slopes of the round
and the best of 9 step sizes in hindsight, for each line. Others are given the same rounds; the
answer is x after the last.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import zooadmm as zoo

Vector = NDArray[np.float64]
Path = Callable[[int], Vector]
M, ROUNDS, SEEDS = 10, 2_000, range(31, 34)
STEPS = np.logspace(-3, 0, 9)


def circle(random: np.random.Generator) -> Path:
    u, v = np.linalg.qr(random.standard_normal((M, 2)))[0].T
    return lambda t: math.sqrt(M) * (math.cos(t / 160) * u + math.sin(t / 160) * v)


def jumps(random: np.random.Generator) -> Path:
    places = random.standard_normal((ROUNDS // 400 + 1, M))
    return lambda t: places[t // 400]


def trend(random: np.random.Generator) -> Path:
    way = random.standard_normal(M)
    return lambda t: way * (t / 500)


def wiggle(random: np.random.Generator) -> Path:
    """Each variable at a frequency and phase of its own."""
    frequency, phase = random.uniform(0.002, 0.02, M), random.uniform(0, 6, M)
    return lambda t: np.asarray(np.sin(frequency * t + phase))


def static(random: np.random.Generator) -> Path:
    place = random.standard_normal(M)
    return lambda t: place


class Moving:
    """The loss of a round t; it knows which round was evaluated last."""

    def __init__(self, path: Path, seed: int, rows: bool, noise: float) -> None:
        self.path, self.seed, self.rows, self.noise, self.now = path, seed, rows, noise, 0
        self.random = np.random.default_rng([seed, 7])

    def row(self, t: int) -> Vector:
        return np.random.default_rng([self.seed, t]).standard_normal(M)

    def __call__(self, x: Vector, t: int) -> float:
        self.now = t
        way = x - self.path(t)
        value = (self.row(t) @ way) ** 2 / 2 if self.rows else way @ way / 2
        noise = self.noise * self.random.standard_normal() if self.noise else 0.0
        return float(value + noise)

    def gradient(self, x: Vector, t: int) -> Vector:
        way = x - self.path(t)
        a = self.row(t)
        return (a @ way) * a if self.rows else way


def followed(loss: Moving, settings: Any) -> float:
    errors: list[float] = []

    def note(info: Any) -> None:
        if loss.now >= ROUNDS // 2:
            errors.append(float(np.square(info.x - loss.path(loss.now)).sum()))

    zoo.minimize(
        loss,
        np.zeros(M),
        observations=zoo.Stream(range(ROUNDS)),
        settings=settings,
        callback=note,
        rng=loss.seed,
        progress=False,
    )
    return float(np.mean(errors))


def stepped(loss: Moving, step: float) -> float:
    x, errors = np.zeros(M), []
    for t in range(ROUNDS):
        if t >= ROUNDS // 2:
            errors.append(float(np.square(x - loss.path(t)).sum()))
        x = x - step * loss.gradient(x, t)
        if not np.isfinite(x).all() or np.abs(x).max() > 1e6:
            return math.inf
    return float(np.mean(errors))


LOSSES = (("rows", True, 0.0), ("bowls", False, 0.0), ("bowls, noise 0.1", False, 0.1))


def main() -> None:
    print("| loss | path | follow | horizon 500 | auto | tuned steps |")
    print("|---|---|--:|--:|--:|--:|")
    settings = zoo.Follow(), zoo.Auto(horizon=500), "auto"
    for name, rows, noise in LOSSES:
        for make in (circle, jumps, trend, wiggle, static):
            losses = [
                Moving(make(np.random.default_rng(seed)), seed, rows, noise) for seed in SEEDS
            ]
            cells = [
                statistics.median(followed(loss, given) for loss in losses) for given in settings
            ]
            cells.append(
                min(statistics.median(stepped(loss, step) for loss in losses) for step in STEPS)
            )
            values = " | ".join(f"{cell:.2g}" for cell in cells)
            print(f"| {name} | {make.__name__} | {values} |", flush=True)


if __name__ == "__main__":
    main()
