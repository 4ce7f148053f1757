"""The regret (8), measured while a run goes on.

    Regret_t = (1/t) sum_{k=1..t} [f(x_k; w_k) + phi(y_k)] - [f(x*; w_k) + phi(y*)]

against a comparator (x*, y*), at the iterates {x_k, y_k}, at {x_k, y'_k} and at {x'_k, y_k}, and
the gap of the averages. A comparator (x*_k, y*_k) that moves makes it the dynamic regret (Zinkevich
2003; Hall and Willett 2015). Evaluations made only for this are counted apart.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zooadmm.methods.method import Method, State
from zooadmm.oracle.observations import Batch, Observations, Time
from zooadmm.oracle.queries import Answer, ForwardQuery, PointsQuery, Query
from zooadmm.problem.arrays import Vector, norm
from zooadmm.problem.problem import Problem, as_vector, nearest_feasible
from zooadmm.run.trace import Info, Record

COLUMNS = (
    "iteration",
    "iterates",
    "completed_y",
    "completed_x",
    "averages",
    "residual",
    "x_violation",
    "y_violation",
)
"""After iteration t: the regret at {x_k, y_k}, at {x_k, y'_k} and at {x'_k, y_k} (nan where that
side cannot be completed); the gap of the completed averages over the observations at hand (nan
where it was not computed, and for a comparator that moves); the mean of |A x_k + B y_k - c|; and
the means of the distances of x'_k from X and of y'_k from Y, which completion may leave. phi is
taken at the point of Y nearest."""

AVERAGES_GROW_BY = 1.2
"""The gap of the averages is measured when t has grown by this factor."""


Comparator = ArrayLike | Callable[[int], ArrayLike]
"""A point, or a function of t: of the time with `Time()`, else of the iteration 1, 2, ..."""


class Pair(NamedTuple):
    """A comparator at one t."""

    x: Vector
    y: Vector
    phi: float
    """phi(y)"""


class Regret(Record):
    """Follows the regret of a run against a comparator: `minimize(..., regret=Regret(x_star))`.

    x: x*, any point of X, such as the best in hindsight (`zooadmm.analysis.offline.best_fixed`).
        A function from t to x*_t gives the dynamic regret. With `Time()` t is the time that the
        loss is evaluated at, which the default method may advance by several steps an iteration;
        with other observations t is the iteration.
    y: y*, or a function of t; by default completed from x*, B^-1 (c - A x*).
    max_rows: how many rows are kept at most, as in the trace.

    After the run `result.regret` has its columns, `result.regret["iterates"]` for instance.
    """

    def __init__(
        self, x: Comparator, y: Comparator | None = None, *, max_rows: int | None = 10_000
    ) -> None:
        super().__init__(COLUMNS, max_rows)
        self._given = x, y
        self._moves = callable(x) or callable(y)
        self.evaluations = 0
        """f(x; w) evaluated only for the regret."""
        self.x_path = 0.0
        """sum_{k=2..t} |x*_k - x*_{k-1}|, the path length of the comparator."""
        self.y_path = 0.0
        """The same of y*."""

    def begin(self, method: Method, observations: Observations | None) -> None:
        """Meet the run that is to be followed."""
        self.restore(np.empty((0, len(COLUMNS))), stride=1)
        self._sums, self._next_check, self.evaluations, self._t = np.zeros(6), 1.0, 0, 0
        self._method, self._observations = method, observations
        self.x_path = self.y_path = 0.0
        self._star, self._star_at = self._comparator(1), 1

    def _comparator(self, t: int) -> Pair:
        """(x*_t, y*_t), which must be feasible."""
        problem = self._method.problem
        x_at, y_at = self._given
        given_x = x_at(t) if callable(x_at) else x_at
        given_y = y_at(t) if callable(y_at) else y_at
        x = as_vector("regret: x", given_x, problem.m, problem.dtype)
        if given_y is not None:
            y = as_vector("regret: y", given_y, problem.d, problem.dtype)
        elif problem.constraint.B_invertible:
            y = problem.constraint.complete_y(x)
        else:
            raise ValueError("regret: y is needed, since B has no inverse to complete it from x.")
        phi, outside = _phi(problem, y)
        size = 1e-6 * max(1.0, norm(x), norm(y))
        for distance, what in (
            (problem.domain.distance(x), "x lies outside the domain"),
            (outside, "y lies outside the set of the regularizer"),
            (norm(problem.constraint.residual(x, y)), "A x + B y = c does not hold"),
        ):
            if distance > size:
                raise ValueError(f"regret: {what}, by {distance:.2g}; give a feasible comparator.")
        return Pair(x, y, phi)

    def follow(self, evaluate: Callable[[Query], Answer], query: Query, info: Info) -> None:
        """Take in iteration t."""
        problem = self._method.problem
        K, x, y = problem.constraint, info.x, info.y

        made = 0

        def loss(at: Vector, seen: Batch | None = query.observations) -> float:
            nonlocal made
            values = evaluate(PointsQuery(0, at[None], seen))
            made += values.size
            return float(values.mean())

        known = isinstance(query, ForwardQuery) and _at(query, x) and np.isfinite(info.loss)
        f = info.loss if known else loss(x)
        course = self._course(query, info.t)
        star = self._value(course, loss)
        terms = np.full(6, np.nan)
        terms[0] = f + _phi(problem, y)[0] - star
        terms[3] = info.residual
        if K.B_invertible:
            value, terms[5] = _phi(problem, K.complete_y(x))
            terms[1] = f + value - star
        if K.A_invertible:
            completed = K.complete_x(y)
            f_completed = f if np.array_equal(completed, x) else loss(completed)
            terms[2] = f_completed + _phi(problem, y)[0] - star
            terms[4] = problem.domain.distance(completed)
        t, gap, next_check = info.t, np.nan, self._next_check
        if t >= next_check and self.wants(t):
            gap, more = self._gap(evaluate, info.after)
            made, next_check = made + more, t * AVERAGES_GROW_BY
        self._sums = self._sums + terms  # from here on nothing can fail
        self._t, self._next_check, self.evaluations = t, next_check, self.evaluations + made
        for at, now in course.items():
            self.x_path += norm(now.x - self._star.x)
            self.y_path += norm(now.y - self._star.y)
            self._star, self._star_at = now, at
        if self.wants(t):
            means = (self._sums / t).tolist()  # (8)
            self.append((t, *means[:3], gap, *means[3:]))

    def _course(self, query: Query, t: int) -> dict[int, Pair]:
        """A comparator that moves, by t: at the times of the query, or in this iteration."""
        if not self._moves:
            return {}
        times = query.observations if isinstance(self._observations, Time) else None
        return {int(k): self._comparator(int(k)) for k in ((t,) if times is None else times)}

    def _value(self, course: dict[int, Pair], loss: Callable[..., float]) -> float:
        """f(x*; w) + phi(y*), averaged over the observations of the query."""
        if len(course) <= 1:
            star = next(iter(course.values()), self._star)
            return loss(star.x) + star.phi
        return sum(loss(star.x, (k,)) + star.phi for k, star in course.items()) / len(course)

    def _gap(self, evaluate: Callable[[Query], Answer], state: State) -> tuple[float, int]:
        """F(average of x_1..x_t, its completion) - F(x*, y*), over the observations at hand.

        And how many evaluations that took.
        """
        problem = self._method.problem
        if self._moves or not problem.constraint.B_invertible:
            return np.nan, 0
        batch = None
        if self._observations is not None:
            key = self._method.key
            batch, _ = self._observations.report(state.t, 10_000, key, state.window)
            if len(batch) == 0:
                return np.nan, 0
        x = state.x_mean
        values = [evaluate(PointsQuery(0, at[None], batch)) for at in (x, self._star.x)]
        phi = _phi(problem, problem.constraint.complete_y(x))[0]
        gap = float(values[0].mean() - values[1].mean()) + phi - self._star.phi
        return gap, sum(v.size for v in values)

    def notes(self) -> dict[str, NDArray[np.float64]]:
        """What a checkpoint keeps of it."""
        kept = -1 if self.max_rows is None else self.max_rows
        counters = [self._t, self.stride, self.evaluations, self._next_check, kept]
        notes = {
            "regret": self.rows(),
            "regret_sums": self._sums,
            "regret_counters": np.array(counters, dtype=np.float64),
            "regret_x": self._star.x.astype(np.float64),
            "regret_y": self._star.y.astype(np.float64),
        }
        if self._moves:
            notes["regret_course"] = np.array([self.x_path, self.y_path, self._star_at])
        return notes

    def resume(self, notes: dict[str, NDArray[np.float64]], t: int) -> None:
        """Go on from what a checkpoint kept after t iterations."""
        if "regret" not in notes:
            raise ValueError(
                "the checkpoint has no regret: it was written without `regret`; go on without."
            )
        seen, stride, evaluations, next_check, kept = notes["regret_counters"].tolist()
        paths = notes.get("regret_course", np.array([0.0, 0.0, self._star_at]))
        star = self._comparator(int(paths[2])) if self._moves else self._star
        same = (
            np.array_equal(notes["regret_x"], star.x)
            and np.array_equal(notes["regret_y"], star.y)
            and ("regret_course" in notes) == self._moves
        )
        if not same or kept != (-1 if self.max_rows is None else self.max_rows):
            raise ValueError(
                "the checkpoint followed the regret of another comparator, or with another "
                "max_rows; give the same Regret to go on with it."
            )
        if seen != t:
            raise ValueError(
                f"the checkpoint has the regret of {seen:g} iterations out of {t}: an evaluation "
                "for it failed. Go on without regret, or start anew."
            )
        self.restore(notes["regret"], int(stride))
        self._t, self._next_check, self.evaluations = t, next_check, int(evaluations)
        self._sums, self._star = notes["regret_sums"], star
        self.x_path, self.y_path = float(paths[0]), float(paths[1])
        self._star_at = int(paths[2])


def _at(query: ForwardQuery, x: Vector) -> bool:
    """Whether the first value of the query's answer is that at x."""
    return query.inside is None and np.array_equal(query.x, x)


def _phi(problem: Problem, y: Vector) -> tuple[float, float]:
    """phi at the point of Y nearest to y, and the distance to it."""
    nearest = nearest_feasible(problem.regularizer, y)
    return float(problem.regularizer(nearest)), norm(y - nearest)
