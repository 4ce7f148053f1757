"""From fresh observations to the model of the mean over all of them."""

from __future__ import annotations

from typing import NamedTuple

from zooadmm.methods.auto.model import Model, Normals, QuasiNewton
from zooadmm.methods.auto.sampled.differences import rounding
from zooadmm.methods.auto.sampled.state import SampledState


class Unstarted(NamedTuple):
    """A model before f(x) is known: the mean over all samples, or the loss at a feasible x."""

    prior: SampledState | None
    """The last state of the descent by fresh observations, if there was one"""


def continued(
    descent: QuasiNewton, model: Model, sampling: SampledState, normals: Normals
) -> Model:
    """The model at x with the belief and the metric of the samples; F(x) is known by now."""
    return descent.decided(
        model._replace(
            belief=sampling.belief,
            H=sampling.damping * sampling.H,
            first=sampling.damping * sampling.first,
            tau=sampling.tau,
            eps=max(rounding(abs(model.loss), sampling.first, sampling.at.x), sampling.eps),
            rounds=1,
            whole=False,
            steps=sampling.steps,
        ),
        normals,
    )
