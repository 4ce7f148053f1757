"""A model before anything but f(x) is known."""

from __future__ import annotations

from zooadmm.methods.auto.model import rounding, second, start
from zooadmm.methods.auto.model.state import Model
from zooadmm.problem.arrays import Vector
from zooadmm.problem.sets import ConvexSet
from zooadmm.structure.splitting import Solved


def unmeasured(
    domain: ConvexSet, at: Solved, loss: float, eps: float, single: bool = False
) -> Model:
    """The model at a pair; slopes and curvatures along every variable are measured first."""
    first = start.init(domain, at.x, loss, eps, single=single)
    return Model(
        stage="start" if len(first.todo) > 0 else "settled",  # all variables are fixed
        ask=start.points(first, domain, at.x),
        at=at,
        loss=loss,
        eps=eps,
        eps_size=abs(loss),
        start=first,
        least=rounding.least(loss),
        first_loss=loss,
        patience=second.FIRST_PATIENCE,
    )


def at_lengths(domain: ConvexSet, model: Model, lengths: Vector) -> Model:
    """An unmeasured model with these first radii, for noisy values."""
    first = model.start._replace(radii=lengths, noisy=True)
    return model._replace(start=first, ask=start.points(first, domain, model.at.x))
