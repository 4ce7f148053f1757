"""One trial: a problem drawn from its number, our run, the judge's optimum, a row of findings."""

from __future__ import annotations

import math
import warnings
from typing import Any, NamedTuple

import cvxpy as cp
import numpy as np

import zooadmm as zoo
from benchmarks.problem import Array
from benchmarks.trust.losses import LOSSES, RandomLoss
from benchmarks.trust.structures import STRUCTURES, Structure

MOST_VARIABLES = 60
EVALUATIONS = 300
"""Budget, times m + 1."""
KEEPS_POSITIVE = ("simplex", "budget")
"""Structures within which a loss that needs positive variables is drawn."""
ANSWERED = (ValueError, TypeError)
"""What a run may raise, naming the argument."""


class Row(NamedTuple):
    """What one trial found."""

    number: int
    loss: str
    structure: str
    m: int
    success: bool
    status: str
    evaluations: int
    gap: float
    """(F - F*) / max(1, |F*|); nan where the judge found no optimum"""
    outside: int
    """Points evaluated outside bounds"""
    violation: float
    """Of bounds or rows at the answer, relative"""
    raised: str
    """The exception, if any"""


class Drawn(NamedTuple):
    """A problem."""

    loss_name: str
    structure_name: str
    loss: RandomLoss
    structure: Structure
    x0: Array


def drawn(number: int) -> Drawn:
    """The problem of a number; the same for all time."""
    generator = np.random.default_rng([2026, 11, number])
    structure_name = list(STRUCTURES)[number % len(STRUCTURES)]
    names = list(LOSSES) if structure_name in KEEPS_POSITIVE else list(LOSSES)[:-1]
    loss_name = names[(number // len(STRUCTURES)) % len(names)]
    least = 2 if structure_name in KEEPS_POSITIVE else 1
    m = max(least, round(math.exp(generator.uniform(0.0, math.log(MOST_VARIABLES)))))
    loss = LOSSES[loss_name](generator, m)
    structure = STRUCTURES[structure_name](generator, m)
    x0 = generator.standard_normal(m)
    if "domain" in structure.arguments:
        x0 = np.asarray(structure.arguments["domain"].project(x0))
    if loss.positive:
        x0 = 0.5 * x0 + 0.5 * x0.mean()  # a set of KEEPS_POSITIVE has it too
    return Drawn(loss_name, structure_name, loss, structure, x0)


def judged(problem: Drawn) -> float:
    """F* by cvxpy's interior point, nan where it does not vouch for it."""
    x = cp.Variable(len(problem.x0))
    task = cp.Problem(
        cp.Minimize(problem.loss.expression(x) + problem.structure.penalty(x)),
        problem.structure.limits(x),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            task.solve(solver=cp.CLARABEL, tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11)
        except cp.SolverError:
            return math.nan
    return float(task.value) if task.status == cp.OPTIMAL else math.nan


def tried(number: int) -> Row:
    """Run a problem and hold the answer against the judge."""
    problem = drawn(number)
    structure, m = problem.structure, len(problem.x0)
    outside = 0

    def loss(x: Array) -> float:
        nonlocal outside
        outside += structure.outside_bounds(x)
        return problem.loss.value(x)

    about = number, problem.loss_name, problem.structure_name, m
    try:
        result = _minimized(loss, problem.x0, structure.arguments, EVALUATIONS * (m + 1))
    except Exception as raised:
        answered = isinstance(raised, ANSWERED)
        said = f"{'answered' if answered else 'RAISED'} {type(raised).__name__}: {raised}"
        return Row(*about, False, "raised", 0, math.nan, outside, 0.0, said[:200])
    x = np.asarray(result.x)
    violation = max(structure.violation(x), _beyond(structure, x))
    F, least = problem.loss.value(x) + structure.phi(x), judged(problem)
    gap = gap_of(F, least)
    return Row(
        *about, bool(result.success), str(result.status), result.nfev, gap, outside, violation, ""
    )


def gap_of(F: float, least: float) -> float:
    """(F - F*)+ / max(1, |F*|): nan where F* is unknown, inf where F is not a number.

    >>> gap_of(2.0, 4.0), gap_of(6.0, 4.0), gap_of(2.0, math.nan), gap_of(math.nan, 4.0)
    (0.0, 0.5, nan, inf)
    """
    if math.isnan(least):  # max(0.0, nan) is 0.0
        return math.nan
    return math.inf if math.isnan(F) else max(0.0, F - least) / max(1.0, abs(least))


def _minimized(loss: Any, x0: Array, arguments: dict[str, Any], evaluations: int) -> zoo.Result:
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        return zoo.minimize(
            loss, x0, **arguments, max_evaluations=evaluations, rng=0, progress=False
        )


def _beyond(structure: Structure, x: Array) -> float:
    """How far x is beyond its bounds."""
    if len(structure.lower) == 0:
        return 0.0
    return max(0.0, float(np.maximum(structure.lower - x, x - structure.upper).max()))
