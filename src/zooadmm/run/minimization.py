"""One call that does the whole job: check the arguments, make the run, and run it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from zooadmm.evaluation import Engine, Evaluator, OnError, Retry, evaluator_for
from zooadmm.methods.choice import OnNaN, ProximalWeight, Settings
from zooadmm.methods.compare.method import Comparing
from zooadmm.methods.evaluated import Evaluated
from zooadmm.methods.method import Output
from zooadmm.methods.paper.algorithm import Algorithm
from zooadmm.methods.schedule import Schedule
from zooadmm.oracle.gradients import Exact, GradientSource
from zooadmm.oracle.loss import NamedComparison, named_loss
from zooadmm.oracle.observations import Stream
from zooadmm.oracle.once import Once
from zooadmm.oracle.randomness import RNGLike
from zooadmm.problem.arguments import number
from zooadmm.problem.constraint import Side
from zooadmm.problem.named_variables import Parameters
from zooadmm.run.final_report import final_report
from zooadmm.run.habits import refuse
from zooadmm.run.history import History, Noted
from zooadmm.run.limits import NO_LIMITS, Limits
from zooadmm.run.names import names_of
from zooadmm.run.optimizer import Optimizer
from zooadmm.run.progress import Log, bar_for
from zooadmm.run.result import Result
from zooadmm.run.saver import Saver
from zooadmm.run.session import run, run_all
from zooadmm.run.start_values import best_point
from zooadmm.run.starts import several
from zooadmm.run.trace import Info, Observer
from zooadmm.structure.metrics import Metric


def minimize(
    loss: Any,
    x0: ArrayLike | Parameters | None,
    *,
    regularizer: Any = None,
    domain: Any = None,
    constraint: Any = None,
    observations: Any = None,
    gradient: GradientSource | None = None,
    settings: Settings = "auto",
    step_size: float | Schedule | None = None,
    smoothing: float | Schedule | None = None,
    penalty: float | None = None,
    proximal_weight: ProximalWeight | None = None,
    metric: Metric | None = None,
    y0: ArrayLike | None = None,
    dual0: ArrayLike | None = None,
    max_evaluations: int | None = None,
    max_iterations: int | None = None,
    max_seconds: float | None = None,
    target: float | None = None,
    tolerance: float | None = None,
    limits: Limits | None = None,
    output: Output = "average",
    complete: Side | None = None,
    max_trace_rows: int | None = 10_000,
    rng: RNGLike | None = None,
    starts: int | ArrayLike | None = None,
    regret: Observer | None = None,
    callback: Callable[[Info], Any] | None = None,
    progress: bool = True,
    verbose: int = 0,
    history: str | Path | None = None,
    checkpoint: str | Path | None = None,
    checkpoint_seconds: float = 10.0,
    workers: int | None = None,
    evaluator: Engine | None = None,
    on_error: OnError = "stop",
    on_nan: OnNaN | None = None,
    evaluated: int | Evaluated | None = None,
    start_values: Any = None,
    **unknown: object,
) -> Result:
    """Minimize mean_w f(x; w) + phi(y) over x in X with A x + B y = c, from values of f.

    loss: f(x), or f(x, w) where there are observations, returning a number; or an object with
        `values(points, observations)` for many points at once and/or `gradient(x, w)`; or a `Loss`
        put together from functions.
    x0: the start point x_1 in X, float32 or float64; the result has its type. A pandas Series gives
        `result.named` its index. `Parameters` gives names, bounds and scales: the loss is then
        called with a dictionary of values by name.
    regularizer: phi, a regularizer, a set (its indicator), or any object with `prox(v, tau)` and
        `__call__`, such as a PyProximal operator. Default none.
    domain: X, a set or scipy's `Bounds`. Default all of R^m.
    constraint: `Equality(A, b)`, `Inequality(A, lower, upper)` or scipy's `LinearConstraint`, which
        the answer satisfies to 1e-9 max(1, |bound|); or `Linear`, A x + B y = c, which connects x
        with the y of the regularizer; or a list of these. Default x = y.
    observations: what w is drawn from: an array or sequence (drawn at random without replacement,
        pass after pass; in the paper with replacement), an iterable (a stream), `Samples`,
        `Stream`, `Once` (one evaluation an item) or `Time`. Default none.
    gradient: how gradients are estimated, `Smoothed`, `Paired`, or `Exact` for O-ADMM; by default
        along as many directions as pay, or over 30 directions in the paper. "auto" takes fresh
        observations for every estimate; "paper" has a sliding window on a stream.
    settings: "auto", the method without knobs, also as `Auto(horizon=..., without=...)`; or
        "paper", Algorithm 1 with the constants of the paper's experiments, also as
        `Paper(gradient=..., penalty=...)`. Keywords take precedence; Exact(), proximal_weight and
        metric belong to "paper". "follow" keeps up with a drift. "compare", also as
        `Compare(votes=...)`, is for a loss(x, other) that says which of two points is better.
        Baselines: "svrg" and "spider", `zooadmm.variance_reduced`.
    step_size: eta_t, a number or a function of t; by default learned, or 1/sqrt(m t) in the paper.
    smoothing: beta_t, a number or a function of t; by default learned, or 1/(m^1.5 t) in the paper,
        which amplifies noise.
    penalty: rho, by default learned, or 10 in the paper.
    proximal_weight: alpha_t, "varying", "constant" or a number of at least
        rho eta_1 lambda_max(A'A) + 1.
    metric: G_t of the x-step, `Linearized` (the paper's), `LinearizedDiagonal` or `Fixed`.
    y0, dual0: y_1 and lambda_1, for warm starts. By default y_1 is the point of Y nearest to
        satisfying the constraint, with "paper" too, and lambda_1 = 0; Section 6 of the paper starts
        at y_1 = 0, which is y0=np.zeros(d) here.
    max_evaluations: how many f(x; w) the method may evaluate. Those to report `fun` are extra.
    max_iterations, max_seconds: the same in iterations and wall-clock time.
    target: end at the first pair whose measured objective is at most this, and recommend it: y
        completed where y is, else (x_t, y_t) as they stand.
    tolerance: end when both residuals are at most this, relative to max(1, |x|) and max(1, |g|);
        for exact or nearly exact gradients. At least one of these five is needed, unless the
        observations are a stream. Without them a run is a success if the gradient measured at
        its answer leaves almost nothing to gain, see `Result`.
    limits: these five as one value, `Limits(max_evaluations=1_000, target=0.1)`.
    output: the recommended pair: the "average" of the iterates, which averages out noise and is
        what the theory bounds, or the "last" one, which is more accurate if gradients are nearly
        exact. If a target or tolerance is met, the pair that met it. "compare" and evaluated=
        recommend the best pair that they know, whichever is given.
    complete: which side, "x" or "y", is computed from the other so that A x + B y = c holds; by
        default y if B is invertible. With settings="paper" take "x" and
        output="last" for an x with exact zeros.
    max_trace_rows: how many rows the trace keeps at most; None for all.
    rng: a seed or a generator, as for `numpy.random.default_rng`.
    starts: for a loss with several local minima: how many starts share `max_evaluations` by
        successive halving, x0 and points drawn within the bounds of the domain; or the further
        points, one a row. `result.starts` has what each led to.
    regret: a `Regret` against a comparator, measured during the run; see `result.regret`.
    callback: called with an `Info` after each iteration; it stops the run by raising StopIteration
        (its return value is ignored). Ctrl-C stops the run too, and returns the best result so
        far; `fun` is then evaluated if that takes at most two seconds; press Ctrl-C again to skip.
    progress: show a progress bar on a terminal and in a notebook, once a run takes over a second.
    verbose: 1 prints iterations 1, 2, 4, 8, ... and the result, 2 every iteration. The logger
        "zooadmm" gets every iteration at level DEBUG and the end at level INFO.
    history: a file for every evaluated point and its value, .csv or .csv.gz ("evaluations" is
        evaluations.csv.gz), or a folder that ends in .parquet (extra `parquet`). By default none
        is kept.
    checkpoint: a file to save the run in every `checkpoint_seconds` and at its end; if it exists,
        the run continues from it, exactly. The loss itself is not compared.
    workers: evaluate in n processes, `Processes(n)` (threads, for a `Command`). The result is the
        same, bit for bit, for any number of them. By default in this process.
    evaluator: evaluate elsewhere: `Threads`, `Processes`, `Ray` or `Dask`.
    on_error: what to do about an evaluation that raises, or in the end kills its worker or outlasts
        its timeout: "stop" with its error, `Retry(n)` (what raises), or "drop" it: averages are
        then over the rest, and the trace has the count.
    on_nan: what to do about a probe that is NaN or infinite under settings="paper": "stop" (the
        default), or "shrink": x stays, and the next probes are nearer to it. "auto" always shrinks.
    start_values: points that you have evaluated already, with their values: pairs [(x, f), ...],
        two arrays (X, f) with a point a row, or a table with a column "value" and one for each
        variable (x0, x1, ... or its name), such as a DataFrame of a `history`. f is the loss alone,
        without phi. They are not counted. The run evaluates x0 and the best of the points,
        continues from the better one, and has a first direction from the values. x0 may then be
        None: the best point. Where the value at the best point turns out to be another, beyond
        noise, all are ignored with a warning. For "auto", without observations.
    evaluated: k, where the loss returns (f, c_1, ..., c_k) and c_i(x) <= 0 is to hold at the
        answer; or `Evaluated(k, mode="safe")`, see there.

    >>> import numpy as np
    >>> import zooadmm as zoo
    >>> target = np.array([0.9, 0.0, -0.6, 0.0])
    >>> result = zoo.minimize(
    ...     lambda x: 5 * np.square(x - target).sum(),
    ...     np.zeros(4), regularizer=zoo.L1(1.0), complete="x", max_evaluations=1_000, rng=0,
    ... )
    >>> np.round(result.x, 1)
    array([ 0.8,  0. , -0.5,  0. ])
    """
    if unknown:
        refuse(unknown, inspect.signature(minimize).parameters)
    if not isinstance(progress, (bool, np.bool_)):
        raise TypeError(f"progress must be True or False, not {progress!r}.")
    interval = number("checkpoint_seconds", checkpoint_seconds)
    if not interval >= 0:
        raise ValueError(f"checkpoint_seconds = {interval} must be at least 0.")
    make = partial(
        Optimizer,
        regularizer=regularizer,
        domain=domain,
        constraint=constraint,
        observations=observations,
        gradient=gradient,
        step_size=step_size,
        smoothing=smoothing,
        penalty=penalty,
        proximal_weight=proximal_weight,
        metric=metric,
        y0=y0,
        dual0=dual0,
        max_evaluations=max_evaluations,
        max_iterations=max_iterations,
        max_seconds=max_seconds,
        target=target,
        tolerance=tolerance,
        limits=limits,
        output=output,
        complete=complete,
        max_trace_rows=max_trace_rows,
        rng=rng,
        on_nan=on_nan,
        evaluated=evaluated,
        start_values=start_values,
    )
    x0 = best_point(start_values) if x0 is None else x0
    optimizer = make(x0, settings=settings)
    if starts is not None and start_values is not None:
        raise ValueError("start_values belong to a single run, and starts are several.")
    if evaluated is not None and (starts is not None or regret is not None):
        raise ValueError("evaluated= goes with neither starts nor regret; leave these out.")
    if starts is not None and (checkpoint is not None or regret is not None):
        name = "checkpoint" if checkpoint is not None else "regret"
        raise ValueError(f"{name} belongs to a single run, and starts are several; leave one out.")
    if isinstance(optimizer.observations, Once) and (starts is not None or regret is not None):
        name = "starts" if starts is not None else "regret"
        raise ValueError(
            f"{name} evaluates items more than once, and observations=Once() has one "
            f"evaluation an item; leave {name} out, or give Stream() if items can be "
            "evaluated again."
        )
    if isinstance(optimizer.observations, Once) and isinstance(on_error, Retry):
        raise ValueError(
            "on_error=Retry() evaluates an item again, and observations=Once() has one evaluation "
            'an item; give on_error="drop".'
        )
    compares = isinstance(optimizer.method, Comparing)
    for name, given in {"starts": starts, "regret": regret, "history": history}.items():
        if compares and given is not None:
            raise ValueError(f"{name} is about values of the loss, and comparisons have none.")
    if isinstance(x0, Parameters):
        loss = NamedComparison(loss, x0) if compares else named_loss(loss, x0)
    log, noted = Log(verbose), None
    if history is not None:
        continued = checkpoint is not None and Path(checkpoint).exists()
        numbers = 1 if evaluated is None else optimizer.method.at(optimizer.state.x, None).numbers
        names, m = names_of(x0), optimizer.method.problem.m
        noted = History(history, names, m, continued, constraints=numbers - 1)
    with evaluator_for(loss, workers, evaluator, on_error) as evaluate:
        _check(optimizer, evaluate, callback, regret)
        if regret is not None:
            regret.begin(optimizer.method, optimizer.observations)
        saver = None
        if checkpoint is not None:
            saver = Saver(optimizer, regret, checkpoint, interval)
        bar = bar_for(optimizer.limits) if progress else None
        with noted or nullcontext():
            evaluate = evaluate if noted is None else Noted(evaluate, noted)
            if starts is None:
                result = run(optimizer, evaluate, saver, regret, callback, bar, log)
            else:
                runs = several(
                    starts, x0, settings, make, partial(final_report, evaluator=evaluate)
                )
                result = run_all(runs, evaluate, callback, bar, log)
    log.end(result)
    return result


def _check(optimizer: Optimizer, evaluator: Evaluator, callback: object, regret: object) -> None:
    """Refuse a loss that cannot answer, and a run that nothing would end."""
    follows = hasattr(regret, "begin") and not isinstance(regret, type)
    if regret is not None and not follows:
        raise TypeError(f"regret must be a Regret(x_star), not {regret!r}.")
    if regret is not None and not evaluator.calls.has_values:
        raise TypeError("regret is about values of the loss, and this loss has a gradient only.")
    if callback is not None and (not callable(callback) or isinstance(callback, type)):
        raise TypeError(f"callback must be a function of an Info, not {callback!r}.")
    method = optimizer.method
    exact = isinstance(method, Algorithm) and isinstance(method.source, Exact)
    if exact and not evaluator.calls.has_gradient:
        raise TypeError("Exact() needs a loss with gradient(x, w); use Smoothed() without one.")
    if not exact and not evaluator.calls.has_values:
        raise TypeError("loss has a gradient but no values; use gradient=Exact().")
    if optimizer.limits == NO_LIMITS and not isinstance(optimizer.observations, Stream):
        raise ValueError(
            "nothing would end this run: give max_evaluations, max_iterations, max_seconds, "
            "target or tolerance."
        )
