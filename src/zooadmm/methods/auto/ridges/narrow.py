"""Narrow measurement: many observations along the few directions of the shrunk minimizers.

The slopes of an observation take m + 3 values, so a budget allows for few of them, and what they
say about the mean loss is uncertain. The minimizers S_tau for all tau, and x_1, span a few
directions s_k = W^-1/2 q_k in which nearly all of the way lies that a larger sample would go; along
these an observation takes k + 3 values. Where k is much less than m there are enough observations
for the slopes and curvatures e, C of the mean loss in the span to be nearly certain, and they take
the place of the model's:

    argmin  <G, x - x_c> + |x - x_c|^2_M / 2 + phi(y)   with  A x + B y = c
    G = G_c + theta W^1/2 Q e,   M = W^1/2 (Q C Q' + (top / SMALL_PART) (I - Q Q')) W^1/2

G_c are the slopes of the model and of the pull at the center x_c, e what the fresh observations say
differently, and theta = max(0, 1 - noise/gain) is a shrinkage after James and Stein (1961), where
gain = e'C^-1 e/2 is what the step promises, noise = tr(C^-1 V)/2 what it would promise if e were
nothing but the luck of the sample, and V the covariance of the mean slopes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg

from zooadmm.methods.auto.constants import FLATTEST, PARALLEL, SMALL_PART
from zooadmm.methods.auto.ridges.fit import Quadratic
from zooadmm.methods.auto.ridges.state import Along
from zooadmm.problem.arrays import Matrix, Vector


class Refined(NamedTuple):
    """G and M: the model with the slopes and curvatures of fresh observations in the span."""

    g: Vector
    H: Matrix


def spanned(points: Matrix, center: Vector, W: Vector) -> Matrix:
    """The directions from the center to the points: columns of length 1 in x, orthogonal in W."""
    root = np.sqrt(W)
    ways = (points - center) * root
    lengths = np.linalg.norm(ways, axis=1)
    ways = ways[lengths > PARALLEL * lengths.max(initial=0.0)]
    if len(ways) == 0:
        return np.zeros((len(center), 0))
    _, strengths, rows = np.linalg.svd(
        ways / np.linalg.norm(ways, axis=1)[:, None], full_matrices=False
    )
    basis = rows[strengths > PARALLEL * strengths[0]].T / root[:, None]
    return np.asarray(basis / np.linalg.norm(basis, axis=0))


def refined(
    basis: Matrix, slopes: Matrix, along: Along, model: Quadratic, balanced: Vector
) -> Refined | None:
    """G and M, from the slopes of fresh observations along the basis and their ridges.

    None where nothing is curved.

    balanced: G_c.
    """
    root = np.sqrt(model.W)
    lengths = np.linalg.norm(basis * root[:, None], axis=0)
    a, curvature = slopes[along.sound] / lengths, np.maximum(along.curvature[along.sound], 0.0)
    N, k = a.shape
    C = (a.T * curvature) @ a / N
    if not np.trace(C) > 0.0:
        return None
    C[np.diag_indices(k)] += FLATTEST * np.trace(C)
    Q = basis * root[:, None] / lengths  # orthonormal
    there = a * along.slope[along.sound][:, None]
    e = there.mean(axis=0) - Q.T @ (balanced / root)
    V = np.cov(there, rowvar=False).reshape(k, k) / N
    inverse = scipy.linalg.cho_factor(C)
    gain = 0.5 * float(e @ scipy.linalg.cho_solve(inverse, e))
    noise = 0.5 * float(np.trace(scipy.linalg.cho_solve(inverse, V)))
    theta = max(0.0, 1.0 - noise / gain) if gain > 0.0 else 0.0
    stiff = model.top / SMALL_PART  # much beside any curvature that there is
    M = Q @ (C - stiff * np.eye(k)) @ Q.T
    M[np.diag_indices(len(M))] += stiff
    return Refined(balanced + theta * root * (Q @ e), root[:, None] * M * root)
