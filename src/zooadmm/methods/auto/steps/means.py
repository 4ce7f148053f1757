"""The answer: one step of structure from the mean iterate along the mean gradient.

The means x, g of iterates and their gradient estimates have weights that grow like t^3, so that
about the last third counts, whenever the run stops (Shamir and Zhang 2013):

    x <- x + 4/(t + 3) (x_t - x),   g <- g + 4/(t + 3) (g_t - g).

A mean of sparse iterates is not sparse; the step of structure from x along -g of the length tau of
the scale search is, and it lowers the objective wherever g is close to the gradient at x.

Now and then, at doubling intervals, sooner when r has grown tenfold, the answer is compared with
the best pair known so far on the same observations. If it is worse beyond doubt, or in doubt after
r has grown tenfold, the descent has gone wrong: it starts again from the pair with half the
distance. While the answer is worse by nearly a standard error (one value far above all others makes
it 1), or has not been compared, the pair is recommended instead. Where observations come in turn, a
comparison uses those that come next without taking them: an epoch that misses some is unbalanced.
"""

from __future__ import annotations

import math

from zooadmm.methods.auto.constants import FADES, FEWEST_VALUES, SMALL_PART
from zooadmm.methods.auto.steps.state import Means
from zooadmm.problem.arrays import Vector


def init(x: Vector, gradient: Vector, r: float, *, trusted: bool) -> Means:
    """The means before the first iteration; trusted, where a descent has shown itself already."""
    return Means(0, x, gradient, trusted, FEWEST_VALUES, r / SMALL_PART)


def last_step(tau: float, eta: float, number: int) -> float:
    """The length of the step from the means: that of the search, where the noise of g allows it.

    With eta = r/sqrt(n V) the noise of g moves the step by tau sqrt(V/n) = r tau/(n eta), which is
    to be a small part of r.
    """
    allowed = SMALL_PART * max(1, number) * eta
    return allowed if math.isnan(tau) else min(tau, allowed)


def averaged(means: Means, x: Vector, g: Vector, horizon: float) -> Means:
    """The means with iterate x_t and gradient estimate g_t."""
    weight = (FADES + 1) / (min(means.number + 1, horizon) + FADES)
    return means._replace(
        number=means.number + 1,
        x=means.x + weight * (x - means.x),
        gradient=means.gradient + weight * (g - means.gradient),
    )
