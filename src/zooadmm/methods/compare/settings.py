"""`settings=Compare(...)`: the settings "compare"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from zooadmm.problem.arguments import one_of, whole_number

Answers = Literal["signs", "odds"]


@dataclass(frozen=True)
class Compare:
    """The settings "compare": the loss is called as loss(x, other) and says which is better.

    It returns 1 or True where x is better, 0 or False where the other is, and 0.5 for neither. The
    same pair may get different answers. One comparison is one evaluation.

    answers: what an answer is. "signs": the better point wins more often than not, and nothing else
        is known; f has no unit, so no regularizer can be weighed against it. "odds": x wins with
        probability 1 / (1 + exp(f(x) - f(other))), the model of Bradley and Terry; f is measured
        in log odds, and so is the regularizer: f + phi is minimized. The person always compares f.
    votes: of how many votes an answer is the share, such as 0.7 of 10; at least 1.
    pairs: pairs a query; by default 1, growing to at most m with the comparisons made so far.

    >>> import numpy as np
    >>> import zooadmm as zoo
    >>> best = np.array([0.3, 0.8])
    >>> def nearer(x, other):
    ...     return np.square(x - best).sum() < np.square(other - best).sum()
    >>> result = zoo.minimize(
    ...     nearer, [0.5, 0.5], domain=zoo.Box(0, 1), settings="compare", max_evaluations=80, rng=0
    ... )
    >>> np.round(result.x, 2)
    array([0.3, 0.8])
    """

    answers: Answers = "signs"
    votes: int = 1
    pairs: int | None = None

    def __post_init__(self) -> None:
        one_of("answers", self.answers, ("signs", "odds"))
        object.__setattr__(self, "votes", _count("votes", self.votes))
        if self.pairs is not None:
            object.__setattr__(self, "pairs", _count("pairs", self.pairs))


def _count(name: str, value: Any) -> int:
    found = whole_number(value)
    if found is None or found < 1:
        raise ValueError(f"{name} = {value!r} must be a whole number of 1 or more.")
    return found
