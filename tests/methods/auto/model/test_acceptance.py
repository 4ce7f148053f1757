"""What trials and slopes say of the model itself."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import zooadmm as zoo
from twins.problems import make_problem
from zooadmm.methods.auto.model import Model, QuasiNewton, line
from zooadmm.methods.auto.model.initial import unmeasured


def valley(x: np.ndarray) -> float:
    """A bent valley whose minimum is 0."""
    return float(100.0 * (x[1] + 1.0 - (x[0] - 1.2) ** 2) ** 2 + (2.2 - x[0]) ** 2)


def descended(loss: Callable[[np.ndarray], float], m: int) -> list[Model]:
    """A descent from zero by itself: the model before every answer, and the last."""
    problem = make_problem(
        np.zeros(m), zoo.regularizers.Zero(), zoo.sets.WholeSpace(), zoo.problem.Consensus()
    )
    descent, zero = QuasiNewton(problem), np.zeros(m)
    value, generator = loss(zero), np.random.default_rng(0)
    at = descent.minimizer.init(zero, zero, zero)
    models = [unmeasured(problem.domain, at, value, 4.0 * float(np.spacing(abs(value))))]
    while len(models[-1].ask) > 0:
        values = np.array([loss(point) for point in models[-1].ask])
        models.append(
            descent.update(models[-1], values, lambda k: generator.standard_normal((k, m)))
        )
    return models


def test_what_h_is_off_is_learned_from_slopes_after_steps_and_from_no_others() -> None:
    models = descended(valley, 2)
    assert models[-1].stage == "settled"
    refused = [i for i, model in enumerate(models) if len(model.refused.solved.x) > 0]
    assert len(refused) > 0
    assert all(models[i + 1].tau == models[i].tau for i in refused)
    assert len({model.tau for model in models}) > 3


def test_what_a_refused_trial_has_shown_does_not_widen_the_doubt() -> None:
    """One steep direction between the variables, which the first diagonal of H does not see."""
    m, steps = 30, 0
    for seed in range(5):
        generator = np.random.default_rng(seed)
        u, to = generator.standard_normal((2, m)) / np.sqrt(m)
        to += 2.0 * u
        models = descended(
            lambda x, u=u, to=to: float(np.square(x - to).sum() + 30.0 * (u @ (x - to)) ** 2), m
        )
        first = next(i for i, model in enumerate(models) if model.steps == 1)
        steps += models[first].secant.short
        assert models[first + 1].tau <= models[first].tau
    assert steps == 5


def test_after_a_step_by_a_multiple_of_h_the_next_trial_is_in_reach() -> None:
    starts = np.random.default_rng(0).uniform(-2.0, 2.0, (6, 2))
    models = [model for u in starts for model in descended(lambda x, u=u: valley(x + u), 2)]
    trials = [model for model in models if model.stage == "candidate" and model.secant.short]
    assert sum(model.trial.multiple > 1.0 for model in trials) > 6
    for model in trials:
        units = np.sqrt(np.diagonal(model.H))
        length, last = units * (model.trial.solved.x - model.at.x), units * model.secant.s
        assert np.linalg.norm(length) <= line.STEPS[-1] * np.linalg.norm(last) * (1.0 + 1e-9)


def test_a_loss_that_goes_on_falling_is_followed_by_values_before_slopes() -> None:
    models = descended(lambda x: float(np.sqrt(1.0 + np.square(x - 100.0).sum())), 12)
    series = [model.trial.further for model in models if model.stage == "further"]
    assert 1 < max(series) <= 10
    assert models[-1].stage == "settled"
    np.testing.assert_allclose(models[-1].at.x, 100.0, rtol=1e-5)
