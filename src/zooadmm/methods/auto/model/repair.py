"""Measure a model again where trials keep failing: along axes of H, or along the variables."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zooadmm.methods.auto.constants import NEGLIGIBLE, SEEN, SINGULAR_PART
from zooadmm.methods.auto.model import grid, start
from zooadmm.methods.auto.model.state import NO_ROWS, NO_SECANT, NO_TRIAL, NOTHING, Model
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.problem.sets import ConvexSet

Mask = NDArray[np.bool_]


def repaired(domain: ConvexSet, model: Model, objective: float) -> Model:
    """Measure slopes and curvatures at x again.

    Along axes of H, or along the variables where that was done already. Where neither lasted
    for m steps the descent across kinks takes over: it needs no model.

    objective: F(x)
    """
    x, H = model.at.x, model.uncorrected
    lasted = has_fallen(model, objective) and model.steps >= model.repaired_steps + len(x)
    repairs = 0 if lasted else model.repairs
    free = away_from_bounds(domain, x)
    hidden = grid.hidden(model.belief.v, x, model.start.dtype)  # by rounding of points
    known = bool(np.isfinite(H).all()) and not hidden > SEEN * model.eps
    along_axes = repairs == 0 and free is not None and known
    basis = axes(H, free) if along_axes and free is not None else NO_ROWS
    first = start.init(domain, x, model.loss, model.eps, basis, model.start.single)
    first = first._replace(downward=model.start.downward)
    if len(first.todo) == 0:
        return model.ended("settled")
    if repairs >= 2:
        return model.ended("kinked")
    return model._replace(
        stage="start",
        ask=start.points(first, domain, x),
        start=first,
        tau=1.0,  # H may be off by as much as itself
        secant=NO_SECANT,
        rounds=0,
        whole=True,
        trial=NO_TRIAL,
        best=NO_TRIAL,
        refused=NO_TRIAL,
        poor=0,
        strained=0,
        base=NO_ROWS,
        refused_step=NOTHING,
        repairs=repairs + 1,
        repaired_at=objective,
        repaired_steps=model.steps,
    )


def has_fallen(model: Model, objective: float) -> bool:
    """Whether F has fallen since the last repair."""
    return objective < model.repaired_at - NEGLIGIBLE * model.eps


def axes(H: Matrix, free: Mask) -> Matrix:
    """Rows b with b'H b = 1, orthogonal in H among the free variables; the others by themselves.

    >>> B = axes(np.array([[4.0, 2.0], [2.0, 9.0]]), np.array([True, True]))
    >>> np.allclose(B @ np.array([[4.0, 2.0], [2.0, 9.0]]) @ B.T, np.eye(2))
    True
    """
    unit = 1.0 / np.sqrt(np.diagonal(H))
    basis = np.diag(unit)
    at = np.flatnonzero(free)
    if len(at) == 0:
        return basis
    w, Q = np.linalg.eigh(unit[at, None] * H[np.ix_(at, at)] * unit[at])
    basis[np.ix_(at, at)] = (Q / np.sqrt(np.maximum(w, SINGULAR_PART * w[-1]))).T * unit[at]
    return basis


def away_from_bounds(domain: ConvexSet, x: Vector, room: Vector | float = 0.0) -> Mask | None:
    """Which variables have more room than this on both sides; None where X is more than bounds."""
    if domain.is_everything:
        return np.ones(len(x), dtype=bool)
    bounds = domain.bounds()
    if bounds is None:
        return None
    return np.asarray((x - room > bounds[0]) & (x + room < bounds[1]))
