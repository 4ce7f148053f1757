"""`settings=Follow()`: the settings "follow"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from zooadmm.methods.follow.follower import Follower
from zooadmm.oracle.randomness import Key
from zooadmm.problem.problem import Problem
from zooadmm.problem.sets import ProbeSafe, WholeSpace


@dataclass(frozen=True)
class Follow:
    """The settings "follow": keep up with a loss that drifts, with nothing to tune.

    x_t is played, and x_{t+1} is the answer so far: neither lags behind as an average does. How
    much of the past counts is learned from how well each length of memory did. For up to about a
    hundred variables, with any regularizer, domain and linear constraints; a round takes m + 3
    evaluations of one observation, 2 m + 6 if values are noisy.

    >>> import numpy as np
    >>> import zooadmm as zoo
    >>> def circling(x, t):
    ...     return np.square(x - [np.cos(t / 100), np.sin(t / 100)]).sum()
    >>> result = zoo.minimize(
    ...     circling, np.zeros(2), observations=zoo.Stream(range(301)), settings="follow", rng=0
    ... )
    >>> bool(np.abs(result.x - [np.cos(3), np.sin(3)]).max() < 0.02)
    True
    """


def follow_method(problem: Problem, key: Key) -> tuple[Follower, dict[str, Any]]:
    """The follower of a problem, or why there is none."""
    if not problem.constraint.B_invertible:
        raise ValueError(
            'settings="follow" needs a constraint A x + B y = c whose B has an inverse, so that x '
            "says what y is; write it so, or take settings=Auto(horizon=...)."
        )
    if not isinstance(problem.domain, (ProbeSafe, WholeSpace)):
        raise ValueError(
            'settings="follow" keeps all points in the domain and works for the sets of zooadmm; '
            f"{problem.domain!r} does not say how far its boundary is. Use one of those, or "
            "settings=Auto(horizon=...)."
        )
    return Follower(problem, key), {"settings": "follow"}
