"""A model before anything but f(x) is known."""

from __future__ import annotations

import math

from zooadmm.methods.auto.model import rounding, second, start
from zooadmm.methods.auto.model.belief import Belief
from zooadmm.methods.auto.model.state import (
    NO_PATH,
    NO_ROWS,
    NO_SECANT,
    NO_TRIAL,
    NOTHING,
    Model,
)
from zooadmm.problem.arrays import Vector
from zooadmm.problem.sets import ConvexSet
from zooadmm.structure.splitting import Solved


def unmeasured(domain: ConvexSet, at: Solved, loss: float, eps: float) -> Model:
    """The model at a pair; slopes and curvatures along every variable are measured first."""
    first = start.init(domain, at.x, loss, eps)
    return Model(
        stage="start" if len(first.todo) > 0 else "settled",  # all variables are fixed
        ask=start.points(first, domain, at.x),
        at=at,
        loss=loss,
        belief=Belief(NOTHING, NO_ROWS),
        H=NO_ROWS,
        first=NOTHING,
        rho=0.0,
        tau=1.0,  # H may be off by as much as itself
        eps=eps,
        worth=0.0,
        eps_size=abs(loss),
        start=first,
        secant=NO_SECANT,
        rounds=0,
        whole=True,
        trial=NO_TRIAL,
        best=NO_TRIAL,
        refused=NO_TRIAL,
        steps=0,
        poor=0,
        repairs=0,
        base=NO_ROWS,
        refused_step=NOTHING,
        repaired_at=math.inf,
        repaired_steps=0,
        least=rounding.least(loss),
        first_loss=loss,
        spent=0,
        path=NO_PATH,
        patience=second.FIRST_PATIENCE,
        moves=NO_ROWS,
    )


def at_lengths(domain: ConvexSet, model: Model, lengths: Vector) -> Model:
    """The same with these first radii, for noisy values."""
    first = model.start._replace(radii=lengths, noisy=True)
    return model._replace(start=first, ask=start.points(first, domain, model.at.x))
