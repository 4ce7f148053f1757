"""The suite: every problem by its name, made when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from benchmarks.optima import with_optimum
from benchmarks.problem import Problem
from benchmarks.problems import blending, quadratics, sensors, signals, sparse
from benchmarks.scaling import SCALES, rescaled

FULL: dict[str, Callable[[], Problem]] = {
    **{
        f"blending-{source}-{weights}": partial(blending.blending, source, weights)
        for source in ("real", "synthetic")
        for weights in ("box", "simplex")
    },
    "sensors-sample": sensors.sample,
    "sensors-colorado": sensors.colorado,
    **{f"cox-kirc-{part:g}": partial(sparse.cox, part) for part in (0.5, 0.2, 0.05)},
    "groups-sample": sparse.overlapping_groups,
    "lasso": sparse.lasso,
    "portfolio": signals.portfolio,
    "total-variation": signals.total_variation,
    "completion": signals.completion,
    "quadratic-1": partial(quadratics.quadratic, 1.0),
    "quadratic-1e2": partial(quadratics.quadratic, 1e2),
    "quadratic-1e4": partial(quadratics.quadratic, 1e4),
    "large": sparse.large,
}

_SAMPLED = {
    "blending-real-box": 10,
    "blending-synthetic-simplex": 10,
    "sensors-sample": 1,
    "cox-kirc-0.2": 1,
    "groups-sample": 1,
    "lasso": 1,
    "portfolio": 1,
}
"""The problems that also have a stochastic version, and its q2."""

_NOISY = {f"noisy-{noise:g}": partial(quadratics.noisy, noise) for noise in (0.001, 0.1)}

_RESCALED = ("blending-real-box", "lasso", "cox-kirc-0.2", "lasso-stochastic")
"""The problems that are also given in other units."""

SUITE = [*FULL, *(f"{name}-stochastic" for name in _SAMPLED), *_NOISY]
SCALED = [f"{name}@{scale}" for name in _RESCALED for scale in SCALES]


def build(name: str) -> Problem:
    """The problem of that name, with its optimum."""
    problem, base = unsolved(name.partition("@")[0])
    problem = with_optimum(problem, base)
    scale = name.partition("@")[2]
    return rescaled(problem, scale) if scale else problem


def unsolved(name: str) -> tuple[Problem, str]:
    """The problem of that name in its own units, and the name that its optimum is filed under."""
    original = name.removesuffix("-stochastic")
    if original not in FULL and original not in _NOISY:
        raise ValueError(f"there is no problem {name!r}; there are {', '.join(SUITE)}.")
    problem = _NOISY[original]() if original in _NOISY else FULL[original]()
    if original in _NOISY:
        return problem, "noisy"
    return (problem if name == original else problem.sampled(_SAMPLED[original])), original
