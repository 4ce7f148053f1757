"""What trials and slopes say of the model itself."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import zooadmm as zoo
from zooadmm.methods.auto.model import Model, QuasiNewton, line
from zooadmm.problem.problem import make_problem

EVERYWHERE = zoo.sets.WholeSpace()


def valley(x: np.ndarray) -> float:
    """A bent valley whose minimum is 0."""
    return float(100.0 * (x[1] + 1.0 - (x[0] - 1.2) ** 2) ** 2 + (2.2 - x[0]) ** 2)


def descended(
    loss: Callable[[np.ndarray], float], m: int, domain: zoo.sets.ConvexSet = EVERYWHERE
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
    models = descended(valley, 2)
    assert models[-1].stage == "settled"
    refused = [i for i, model in enumerate(models) if len(model.refused.solved.x) > 0]
    assert len(refused) > 0
    assert all(models[i + 1].tau == models[i].tau for i in refused)
    assert len({model.tau for model in models}) > 3


def test_after_a_step_by_a_multiple_of_h_the_next_trial_is_in_reach() -> None:
    models = descended(valley, 2)
    trials = [model for model in models if model.stage == "candidate" and model.secant.short]
    assert sum(model.trial.multiple > 1.0 for model in trials) > 2
    for model in trials:
        units = np.sqrt(np.diagonal(model.H))
        length, last = units * (model.trial.solved.x - model.at.x), units * model.secant.s
        assert np.linalg.norm(length) <= line.STEPS[-1] * np.linalg.norm(last) * (1.0 + 1e-9)


def test_a_box_is_looked_at_halfway_where_the_loss_bends_downwards() -> None:
    """Waves on a slope, from a crest: the next trough is not the lowest."""

    def waves(x: np.ndarray) -> float:
        return float((np.cos(x) - 0.2 * x).sum())

    box = zoo.Box(-1.0, 50.0)
    free, within = descended(waves, 2), descended(waves, 2, box)
    assert [model.stage for model in within].count("halfway") == 1
    assert within[-1].stage == free[-1].stage == "settled"
    assert within[-1].loss < free[-1].loss - 1.0
    points = np.vstack([model.ask for model in within])
    assert max(box.distance(point) for point in points) == 0.0


def test_a_box_around_a_convex_loss_has_no_such_look() -> None:
    def bowl(x: np.ndarray) -> float:
        return float(np.square(x - [1.0, 2.0]).sum())

    assert "halfway" not in {model.stage for model in descended(bowl, 2, zoo.Box(-9.0, 9.0))}
