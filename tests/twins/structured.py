"""Smooth losses under every structure, each with the same problem in the words of cvxpy."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import cvxpy as cp
import numpy as np

import zooadmm as zoo
from zooadmm.problem.regularizers import LInf, NuclearNorm, Within
from zooadmm.problem.sets import AffineSet, Halfspace, L1Ball, L2Ball, NuclearBall

M = 9
GENERATOR = np.random.default_rng(5)
ROWS = GENERATOR.standard_normal((14, M))
TARGETS = ROWS @ np.where(np.arange(M) < 3, 2.0, 0.0) + 0.3 * GENERATOR.standard_normal(14)
SIGNS = np.sign(GENERATOR.standard_normal(14))
MIXED = GENERATOR.standard_normal((M, M)) + 3 * np.eye(M)
WEIGHTS = np.where(np.arange(M) == 4, 0.0, np.linspace(0.5, 2.0, M))
LOWER = np.linspace(-0.45, 0.3, M)
GROUPS = [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
OVERLAPPING = [[0, 1, 2, 3], [3, 4, 5], [5, 6, 7, 8]]
EVEN = np.full(M, 1 / M)


def loss(x):
    """Logistic and squared losses, for one point."""
    return float(
        np.logaddexp(0.0, -SIGNS * (ROWS @ x)).sum() + 0.25 * np.square(ROWS @ x - TARGETS).sum()
    )


def loss_of(x):
    """The same for a variable of cvxpy."""
    return cp.sum(cp.logistic(-cp.multiply(SIGNS, ROWS @ x))) + 0.25 * cp.sum_squares(
        ROWS @ x - TARGETS
    )


def nothing(x):
    return 0.0


def free(x):
    return []


def l1(x):
    return 2.0 * cp.norm1(x)


def elastic(x):
    return 2.0 * cp.norm1(x) + 0.5 * cp.sum_squares(x)


def groups(indices, strength):
    return lambda x: strength * sum(cp.norm2(x[group]) for group in indices)


def between(lower, upper):
    return lambda x: [x >= lower, x <= upper]


def totals(lower, upper):
    return lambda x: [cp.sum(x) == 1.0, x >= lower, x <= upper]


def matrix(x):
    return cp.reshape(x, (3, 3), order="C")


@dataclass(frozen=True, eq=False)
class Structure:
    """What minimize is given, phi and X in the words of cvxpy, and where to start.

    zeros: whether the optimum has coordinates that are zero, by phi or X.
    """

    given: dict[str, Any]
    phi: Callable[[Any], Any] = nothing
    conditions: Callable[[Any], list[Any]] = free
    x0: Any = field(default_factory=lambda: np.zeros(M))
    zeros: bool = False


def with_map(pair, **more):
    return {"regularizer": pair[0], "constraint": pair[1], **more}


STRUCTURES = {
    "none": Structure({}),
    "box": Structure({"domain": zoo.Box(-0.4, 0.6)}, conditions=between(-0.4, 0.6)),
    "box as regularizer": Structure(
        {"regularizer": zoo.regularizers.Indicator(zoo.Box(-0.4, 0.6))},
        conditions=between(-0.4, 0.6),
    ),
    "bounds of each": Structure(
        {"domain": zoo.Box(LOWER, LOWER + 0.8)},
        conditions=between(LOWER, LOWER + 0.8),
        x0=LOWER + 0.3,
    ),
    "l1": Structure({"regularizer": zoo.L1(2.0)}, l1, zeros=True),
    "weighted l1": Structure(
        {"regularizer": zoo.L1(2.0, weights=WEIGHTS)},
        lambda x: 2.0 * cp.norm1(cp.multiply(WEIGHTS, x)),
        zeros=True,
    ),
    "ridge": Structure({"regularizer": zoo.regularizers.SquaredL2(2.0)}, cp.sum_squares),
    "elastic net": Structure({"regularizer": zoo.ElasticNet(2.0, 1.0)}, elastic, zeros=True),
    "l1 in a box": Structure(
        {"regularizer": zoo.L1(2.0), "domain": zoo.Box(-0.4, 0.6)},
        l1,
        between(-0.4, 0.6),
        zeros=True,
    ),
    "elastic net, nonnegative": Structure(
        {"regularizer": zoo.ElasticNet(2.0, 1.0), "domain": zoo.Nonnegative()},
        elastic,
        lambda x: [x >= 0],
        zeros=True,
    ),
    "l1 within two boxes": Structure(
        {"regularizer": Within(zoo.L1(2.0), zoo.Box(-0.4, 0.6)), "domain": zoo.Box(-1.0, 0.5)},
        l1,
        between(-0.4, 0.5),
        zeros=True,
    ),
    "nonnegative": Structure(
        {"domain": zoo.Nonnegative()}, conditions=lambda x: [x >= 0], zeros=True
    ),
    "budget": Structure(
        {"domain": zoo.Budget(1.0)}, conditions=lambda x: [cp.sum(x) == 1.0], x0=EVEN
    ),
    "simplex": Structure(
        {"domain": zoo.Simplex()}, conditions=totals(0.0, 1.0), x0=EVEN, zeros=True
    ),
    "simplex from a vertex": Structure(
        {"domain": zoo.Simplex()}, conditions=totals(0.0, 1.0), x0=np.eye(M)[4], zeros=True
    ),
    "box and budget": Structure(
        {"domain": zoo.BoxBudget(0.0, 0.4, 1.0)}, conditions=totals(0.0, 0.4), x0=EVEN, zeros=True
    ),
    "simplex in a box": Structure(
        {"regularizer": zoo.regularizers.Indicator(zoo.Simplex()), "domain": zoo.Box(0.0, 0.4)},
        conditions=totals(0.0, 0.4),
        x0=EVEN,
        zeros=True,
    ),
    "box on a budget": Structure(
        {"regularizer": zoo.regularizers.Indicator(zoo.Box(-0.2, 0.4)), "domain": zoo.Budget(1.0)},
        conditions=totals(-0.2, 0.4),
        x0=EVEN,
    ),
    "l1 on a budget": Structure(
        {"regularizer": zoo.L1(2.0), "domain": zoo.Budget(1.0)},
        l1,
        lambda x: [cp.sum(x) == 1.0],
        x0=EVEN,
        zeros=True,
    ),
    "groups": Structure({"regularizer": zoo.GroupL2(4.0, GROUPS)}, groups(GROUPS, 4.0), zeros=True),
    "groups in a box": Structure(
        {"regularizer": zoo.GroupL2(2.0, GROUPS), "domain": zoo.Box(-0.4, 0.6)},
        groups(GROUPS, 2.0),
        between(-0.4, 0.6),
        zeros=True,
    ),
    "total variation": Structure(
        with_map(zoo.total_variation(M, 0.8)), lambda x: 0.8 * cp.norm1(cp.diff(x))
    ),
    "total variation in a box": Structure(
        with_map(zoo.total_variation(M, 0.8), domain=zoo.Box(-0.4, 0.6)),
        lambda x: 0.8 * cp.norm1(cp.diff(x)),
        between(-0.4, 0.6),
    ),
    "nuclear norm": Structure(
        {"regularizer": NuclearNorm(2.0, (3, 3))}, lambda x: 2.0 * cp.normNuc(matrix(x))
    ),
    "nuclear norm, nonnegative": Structure(
        {"regularizer": NuclearNorm(2.0, (3, 3)), "domain": zoo.Nonnegative()},
        lambda x: 2.0 * cp.normNuc(matrix(x)),
        lambda x: [x >= 0],
        zeros=True,
    ),
    "nuclear ball": Structure(
        {"domain": NuclearBall(1.0, (3, 3))}, conditions=lambda x: [cp.normNuc(matrix(x)) <= 1.0]
    ),
    "largest entry": Structure({"regularizer": LInf(4.0)}, lambda x: 4.0 * cp.norm_inf(x)),
    "l2 ball": Structure({"domain": L2Ball(0.8)}, conditions=lambda x: [cp.norm2(x) <= 0.8]),
    "l1 ball": Structure(
        {"domain": L1Ball(1.5)}, conditions=lambda x: [cp.norm1(x) <= 1.5], zeros=True
    ),
    "l1 in an l2 ball": Structure(
        {"regularizer": zoo.L1(2.0), "domain": L2Ball(0.8)},
        l1,
        lambda x: [cp.norm2(x) <= 0.8],
        zeros=True,
    ),
    "halfspace": Structure(
        {"domain": Halfspace(np.ones(M), 0.5)}, conditions=lambda x: [cp.sum(x) <= 0.5]
    ),
    "plane": Structure(
        {"domain": AffineSet(ROWS[:2], np.zeros(2))}, conditions=lambda x: [ROWS[:2] @ x == 0.0]
    ),
    "overlapping groups": Structure(
        with_map(zoo.overlapping_groups(M, OVERLAPPING, 4.0)), groups(OVERLAPPING, 4.0), zeros=True
    ),
    "overlapping groups in a simplex": Structure(
        with_map(zoo.overlapping_groups(M, OVERLAPPING, 1.5), domain=zoo.Simplex()),
        groups(OVERLAPPING, 1.5),
        totals(0.0, 1.0),
        x0=EVEN,
        zeros=True,
    ),
    "A x in a box": Structure(
        {
            "regularizer": zoo.regularizers.Indicator(zoo.Box(-0.3, 0.3)),
            "constraint": zoo.Linear(MIXED, None, np.full(M, 0.1)),
        },
        conditions=lambda x: [cp.abs(MIXED @ x - 0.1) <= 0.3],
    ),
    "another B": Structure(
        {"regularizer": zoo.L1(0.5), "constraint": zoo.Linear(np.eye(M), 2.0, np.ones(M))},
        lambda x: 0.25 * cp.norm1(1.0 - x),
    ),
}


@cache
def optimum(name: str) -> float:
    """The least objective, by an interior-point method."""
    structure = STRUCTURES[name]
    x = cp.Variable(M)
    problem = cp.Problem(cp.Minimize(loss_of(x) + structure.phi(x)), structure.conditions(x))
    tight = dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas", "tol_ktratio"), 1e-12)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        problem.solve(solver=cp.CLARABEL, **tight)
    return float(problem.value)
