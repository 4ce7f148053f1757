"""Following a target that moves: `settings="follow"` beside horizons and tuned gradient steps.

    python -m benchmarks.follow
    python -m benchmarks.follow structured
    python -m benchmarks.follow first-rounds

The first prints the mean of |x_t - c_t|^2 over the second half of 2,000 rounds, the median over
seeds 31 to 33, m = 10. Round t has the loss (a'(x - c_t))^2 / 2 with a ~ N(0, I), "rows", or
|x - c_t|^2 / 2, "bowls", with noise in values where it says so. Gradient steps have the exact
slopes of the round and the best of 9 step sizes in hindsight, for each line. Others are given the
same rounds; the answer is x after the last.

The second has 600 rounds, seeds 51 to 53, and a structure: L1(0.2) for a target of which half the
variables are 0, or the simplex, a portfolio whose target drifts outside of it. The error is
|x_t - x*_t|^2, where x*_t minimizes the mean loss of a round with its structure; "zeros" is the
share of variables that are 0 in x_t if and only if they are in x*_t. Steps are proximal or
projected ones.

The third is about runs that start in noise: errors on "bowls, noise 0.1", 300 rounds, seeds 81 to
92, and how many of them never find the target: an error above 0.1, or none at all.
"""

from __future__ import annotations

import math
import statistics
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import zooadmm as zoo

Vector = NDArray[np.floating[Any]]
Path = Callable[[int], Vector]
M, ROUNDS, SEEDS = 10, 2_000, range(31, 34)
STRUCTURED_ROUNDS, STRUCTURED_SEEDS = 600, range(51, 54)
FIRST_ROUNDS, FIRST_SEEDS, LOST = 300, range(81, 93), 0.1
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


def sparse(random: np.random.Generator) -> Path:
    """The same, half of the variables 0."""
    path, used = wiggle(random), np.arange(M) < M // 2
    return lambda t: np.where(used, path(t), 0.0)


class Kind(NamedTuple):
    """A structure: what `minimize` is given, and its proximal step."""

    given: dict[str, Any]
    prox: Callable[[Vector, float], Vector]
    x0: Vector


L1, SIMPLEX = zoo.L1(0.2), zoo.Simplex()
NONE = Kind({}, lambda v, step: v, np.zeros(M))
KINDS = (
    ("L1", sparse, Kind({"regularizer": L1}, L1.prox, np.zeros(M))),
    (
        "simplex",
        wiggle,
        Kind({"domain": SIMPLEX}, lambda v, step: SIMPLEX.project(v), np.full(M, 1 / M)),
    ),
)


class Score(NamedTuple):
    """Of a run."""

    error: float
    zeros: float


class Scores:
    """Errors of points played, over the second half of the rounds."""

    def __init__(self, loss: Moving) -> None:
        self.loss, self.errors, self.zeros = loss, list[float](), list[float]()

    def note(self, x: Vector, t: int) -> None:
        if t >= self.loss.rounds // 2:
            best = self.loss.best(t)
            self.errors.append(float(np.square(x - best).sum()))
            self.zeros.append(float(np.mean((x == 0.0) == (best == 0.0))))

    @property
    def score(self) -> Score:
        return Score(float(np.mean(self.errors)), float(np.mean(self.zeros)))


class Moving:
    """The loss of a round t; it knows which round was evaluated last."""

    def __init__(
        self,
        path: Path,
        seed: int,
        rows: bool,
        noise: float,
        kind: Kind = NONE,
        rounds: int = ROUNDS,
    ) -> None:
        self.path, self.seed, self.rows, self.noise, self.now = path, seed, rows, noise, 0
        self.kind, self.rounds = kind, rounds
        self.random = np.random.default_rng([seed, 7])

    def row(self, t: int) -> Vector:
        return np.random.default_rng([self.seed, t]).standard_normal(M)

    def best(self, t: int) -> Vector:
        """The minimizer of the mean loss |x - c_t|^2 / 2 with its structure."""
        return self.kind.prox(self.path(t), 1.0)

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


def followed(loss: Moving, settings: Any) -> Score:
    scores = Scores(loss)
    zoo.minimize(
        loss,
        loss.kind.x0,
        observations=zoo.Stream(range(loss.rounds)),
        settings=settings,
        callback=lambda info: scores.note(info.x, loss.now),
        rng=loss.seed,
        progress=False,
        **loss.kind.given,
    )
    return scores.score


def stepped(loss: Moving, step: float) -> Score:
    x, scores = loss.kind.x0, Scores(loss)
    for t in range(loss.rounds):
        scores.note(x, t)
        x = loss.kind.prox(x - step * loss.gradient(x, t), step)
        if not np.isfinite(x).all() or np.abs(x).max() > 1e6:
            return Score(math.inf, 0.0)
    return scores.score


def middle(scores: list[Score]) -> Score:
    """The medians over seeds."""
    return Score(*(statistics.median(column) for column in zip(*scores, strict=True)))


def best_step(losses: list[Moving]) -> Score:
    """Of the step size with the least error."""
    return min(middle([stepped(loss, step) for loss in losses]) for step in STEPS)


LOSSES = (("rows", True, 0.0), ("bowls", False, 0.0), ("bowls, noise 0.1", False, 0.1))


def plain() -> None:
    print("| loss | path | follow | horizon 500 | auto | tuned steps |")
    print("|---|---|--:|--:|--:|--:|")
    settings = zoo.Follow(), zoo.Auto(horizon=500), "auto"
    for name, rows, noise in LOSSES:
        for make in (circle, jumps, trend, wiggle, static):
            losses = [
                Moving(make(np.random.default_rng(seed)), seed, rows, noise) for seed in SEEDS
            ]
            cells = [middle([followed(loss, given) for loss in losses]) for given in settings]
            cells.append(best_step(losses))
            values = " | ".join(f"{cell.error:.2g}" for cell in cells)
            print(f"| {name} | {make.__name__} | {values} |", flush=True)


def structured(seeds: range) -> None:
    print("| structure | loss | follow | horizon 500 | tuned steps | zeros: follow | tuned steps |")
    print("|---|---|--:|--:|--:|--:|--:|")
    for structure, make, kind in KINDS:
        for name, rows, noise in LOSSES:
            losses = [
                Moving(
                    make(np.random.default_rng(seed)), seed, rows, noise, kind, STRUCTURED_ROUNDS
                )
                for seed in seeds
            ]
            settings = zoo.Follow(), zoo.Auto(horizon=500)
            ours, horizon = (
                middle([followed(loss, given) for loss in losses]) for given in settings
            )
            steps = best_step(losses)
            values = " | ".join(f"{cell.error:.2g}" for cell in (ours, horizon, steps))
            zeros = f"{ours.zeros:.0%} | {steps.zeros:.0%}"
            print(f"| {structure} | {name} | {values} | {zeros} |", flush=True)


def first_rounds() -> None:
    print("| structure | median error | largest | lost |")
    print("|---|--:|--:|--:|")
    for structure, make, kind in (("none", wiggle, NONE), *KINDS):
        errors = []
        for seed in FIRST_SEEDS:
            path = make(np.random.default_rng(seed))
            loss = Moving(path, seed, rows=False, noise=0.1, kind=kind, rounds=FIRST_ROUNDS)
            try:
                errors.append(followed(loss, zoo.Follow()).error)
            except FloatingPointError:
                errors.append(math.inf)
        lost = sum(error > LOST for error in errors)
        figures = f"{statistics.median(errors):.2g} | {max(errors):.2g}"
        print(f"| {structure} | {figures} | {lost} of {len(errors)} |", flush=True)


def main() -> None:
    if "first-rounds" in sys.argv[1:]:
        first_rounds()
    elif "structured" in sys.argv[1:]:
        structured(STRUCTURED_SEEDS)
    else:
        plain()


if __name__ == "__main__":
    main()
