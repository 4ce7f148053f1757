"""What is evaluated after the last iteration: the loss at the answer, or comparisons with x0."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

import numpy as np
import scipy.special

from zooadmm.evaluation import Evaluator
from zooadmm.methods.compare.method import Comparing
from zooadmm.oracle.queries import PointsQuery
from zooadmm.problem.arrays import Matrix, Vector
from zooadmm.problem.problem import nearest_feasible
from zooadmm.run import diagnosis
from zooadmm.run.limits import Status
from zooadmm.run.optimizer import Optimizer
from zooadmm.run.result import Report

REPORT_SECONDS = 2.0
"""Seconds that a report may take after Ctrl-C, as expected from the run; a choice, not measured."""


@dataclass
class Pace:
    """The speed of a session, and what its last iteration measured.

    evaluations: how many the run had made before this session.
    """

    evaluations: int
    loss: float = field(default=math.nan, init=False)
    """f(x) where the last iteration measured it and did not move; else nan"""
    _began: float = field(default_factory=time.monotonic, init=False)

    def seconds(self, evaluations: int) -> float:
        """Wall-clock seconds of an evaluation, from all that the session has made."""
        return (time.monotonic() - self._began) / max(1, evaluations - self.evaluations)

    def described(self, evaluations: int) -> str:
        """What is known of the time of an evaluation."""
        if evaluations <= self.evaluations:
            return "no iteration was finished that shows how long an evaluation takes"
        return f"an evaluation takes about {self.seconds(evaluations):.2g} s"

    def affordable(self, evaluations: int) -> int:
        """How many evaluations fit into REPORT_SECONDS; 0 where no iteration shows their time."""
        if evaluations <= self.evaluations:
            return 0
        return int(REPORT_SECONDS / max(self.seconds(evaluations), 1e-9))


REPEATED = 30
"""Values of a noisy loss at the answer, at most, and a tenth of the evaluations of the run."""

RIGHT = 3.0
"""Odds that the better of x and x0 wins a comparison: one answer in four may be wrong."""

LIKELY = (1e-6, 1.0 - 1e-6)
"""Probabilities that comparisons of a run alone can give."""


def final_report(optimizer: Optimizer, evaluator: Evaluator, most: int | None = None) -> Report:
    """The loss at the recommended x, and a remark where there is something to say of it.

    At most a tenth of the evaluations that the run made go into it, or one iteration's, and `most`.
    A loss without observations is evaluated twice: if the values differ, it is noisy, and up to
    REPEATED values give its mean and standard error.
    """
    state, method = optimizer.state, optimizer.method
    x, _ = optimizer.recommended()
    if not evaluator.calls.has_values:
        return Report()
    if isinstance(method, Comparing):
        return _duels(optimizer, method, evaluator, REPEATED if most is None else most)
    if method.source.stays_inside:
        if not method.problem.contains(x):
            return Report(remark="The loss was not evaluated at x, which lies outside the domain.")
        x = method.problem.without_rounding(x)
    batch, whole = None, True
    if optimizer.observations is not None:
        an_iteration = method.source.evaluations(method.source.num_observations)
        count = max(method.source.num_observations, an_iteration, optimizer.evaluations // 10)
        count = count if most is None else min(count, most)
        now = method.drawn(state, None) + 1
        batch, whole = optimizer.observations.report(now, count, method.key, state.window)
        if len(batch) == 0:
            return Report()
    try:
        query = method.at(x, batch)
        values = evaluator(query).reshape(-1, query.numbers)[:, 0]
        again = evaluator(query).reshape(-1, query.numbers)[:, 0] if batch is None else values
    except Exception as raised:
        return Report(remark=f"The loss could not be evaluated at x: {raised!r}.")
    made = len(values) + (1 if batch is None else 0)
    whole = whole and not np.ma.is_masked(values)
    values, again = np.ma.compressed(values), np.ma.compressed(again)
    if len(values) == 0 or len(again) == 0:
        return Report(evaluations=made, remark="The loss could not be evaluated at x.")
    if not (np.isfinite(values).all() and np.isfinite(again).all()):
        both = np.concatenate([values, again])
        if batch is None and np.isfinite(both).any():  # by chance: the next value may be finite
            said = "The loss is not finite at x now and then."
            return Report(float(both[np.isfinite(both)][0]), "estimated", None, made, said)
        start = optimizer.start_objective(optimizer.start_loss())
        if optimizer.keeps_start and math.isfinite(start):
            said = "The loss is not finite where the run ended: x is x0. Give a domain where it is."
            return Report(optimizer.keep_start(), "estimated", None, made, said)
        return Report(evaluations=made, remark="The loss is not finite at x.", finite=False)
    with np.errstate(over="ignore"):
        mean = float((values + again).mean()) / 2
        spread = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    if batch is None and again[0] != values[0]:
        apart = abs(float(again[0] - values[0]))
        count = min(REPEATED, optimizer.evaluations // 10, most or REPEATED) - made
        if count > 0:
            more = _values_at(np.tile(x, (count, 1)), evaluator)
            values, made = np.concatenate([values, again, more]), made + count
            mean, spread = float(values.mean()), float(values.std(ddof=1))
        off = apart / 2 if count <= 0 else spread / math.sqrt(len(values))
        remark = diagnosis.drift(values)
        if not remark and method.smoothing is not None:
            remark = (
                f"The loss is noisy: two values at x differ by {apart:.2g}. Give a smoothing well "
                "above the noise divided by the slope; the paper's shrinks and amplifies noise."
            )
        return Report(mean, "estimated", off, made, remark)
    if batch is None:
        phi = method.problem.regularizer
        feasible = nearest_feasible(phi, optimizer.recommended()[1])
        start = mean if state.t == 1 else optimizer.start_loss()
        if math.isnan(start) and optimizer.start is not None and most is None:
            start, made = _first(_values_at(optimizer.start[None], evaluator)), made + 1
        worse = mean + float(phi(feasible)) > optimizer.start_objective(start)
        loss = optimizer.keep_start() if worse and optimizer.keeps_start else mean
        return Report(loss, "exact", None, made, start=start)
    error = None
    if not whole and len(values) > 1:
        error = spread / math.sqrt(len(values))
    return Report(mean, "exact" if whole else "estimated", error, made)


def short_report(pace: Pace, optimizer: Optimizer, evaluator: Evaluator) -> Report:
    """The report after Ctrl-C: what was measured at x anyway, or as much as takes two seconds."""
    x, y = optimizer.recommended()
    measured = optimizer.observations is None and math.isfinite(pace.loss)
    if measured and np.array_equal(x, optimizer.state.x):
        return Report(pace.loss, "estimated")
    least, point = optimizer.method.lowest(optimizer.state)
    if np.array_equal(x, point):
        return Report(least - float(optimizer.method.problem.regularizer(y)), "estimated")
    most = pace.affordable(optimizer.evaluations)
    if most < (2 if optimizer.observations is None else 1):
        return Report(remark=f"fun was not evaluated: {pace.described(optimizer.evaluations)}.")
    return final_report(optimizer, evaluator, most)


def _duels(optimizer: Optimizer, method: Comparing, evaluator: Evaluator, most: int) -> Report:
    """How often x is preferred to x0; x0 is recommended where x is more likely to be worse.

    At most a tenth of the comparisons of the run, and `most`, go into it, but at least two. They
    are evidence beside that of the run: each multiplies the odds of x by RIGHT or divides them.
    """
    x, start = optimizer.recommended()[0], optimizer.start
    if start is None or np.array_equal(x, start) or most < 2 or optimizer.evaluations == 0:
        return Report()
    count = max(2, min(most, optimizer.evaluations // 10) // 2 * 2)
    query = method.duels(x, start, count)
    try:
        answer = evaluator(query)
        query.check(np.ma.compressed(answer))
    except Exception as raised:
        return Report(remark=f"x and x0 could not be compared: {raised!r}.")
    first = np.arange(count) % 2 == 0
    votes = np.append(np.ma.compressed(answer[first]), 1.0 - np.ma.compressed(answer[~first]))
    if len(votes) == 0:
        return Report(evaluations=count, remark="x and x0 could not be compared.")
    said = f"x won {votes.sum():g} of {len(votes)} comparisons with x0."
    sure, alike = method.uncertainty(optimizer.state), optimizer.result().status is Status.UNCHANGED
    odds = math.log(RIGHT) * float((2.0 * votes - 1.0).sum())
    if sure is not None:
        odds += float(scipy.special.logit(np.clip(sure.preferred, *LIKELY)))
    if (odds < 0.0 or alike) and not method.weighs:
        optimizer.keep_start()
        said += " x0 is recommended."
    return Report(evaluations=count, remark=said)


def _values_at(points: Matrix, evaluator: Evaluator) -> Vector:
    """The finite f(x), of points at which it can be evaluated."""
    try:
        values = np.ma.compressed(evaluator(PointsQuery(0, points, None)))
    except Exception:
        return np.zeros(0)
    return np.asarray(values[np.isfinite(values)])


def _first(values: Vector) -> float:
    return float(values[0]) if len(values) > 0 else math.nan
