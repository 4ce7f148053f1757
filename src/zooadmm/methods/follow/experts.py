"""Experts over windows of time: minimizers of sums of local models, weighted by how well they did.

Round t gives a model of the loss f_t near the point x that was played,

    f_t(x + d) ~ f + <g, d> + d'Hd / 2,   H = kappa u u' + c (I - u u'),   u = g / |g|,

exact for a loss of one combination of the variables (c = 0) and for an isotropic one (c = kappa);
the H of a noisy loss is learned from all rounds.
Expert k minimizes the sum of the models, each forgotten at a rate of 2^-k a round; the last expert
forgets nothing. Beside each two neighbors stands the point 2 e_k - e_{k+1}, which has no lag
on a straight path. A candidate's weight falls by exp(-loss / 2s) a round, where loss is that of the
round's model and s the running mean of its excess |g|^2 / 2 kappa; a share of 1/t of all weight is
spread evenly (Herbster and Warmuth 1998), so that no candidate is lost for good. A longer memory
than that of the leader which is refuted takes over the sums of the leader: a reset after a jump.

With a regularizer, a set or linear constraints each expert minimizes its sum and as many times phi,
by `Structure`; losses are those of F, extrapolations are moved to an allowed point, and the
excess is that of g without the slope that phi and X balance, as the past has it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zooadmm.problem.arrays import Matrix, Vector, norm
from zooadmm.problem.problem import Problem
from zooadmm.structure.minimizer import Minimizer
from zooadmm.structure.splitting import EXACT, Solved


class Structure:
    """The structured steps of one problem, where B has an inverse: y follows from x."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._minimizer = Minimizer(problem)

    def renew(self) -> None:
        """Forget the last factors, which a resumed run does not have."""
        self._minimizer.renew()

    def completed(self, x: Vector) -> Vector:
        """The y of x."""
        constraint = self.problem.constraint
        return x.copy() if constraint.is_consensus else constraint.complete_y(x)

    def inside(self, x: Vector) -> Vector:
        """A point near x that the problem allows: in X the nearest, then on the rows too."""
        x = self.problem.moved_inside(x)
        nearest = self._minimizer.feasible(x, self.completed(x))[0]
        return np.asarray(self.problem.moved_inside(nearest), dtype=np.float64)

    def phi(self, points: Matrix) -> Vector:
        """phi at the y of each point; rounding does not make it infinite."""
        return np.array([self.problem.phi_near(self.completed(x)) for x in points])

    def minimum(self, x: Vector, g: Vector, M: Matrix) -> Vector:
        """The x of the structured step from x, with slope g and metric M."""
        start: Solved = self._minimizer.init(x, self.completed(x), np.zeros(self.problem.l))
        solved, _ = self._minimizer(M, x, g, start, 0.0, EXACT)
        return self._minimizer.pair(self._minimizer.exactly(solved))[0]


Stack = NDArray[np.float64]

LONGEST = 64
"""Rounds a variable of the longest memory that forgets. A loss of one combination a round needs at
least one round a variable, an isotropic one a single round."""

REFUTED = 10.0
"""Log odds, in nats, against a memory that makes it start over: 1 in 22,000 by chance."""

OUTLIER = 10.0
"""An excess counts as at most so many times the running one, so that one jump does not blind s."""

RIDGE = 1e-2
"""Part of the mean curvature that holds an expert where its sum says nothing."""


def memories(m: int) -> Vector:
    """How many rounds each expert remembers: 1, 2, 4, ..., and all.

    >>> memories(1)
    array([ 1.,  2.,  4.,  8., 16., 32., 64., inf])
    """
    doublings = math.ceil(math.log2(LONGEST * m)) + 1
    return np.append(2.0 ** np.arange(doublings), np.inf)


class LocalModel(NamedTuple):
    """What a round said about the loss near x."""

    x: Vector
    gradient: Vector
    hessian: Stack
    """H, positive along the gradient"""

    @property
    def excess(self) -> float:
        """How far f(x) is above the least value of the model along its gradient.

        With the mean curvature where H, which is not 0, is flat that way.
        """
        length, bent = norm(self.gradient), along(self.hessian, self.gradient)
        return length * (length / (2.0 * (bent or np.trace(self.hessian) / len(self.x))))

    def losses(self, points: Stack) -> Stack:
        """The model at points, without its constant."""
        moved = points - self.x
        bent = np.einsum("ki,ij,kj->k", moved, self.hessian, moved, optimize=True)
        return np.asarray(moved @ self.gradient + 0.5 * bent)


def along(hessian: Stack, direction: Vector) -> float:
    """u'Hu, the curvature along a direction."""
    u = direction / norm(direction)
    return float(u @ hessian @ u)


def two_curvatures(direction: Vector, kappa: float, c: float) -> Stack:
    """H = kappa u u' + c (I - u u') for a direction u.

    >>> two_curvatures(np.array([0.0, 2.0]), 3.0, 1.0)
    array([[1., 0.],
           [0., 3.]])
    """
    u = direction / np.linalg.norm(direction)
    return np.asarray((kappa - c) * np.outer(u, u) + c * np.eye(len(u)))


class Experts(NamedTuple):
    """All that the past says about where the minimum is now."""

    rounds: int
    hessians: Stack
    """Sums of H, one a memory"""
    targets: Stack
    """Sums of H x - g"""
    points: Stack
    """The experts"""
    log_weights: Vector
    """Of the candidates, the largest 0: experts, then extrapolations"""
    scale: float
    """s, the running excess; 0 before the first round"""
    counts: Vector
    """Sums of the weights of rounds, one a memory: how often phi counts"""

    @property
    def candidates(self) -> Stack:
        """The experts, and the extrapolations between neighbors."""
        return np.concatenate([self.points, 2.0 * self.points[:-1] - self.points[1:]])

    @property
    def weights(self) -> Vector:
        weights = np.exp(self.log_weights)
        return np.asarray(weights / weights.sum())

    def allowed(self, structure: Structure | None) -> Stack:
        """The candidates, extrapolations moved to an allowed point near them."""
        found = self.candidates
        if structure is not None:
            count = len(self.points)
            found[count:] = [structure.inside(point) for point in found[count:]]
        return found

    @property
    def damped(self) -> Stack:
        """The sums of H with their ridges."""
        m = self.points.shape[1]
        held = RIDGE * np.trace(self.hessians, axis1=1, axis2=2) / m
        return np.asarray(self.hessians + held[:, None, None] * np.eye(m))

    def after(self, model: LocalModel, structure: Structure | None = None) -> Experts:
        """What is known after another round."""
        rounds, m = self.rounds + 1, len(model.x)
        excess, points = model.excess, self.allowed(structure)
        losses = model.losses(points)
        if structure is not None:
            left = model.gradient - self.balanced
            excess = model._replace(gradient=left).excess if left.any() else 0.0
            losses = losses + structure.phi(points)
        scale = self.scale or excess or model.excess
        log_weights = self.log_weights - losses / (2.0 * scale)
        log_weights = log_weights - log_weights.max()
        scale += max(1.0 / rounds, 0.01) * (min(excess, OUTLIER * scale) - scale)
        count = len(self.points)
        order, leader = np.arange(count), int(np.argmax(log_weights)) % count
        refuted = (order > leader) & (log_weights[:count] < -REFUTED)
        source = np.where(refuted, leader, order)
        log_weights[:count][refuted] = -1.0
        shared = np.exp(log_weights) / np.exp(log_weights).sum()
        shared += (1.0 / len(shared) - shared) / (rounds + 1)  # fixed share
        kept = 1.0 - 1.0 / memories(m)
        H = model.hessian
        hessians = kept[:, None, None] * self.hessians[source] + H
        targets = kept[:, None] * self.targets[source] + (H @ model.x - model.gradient)
        log_shared = np.log(shared / shared.max())
        counts = kept * self.counts[source] + 1.0
        points = self.points[source]
        sums = Experts(rounds, hessians, targets, points, log_shared, scale, counts)
        return sums._replace(points=sums.minima(structure))

    def minima(self, structure: Structure | None) -> Stack:
        """The minimizers of the sums, with ridges around the points so far."""
        points, damped = self.points, self.damped
        missing = self.targets - np.einsum("kij,kj->ki", self.hessians, points)
        if structure is None:
            return np.asarray(points + np.linalg.solve(damped, missing[:, :, None])[:, :, 0])
        slopes, metrics = -missing / self.counts[:, None], damped / self.counts[:, None, None]
        return np.array(
            [structure.minimum(*mean) for mean in zip(points, slopes, metrics, strict=True)]
        )

    @property
    def balanced(self) -> Vector:
        """The mean slope of the mean models at their candidates: what phi and X balance.

        0 before the first round, and about 0 without structure.
        """
        slopes = np.einsum("kij,kj->ki", self.hessians, self.points) - self.targets
        slopes = slopes / np.maximum(self.counts, 1.0)[:, None]
        return np.asarray(self.weights @ np.concatenate([slopes, 2.0 * slopes[:-1] - slopes[1:]]))

    @property
    def by_memory(self) -> Vector:
        """The weight of each memory, with that of the extrapolation from it."""
        weights, count = self.weights, len(self.points)
        found = weights[:count].copy()
        found[:-1] += weights[count:]
        return found


def first(x: Vector) -> Experts:
    """Before the first round all experts are at x."""
    m, x = len(x), x.astype(np.float64)
    count = len(memories(m))
    return Experts(
        rounds=0,
        hessians=np.zeros((count, m, m)),
        targets=np.zeros((count, m)),
        points=np.tile(x, (count, 1)),
        log_weights=np.zeros(2 * count - 1),
        scale=0.0,
        counts=np.zeros(count),
    )
