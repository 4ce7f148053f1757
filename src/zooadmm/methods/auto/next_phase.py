"""What comes once noise and lengths are known."""

from __future__ import annotations

import math

from zooadmm.methods.auto.learned import PhaseName, learned_of
from zooadmm.methods.auto.model import phase as model_phase
from zooadmm.methods.auto.ridges import phase as ridge_phase
from zooadmm.methods.auto.sampled import phase as sampled_phase
from zooadmm.methods.auto.setup import Setup
from zooadmm.methods.auto.steps import means
from zooadmm.methods.method import State


def next_phase(setup: Setup, state: State, loss: float) -> State:
    """To ridges, fresh observations, the model, the search for the scale, or the descent.

    loss: f(x_t), where the loss has no observations.
    """
    learned = learned_of(state)
    if setup.holds(learned):
        return ridge_phase.init(setup, state)
    if setup.samples_afresh(learned):
        return sampled_phase.init(setup, state)
    if setup.models(learned):
        return model_phase.init(setup, state, loss)
    phase: PhaseName = "gather" if setup.step_size is None else "descend"
    pair = setup.completed(state.x, state.y)
    fresh = means.init(state.x, learned.means.gradient, pair, math.inf, trusted=True)
    learned = learned._replace(phase=phase, means=fresh, model=None, anchor=state.x)
    return state._replace(learned=learned)
