"""The partial likelihood of Cox's proportional hazards."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zooadmm.losses.average import Average, Indices, only_read
from zooadmm.losses.data import Doubles, blocks, counted, finite_array, one_for_each


class Cox(Average):
    """The negative log partial likelihood of n subjects, ties after Breslow:

        f(x) = (1/n) sum over events i of -a_i'x + log sum_{j: time_j >= time_i} exp(a_j'x)  (20)

    covariates: the rows a_i, (n, m). Adding a constant to a column changes nothing.
    time: when the event happened, or until when there was none; zero or more.
    event: 1 or True where it happened, 0 or False where the subject was censored.

    Observations are the indices of the events; f(x; i) is the term of event i times (number of
    events) / n, so that the mean over events is f(x).

    Subjects are sorted by falling time, so a risk set is all up to some position. At the risk sets
    evaluated, the running log-sum-exp adds what has entered since the one before, in logarithms:
    predictors may lie thousands apart.

    >>> loss = Cox([[1.0], [0.0], [2.0]], time=[5.0, 3.0, 1.0], event=[1, 1, 0])
    >>> loss
    Cox(2 events of 3 subjects, 1 variable)
    >>> round(loss([0.0]), 6), round(loss([0.0], 1), 6)
    (0.231049, 0.462098)
    """

    def __init__(self, covariates: ArrayLike, time: ArrayLike, event: ArrayLike) -> None:
        given = finite_array("covariates", covariates, "n", "m")
        n, self.num_variables = given.shape
        times = one_for_each("time", time, "covariates", n)
        if times.min() < 0.0:
            raise ValueError(f"time must be zero or more, but the least is {times.min():g}.")
        happened = _indicator(one_for_each("event", event, "covariates", n))

        order = np.argsort(-times, kind="stable")
        self._covariates = given[order] - given.mean(axis=0)
        self._position = np.argsort(order)
        at_risk = np.searchsorted(-times[order], -times, side="right")
        self._at_risk = np.where(happened, at_risk, 0)
        self.observations = only_read(np.flatnonzero(happened).astype(np.int64))
        self._risk_sets, self._events_at = np.unique(at_risk[happened], return_counts=True)
        self._event_total = self._covariates[self._position[happened]].sum(axis=0)

    def _sizes(self) -> str:
        events = counted(len(self.observations), "event")
        subjects = counted(len(self._covariates), "subject")
        return f"{events} of {subjects}, {counted(self.num_variables, 'variable')}"

    def _means(self, points: Doubles) -> Doubles:
        sums: Doubles = -points @ self._event_total
        for block in blocks(len(points), len(self._covariates)):
            sums[block] += self._log_sums(points[block], self._risk_sets) @ self._events_at
        return sums / len(self._covariates)  # (20)

    def _table(self, points: Doubles, observations: Indices) -> Doubles:
        risk_sets, which = np.unique(self._at_risk[observations], return_inverse=True)
        table: Doubles = -points @ self._covariates[self._position[observations]].T
        for block in blocks(len(points), len(self._covariates)):
            table[block] += self._log_sums(points[block], risk_sets)[:, which]
        return table * self._share

    def _mean_gradient(self, x: Doubles) -> Doubles:
        log_sums = self._log_sums(x[None], self._risk_sets)[0]
        # subject j has weight sum of exp(a_j'x - log_sum) over the events with j at risk
        weights = np.logaddexp.accumulate((np.log(self._events_at) - log_sums)[::-1])[::-1]
        entered = np.diff(self._risk_sets, prepend=0)
        subjects = self._covariates[: self._risk_sets[-1]]
        total: Doubles = np.exp(subjects @ x + np.repeat(weights, entered)) @ subjects
        total -= self._event_total
        return total / len(self._covariates)

    def _gradient_at(self, x: Doubles, w: np.int64) -> Doubles:
        subjects = self._covariates[: self._at_risk[w]]
        predictors = subjects @ x
        weights = np.exp(predictors - predictors.max())
        slope: Doubles = weights @ subjects / weights.sum() - self._covariates[self._position[w]]
        return slope * self._share

    def _indices(self, observations: object) -> Indices:
        indices = super()._indices(observations)
        censored = indices[self._at_risk[indices] == 0]
        if censored.size:
            raise IndexError(
                f"observation {censored[0]} is a censored subject; loss.observations has events."
            )
        return indices

    @property
    def _share(self) -> float:
        return len(self.observations) / len(self._covariates)

    def _log_sums(self, points: Doubles, risk_sets: NDArray[np.intp]) -> Doubles:
        """log sum of exp(a_j'x) over the first r subjects, for each r of a rising list."""
        predictors = points @ self._covariates[: risk_sets[-1]].T
        starts = np.concatenate(([0], risk_sets[:-1]))
        highest = np.maximum.reduceat(predictors, starts, axis=1)
        predictors -= np.repeat(highest, np.diff(risk_sets, prepend=0), axis=1)
        entering = np.add.reduceat(np.exp(predictors, out=predictors), starts, axis=1)
        return np.logaddexp.accumulate(highest + np.log(entering), axis=1)


def _indicator(event: Doubles) -> NDArray[np.bool_]:
    if not np.isin(event, (0.0, 1.0)).all():
        raise ValueError("event must be 0 (censored) or 1 (it happened), for each subject.")
    if not event.any():
        raise ValueError("event is 0 everywhere; without any event there is no likelihood.")
    return event.astype(np.bool_)
