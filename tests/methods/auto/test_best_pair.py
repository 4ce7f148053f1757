"""Once no model fits, the answer is never above a pair that the run has evaluated."""

import numpy as np
import pytest

import zooadmm as zoo

STRUCTURES = {
    "free": lambda m: {},
    "sparse": lambda m: {"regularizer": zoo.L1(0.02)},
    "rows": lambda m: {"constraint": zoo.Inequality(np.eye(2, m), -0.5, 0.5)},
    "simplex": lambda m: {"domain": zoo.Simplex()},
}


def errors(m, seed):
    """The part of 60 points on the wrong side of a plane: constant or jumping everywhere."""
    generator = np.random.default_rng([m, seed])
    A, w = generator.standard_normal((60, m)), generator.standard_normal(m)
    return lambda x: float(np.mean(np.sign(A @ x - 0.1) != np.sign(A @ w - 0.1)))


def objective(loss, given, x):
    """F of a pair; infinite where x is not allowed."""
    domain, rows = given.get("domain"), given.get("constraint")
    outside = domain is not None and domain.distance(x) > 1e-9
    if outside or (rows is not None and np.abs(x[:2]).max() > 0.5 + 1e-9):
        return np.inf
    return loss(x) + given.get("regularizer", lambda x: 0.0)(x)


@pytest.mark.parametrize("budget", [110, 300])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_no_evaluated_pair_is_better_across_jumps(structure, budget):
    m = 5
    for seed in range(6):
        loss, given, least = errors(m, seed), STRUCTURES[structure](m), np.inf

        def noted(x, loss=loss, given=given):
            nonlocal least
            least = min(least, objective(loss, given, x))
            return loss(x)

        x0 = np.full(m, 1.0 / m)
        found = zoo.minimize(noted, x0, max_evaluations=budget, rng=seed, progress=False, **given)
        assert objective(loss, given, found.x) <= least + 1e-12
