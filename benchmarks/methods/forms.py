"""What a problem looks like to a tool that knows bounds, or a total, or nothing of the kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.problem import Array, Problem
from benchmarks.trial import Trial, checkpoints
from zooadmm.problem.regularizers import Indicator, Zero
from zooadmm.problem.sets import Box, BoxBudget, Nonnegative, Simplex

DENSE = 2000
"""Beyond so many variables a tool that keeps m^2 numbers is left out."""

DIFFERENCE_STEPS = (1e-8, 1e-6, 1e-4, 1e-2, 1e-1)
"""Relative steps for finite differences."""
RADII = (1.0, 1e-1, 1e-2, 1e-3)
"""Parts of the usual first radius of a search."""
SAMPLES = (20.0, 50.0, 200.0, 1000.0)
"""Observations that a deterministic method holds on to: it minimizes their average."""


@dataclass(frozen=True)
class Limits:
    """C = {x : lower <= x <= upper}, and 1'x = total unless that is None."""

    lower: Array
    upper: Array
    total: float | None = None

    @property
    def is_box(self) -> bool:
        """Every coordinate has room between two finite bounds, and nothing else is asked."""
        width = self.upper - self.lower
        return self.total is None and bool(np.all(np.isfinite(width) & (width > 0)))


def limits(problem: Problem) -> Limits | None:
    """C as bounds and a total; None if it is some other set."""
    feasible, m = problem.feasible, problem.m
    free = np.full(m, np.inf)
    match feasible:
        case None:
            return Limits(-free, free)
        case Nonnegative():
            return Limits(np.zeros(m), free)
        case Simplex():
            return Limits(np.zeros(m), free, feasible.budget)
        case Box() | BoxBudget():
            lower = np.broadcast_to(np.asarray(feasible.lower, dtype=float), m).copy()
            upper = np.broadcast_to(np.asarray(feasible.upper, dtype=float), m).copy()
            return Limits(lower, upper, getattr(feasible, "budget", None))
    return None


def box(problem: Problem) -> Limits | None:
    """C where it is a box with room in every coordinate, which tools with bounds can take."""
    known = limits(problem)
    return known if known is not None and known.is_box else None


def penalty(problem: Problem) -> Any:
    """phi where it adds to the value; None where it is absent or only says which x are allowed."""
    phi = problem.regularizer
    return None if phi is None or isinstance(phi, Indicator | Zero) else phi


def reach(problem: Problem) -> Array:
    """How far each coordinate may have to go.

    The width of its bounds; with a total, total / sqrt(m) at the most, for then m such steps have
    the length of the total; without either, the interval x0 +- max(1, |x0|).
    """
    known = limits(problem)
    around = np.full(problem.m, 2.0 * max(1.0, float(np.abs(problem.x0).max())))
    if known is None:
        return around
    width = known.upper - known.lower
    far = np.where(np.isfinite(width) & (width > 0), width, around)
    return far if known.total is None else np.minimum(far, known.total / np.sqrt(problem.m))


def probe_radius(trial: Trial) -> float:
    """How far apart to evaluate, in units of `reach`: ten evaluations at x0 tell the noise.

    The standard deviation of the noise, as Spall recommends (at most 0.1); 1e-5 without any.
    Observations are common to both ends of a difference and so are no noise.
    """
    spread = float(np.std(trial.measure(np.tile(trial.problem.x0, (10, 1)))))
    return min(0.1, spread) if spread > 0 else 1e-5


def value_noise(trial: Trial) -> float:
    """The standard deviation of a measurement, from ten at x0; none is made where values repeat."""
    if trial.problem.regime == "full":
        return 0.0
    return float(np.std([trial.measure(trial.problem.x0[None])[0] for _ in range(10)]))


def in_words(problem: Problem, how_the_set: str, how_phi: str = "phi added to the value") -> str:
    """How C and phi reach a method, leaving out what a problem does not have."""
    parts = [how_the_set] if problem.feasible is not None else []
    parts += [how_phi] if penalty(problem) is not None else []
    return "; ".join(parts) or "as it is"


NEAREST = "value at the nearest feasible point plus a price for the distance"


def bounds_or_nearest(problem: Problem) -> str:
    """For a tool that takes bounds, and any other set by projection."""
    return in_words(problem, "bounds" if box(problem) else NEAREST)


def nearest(problem: Problem) -> str:
    """For a tool that takes no set at all."""
    return in_words(problem, NEAREST)


def too_dense(problem: Problem) -> str:
    """`unfit` of a tool that keeps m^2 numbers."""
    return "needs m^2 memory" if problem.m > DENSE else ""


def too_dear(problem: Problem) -> str:
    """`unfit` of a tool that needs a gradient by differences before its first step."""
    dear = (problem.m + 1) * problem.num_observations > checkpoints(problem)[-1]
    return "a gradient costs more than the budget" if dear else ""


def steps_or_samples(problem: Problem) -> tuple[float, ...]:
    """`grid` of a deterministic method with finite differences.

    A relative step; on sampled observations how many to hold on to, with the smallest step.
    """
    return SAMPLES if problem.regime == "stochastic" else DIFFERENCE_STEPS


def radii_or_samples(problem: Problem) -> tuple[float, ...]:
    """`grid` of a deterministic method with a first radius; see `steps_or_samples`."""
    return SAMPLES if problem.regime == "stochastic" else RADII


def difference_step(trial: Trial, constant: float) -> float:
    """What a constant of `steps_or_samples` means for a trial."""
    return _unless_held(trial, constant, DIFFERENCE_STEPS[0])


def radius_part(trial: Trial, constant: float) -> float:
    """What a constant of `radii_or_samples` means for a trial."""
    return _unless_held(trial, constant, RADII[1])


def _unless_held(trial: Trial, constant: float, usual: float) -> float:
    """The constant, or the usual one where it says how many observations to hold on to."""
    if trial.problem.regime != "stochastic":
        return constant
    trial.hold(int(constant))
    return usual


def held(problem: Problem, words: str) -> str:
    """The form of a method that holds on to a sample, in words."""
    return f"{words}; a sample held" if problem.regime == "stochastic" else words
