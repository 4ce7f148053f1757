"""What each part of the descent by steps is worth, on problems on which it should matter.

    python -m tools.parts [metric check radius] [--seeds 5] [--only 'stream*']

Each problem runs with all parts and without one. The gap is F(x) - F(x*) without noise, and the
factor is the ratio of the median gaps, without the part over with it: above 1 the part helps. For
a loss that drifts the gap is the mean over the second half of the run, at the iterates.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Callable
from fnmatch import fnmatch
from typing import Any, NamedTuple

import numpy as np

import zooadmm as zoo

OTHERS = ("model", "ridges", "sampled")


class Case(NamedTuple):
    """A problem, for a seed: the loss, arguments of `minimize`, and the gap of an x."""

    loss: Callable[..., float]
    given: dict[str, Any]
    gap: Callable[[Any], float]
    m: int


def _rows(m: int, seed: int) -> Any:
    return np.random.default_rng(1000 + seed).standard_normal((min(20_000, 10**6 // m), m))


def _regression(m: int, seed: int, units: Any, budget: int, noise: float = 0.3) -> Case:
    """A stream of squared residuals; units: of the variables."""
    rows, truth = _rows(m, seed), np.random.default_rng(seed).standard_normal(m) / units
    errors = np.random.default_rng(2000 + seed).standard_normal(len(rows))

    def loss(x: Any, i: Any) -> float:
        return float(((rows[int(i)] * units) @ (x - truth) + noise * errors[int(i)]) ** 2)

    stream = iter(range(len(rows)))
    return Case(
        loss,
        {"observations": stream, "max_evaluations": budget},
        lambda x: float(np.square(units * (x - truth)).sum()),
        m,
    )


def _bowl(m: int, seed: int, noise: float, units: Any, offset: float, budget: int) -> Case:
    """A quadratic with noise, in other units, far from zero."""
    center = np.random.default_rng(seed).standard_normal(m) / units
    generator = np.random.default_rng(3000 + seed)

    def loss(x: Any) -> float:
        value = float(np.square(units * (x - center)).sum())
        return offset + value + (noise * float(generator.standard_normal()) if noise else 0.0)

    return Case(
        loss,
        {"max_evaluations": budget},
        lambda x: float(np.square(units * (x - center)).sum()),
        m,
    )


def _jumps(m: int, seed: int, height: float, budget: int) -> Case:
    """Values rounded to steps of this height."""
    inner = _bowl(m, seed, 0.0, 1.0, 0.0, budget)
    return inner._replace(loss=lambda x: float(height * np.round(inner.loss(x) / height)))


def _heavy(m: int, seed: int, budget: int) -> Case:
    """Noise of Student's t with two degrees of freedom: some values are far off."""
    generator, center = np.random.default_rng(4000 + seed), np.ones(m)

    def loss(x: Any) -> float:
        return float(np.square(x - center).sum() + 0.3 * generator.standard_t(2))

    return Case(loss, {"max_evaluations": budget}, lambda x: float(np.square(x - center).sum()), m)


def _steep(m: int, seed: int, budget: int) -> Case:
    """A stream whose curvature grows along the way: steps that were good become too long."""
    rows, truth = _rows(m, seed), 3.0 * np.ones(m)

    def of(x: Any, row: Any) -> float:
        return float((row @ (x - truth)) ** 2 + 0.1 * np.sum(x**4))

    def mean(x: Any) -> float:
        return float(np.square(x - truth).sum() + 0.1 * np.sum(x**4))

    grid = np.linspace(0.0, 3.0, 30_001)
    least = m * float(np.min((grid - 3.0) ** 2 + 0.1 * grid**4))

    stream = iter(range(len(rows)))
    given = {"observations": stream, "max_evaluations": budget}
    return Case(lambda x, i: of(x, rows[int(i)]), given, lambda x: mean(x) - least, m)


def _drift(m: int, seed: int, budget: int) -> Case:
    """A center that moves; the gap is that of the last iterate to the center of then."""
    rows = _rows(m, seed)

    def center(t: int) -> Any:
        return np.cos(2e-3 * t + np.arange(m))

    last = [0]

    def loss(x: Any, i: Any) -> float:
        last[0] = max(last[0], int(i))
        return float((rows[int(i)] @ (x - center(int(i)))) ** 2)

    stream = iter(range(len(rows)))
    given = {"observations": stream, "max_evaluations": budget, "output": "last"}
    return Case(loss, given, lambda x: float(np.square(x - center(last[0])).sum()), m)


def _rare(seed: int, budget: int) -> Case:
    """A stream of which one observation in fifty has features a hundred times as large."""
    common = _regression(10, seed, 1.0, budget)
    size = np.where(np.random.default_rng(5000 + seed).random(20_000) < 0.02, 1e4, 1.0)
    return common._replace(loss=lambda x, i: size[int(i)] * common.loss(x, i))


def _single(seed: int, budget: int) -> Case:
    """A stream whose values are large and in single precision."""
    exact = _regression(10, seed, 1.0, budget, noise=0.0)
    return exact._replace(loss=lambda x, i: float(np.float32(100.0 + exact.loss(x, i))))


def _noisy_rows(count: int, seed: int, budget: int) -> Case:
    """Least squares over a data set that is seen several times, with noise in each value."""
    m, generator = 10, np.random.default_rng(6000 + seed)
    rows = generator.standard_normal((count, m))
    wanted = rows @ generator.standard_normal(m) + generator.standard_normal(count)
    least = np.linalg.lstsq(rows, wanted, rcond=None)[0]

    def loss(x: Any, i: Any) -> float:
        return float((rows[i] @ x - wanted[i]) ** 2 + 0.3 * generator.standard_normal())

    given = {"observations": np.arange(count), "max_evaluations": budget}
    return Case(loss, given, lambda x: float(np.square(rows @ (x - least)).mean()), m)


SPREAD = {m: np.logspace(-3, 3, m) for m in (10, 20, 60)}
CASES: dict[str, Callable[[int], Case]] = {
    "stream, m = 10": lambda s: _regression(10, s, 1.0, 4_000),
    "stream, scales of 1e6": lambda s: _regression(10, s, SPREAD[10], 6_000),
    "stream, scales of 10": lambda s: _regression(10, s, np.logspace(0, 1, 10), 6_000),
    "stream, exact": lambda s: _regression(10, s, 1.0, 4_000, noise=0.0),
    "stream, rare large": lambda s: _rare(s, 4_000),
    "stream, single precision": lambda s: _single(s, 4_000),
    "samples, 30 with noise": lambda s: _noisy_rows(30, s, 6_000),
    "samples, 200 with noise": lambda s: _noisy_rows(200, s, 6_000),
    "noise, scales of 1e6": lambda s: _bowl(10, s, 0.3, SPREAD[10], 0.0, 6_000),
    "stream, q1 < m": lambda s: _regression(60, s, 1.0, 600),
    "stream, q1 < m, m = 200": lambda s: _regression(200, s, 1.0, 1_900),
    "exact, q1 < m": lambda s: _bowl(200, s, 0.0, 1.0, 0.0, 1_900),
    "noise, q1 < m": lambda s: _bowl(200, s, 0.03, 1.0, 0.0, 1_900),
    "heavy noise": lambda s: _heavy(10, s, 4_000),
    "noise": lambda s: _bowl(10, s, 0.3, 1.0, 0.0, 4_000),
    "steep": lambda s: _steep(10, s, 4_000),
    "drift": lambda s: _drift(10, s, 8_000),
    "jumps of 0.1": lambda s: _jumps(10, s, 0.1, 3_000),
    "jumps of 1e-3": lambda s: _jumps(10, s, 1e-3, 3_000),
    "offset of 1e6": lambda s: _bowl(10, s, 0.0, 1.0, 1e6, 3_000),
    "exact, scales of 1e6": lambda s: _bowl(10, s, 0.0, SPREAD[10], 0.0, 3_000),
}


def gap(name: str, without: tuple[str, ...], seed: int) -> float:
    """F(x) - F(x*) at the end of a run."""
    case = CASES[name](seed)
    horizon = 500.0 if name == "drift" else math.inf
    settings = zoo.Auto(horizon=horizon, without=(*OTHERS, *without))
    result = zoo.minimize(
        case.loss, np.zeros(case.m), settings=settings, rng=seed, progress=False, **case.given
    )
    return case.gap(result.x)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.parts", description=__doc__)
    parser.add_argument("parts", nargs="*", default=["metric", "check", "radius"])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", default="*", help="a pattern of names of problems")
    given, began = parser.parse_args(), time.perf_counter()
    print("| problem | with all |" + "".join(f" without {part} | factor |" for part in given.parts))
    print("|---|---|" + "---|---|" * len(given.parts))
    for name in filter(lambda name: fnmatch(name, given.only), CASES):
        whole = statistics.median(gap(name, (), seed) for seed in range(given.seeds))
        row = f"| {name} | {whole:.3g} |"
        for part in given.parts:
            other = statistics.median(gap(name, (part,), seed) for seed in range(given.seeds))
            row += f" {other:.3g} | {other / whole if whole else float('nan'):.2f} |"
        print(row, flush=True)
    print(f"{time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
