"""From fresh observations to the model of the mean over all of them."""

from __future__ import annotations

from typing import Any

from zooadmm.methods.auto.model import Model, Normals, QuasiNewton
from zooadmm.methods.auto.model.descent import ModelDescent
from zooadmm.methods.auto.sampled.rounding import rounding
from zooadmm.methods.auto.sampled.state import SampledState


def continued(
    descent: ModelDescent[Any], model: Model, sampling: SampledState, normals: Normals
) -> Model:
    """The model at x with the belief and the metric of the samples; F(x) is known by now."""
    assert isinstance(descent, QuasiNewton)
    return descent.resumed(
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
