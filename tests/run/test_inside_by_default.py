"""No point is evaluated outside the domain unless the user allows it, whatever the source."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import zooadmm as zoo
from zooadmm.oracle.gradients import GradientSource
from zooadmm.problem.sets import ConvexSet, Halfspace, L1Ball, L2Ball, LInfBall, NuclearBall

SOURCES: dict[str, GradientSource] = {
    "Smoothed": zoo.paper.Smoothed(probes=None),
    "central": zoo.paper.Smoothed(3, difference="central", probes=None),
    "Rademacher": zoo.paper.Smoothed(4, distribution=zoo.paper.Rademacher(), probes=None),
    "Residual": zoo.paper.Residual(probes=None),
    "DoublySmoothed": zoo.paper.DoublySmoothed(2, probes=None),
}
OF_THE_PAPER = ("Residual", "DoublySmoothed")
ROUNDING = 1e-14


def drawn(number: int) -> tuple[ConvexSet, np.ndarray, np.ndarray]:
    """A set of the kind of the number, a start in it, and a center that may be far outside."""
    generator = np.random.default_rng([41, number])
    m = 6
    unit = 10.0 ** generator.uniform(-4.0, 4.0)
    lower = -unit * generator.random(m)
    sets = [
        zoo.Box(lower, unit * generator.random(m)),
        zoo.Nonnegative(),
        L1Ball(unit),
        L2Ball(unit),
        LInfBall(unit),
        NuclearBall(unit, (2, 3)),
        Halfspace(generator.standard_normal(m), unit),
    ]
    domain = sets[number % len(sets)]
    start, center = unit * generator.standard_normal((2, m))
    return domain, domain.project(start), 3.0 * center


def outside(domain: ConvexSet, x0: np.ndarray, center: np.ndarray, **given: Any) -> float:
    """How far a run went outside, relative to its numbers."""
    unit = float(np.abs(center).max())
    worst = 0.0

    def value(x: np.ndarray, w: float = 0.0) -> float:
        nonlocal worst
        bounds = domain.bounds()
        if bounds is not None:
            assert (x >= bounds[0]).all()
            assert (x <= bounds[1]).all()
        worst = max(worst, domain.distance(x) / (unit + float(np.abs(x).max())))
        return float(np.square((x - center) / unit - w).sum())

    zoo.minimize(value, x0, domain=domain, rng=0, progress=False, **given)
    return worst


@pytest.mark.filterwarnings("ignore:.*rounding")
@pytest.mark.parametrize("number", range(14))
@pytest.mark.parametrize("source", SOURCES)
def test_sources_that_may_choose_stay_inside(source: str, number: int) -> None:
    domain, x0, center = drawn(number)
    unit = float(np.abs(center).max())
    of_paper = {"settings": "paper", "smoothing": 0.1 * unit, "step_size": 0.01 * unit**2}
    given = {"gradient": SOURCES[source], "max_iterations": 25}
    assert outside(domain, x0, center, **of_paper, **given) <= ROUNDING
    if source not in OF_THE_PAPER:
        assert outside(domain, x0, center, **given) <= ROUNDING


@pytest.mark.parametrize("number", range(14))
def test_sampled_and_noisy_losses_stay_inside(number: int) -> None:
    domain, x0, center = drawn(number)
    sampled = {"observations": np.linspace(-1.0, 1.0, 12), "max_evaluations": 400}
    assert outside(domain, x0, center, **sampled) <= ROUNDING


def test_anywhere_goes_anywhere() -> None:
    domain, x0, center = drawn(0)
    free = zoo.paper.Smoothed(probes="anywhere")
    given = {"settings": "paper", "gradient": free, "smoothing": 10.0, "max_iterations": 3}
    with pytest.raises(AssertionError):
        outside(domain, x0, center, **given)


def test_what_has_no_room_is_left_open() -> None:
    """Directions of any length, and the paper's beside a budget."""
    gaussian = zoo.paper.Smoothed(distribution=zoo.paper.Gaussian(), probes=None)
    x0 = np.full(3, 1.0 / 3.0)
    for domain, source in (
        (zoo.Box(0, 1), gaussian),
        (zoo.Simplex(), zoo.paper.Smoothed(probes=None)),
    ):
        optimizer = zoo.Optimizer(x0, domain=domain, settings="paper", gradient=source)
        assert optimizer.method.source.probes == "anywhere"
    budget = zoo.Optimizer(x0, domain=zoo.Simplex(), gradient=zoo.paper.Smoothed(probes=None))
    assert budget.method.source.stays_inside
