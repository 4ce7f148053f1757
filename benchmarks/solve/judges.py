"""The second opinion: the same problem written down for somebody else's solver.

`cvxpy` gets every problem but two: `large`, which has a closed form, and `sensors-sample`, whose
1000 log-determinants are computed here once more with another routine and bounded from below.
"""

from __future__ import annotations

from typing import Any

import cvxpy as cp
import numpy as np

import zooadmm as zoo
from benchmarks.problem import Array, Problem, SplitStructure
from benchmarks.solve.certificates import cheapest
from benchmarks.solve.data import (
    matrix_and_labels,
    matrix_and_targets,
    squares_on_few_rows,
)
from zooadmm.datasets import load_colorado, load_kirc, load_sensor_sample
from zooadmm.losses import LogDeterminant, Logistic, Squares
from zooadmm.problem.regularizers import NuclearNorm

TOLERANCE = 1e-9
"""What Clarabel is asked for; at 1e-10 it calls a Cox problem inaccurate."""


def by_cvxpy(problem: Problem) -> float:
    """F* according to Clarabel, an interior-point method."""
    x = cp.Variable(problem.m)
    objective = cp.Minimize(loss_term(problem.loss, x) + structure_term(problem, x))
    return minimum(cp.Problem(objective, constraints(problem, x)))


def minimum(written: cp.Problem) -> float:
    """The value that Clarabel ends with."""
    written.solve(
        solver=cp.CLARABEL, tol_gap_abs=TOLERANCE, tol_gap_rel=TOLERANCE, tol_feas=TOLERANCE
    )
    if written.status != cp.OPTIMAL:
        raise ArithmeticError(f"Clarabel ended with {written.status}: no judgment.")
    return float(written.value)


def loss_term(loss: Any, x: cp.Variable) -> Any:
    """f in cvxpy's words."""
    if isinstance(loss, Squares):
        A, b = squares_on_few_rows(loss)
        root = np.sqrt(len(loss.observations))
        return cp.sum_squares(A / root @ x - b / root)
    if isinstance(loss, Logistic):
        A, labels = matrix_and_labels(loss)
        return cp.sum(cp.logistic(cp.multiply(-labels, A @ x))) / len(labels)
    if isinstance(loss, LogDeterminant):
        modes = load_colorado().spatial_modes(6)
        return -cp.log_det(modes.T @ cp.diag(x) @ modes)
    raise TypeError(f"no judge knows a {type(loss).__name__}.")


def by_chain(problem: Problem) -> float:
    """F* of a Cox problem according to Clarabel, the risk sets in a chain.

    Going back in time risk sets only grow: t_k >= log(exp t_{k-1} + sum of exp over who entered)
    bounds the k-th log-sum-exp, tightly at the minimum, with a cone for every patient only once.
    """
    patients = load_kirc()
    x = cp.Variable(problem.m)
    predictors = patients.standardized() @ x
    deaths, count = np.unique(patients.time[patients.event], return_counts=True)
    log_sums = cp.Variable(len(deaths))
    links, later = [], np.inf
    for k in reversed(range(len(deaths))):
        entered = np.flatnonzero((patients.time >= deaths[k]) & (patients.time < later))
        before = [log_sums[k + 1 : k + 2]] if k + 1 < len(deaths) else []
        links.append(cp.log_sum_exp(cp.hstack([predictors[entered], *before])) <= log_sums[k])
        later = deaths[k]
    likelihood = cp.sum(predictors[np.flatnonzero(patients.event)]) - count @ log_sums
    loss = -likelihood / len(patients.time)
    return minimum(cp.Problem(cp.Minimize(loss + structure_term(problem, x)), links))


def structure_term(problem: Problem, x: cp.Variable) -> Any:
    """phi(A x) in cvxpy's words; zero where there is only a set."""
    phi, structure = problem.regularizer, problem.structure
    y = structure.A @ x if isinstance(structure, SplitStructure) else x
    if isinstance(phi, zoo.L1):
        return phi.strength * cp.norm1(y)
    if isinstance(phi, zoo.GroupL2):
        return phi.strength * cp.sum(cp.hstack([cp.norm2(y[np.asarray(g)]) for g in phi.groups]))
    if isinstance(phi, NuclearNorm):
        return phi.strength * cp.normNuc(cp.reshape(y, phi.shape, order="C"))
    return 0.0


def constraints(problem: Problem, x: cp.Variable) -> list[Any]:
    """C in cvxpy's words."""
    feasible = problem.feasible
    if isinstance(feasible, zoo.Box):
        return [x >= feasible.lower, x <= feasible.upper]
    if isinstance(feasible, zoo.Simplex):
        return [x >= 0, cp.sum(x) == 1]
    if isinstance(feasible, zoo.BoxBudget):
        return [x >= feasible.lower, x <= feasible.upper, cp.sum(x) == feasible.budget]
    return []


def separable(problem: Problem) -> float:
    """F* of sum_i (a_i x_i - b_i)^2 / n + strength |x_i|, where every variable is on its own."""
    assert isinstance(problem.loss, Squares)
    A, b = matrix_and_targets(problem.loss)
    a, strength = A.diagonal(), problem.regularizer.strength
    free, shift = b / a, strength * len(b) / (2 * a**2)
    x = np.sign(free) * np.maximum(np.abs(free) - shift, 0.0)
    return float(np.mean((a * x - b) ** 2) + strength * np.abs(x).sum())


def by_sample(problem: Problem, x: Array) -> float:
    """A lower bound on F* of `sensors-sample` from the linear model of f at x."""
    vectors = load_sensor_sample().vectors
    information = np.einsum("tin,i,tik->tnk", vectors, x, vectors)
    value = -np.mean(np.linalg.slogdet(information)[1])
    inverses = np.linalg.inv(information)
    g = -np.einsum("tin,tnk,tik->i", vectors, inverses, vectors) / len(vectors)
    assert problem.feasible is not None
    return float(value + g @ (cheapest(problem.feasible, g) - x))
