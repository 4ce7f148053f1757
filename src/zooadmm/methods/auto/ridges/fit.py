"""The mean of the ridges of a sample as a quadratic model, and how far a small sample is trusted.

    q(x) = <g, x - x_c> + |x - x_c|^2_H / 2,   g = mean l_i' a_i,   H = mean l_i'' a_i a_i'

over the N observations of the sample, exact for squares, and Newton's for any other ridges. Only
the part of it counts that other samples would confirm, so the model is minimized with a pull
towards x_1,

    S_tau = argmin  q(x) + phi(y) + (tau/2) |x - x_1|_W^2   with  A x + B y = c,

and tau is chosen by cross-validation (Stone 1974): each fold of the sample is compared with the
minimizers of the others by its own ridges, which costs no evaluation.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from zooadmm.methods.auto.constants import FEWEST, ROUNDED
from zooadmm.methods.auto.ridges.state import Along
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.structure.minimizer import Minimizer
from zooadmm.structure.splitting import EXACT, ROUGH, Accuracy, Solved

STRENGTHS = (10.0, 1.0, 0.2, 0.05, 0.01, 0.002, 1e-4)
"""The pulls tau that are tried, in units of the largest eigenvalue of W^-1/2 H W^-1/2: from a step
that hardly moves to none that is felt, factors of about 5 apart in between."""


class Quadratic(NamedTuple):
    """q, the weights W of the pull, and the largest eigenvalue of W^-1/2 H W^-1/2."""

    g: Vector
    H: Matrix
    W: Vector
    top: float

    def pull(self, strength: float) -> Vector:
        """The diagonal of tau W, for tau = strength * top."""
        return np.asarray(strength * self.top * self.W)


class Pulled:
    """The minimizers S_tau for one problem.

    metric: whether W is the diagonal of H, of geometric mean 1, and not the identity.
    """

    def __init__(self, minimizer: Minimizer, metric: bool) -> None:
        self._minimizer = minimizer
        self._metric = metric

    def quadratic(self, directions: Matrix, along: Along) -> Quadratic:
        """The model of some observations."""
        a, slope, curvature = _sound(directions, along)
        g, H = slope @ a / len(a), (a.T * curvature) @ a / len(a)
        diagonal = np.diagonal(H)
        W = np.ones(len(g))
        curved = diagonal > ROUNDED * diagonal.max(initial=0.0)
        if self._metric and curved.any():
            logs = np.log(diagonal[curved])
            W[curved] = np.exp(logs - logs.mean())
        top = float(np.linalg.eigvalsh(H / np.sqrt(W[:, None] * W))[-1])
        return Quadratic(g, H, W, top)

    def __call__(
        self,
        model: Quadratic,
        pull: Vector,
        center: Solved,
        anchor: Vector,
        rho: float,
        start: Solved | None = None,
        accuracy: Accuracy = EXACT,
    ) -> tuple[Solved, float]:
        """S_tau for a diagonal of tau W, and the rho to go on with.

        ROUNDED is added to any pull: of fewer than m observations H has no inverse.
        """
        H = model.H.copy()
        H[np.diag_indices(len(pull))] += pull + model.pull(ROUNDED)
        g = model.g + pull * (center.x - anchor)
        solved, rho = self._minimizer(H, center.x, g, start or center, rho, accuracy)
        return self._minimizer.exactly(solved), rho

    def best_strength(
        self, directions: Matrix, along: Along, center: Solved, anchor: Vector, rho: float
    ) -> float:
        """The strength whose minimizers of some folds are the best on the others.

        A fold whose others are not curved says nothing.
        """
        fold = np.arange(len(directions)) % FEWEST
        scores = np.zeros(len(STRENGTHS))
        for k in range(FEWEST):
            model, start = self.quadratic(directions[fold != k], _part(along, fold != k)), center
            if not model.top > 0.0:
                continue
            for j, strength in enumerate(STRENGTHS):
                pull = model.pull(strength)
                start, rho = self(model, pull, center, anchor, rho, start, ROUGH)
                left_out = _part(along, fold == k)
                change = changes(directions[fold == k], left_out, start.x - center.x)
                scores[j] += change.sum() + len(change) * self._minimizer.phi(start)
        return float(STRENGTHS[int(np.argmin(scores))])


def changes(directions: Matrix, along: Along, step: Vector) -> Vector:
    """The change of each observation over a step by its ridge; without those that are not sound."""
    a, slope, curvature = _sound(directions, along)
    z = a @ step
    changed: Vector = slope * z + 0.5 * curvature * np.square(z)
    return changed


def _sound(directions: Matrix, along: Along) -> tuple[Matrix, Vector, Vector]:
    """Directions, slopes and curvatures of the observations that count, no curvature below 0."""
    sound = along.sound
    curvature = np.maximum(along.curvature[sound], 0.0)
    return directions[sound], along.slope[sound], curvature


def _part(along: Along, which: Vector) -> Along:
    return Along(*(field[which] for field in along))
