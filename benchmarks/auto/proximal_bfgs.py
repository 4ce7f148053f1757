"""A rival that users would have to write: proximal BFGS with gradients by forward differences.

    x_{k+1} = x_k + t (S_k - x_k),   S_k = argmin <g, x - x_k> + |x - x_k|_H^2 / 2 + structure

The argmin is found by this library's own solver, at no evaluation; t = 1, 1/2, ... until F falls. H
starts as a multiple of the identity, which the first secant sets, and follows BFGS.
"""

from __future__ import annotations

import numpy as np

from benchmarks.methods.forms import reach
from benchmarks.problem import Array, Problem
from benchmarks.trial import Trial
from zooadmm.methods.auto.model import curvature
from zooadmm.problem.constraint import Consensus
from zooadmm.problem.problem import Problem as Parts
from zooadmm.problem.regularizers import as_regularizer
from zooadmm.problem.sets import WholeSpace
from zooadmm.structure.minimizer import Minimizer
from zooadmm.structure.splitting import EXACT

SHORTEST = 1e-10


def run(trial: Trial, relative_step: float) -> None:
    """Until the trial is over, or no step is short enough for F to fall."""
    problem = trial.problem
    x = problem.nearest(problem.x0)
    K, domain = problem.constraint or Consensus(), problem.domain or WholeSpace()
    phi = as_regularizer(problem.regularizer)
    known = Parts(problem.m, *K.sizes(problem.m), x.dtype, phi, domain, K)
    S, rho = Minimizer(known), 0.0
    at = S.init(*known.start(x, None, None))
    f, g = trial.forward_gradient(x, relative_step)
    scale = float(np.linalg.norm(g)) / max(float(np.linalg.norm(reach(problem))), 1e-300)
    H: Array = max(scale, 1e-12) * np.eye(problem.m)
    first = True
    while True:
        to, rho = S(H, x, g, at, rho, EXACT)
        step = _shortened(trial, x, f, problem.nearest(S.exactly(to).x) - x)
        if step is None:
            return
        at, x = to, x + step
        trial.recommend(problem.nearest(x))
        f, after = trial.forward_gradient(x, relative_step)
        changed = after - g
        curved = float(step @ changed)
        if first and curved > 0:
            H, first = curved / float(step @ step) * np.eye(problem.m), False
        if curved > 0:
            H = np.asarray(curvature.updated(H, step, changed))
        g = after


def _shortened(trial: Trial, x: Array, f: float, step: Array) -> Array | None:
    """The step, halved until F falls; None where it never does."""
    problem: Problem = trial.problem
    before = f + problem.structure(problem.nearest(x))
    t = 1.0
    while t > SHORTEST:
        point = problem.nearest(x + t * step)
        if float(trial.measure(point[None])[0]) + problem.structure(point) < before:
            return point - x
        t /= 2.0
    return None
