"""A model of the loss on more variables than before, or on fewer."""

from __future__ import annotations

import math

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from zooadmm.methods.auto.model.belief import Belief
from zooadmm.methods.auto.model.second import FIRST_PATIENCE
from zooadmm.methods.auto.model.state import (
    NO_ORIGIN,
    NO_PATH,
    NO_ROWS,
    NO_SECANT,
    NO_TRIAL,
    NOTHING,
    Model,
)
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.structure.splitting import Solved


def joined(model: Model, x: Vector, belief: Belief, curvatures: Vector) -> Model:
    """With further variables, of which a belief and curvatures are known.

    What they have to do with the others is not: the model learns it, and is doubted meanwhile.
    """
    both = np.concatenate([model.at.x, x])
    at = Solved(both, both, np.concatenate([model.at.dual, np.zeros(len(x))]))
    return _with_fresh_steps(
        model,
        at,
        Belief(
            np.concatenate([model.belief.v, belief.v]),
            scipy.linalg.block_diag(model.belief.P, belief.P),
        ),
        scipy.linalg.block_diag(model.uncorrected, np.diag(curvatures)),
        np.concatenate([model.first, curvatures]),
    )._replace(tau=max(model.tau, 1.0))


def kept(model: Model, which: NDArray[np.bool_]) -> Model:
    """The model of some of its variables; the others are zero."""
    (v, P), H = model.belief, model.uncorrected
    at = Solved(*(part[which] for part in model.at))
    square = np.ix_(which, which)
    return _with_fresh_steps(model, at, Belief(v[which], P[square]), H[square], model.first[which])


def _with_fresh_steps(model: Model, at: Solved, belief: Belief, H: Matrix, first: Vector) -> Model:
    return model._replace(
        at=at,
        belief=belief,
        H=H,
        start=model.start._replace(downward=NO_ROWS),
        base=NO_ROWS,
        refused_step=NOTHING,
        repairs=0,
        repaired_at=math.inf,
        spent=0,
        path=NO_PATH,
        patience=FIRST_PATIENCE,
        moves=NO_ROWS,
        origin=NO_ORIGIN,
        first=first,
        secant=NO_SECANT,
        trial=NO_TRIAL,
        best=NO_TRIAL,
        refused=NO_TRIAL,
        rounds=max(model.rounds, 1),
    )
