"""What an automatic run has learned, in words."""

from __future__ import annotations

import math

import numpy as np

from zooadmm.methods.auto.kinks import KinkState
from zooadmm.methods.auto.learned import Learned
from zooadmm.methods.auto.model import Model
from zooadmm.methods.auto.noisy import FilterState
from zooadmm.methods.auto.ridges import RidgeState
from zooadmm.methods.auto.sampled import SampledState
from zooadmm.methods.auto.setup import MOST_MODELED
from zooadmm.methods.auto.working_set import MOST_AT_WORK, WorkingState
from zooadmm.problem.arrays import Vector

FAR = 1e8
"""An x so many sizes of x0 away from it is suspect."""


def described(learned: Learned, m: int, sampled: bool, eta: float) -> str:
    """One sentence of figures, one about mishaps, one about a better tool, where there is one."""
    by_values = learned.model, learned.filtered, learned.ridges, learned.sampling
    stepwise = all(known is None for known in by_values)
    if stepwise and math.isnan(learned.radius.length) and learned.distance.G == 0.0:
        return ""
    if learned.filtered is not None:
        said = [_filtered(learned.filtered) + _astray(learned.filtered.best.at.x, learned.anchor)]
    elif learned.model is not None:
        said = [_modeled(learned.model, learned.anchor, learned.radius.noise, sampled)]
    elif learned.sampling is not None:
        said = [_sampled(learned.sampling) + _astray(learned.sampling.at.x, learned.anchor)]
    elif learned.ridges is not None:
        said = [_ridged(learned.ridges) + _astray(learned.ridges.answer.x, learned.anchor)]
    else:
        figures = [_noise(learned, m, sampled), f"points {learned.radius.length:.2g} apart"]
        if math.isfinite(eta):
            figures.append(f"step {eta:.2g}")
        if learned.penalty > 0.0:
            figures.append(f"penalty {learned.penalty:.2g}")
        if len(learned.weights) > 1:
            spread = math.sqrt(float(learned.weights.max() / learned.weights.min()))
            figures.append(f"variables of scales {spread:.2g} apart")
        if learned.means.number == 0:
            return f"Learned: {', '.join(figures)}. The run ended before the descent began."
        said = [f"Learned: {', '.join(figures)}."]
    if learned.model_ruled_out and learned.radius.noise == 0.0:
        outgrown = f", or more than {MOST_AT_WORK} variables matter" if m > MOST_MODELED else ""
        said.append(
            "The loss gives the same value every time, but no quadratic model fits it: it has "
            f"kinks or jumps, or is not finite where its optimum lies{outgrown}; steps as for a "
            "noisy loss took over."
        )
    if learned.mishaps > 0:
        said.append(
            f"{learned.mishaps} {'answer' if learned.mishaps == 1 else 'answers'} had values that "
            "were not finite; probes went to the other "
            "side, nearer, or the step was taken back."
        )
    if learned.at_edge:
        said.append(
            "x lies at the edge of where the loss is finite, and all steps lead beyond it: give "
            "that edge as domain, or mistrust x."
        )
    doubted = not learned.means.trusted and np.array_equal(learned.means.kept[0], learned.anchor)
    if learned.filtered is not None:
        doubted = np.array_equal(learned.filtered.best.at.x, learned.anchor)
    if (stepwise or learned.filtered is not None) and doubted:
        said.append(
            "No improvement has stood out from the noise so far: give a larger budget, or a "
            "step_size if a good one is known."
        )
    return " ".join(said)


def _sampled(sampling: SampledState) -> str:
    said = f"Learned: no noise in values; {_steps(sampling.steps)} by the slopes of "
    said += f"{sampling.seen} observations, each accepted by paired values."
    if sampling.steps > 0:
        return said
    return f"{said} No step was better than x0 by two standard errors so far."


def _ridged(ridges: RidgeState) -> str:
    found = (
        "Learned: no noise in values, and each observation sees the variables through one "
        "combination of them"
    )
    N, looked = len(ridges.directions), ridges.num_narrow
    if N == 0:
        return f"{found}. The run ended before the first slopes were measured."
    if ridges.stage == "settled":
        steps = "a Newton step" if ridges.refits == 1 else f"{ridges.refits} Newton steps"
        return f"{found}: the slopes of all {N} observations, and {steps}."
    said = f"{found}: the slopes of {N} observations"
    if looked > 0 and ridges.answered == N:
        said += f", and {looked} others along the few directions that matter most"
    return f"{said}."


def _filtered(known: FilterState) -> str:
    best = known.best
    return (
        f"Learned: noise {known.spread.sigma:.2g} in a value; {_steps(known.steps)} by a quadratic "
        f"model of the loss and slopes averaged over {known.slopes} pairs of values. The objective "
        f"at x is {best.value:.6g} with a standard error of {best.error:.1g}."
    )


def _modeled(
    model: Model | WorkingState | KinkState, anchor: Vector, noise: float, sampled: bool
) -> str:
    if isinstance(model, KinkState):
        return (
            f"Learned: no noise in values, kinks in the loss; {_steps(model.steps)} by descent "
            "across kinks with whole gradients."
        ) + _astray(model.at.x, anchor)
    if isinstance(model, WorkingState):
        return _few(model, len(anchor)) + _astray(model.at.x, anchor)
    loss = "the mean loss over all observations" if sampled else "the loss"
    values = f"noise {noise:.2g} in a value" if noise > 0.0 else "no noise in values"
    if model.stage == "start":
        return (
            f"Learned: {values}. The run ended before the first step of a model of "
            f"{loss}, which takes two evaluations a variable."
        )
    if noise == 0.0:
        values += f", rounding {model.eps:.1g}"
    return (f"Learned: {values}; {_steps(model.steps)} by a quadratic model of {loss}.") + _astray(
        model.at.x, anchor
    )


def _steps(count: int) -> str:
    return "a step" if count == 1 else f"{count} steps"


def _few(working: WorkingState, m: int) -> str:
    said = (
        f"Learned: no noise in values, rounding {working.eps:.1g}; {len(working.chosen)} of {m} "
        "variables were found to matter on the way"
    )
    if working.steps > 0:
        said += f", and {working.steps} steps by a quadratic model of the loss on these were taken."
    elif working.stage == "settled":
        said += ", and no step was taken."
    elif working.stage == "whole":
        said += ", and no step was taken. The run ended before each was looked at by itself."
    else:
        said += ". The run ended before the first step by a model of the loss on these."
    return f"{said} Each of the others was looked at by itself." if working.sweeps > 0 else said


def _astray(x: Vector, anchor: Vector) -> str:
    if not astray(x, anchor):
        return ""
    way = float(np.abs(x - anchor).max())
    return f" x is {way:.1g} away from x0: is the loss bounded below? Else give a domain."


def astray(x: Vector, anchor: Vector) -> bool:
    """Whether x is so far away from x0 that the loss seems to have no bound below."""
    way = float(np.abs(x - anchor).max())
    return way > FAR * max(1.0, float(np.abs(anchor).max()))


def _noise(learned: Learned, m: int, sampled: bool) -> str:
    level = learned.radius.noise
    noise = f"noise {level:.2g} in a value" if level > 0.0 else "no noise in values"
    dimensions = min(learned.dimension, float(m))
    if sampled and math.isfinite(dimensions):
        return f"{noise}, gradients that differ in about {dimensions:.0f} dimensions"
    return noise
