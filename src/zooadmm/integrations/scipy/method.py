"""A method for scipy.optimize.minimize."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy

from zooadmm.integrations.precision import EVALUATIONS_PER_VARIABLE
from zooadmm.integrations.scipy.rows import (
    Constraints,
    Nonlinear,
    box_among,
    box_of,
    several,
    split,
)
from zooadmm.methods.choice import Settings
from zooadmm.methods.evaluated import Evaluated, UnsafeStart
from zooadmm.oracle.randomness import RNGLike
from zooadmm.problem.arguments import doubles, number, whole_number
from zooadmm.problem.arrays import Vector
from zooadmm.problem.assembly import inequalities
from zooadmm.problem.named_variables import Parameters
from zooadmm.problem.problem import as_start_point
from zooadmm.problem.sets import Box, ConvexSet
from zooadmm.run.limits import Status
from zooadmm.run.minimization import minimize
from zooadmm.run.result import Result
from zooadmm.run.trace import Info

REPORT, NOISY = 2, 30
"""Evaluations that `minimize` makes after a run to report the loss at its answer: of an exact loss,
and of a noisy one at most, where it is a tenth of the run's if that is less."""

STATUSES = {
    Status.TARGET: 0,
    Status.SETTLED: 0,
    Status.TOLERANCE: 0,
    Status.MAX_EVALUATIONS: 2,
    Status.MAX_ITERATIONS: 3,
    Status.MAX_SECONDS: 4,
    Status.STREAM_ENDED: 5,
    Status.CALLBACK: 99,
    Status.INTERRUPTED: 7,
    Status.DIVERGED: 8,
    Status.RUNNING: 9,
    Status.UNCHANGED: 10,
    Status.UNBOUNDED: 11,
}
"""The number that scipy's result has for each status: 0 for success, 99 for a callback that raised
StopIteration."""

DOUBTFUL = 1
"""The number where a run settled, or met `tol`, but its answer is not shown to be an optimum."""

NOT_LINEAR = (
    "A constraint is not linear at x (the answer violates constraints by {:.2g}), but was at all "
    "points that were tested. Give bounds that include the answer, or call zooadmm.minimize with "
    "evaluated=."
)

UNSAFE = (
    "x0 violates {} by {:.3g}, and {} has keep_feasible: x0, moved into bounds and linear "
    "constraints, must then satisfy all the others. Give such an x0, or leave keep_feasible out."
)


def scipy_method(
    fun: Callable[..., float],
    x0: Any,
    args: tuple[Any, ...] = (),
    *,
    jac: Any = None,
    hess: Any = None,
    hessp: Any = None,
    bounds: Any = None,
    constraints: Any = (),
    callback: Callable[..., Any] | None = None,
    tol: float | None = None,
    maxfev: int | None = None,
    maxiter: int | None = None,
    max_seconds: float | None = None,
    disp: bool = False,
    regularizer: Any = None,
    domain: ConvexSet | scipy.optimize.Bounds | None = None,
    settings: Settings = "auto",
    rng: RNGLike | None = None,
    workers: int | None = None,
    start_values: Any = None,
    **unknown: object,
) -> scipy.optimize.OptimizeResult:
    """A method for scipy: `scipy.optimize.minimize(fun, x0, method=zoo.scipy_method, ...)`.

    Minimizes fun(x, *args) + phi(x) over the bounds and the constraints, from values of fun.
    What scipy's `options` has arrives here by name.

    x0: the start, or `Parameters`: fun is then called with a dictionary of values by name, x is
        from 0 to 1 along each scale, and `result.named` of the answer has the values.
    bounds: `Bounds` or pairs (low, high) with None for none. As with scipy's own methods x0 is
        moved within them, and fun is never evaluated outside, unless `settings` says otherwise.
    constraints: `LinearConstraint`, `NonlinearConstraint` or dictionaries. Functions are first
        tested for linearity, within the bounds; what is constant there counts as not linear.
        Linear constraints hold at the answer, to 1e-9 max(1, |bound|); if no point satisfies
        them, that is an error before fun is called. The others are evaluated with fun, see
        `Evaluated`: an answer counts as feasible up to 1e-8, and an equation is two inequalities.
        fun must then be free of noise. If one has `keep_feasible`, x0 must satisfy all that are
        not linear, and so does every point that is evaluated, as far as measured curvatures tell;
        it is not tested for linearity. Equations that are not linear cannot be among them.
    jac, hess, hessp: not used, with a warning.
    callback: callback(x), or callback(intermediate_result) by that name, after each iteration; it
        stops the run by raising StopIteration.
    tol: end when both residuals are at most this; without noise a run also ends when it settles.
    maxfev, maxiter, max_seconds: the largest number of calls of fun, of iterations, of seconds.
        Where none is given, maxfev is 500 (m + 1) for m variables; it is at least 2.
    disp: show a progress bar on a terminal, and print the result.
    regularizer, domain, settings, rng, workers, start_values: as in `minimize`; a domain takes the
        place of bounds and linear constraints.

    The result has scipy's fields, `maxcv` where there are constraints, and in `result` the
    `Result` of this library. `success` is as scipy has it: the run met `tol`, or settled at a
    point better than x0 whose measured gradient leaves almost nothing to gain. A limit that ends
    it is no success; behind noise it is the ordinary end.

    >>> from scipy.optimize import minimize, rosen
    >>> found = minimize(rosen, [0.0, 0.0, 0.0], method=scipy_method, options={"rng": 0})
    >>> found.success, np.round(found.x, 3).tolist()
    (True, [1.0, 1.0, 1.0])
    """
    _refuse(unknown)
    _not_used(jac=jac, hess=hess, hessp=hessp)
    _whole("maxfev", maxfev)
    _whole("maxiter", maxiter)
    _at_least_zero("tol", tol)
    _at_least_zero("max_seconds", max_seconds)
    if maxfev is not None and maxfev < REPORT:
        raise ValueError(
            f"maxfev must be at least {REPORT}, not {maxfev}: these calls report fun at the end."
        )
    parameters = _parameters(x0)
    if parameters is not None and not (bounds is None and domain is None):
        raise ValueError("Parameters have bounds of their own; leave bounds and domain out.")
    _takes(fun, args)
    start = as_start_point(doubles("x0", x0) if parameters is None else parameters.x0)
    if isinstance(domain, scipy.optimize.Bounds):
        domain = box_of(domain, len(start))
    constraints = several(constraints)
    given = box_among(constraints, bounds, len(start))
    allowed = given if domain is None else domain
    if parameters is not None:
        allowed = Box(np.zeros(len(start)), np.ones(len(start)))
    known = split(constraints, _first(start, allowed), allowed)
    rows = known.rows
    if known.nonlinear and parameters is not None:
        raise ValueError(
            "constraints of named Parameters must be linear; call zooadmm.minimize with a loss "
            "that returns the others beside its value, and evaluated= their number."
        )
    if domain is None:
        domain = given
    elif given is not None or rows is not None:
        raise ValueError(
            "domain takes the place of bounds and constraints; give a domain that has them all, "
            "or call zooadmm.minimize with domain= and constraint=."
        )
    if maxfev is None and maxiter is None and max_seconds is None:
        maxfev = EVALUATIONS_PER_VARIABLE * (len(start) + 1)
    boxed = domain is not None or parameters is not None
    zeros = regularizer is not None and not boxed and rows is None
    try:
        result = minimize(
            _loss(fun, args, known.nonlinear),
            _first(start, domain) if parameters is None else parameters,
            domain=domain,
            regularizer=regularizer,
            constraint=None if rows is None else inequalities(*rows),
            complete="x" if zeros else None,
            settings=settings,
            tolerance=tol,
            max_evaluations=None if maxfev is None else maxfev - _report(maxfev),
            max_iterations=maxiter,
            max_seconds=max_seconds,
            rng=rng,
            callback=None if callback is None else _told(callback),
            progress=disp,
            workers=workers,
            start_values=start_values,
            evaluated=_evaluated(known.nonlinear),
        )
    except UnsafeStart as error:
        raise ValueError(_in_scipys_words(error, known.nonlinear)) from None
    if disp:
        print(result)
    return _as_scipy_has_it(result, known, constrained=bool(constraints))


def _report(maxfev: int) -> int:
    """The calls of fun to leave for the report."""
    return max(REPORT, min(NOISY, maxfev // 10))


def _loss(
    fun: Callable[..., Any], args: tuple[Any, ...], nonlinear: list[Nonlinear]
) -> Callable[[Vector], Any]:
    """fun, and beside it what must not exceed 0."""
    if not nonlinear:
        return lambda x: _number(fun(x, *args))
    return lambda x: (
        _number(fun(x.copy(), *args)),
        *np.concatenate([one.excess(one.g(x)) for one in nonlinear]),
    )


def _evaluated(nonlinear: list[Nonlinear]) -> Evaluated | None:
    if not nonlinear:
        return None
    safe = any(one.keep_feasible for one in nonlinear)
    return Evaluated(sum(one.num_sides for one in nonlinear), mode="safe" if safe else "soft")


def _in_scipys_words(error: UnsafeStart, nonlinear: list[Nonlinear]) -> str:
    """Which constraint x0 violates, by its name instead of its number."""
    sides = [one.name for one in nonlinear for _ in range(one.num_sides)]
    kept = next(one.name for one in nonlinear if one.keep_feasible)
    return UNSAFE.format(sides[error.constraint], error.violation, kept)


def _parameters(x0: Any) -> Parameters | None:
    """The Parameters that scipy has put into an array of one object; None for numbers."""
    one = x0.item() if isinstance(x0, np.ndarray) and x0.size == 1 else x0
    return one if isinstance(one, Parameters) else None


def _takes(fun: Callable[..., Any], args: tuple[Any, ...]) -> None:
    """Refuse a fun that cannot be called as scipy calls it."""
    try:
        inspect.signature(fun).bind(0.0, *args)
    except TypeError as error:
        raise TypeError(
            f"fun is called as fun(x, *args), with one vector x and {len(args)} further arguments: "
            f"{error}."
        ) from None
    except ValueError:  # one that does not say
        return


def _first(start: Vector, domain: ConvexSet | None) -> Vector:
    """The start, moved into the domain."""
    return start if domain is None else np.asarray(domain.project(start))


def _whole(name: str, value: Any) -> None:
    if value is None:
        return
    _at_least_zero(name, value)
    if whole_number(value) is None:
        raise ValueError(f"{name} must be a whole number, not {value!r}.")


def _at_least_zero(name: str, value: Any) -> None:
    if value is None:
        return
    if not number(name, value) >= 0:
        raise ValueError(f"{name} must be at least 0, not {value!r}.")


def _number(value: Any) -> Any:
    """A value of fun; arrays of one number are numbers for scipy."""
    return value.item() if isinstance(value, np.ndarray) and value.size == 1 else value


def _refuse(unknown: dict[str, object]) -> None:
    if unknown:
        names = ", ".join(sorted(unknown))
        raise TypeError(
            f"zooadmm.scipy_method does not know the options {names}; it knows maxfev, maxiter, "
            "max_seconds, disp, regularizer, domain, settings, rng, workers and start_values."
        )


def _not_used(**derivatives: Any) -> None:
    given = [name for name, value in derivatives.items() if value is not None]
    if given:
        warnings.warn(
            f"zooadmm.scipy_method does not use {', '.join(given)}; where there are derivatives, "
            "scipy's own methods need fewer evaluations.",
            RuntimeWarning,
            stacklevel=4,
        )


def _told(callback: Callable[..., Any]) -> Callable[[Info], Any]:
    """scipy's two kinds of callback, by the name of their parameter."""
    if set(inspect.signature(callback).parameters) == {"intermediate_result"}:
        return lambda info: callback(
            intermediate_result=scipy.optimize.OptimizeResult(
                x=info.x.copy(), fun=info.objective, nit=info.t, nfev=info.evaluations
            )
        )
    return lambda info: callback(info.x.copy())


def _as_scipy_has_it(
    result: Result, known: Constraints, constrained: bool
) -> scipy.optimize.OptimizeResult:
    """constrained: whether constraints were given, whatever they bound."""
    tested = [(found, found.one.g(result.x)) for found in known.found_linear]
    denied = any(found.misleads(result.x, values) for found, values in tested)
    violated = [found.one.excess(values) for found, values in tested]
    violated += [] if known.rows is None else [np.array([known.rows.violation(result.x)])]
    if result.constraints is not None and np.isfinite(result.constraints).all():
        violated.append(result.constraints)
    else:
        violated += [one.excess(one.g(result.x)) for one in known.nonlinear]
    maxcv = float(np.max(np.concatenate([*violated, [0.0]])))
    success = result.success and result.status in (Status.SETTLED, Status.TOLERANCE)
    success = success and not denied
    found = scipy.optimize.OptimizeResult(
        x=result.x,
        fun=np.nan if result.fun is None else result.fun,
        nfev=result.nfev + result.nfev_report,
        nit=result.nit,
        success=success,
        status=STATUSES[result.status] if success else STATUSES[result.status] or DOUBTFUL,
        message=NOT_LINEAR.format(maxcv) if denied else result.message,
        result=result,
    )
    if constrained:
        found.maxcv = maxcv
    return found
