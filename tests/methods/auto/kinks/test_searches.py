"""Searches of the descent across kinks: on while F falls straight, no nearer than differences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import scipy.optimize

import zooadmm as zoo
from twins.problems import make_problem
from zooadmm.methods.auto.kinks import KinkDescent, KinkState
from zooadmm.methods.auto.model.initial import unmeasured
from zooadmm.structure.minimizer import Minimizer
from zooadmm.structure.splitting import Solved

Loss = Callable[[np.ndarray], float]
M = 6


def descent_at(
    loss: Loss, x: np.ndarray, steps: int, H: np.ndarray
) -> tuple[KinkDescent, KinkState]:
    """A descent at x that has its first gradient, from a model of `steps` steps."""
    problem = make_problem(
        x, zoo.regularizers.Zero(), zoo.sets.WholeSpace(), zoo.problem.Consensus()
    )
    model = unmeasured(problem.domain, Solved(x, x, np.zeros(M)), loss(x), 1e-15)
    model = model._replace(H=H, steps=steps, belief=model.belief._replace(v=np.ones(M)))
    descent = KinkDescent(Minimizer(problem))
    state = descent.init(model, 1.0, lambda rows, columns=M: np.ones((rows, columns)))
    for _ in range(2):  # f(x) again, and the gradient
        state = descent.update(state, np.array([loss(u) for u in state.ask]))
    return descent, state


def searched(descent: KinkDescent, state: KinkState, loss: Loss) -> tuple[int, KinkState]:
    """How many trials it takes to the next gradient."""
    trials = 0
    while state.stage == "value":
        state, trials = descent.update(state, np.array([loss(state.ask[0])])), trials + 1
    return trials, state


@pytest.mark.parametrize("seed", range(5))
def test_a_metric_that_is_too_large_costs_values_and_not_gradients(seed: int) -> None:
    random = np.random.default_rng(seed)
    root = random.standard_normal((M, M))
    H, to = root @ root.T + np.eye(M), random.standard_normal(M)

    def loss(x: np.ndarray) -> float:
        return 0.5 * float((x - to) @ H @ (x - to))

    start = loss(np.zeros(M))
    descent, state = descent_at(loss, np.zeros(M), 2 * M, 1e4 * H)
    trials, state = searched(descent, state, loss)
    assert state.stage == "slopes"
    assert loss(state.trial.solved.x) < 0.2 * start
    assert trials < 20


@pytest.mark.parametrize("seed", range(5))
def test_a_first_search_from_a_kink_ends_within_the_lengths_of_its_differences(seed: int) -> None:
    random = np.random.default_rng(seed)
    kink, soft = random.uniform(0.5, 2.0, M), 0.1 * random.standard_normal(M)

    def loss(x: np.ndarray) -> float:
        return float(abs(kink @ x) + soft @ x + 0.01 * x @ x)

    descent, state = descent_at(loss, np.zeros(M), 1, np.eye(M))
    trials, state = searched(descent, state, loss)
    assert (state.stage, state.failures) == ("slopes", 1)  # to both sides of the kink
    assert trials < 40


@pytest.mark.parametrize("seed", [12])
def test_a_descent_that_begins_on_a_kink_goes_on(seed: int) -> None:
    """Quantile regression: the model ended within 1e-15 of a kink."""
    random = np.random.default_rng(seed)
    rows, m, level = 200, 20, 0.8
    A = random.standard_normal((rows, m))
    b = A @ random.standard_normal(m) + random.standard_t(3, rows)

    def loss(x: np.ndarray) -> float:
        r = b - A @ x
        return float(np.maximum(level * r, (level - 1.0) * r).mean())

    costs = np.r_[np.zeros(m), np.full(rows, level / rows), np.full(rows, (1.0 - level) / rows)]
    bounds = [(None, None)] * m + [(0, None)] * (2 * rows)
    table = np.hstack([A, np.eye(rows), -np.eye(rows)])
    least = scipy.optimize.linprog(costs, A_eq=table, b_eq=b, bounds=bounds).fun
    result = zoo.minimize(loss, np.zeros(m), max_evaluations=3_000, rng=0, progress=False)
    assert loss(result.x) - least < 1e-3 * (loss(np.zeros(m)) - least)
