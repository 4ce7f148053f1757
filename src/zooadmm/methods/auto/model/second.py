"""All second derivatives, along axes of H.

With rows d_i of one length |d_i|_H = r, orthogonal in H, f_i = f(x + d_i), f_-i = f(x - d_i) and
f_ij = f(x + d_i + d_j):

    d_i'f'' d_i = f_i + f_-i - 2 f,     d_i'f'' d_j = f_ij - f_i - f_j + f,

which are 2 m + m (m - 1) / 2 values. r^2 = sqrt(eps |f|), halfway between rounding and the size of
the loss. Eigenvalues count with their absolute value (a saddle is left, not approached). They pay
where all variables are free, more than they cost was spent without them, and at the present rate
the rest would take more than twice their cost. Where they have to be measured again they change
along the way: the spending before each is FACTOR times as large as before the last:
on Rosenbrock's function all later ones were wasted.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from zooadmm.methods.auto.constants import FACTOR, MOST_NUMBERS, ROUNDED, SEEN, SURE
from zooadmm.methods.auto.model import acceptance, grid
from zooadmm.methods.auto.model.belief import Belief
from zooadmm.methods.auto.model.repair import away_from_bounds, axes
from zooadmm.methods.auto.model.state import NO_PATH, NO_ROWS, NO_SECANT, Model
from zooadmm.problem.arrays import Matrix, Vector, metric_norms
from zooadmm.structure.minimizer import Minimizer
from zooadmm.structure.splitting import Solved

FIRST_PATIENCE = 1.25
"""Evaluations before the first measurement, in units of its cost. At 1 Poisson regressions that are
about to converge pay for nothing; at 1.5 quadratics of condition 1e4 need 1.3 times SLSQP's."""


class Measured(NamedTuple):
    """What the values show."""

    H: Matrix
    Z: Matrix
    """Directions of length 1 in the former H, a row each"""
    slopes: Vector
    variances: Vector


def cost(m: int) -> int:
    """Evaluations of a measurement."""
    return 2 * m + m * (m - 1) // 2


def pays(model: Model, promised: float, negligible: float) -> bool:
    """Whether a measurement is due, within the budget, and not hidden by rounding of its points.

    promised: the decrease that the next step promises. negligible: one that is not worth a step.
    """
    spent, m = model.spent, len(model.at.x)
    if m < 2 or spent < model.patience * cost(m) or cost(m) * m > MOST_NUMBERS:
        return False
    if cost(m) > model.left:
        return False
    if grid.hidden(model.belief.v, model.at.x, model.start.dtype) > SEEN * model.eps:
        return False
    later = model.path[model.path[:, 0] >= spent / 2]
    if len(later) < 2:
        return True
    fallen = math.log(later[0, 1] / promised)
    left = math.log(max(promised / negligible, 1.0))
    return not fallen > 0.0 or (spent - later[0, 0]) * left >= 2.0 * cost(m) * fallen


def moves(minimizer: Minimizer, model: Model, to: Solved) -> Matrix:
    """The moves d_i, a row each; none where a variable is not free."""
    x, domain = model.at.x, minimizer.problem.domain
    if not minimizer.is_interior(x, to.x):
        return NO_ROWS
    rows = block(model.uncorrected, model.loss, model.eps)
    free = away_from_bounds(domain, x, 2.0 * np.abs(rows).max(axis=0))
    return rows if free is not None and free.all() else NO_ROWS


def block(H: Matrix, loss: float, eps: float) -> Matrix:
    """The moves d_i, a row each."""
    radius = math.sqrt(math.sqrt(eps) * math.sqrt(max(abs(loss), eps)))
    return np.asarray(radius * axes(H, np.ones(len(H), dtype=bool)))


def points(x: Vector, moves: Matrix) -> Matrix:
    """x + d_i, x - d_i, x + d_i + d_j for i < j."""
    i, j = np.triu_indices(len(moves), 1)
    return np.vstack([x + moves, x - moves, x + moves[i] + moves[j]])


def measured(model: Model, values: Vector) -> Model:
    """With all second derivatives, and with them the gradient; as it was without finite values."""
    H, moves = model.uncorrected, model.moves
    patience = FACTOR * model.patience
    model = model._replace(moves=NO_ROWS, spent=0, path=NO_PATH, patience=patience)
    if not np.isfinite(values).all():
        return model
    seen = read(H, moves, values - model.loss, model.eps, model.tau)
    back = H @ seen.Z.T  # the inverse of Z, because Z H Z' = I
    known = Belief(back @ seen.slopes, (back * seen.variances) @ back.T)
    model = model._replace(H=H, base=NO_ROWS, belief=known, secant=NO_SECANT, whole=True, poor=0)
    model = acceptance.with_metric(model, seen.H)
    return model._replace(first=np.diagonal(model.H).copy())


def read(H: Matrix, moves: Matrix, changes: Vector, eps: float, tau: float) -> Measured:
    """From f - f(x) at these points."""
    m = len(moves)
    up, down, both = changes[:m], changes[m : 2 * m], changes[2 * m :]
    i, j = np.triu_indices(m, 1)
    C = np.diag(up + down)
    C[i, j] = C[j, i] = both - up[i] - up[j]
    lengths = metric_norms(moves, H)
    w, Q = np.linalg.eigh(C / np.outer(lengths, lengths))
    error = 2.0 * eps / float(lengths.min()) ** 2  # of a difference of four values
    least = max(SURE * error, ROUNDED * float(np.abs(w).max()))
    C = (Q * np.maximum(np.abs(w), least)) @ Q.T
    Z = moves / lengths[:, None]
    HZ = H @ Z.T
    made = H + HZ @ (C - Z @ HZ) @ HZ.T
    third = np.square(0.5 * tau * lengths) * ROUNDED**0.5  # what third derivatives may add
    variances = 2.0 * np.square(eps / lengths) + third
    return Measured(0.5 * (made + made.T), Z, 0.5 * (up - down) / lengths, variances)
