"""The runs of Fig. 2(a): every method on a field or on Colorado's stations, for each budget."""

from __future__ import annotations

import numpy as np

import zooadmm as zoo
from zooadmm.applications import SensorSelector, reconstructed, spatial_modes
from zooadmm.applications.baselines import second_order
from zooadmm.applications.selection import largest
from zooadmm.datasets import load_colorado, sensor_field
from zooadmm.losses import LogDeterminant
from zooadmm_reproduction.exhibits import AUTO, FIRST_ORDER, ZOO
from zooadmm_reproduction.experiment import trial_seed
from zooadmm_reproduction.rows import Row, short
from zooadmm_reproduction.sensors.task import (
    DIRECTIONS,
    JOSHI_BOYD,
    RANDOM,
    READINGS,
    WHOLE,
    Array,
    Mask,
    Task,
    default_settings,
    online,
)

PROVEN = 1e-5
"""How near to the optimum Newton's method goes, in units of the log-determinant."""

CHOICES = 20
"""Choices at random whose MSE is averaged, in each trial."""

MODES, HELD_OUT_YEARS = 5, 12
"""Of Colorado's record: the patterns that make up a field, and the years to test on, of 48."""


def field_trial(seed: int, trial: int, m: int, T: int, budgets: tuple[int, ...]) -> list[Row]:
    """All methods on one random field."""
    vectors = field(seed, trial, m, T)
    loss = LogDeterminant(vectors)
    rows: list[Row] = []
    for budget in budgets:
        task, rng = Task(vectors, loss, budget), run_rng(seed, trial, m, budget)
        for method, merits in judged(task, weights_of(task, T, rng)).items():
            rows.append(row("field", trial, budget, method) | merits)
        rows.append(row("field", trial, budget, RANDOM) | random_errors(task, rng))
    return rows


def field(seed: int, trial: int, m: int, T: int) -> Array:
    """The paper's random field for a trial, with n = 5 locations."""
    rng = np.random.default_rng(trial_seed(seed, trial, m))
    return sensor_field(num_sensors=m, num_times=T, rng=rng).vectors


def run_rng(seed: int, trial: int, m: int, budget: int) -> np.random.Generator:
    """What the runs on a field draw from: other numbers than the field's."""
    return np.random.default_rng(trial_seed(seed, trial, m, budget))


def weights_of(task: Task, iterations: int, rng: np.random.Generator) -> dict[str, Array]:
    """The weights x that each method answers with: of Algorithm 1, the average of its iterates."""
    return {
        ZOO: online(task, zoo.paper.Smoothed(DIRECTIONS), iterations, rng).x_average,
        FIRST_ORDER: online(task, zoo.paper.Exact(), iterations, rng).x_average,
        JOSHI_BOYD: second_order(task.vectors, task.budget, PROVEN),
        AUTO: default_settings(task, (DIRECTIONS + 1) * iterations, rng),
    }


def judged(task: Task, answers: dict[str, Array]) -> dict[str, Row]:
    """mse, pooled, of the choice; gain, of the weights: [f(x_1) - f(x)] / [f(x_1) - f*].

    f* is Newton's.
    """
    first, best = task.value(task.start), task.value(answers[JOSHI_BOYD])
    found: dict[str, Row] = {}
    for method, x in answers.items():
        errors = task.errors(largest(x, task.budget))
        found[method] = {name: short(error) for name, error in errors.items()}
        found[method]["gain"] = short((first - task.value(x)) / (first - best))
    return found


def random_choices(task: Task, rng: np.random.Generator) -> list[Mask]:
    m = task.vectors.shape[1]
    return [largest(rng.random((m,)), task.budget) for _ in range(CHOICES)]


def random_errors(task: Task, rng: np.random.Generator) -> Row:
    """The mean errors of choices at random."""
    some = [task.errors(choice) for choice in random_choices(task, rng)]
    return {name: short(float(np.mean([each[name] for each in some]))) for name in READINGS}


def whole_trial(seed: int, trial: int, m: int, T: int, budgets: tuple[int, ...]) -> list[Row]:
    """Default settings where a value is the mean over all samples, which Joshi and Boyd use too."""
    vectors, rows = field(seed, trial, m, T), []
    for budget in budgets:
        rng = run_rng(seed, trial, m, budget)
        selector = SensorSelector(budget, random_state=rng).fit(vectors)
        rows.append(
            row("whole", trial, budget, WHOLE)
            | {"mse": short(selector.mse_), "evaluations": selector.result_.nfev}
        )
    return rows


def colorado_trial(seed: int, trial: int, iterations: int, budgets: tuple[int, ...]) -> list[Row]:
    """All methods on the yearly patterns of 36 years; tested on the other twelve."""
    rng = np.random.default_rng(trial_seed(seed, trial))
    learned, held_out = years(rng)
    vectors, modes = (
        spatial_modes(learned, MODES, len(learned) // 12),
        spatial_modes(learned, MODES)[0],
    )
    loss = LogDeterminant(vectors)
    rows: list[Row] = []
    for budget in budgets:
        task = Task(vectors, loss, budget)
        answers = weights_of(task, iterations, rng)
        for method, merits in judged(task, answers).items():
            error = held_out_error(modes, largest(answers[method], budget), held_out)
            rows.append(row("colorado", trial, budget, method) | merits)
            rows[-1]["degrees"] = short(error)
        errors = [held_out_error(modes, some, held_out) for some in random_choices(task, rng)]
        rows.append(row("colorado", trial, budget, RANDOM) | random_errors(task, rng))
        rows[-1]["degrees"] = short(float(np.mean(errors)))
    return rows


def years(rng: np.random.Generator) -> tuple[Array, Array]:
    """Colorado's departures from the usual, (months, stations), to learn from and to test on.

    The years to test on are drawn; the usual, by calendar month, is that of the others.
    """
    tmax = load_colorado().tmax
    by_year = tmax.reshape(len(tmax) // 12, 12, tmax.shape[1])
    order = rng.permutation(len(by_year))
    learned, held_out = np.sort(order[HELD_OUT_YEARS:]), np.sort(order[:HELD_OUT_YEARS])
    usual = np.nanmean(by_year[learned], axis=0)
    departures = by_year - usual
    m = tmax.shape[1]
    return departures[learned].reshape(-1, m), departures[held_out].reshape(-1, m)


def held_out_error(modes: Array, choice: Mask, held_out: Array) -> float:
    """The root mean squared error, degrees, at stations not chosen, where there is a reading."""
    errors = (reconstructed(modes, choice, np.nan_to_num(held_out)) - held_out)[:, ~choice]
    return float(np.sqrt(np.nanmean(np.square(errors))))


def row(part: str, trial: int, budget: int, method: str) -> Row:
    """What every row of Fig. 2(a) begins with."""
    return {"part": part, "trial": trial, "budget": budget, "method": method}
