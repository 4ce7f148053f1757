"""What is made once for a run: the method, its first state, how it steps and how it concludes."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from zooadmm.methods.arguments import side_to_complete
from zooadmm.methods.auto import Adaptive, Auto
from zooadmm.methods.auto.model.regression import NO_VALUES
from zooadmm.methods.choice import Settings, chosen, method
from zooadmm.methods.compare import Compare
from zooadmm.methods.compare.method import Comparing
from zooadmm.methods.evaluated import Evaluated
from zooadmm.methods.method import Output, State
from zooadmm.methods.paper.algorithm import Algorithm
from zooadmm.methods.paper.settings import Paper
from zooadmm.oracle.gradients import Exact
from zooadmm.oracle.observations import Order, Stream, as_observations
from zooadmm.oracle.once import Once
from zooadmm.oracle.randomness import RNGLike, key_from
from zooadmm.problem.arguments import one_of
from zooadmm.problem.assembly import assembled
from zooadmm.problem.constraint import Side
from zooadmm.problem.named_variables import Parameters
from zooadmm.problem.problem import as_start_point
from zooadmm.run.checkpoint.fingerprint import Configuration, fingerprint
from zooadmm.run.conclusion import Conclusion
from zooadmm.run.limits import Limits
from zooadmm.run.names import names_of, start_of
from zooadmm.run.start_values import start_values
from zooadmm.run.stepping import Stepping
from zooadmm.structure.allowed import Allowed

OUTPUTS = ("average", "last")
MOST_KEPT = 100_000
"""Variables up to which Algorithm 1 keeps x0 to compare its answer with: one vector more."""


def setup(
    problem_given: tuple[ArrayLike | Parameters, Any, Any, Any],
    observations_given: Any,
    settings: Settings,
    named: Paper,
    evaluated: int | Evaluated | None,
    warm: tuple[ArrayLike | None, ArrayLike | None],
    limits: Limits,
    output: Output,
    complete: Side | None,
    rng: RNGLike | None,
    values_given: Any,
) -> tuple[State, Stepping, Conclusion, Configuration]:
    """From the arguments of `minimize`, or a sentence on the first that does not fit.

    Returns the first state, how the run steps and how it concludes, and what its course depends on.

    problem_given: x0, the regularizer, the domain and the constraint.
    named: settings given by keyword.
    warm: y0 and dual0.
    values_given: start_values.
    """
    meant = chosen(settings, named, evaluated)
    whole = isinstance(meant, (Auto, Evaluated, Compare))  # bounds and rows of phi are those of x
    x0, regularizer, domain, constraint = problem_given
    names = names_of(x0)
    if isinstance(x0, Parameters):
        x0, domain = start_of(x0, domain)
    x = as_start_point(x0)
    parts = assembled(regularizer, domain, constraint, len(x), x.dtype)
    problem, allowed = parts.problem, Allowed(parts.problem, parts.rows, whole=whole)
    x = allowed.start(x, parts.given)
    order: Order = "with replacement"
    if isinstance(meant, Auto) and "epochs" not in meant.without:
        order = "epochs"
    observations = None
    if observations_given is not None:
        observations = as_observations(observations_given, order)
    if isinstance(observations, Stream):  # a position of its own in the source
        observations = type(observations)(observations.source)
    completed = side_to_complete(complete, problem.constraint)
    values, observed = NO_VALUES, observations is not None
    if values_given is not None:
        values = start_values(values_given, problem_given[0], len(x), meant, observed)
    run_by, parameters = method(
        meant,
        named,
        problem,
        key_from(rng),
        observations,
        limits.max_evaluations,
        completed,
        values,
    )
    own = isinstance(run_by, Adaptive) and named.gradient is None  # which fits any observations
    if observations is not None and not own:
        observations.fits(run_by.source.num_observations)
    exact = isinstance(run_by, Algorithm) and isinstance(run_by.source, Exact)
    if exact and (limits.max_evaluations, limits.target) != (None, None):
        raise ValueError(
            "max_evaluations and target are about values of the loss, and Exact() asks for "
            "gradients only; give max_iterations, max_seconds or tolerance."
        )
    if isinstance(run_by, Comparing) and limits.target is not None:
        raise ValueError("target is about values of the loss, and comparisons have none.")
    result_of: Output = "last" if one_of("output", output, OUTPUTS) == "last" else "average"

    if warm[0] is not None or warm[1] is not None:
        warm = parts.starts(x, *warm)
    state = run_by.init(*problem.start(x, *warm))
    few = isinstance(run_by, Algorithm) and len(x) <= MOST_KEPT
    kept = few or isinstance(run_by, Adaptive | Comparing)
    start = (state.x, state.y) if observations is None and kept else None
    decisive = {
        "regularizer": problem.regularizer,
        "domain": problem.domain,
        "constraint": problem.constraint,
        "observations": _kind(observations) if isinstance(observations, Stream) else observations,
        **({"parameters": repr(names)} if isinstance(names, Parameters) else {}),
        **parameters,
    }
    stepping = Stepping(run_by, observations, limits, completed)
    conclusion = Conclusion(parts, allowed, completed, result_of, limits, names, start)
    x_text, y_text, dual_text = map(fingerprint, (state.x, state.y, state.dual))
    return state, stepping, conclusion, Configuration(x_text, y_text, dual_text, decisive)


def _kind(stream: Stream) -> str:
    """A stream as a checkpoint compares it."""
    return "a stream of items that are shown once" if isinstance(stream, Once) else "a stream"
