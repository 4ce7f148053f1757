"""What a method of the benchmark is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.problem import Problem
from benchmarks.trial import Trial


@dataclass(frozen=True)
class Method:
    """One thing a user could pick.

    name: as in tables and in `ONLY=`, for instance "scipy-lbfgsb".
    run: run(trial, constant) makes the method work on trial.problem until it ends by itself or
        the trial raises `Spent`; `constant` is its free constant, 1.0 where it has none.
    grid: grid(problem) are the constants it is tried with; the best in hindsight is given to it
        for free.
    unfit: unfit(problem) says in a few words why the method cannot run there, or is "".
    form: form(problem) says in a few words how regularizer and constraints reach it.
    random: False for a method without randomness, which runs once on a deterministic loss.
    """

    name: str
    run: Callable[[Trial, float], None]
    form: Callable[[Problem], str]
    unfit: Callable[[Problem], str] = lambda problem: ""
    grid: Callable[[Problem], tuple[float, ...]] = lambda problem: (1.0,)
    random: bool = True
