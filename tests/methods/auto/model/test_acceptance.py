"""What trials and slopes say of the model itself."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np

import zooadmm as zoo
from zooadmm.methods.auto.model import Model, QuasiNewton, line
from zooadmm.problem.problem import make_problem


def valley(x: np.ndarray) -> float:
    """A bent valley whose minimum is 0."""
    return float(100.0 * (x[1] + 1.0 - (x[0] - 1.2) ** 2) ** 2 + (2.2 - x[0]) ** 2)


LEVY_START = np.array([-8.0, 8.0, 8.0, 8.0, 8.0])
LEVY_BOX = zoo.Box(-10.0 - LEVY_START, 10.0 - LEVY_START)


def levy(x: np.ndarray) -> float:
    """Levy's function from LEVY_START: a bowl with its minimum 0, under ripples."""
    w = 1.0 + (LEVY_START + x - 1.0) / 4.0
    ripples = np.square(w[:-1] - 1.0) * (1.0 + 10.0 * np.sin(np.pi * w[1:]) ** 2)
    return float(np.sin(np.pi * w[0]) ** 2 + ripples.sum() + (w[-1] - 1.0) ** 2)


def descended(
    loss: Callable[[np.ndarray], float], m: int, domain: zoo.sets.ConvexSet
) -> list[Model]:
    """A descent from zero by itself: the model before every answer, and the last."""
    problem = make_problem(np.zeros(m), zoo.regularizers.Zero(), domain, zoo.problem.Consensus())
    descent, zero = QuasiNewton(problem), np.zeros(m)
    value, generator = loss(zero), np.random.default_rng(0)
    models = [descent.unmeasured(zero, zero, zero, value, 4.0 * float(np.spacing(abs(value))))]
    while len(models[-1].ask) > 0:
        values = np.array([loss(point) for point in models[-1].ask])
        models.append(
            descent.update(models[-1], values, lambda k: generator.standard_normal((k, m)))
        )
    return models


def test_what_h_is_off_is_learned_from_slopes_after_steps_and_from_no_others() -> None:
    models = descended(levy, 5, LEVY_BOX)
    assert models[-1].stage == "settled"
    refused = [i for i, model in enumerate(models) if len(model.refused.solved.x) > 0]
    assert len(refused) > 0
    assert all(models[i + 1].tau == models[i].tau for i in refused)
    assert len({model.tau for model in models}) > 3


def test_a_refused_trial_needs_no_slope_that_is_known() -> None:
    """Both slopes at x are known in the valley: the next trial follows at once."""
    models = descended(valley, 2, zoo.sets.WholeSpace())
    assert models[-1].stage == "settled"
    pairs = itertools.pairwise(models)
    refused = [(a, b) for a, b in pairs if a.stage == "candidate" and b.poor > a.poor]
    followed = [b.stage for a, b in refused if np.array_equal(a.at.x, b.at.x)]
    assert followed.count("candidate") > 3
    assert followed.count("slopes") == 0


def test_after_a_step_by_a_multiple_of_h_the_next_trial_is_in_reach() -> None:
    models = descended(valley, 2, zoo.sets.WholeSpace())
    trials = [model for model in models if model.stage == "candidate" and model.secant.short]
    assert sum(model.trial.multiple > 1.0 for model in trials) > 2
    for model in trials:
        units = np.sqrt(np.diagonal(model.H))
        length, last = units * (model.trial.solved.x - model.at.x), units * model.secant.s
        assert np.linalg.norm(length) <= line.STEPS[-1] * np.linalg.norm(last) * (1.0 + 1e-9)


def test_a_box_is_looked_at_halfway_and_ripples_are_left() -> None:
    """Without that look the descent ends at 16.8; nothing outside the box is evaluated."""
    models = descended(levy, 5, LEVY_BOX)
    assert models[-1].loss < 1e-12
    assert [model.stage for model in models].count("halfway") == 1
    points = np.vstack([model.ask for model in models])
    assert max(LEVY_BOX.distance(point) for point in points) == 0.0
