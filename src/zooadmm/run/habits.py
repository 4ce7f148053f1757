"""Names that other libraries have for what `minimize` takes: each gets a sentence."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from difflib import get_close_matches

HABITS = {
    "args": "bind further arguments yourself: loss=lambda x: f(x, a, b)",
    "bounds": "give domain=zoo.Box(lower, upper), or scipy's Bounds as domain",
    "budget": "give max_evaluations",
    "callbacks": "give one function as callback",
    "constraints": "give constraint=, one or a list: Equality, Inequality, LinearConstraint; or "
    "evaluated=k where the loss returns (f, c_1, ..., c_k)",
    "epochs": "give max_evaluations or max_iterations",
    "fun": "give the loss as the first argument",
    "jac": "the loss is only evaluated; for true gradients see gradient=zoo.paper.Exact()",
    "learning_rate": "steps are measured; to set them yourself give step_size",
    "lr": "steps are measured; to set them yourself give step_size",
    "max_evals": "give max_evaluations",
    "max_iter": "give max_iterations, or max_evaluations for calls of the loss",
    "max_time": "give max_seconds",
    "maxfev": "give max_evaluations",
    "maxiter": "give max_iterations, or max_evaluations for calls of the loss",
    "method": 'give settings="auto" or "paper"',
    "n_calls": "give max_evaluations",
    "n_trials": "give max_evaluations",
    "n_jobs": "give workers, the number of processes",
    "options": "give its entries by name, such as max_evaluations=1000",
    "random_state": "give rng, a seed or a generator",
    "seed": "give rng, a seed or a generator",
    "timeout": "give max_seconds for the run; engines such as Processes have a timeout for a call",
    "tol": "give tolerance, for exact losses; a run without noise also ends when it settles",
    "verbose": "give progress=True or False",
}
"""What to give in place of a name that is not ours."""


def refuse(unknown: Mapping[str, object], known: Collection[str]) -> None:
    """Raise TypeError with the remedy for the first argument that is not known.

    >>> refuse({"seed": 0}, ["rng"])
    Traceback (most recent call last):
    ...
    TypeError: seed is not an argument here: give rng, a seed or a generator.
    """
    for name in unknown:
        if name in HABITS:
            raise TypeError(f"{name} is not an argument here: {HABITS[name]}.")
        near = get_close_matches(name, known, n=1)
        meant = f"; did you mean {near[0]}?" if near else "; see help(zooadmm.minimize)."
        raise TypeError(f"{name} is not an argument here{meant}")
