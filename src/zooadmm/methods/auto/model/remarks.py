"""The remark of a run by a model."""

from __future__ import annotations

from zooadmm.methods.auto.few import for_model
from zooadmm.methods.auto.given import Given
from zooadmm.methods.auto.kinks import KinkState
from zooadmm.methods.auto.model.state import Model
from zooadmm.methods.auto.probe import radius
from zooadmm.methods.auto.strategy import Progress, count_steps
from zooadmm.methods.auto.working_set import WorkingState


def described(state: Model | WorkingState | KinkState, at: Progress, given: Given) -> str:
    """What was learned, and how many steps were taken by which descent."""
    steps, noise = count_steps(state.steps), at.known.radius.noise
    if isinstance(state, KinkState):
        return (
            f"Learned: no noise in values, kinks in the loss; {steps} by descent "
            "across kinks with whole gradients."
        )
    if isinstance(state, WorkingState):
        return _described_set(state, given.problem.m)
    loss = "the mean loss over all observations" if given.sampled else "the loss"
    values = radius.described(at.known.radius)
    if state.stage == "start" and state.steps == 0:
        return (
            f"Learned: {values}. The run ended before the first step of a model of "
            f"{loss}, which takes two evaluations a variable."
        )
    few = state.most_slopes > 0 and at.known.budget > 0
    if noise == 0.0:
        values += f", rounding {state.eps:.1g}"
    said = f"Learned: {values}; {steps} by a quadratic model of {loss}."
    needed = for_model(given.problem.m)
    return f"{said} With {needed} evaluations each variable is measured." if few else said


def _described_set(state: WorkingState, m: int) -> str:
    said = (
        f"Learned: no noise in values, rounding {state.eps:.1g}; {len(state.chosen)} of {m} "
        "variables were found to matter on the way"
    )
    if state.steps > 0:
        said += f", and {state.steps} steps by a quadratic model of the loss on these were taken."
    elif state.stage == "settled":
        said += ", and no step was taken."
    elif state.stage == "whole":
        said += ", and no step was taken. The run ended before each was measured by itself."
    else:
        said += ". The run ended before the first step by a model of the loss on these."
    return f"{said} Each of the others was measured by itself." if state.sweeps > 0 else said
