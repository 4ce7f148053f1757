"""What a model promises: its minimizer S(v), the decrease of F there, and what could change it."""

from __future__ import annotations

import math

import numpy as np

from zooadmm.methods.auto.constants import BEYOND_NOISE, MANY, NEGLIGIBLE
from zooadmm.methods.auto.model import belief as beliefs
from zooadmm.methods.auto.model import grid, line
from zooadmm.methods.auto.model.state import Model, Trial
from zooadmm.problem.arrays import Matrix, Vector, norm
from zooadmm.structure.exact import Nearby
from zooadmm.structure.minimizer import Minimizer
from zooadmm.structure.splitting import EXACT, Accuracy, Solved


def promised(
    minimizer: Minimizer, model: Model, accuracy: Accuracy
) -> tuple[Solved, float, float, Model]:
    """S(v), |S(v) - x|_H^2, and what the model says of F there, less F(x)."""
    x, v, H = model.at.x, model.belief.v, model.H
    to, rho = minimizer(H, x, v, model.at, model.rho, accuracy)
    to = grid.nearest(minimizer, minimizer.exactly(to))
    s = to.x - x
    curved = max(float(s @ H @ s), 0.0)
    there, here = minimizer.phis([to, model.at])
    return to, curved, float(v @ s) + 0.5 * curved + (there - here), model._replace(rho=rho)


def negligible(model: Model) -> float:
    """A change of F that is not worth an evaluation.

    Where evaluations are few a trial is worth what noise cannot feign: no more of them will come
    that could show less.
    """
    return (BEYOND_NOISE if model.most_slopes > 0 else NEGLIGIBLE) * model.eps


def changes(minimizer: Minimizer, model: Model, to: Solved, normals: Matrix) -> Matrix:
    """How errors of v, as they are believed to be, would change S(v); beyond MANY to first order.

    Solved together they round otherwise than one by one. A loss without noise reaches the same
    optimum with both; where there is noise another rounding leads elsewhere.
    """
    errors = beliefs.draws(model.belief, normals)
    how = Nearby(together=not model.start.noisy, across=MANY, rho=model.rho)
    return minimizer.changes(model.H, model.at.x, model.belief.v, errors, to, how)


def within_reach(minimizer: Minimizer, model: Model, trial: Trial) -> Trial:
    """The first trial at x, where the last step was by a multiple of H: by a multiple again.

    It leads at most as many times as far as a parabola may, in the units of the diagonal of H.
    """
    if not model.secant.short:
        return trial
    units = np.sqrt(np.diagonal(model.H))
    reach = line.STEPS[-1] * norm(units * model.secant.s)
    length = norm(units * (trial.solved.x - model.at.x))
    if not length > reach > 0.0:
        return trial
    multiple = length / reach
    to, _, predicted, _ = promised(minimizer, model._replace(H=multiple * model.H), EXACT)
    if predicted >= -NEGLIGIBLE * model.eps:
        return trial
    return Trial(to, predicted, math.nan, multiple)


def suggested(minimizer: Minimizer, model: Model) -> Vector | None:
    """S(v) - x where v is sure enough for a trial, or for the end; None elsewhere.

    After a trial that gave too little H is corrected or the step cut, which says nothing of x.
    """
    settling = model.stage == "settled" or (model.stage == "slopes" and model.whole)
    sure = settling or model.stage == "candidate"
    if not sure or model.poor > 0 or len(model.belief.v) == 0:
        return None
    to, _ = minimizer(model.H, model.at.x, model.belief.v, model.at, model.rho, EXACT)
    return np.asarray(minimizer.exactly(to).x - model.at.x)
