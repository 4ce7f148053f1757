"""Residual feedback: one value a round, unbiased, resumed exactly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zooadmm as zoo
from zooadmm.oracle.queries import ProbeQuery
from zooadmm.oracle.randomness import key_from

M = 3
SLOPE = np.array([1.0, -2.0, 0.5])
CURVATURE = np.array([[2.0, 0.3, 0.0], [0.3, 1.0, -0.2], [0.0, -0.2, 0.5]])
DISTRIBUTIONS = (zoo.paper.Sphere(), zoo.paper.Gaussian(), zoo.paper.Coordinate())


def estimates(loss: Any, x: np.ndarray, mu: Any, rounds: int = 6000) -> np.ndarray:
    """g_2, g_3, ... at a point that does not move."""
    source, key = zoo.paper.Residual(distribution=mu), key_from(3)
    rows, before = [], np.nan
    for t in range(1, rounds + 1):
        query = source.query(t, x, 0.3, key, None, zoo.sets.WholeSpace()).after(before)
        value = float(loss(query.points[0]))
        rows.append(source.gradient(query, np.array([value])))
        before = value
    assert not rows[0].any()
    return np.array(rows[1:])


@pytest.mark.parametrize("mu", DISTRIBUTIONS, ids=lambda mu: type(mu).__name__)
def test_it_is_unbiased(mu: Any) -> None:
    x = np.array([0.5, 0.1, -0.4])
    g = estimates(lambda p: SLOPE @ p + p @ CURVATURE @ p / 2, x, mu)
    error = g.mean(axis=0) - (SLOPE + CURVATURE @ x)
    assert (np.abs(error) < 4 * g.std(axis=0) / np.sqrt(len(g))).all()


def test_its_second_moment_for_a_linear_loss() -> None:
    g = estimates(lambda p: SLOPE @ p, np.zeros(M), zoo.paper.Sphere())
    sizes = np.square(g).sum(axis=1)
    expected = 2 * M * SLOPE @ SLOPE
    assert abs(sizes.mean() - expected) < 6 * sizes.std() / np.sqrt(len(g))  # neighbors correlate


def drifting(x: np.ndarray, w: np.ndarray) -> float:
    return float(np.square(x - w).sum()) / 2


ROWS = 0.5 + 0.2 * np.random.default_rng(4).standard_normal((500, M))


def run(limit: int, **given: Any) -> zoo.Result:
    return zoo.minimize(
        drifting,
        np.zeros(M),
        **{
            "settings": "paper",
            "gradient": zoo.paper.Residual(),
            "step_size": lambda t: 0.1 / np.sqrt(t),
            "smoothing": 0.3,
            "penalty": 1.0,
            "domain": zoo.Box(-1.0, 1.0),
            "observations": zoo.Samples(ROWS),
            "max_iterations": limit,
            "rng": 0,
            "progress": False,
        }
        | given,
    )


def test_one_value_a_round_and_its_regret_beside_two() -> None:
    best = ROWS.mean(axis=0)
    one = run(3000, regret=zoo.Regret(best))
    two = run(3000, regret=zoo.Regret(best), gradient=zoo.paper.Smoothed(1))
    assert (one.nfev, two.nfev) == (3000, 6000)
    regrets = [float(r.regret["iterates"][-1]) for r in (one, two)]
    assert regrets[1] < regrets[0] < 0.1 < float(one.regret["iterates"][0])


def test_a_resumed_run_is_the_unbroken_one(tmp_path: Path) -> None:
    file = tmp_path / "run.zoo"
    run(17, checkpoint=file)
    resumed, unbroken = run(40, checkpoint=file), run(40)
    assert resumed.x.tobytes() == unbroken.x.tobytes()
    assert resumed.dual.tobytes() == unbroken.dual.tobytes()


def test_the_query_has_the_value_before() -> None:
    optimizer = zoo.Optimizer(np.zeros(M), settings="paper", gradient=zoo.paper.Residual(), rng=0)
    first = optimizer.ask()
    assert isinstance(first, ProbeQuery)
    assert np.isnan(first.before)
    optimizer.tell(first.id, np.array([7.5]))
    second = optimizer.ask()
    assert isinstance(second, ProbeQuery)
    assert second.before == 7.5


def test_refusals() -> None:
    with pytest.raises(ValueError, match=r"gradient=Residual\(\) belongs to Algorithm 1"):
        run(2, settings="auto", step_size=None, smoothing=None, penalty=None)
    with pytest.raises(ValueError, match="needs them far from x_t"):
        run(2, on_nan="shrink")
    with pytest.raises(TypeError, match="distribution must be"):
        zoo.paper.Residual(distribution="sphere")  # type: ignore[arg-type]


class Slab(zoo.sets.ConvexSet):
    """|x_1| <= 1, from a user who does not say how far its boundary is."""

    def project(self, v: np.ndarray) -> np.ndarray:
        return np.concatenate([np.clip(v[:1], -1.0, 1.0), v[1:]])


def test_a_set_without_a_known_boundary_is_refused_not_left() -> None:
    inside = zoo.paper.Residual(probes="inside")
    with pytest.raises(ValueError, match=r"Slab.* does not say how far its boundary is"):
        zoo.Optimizer(np.zeros(M), domain=Slab(), settings="paper", gradient=inside)
    with pytest.raises(ValueError, match='settings="follow" keeps all points in the domain'):
        zoo.Optimizer(np.zeros(M), domain=Slab(), settings="follow")
