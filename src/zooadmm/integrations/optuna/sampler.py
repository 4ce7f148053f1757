"""A sampler of Optuna: each trial is a cell of the pending query."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np
import optuna
from numpy.typing import ArrayLike
from optuna.distributions import BaseDistribution, FloatDistribution
from optuna.samplers import BaseSampler
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

from zooadmm.integrations.optuna.claim import (
    CELL,
    ENQUEUED,
    FAILED,
    POINT,
    agreed_seed,
    claim_of,
    is_of_the_point,
)
from zooadmm.integrations.optuna.space import as_space, check_kind
from zooadmm.integrations.optuna.study_run import StudyRun, Work
from zooadmm.methods.choice import Settings
from zooadmm.methods.compare import Compare
from zooadmm.oracle.observations import Time
from zooadmm.problem.arrays import Vector
from zooadmm.problem.constraint import Constraint
from zooadmm.problem.named_variables import Parameters
from zooadmm.problem.sets import Box, ConvexSet
from zooadmm.run.optimizer import Optimizer
from zooadmm.run.result import Result

POLL_SECONDS = 0.02
"""Least mean time between two readings of the storage by a worker that waits."""
POLL_READINGS = 10
"""A worker that waits pauses for the time of so many readings: 16 of them leave a storage to those
that work."""
MOST_POLL_SECONDS = 2.0
"""Longest mean time between two readings: one that waited for a lock says little about the next."""
PATIENT_READINGS = 100
"""A worker waits for the time of so many readings at least before it measures the answer: a trial
costs as much as several of them."""
COPIED = "failed_trial"
"""The system attribute of a trial that Optuna has copied from a dead one, to evaluate it again"""
TRACE_ROWS = 200
"""Rows of the trace: a snapshot has them all."""


class Sampler(BaseSampler):
    """Minimizes the objective of a study plus phi, by values, with structure and exact resume.

        minimize  mean_w f(x; w) + phi(x)   over x in X

    A trial evaluates one cell of the pending query and stores its address. Every process replays
    the run from the storage, so any number of workers share a study, and a study that was killed
    goes on with the bits of the unbroken one. Give all workers the same arguments.

    space: {name: FloatDistribution}, `Parameters`, or the number of variables. Up to 20 named
        variables are parameters of Optuna; otherwise the point is one attribute, which
        `point(trial)` reads. Where one is logarithmic the run moves each from 0 to 1 along its
        scale, and regularizer and constraint are about that.
    x0: the start, in your units. Default that of `Parameters`, the middle of the scale, or 0
        without bounds.
    seed: of the random directions. Default: from the name of the study, the same for all workers.
    regularizer, domain, constraint, settings: as in `zooadmm.minimize`. The default domain is the
        box of the bounds; with a domain no probe leaves it, unless `settings` says otherwise.
    observations: how many there are, or `Time()`; `observation(trial)` is the index of the one
        that the trial evaluates.
    max_evaluations, max_iterations, target, tolerance: end the run, and with it `study.optimize`.
        The target is in the direction of the study.
    attempts: how many trials of a cell may fail at their point; then the cell counts as NaN. An
        exception that ends `study.optimize` is no such failure: the cell is evaluated again.
    patience: how many seconds a worker waits in `study.optimize` where all cells of the query are
        out; after that it measures the current answer. It waits longer where the storage is slow.
    stale_seconds: a trial that runs for longer is dead, and its cell is evaluated again. Default
        never; dead processes of the same machine and heartbeats are noticed anyway.

    >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
    >>> study = optuna.create_study(sampler=Sampler(3, seed=0))
    >>> study.optimize(lambda trial: float(np.square(point(trial) - 1).sum()), n_trials=100)
    >>> np.round(study.sampler.result(study).x, 3)
    array([1., 1., 1.])
    """

    def __init__(
        self,
        space: Mapping[str, BaseDistribution] | Parameters | int,
        *,
        x0: ArrayLike | None = None,
        seed: int | None = None,
        regularizer: Any = None,
        domain: ConvexSet | None = None,
        constraint: Constraint | None = None,
        observations: int | Time | None = None,
        settings: Settings = "auto",
        max_evaluations: int | None = None,
        max_iterations: int | None = None,
        target: float | None = None,
        tolerance: float | None = None,
        attempts: int = 3,
        patience: float = 1.0,
        stale_seconds: float | None = None,
    ) -> None:
        self.space = as_space(space)
        if domain is None and self.space.scales is None and self.space.bounded:
            domain = Box(self.space.low, self.space.high)
        if settings == "compare" or isinstance(settings, Compare):
            raise ValueError(
                'a trial has a value; for settings="compare" use minimize, or Optimizer and its '
                "query.pairs."
            )
        if attempts < 1:
            raise ValueError(f"attempts = {attempts} must be at least 1.")
        if not (seed is None or (isinstance(seed, Integral) and seed >= 0)):
            raise TypeError(f"seed = {seed!r} must be a whole number of at least 0, or None.")
        if not patience >= 0:
            raise ValueError(f"patience = {patience} seconds must be at least 0.")
        self._seed = None if seed is None else int(seed)
        self._patience = patience
        self._handling = observations, attempts, stale_seconds
        self._arguments: dict[str, Any] = {
            "x0": self._start(x0),
            "regularizer": regularizer,
            "domain": domain,
            "constraint": constraint,
            "observations": _observations(observations),
            "settings": settings,
            "max_evaluations": max_evaluations,
            "max_iterations": max_iterations,
            "target": target,
            "tolerance": tolerance,
            "max_trace_rows": TRACE_ROWS,
        }
        Optimizer(**self._arguments, rng=0)  # refuses now what does not fit
        self._reset()

    def _start(self, x0: ArrayLike | None) -> Vector | Parameters:
        scales = self.space.scales
        if scales is not None:
            return scales if x0 is None else scales.starting_at(np.asarray(x0, dtype=np.float64))
        start = self.space.middle() if x0 is None else np.asarray(x0, dtype=np.float64)
        if start.shape != self.space.low.shape:
            raise ValueError(
                f"x0 has shape {start.shape}, and the space has {len(self.space.names)} variables."
            )
        self.space.check(start)
        return start

    def _reset(self) -> None:
        self._lock = threading.Lock()
        self._run: StudyRun | None = None
        self._work: dict[int, Work] = {}

    def __getstate__(self) -> dict[str, Any]:
        """The arguments; what a process knows of a study is replayed."""
        gone = ("_lock", "_run", "_work")
        return {name: value for name, value in self.__dict__.items() if name not in gone}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._reset()

    def infer_relative_search_space(
        self, study: optuna.Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """The variables that are parameters."""
        return dict(self.space.distributions)

    def sample_relative(
        self, study: optuna.Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """The point of the trial, where variables are parameters."""
        work = self._work.get(trial._trial_id)
        if work is None or not self.space.as_parameters:
            return {}
        values = self.space.values(work.point)
        return {n: float(v) for n, v in zip(self.space.names, values, strict=True)}

    def sample_independent(
        self,
        study: optuna.Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """Refuse a parameter that is not in the space, by its name."""
        check_kind(param_name, param_distribution)
        if param_name not in self.space.names:
            raise ValueError(
                f"parameter {param_name!r} is not in the space of the sampler; its variables are "
                f"{', '.join(map(repr, self.space.names[:20]))}."
            )
        if not self.space.as_parameters:
            raise ValueError(
                f"parameter {param_name!r}: this space is stored as one attribute; read the "
                "variables by zooadmm.integrations.optuna.point(trial)."
            )
        if ENQUEUED in trial.system_attrs:
            raise ValueError(
                f"trial {trial.number} was enqueued without {param_name!r}; enqueue a value for "
                f"each of {', '.join(map(repr, self.space.names[:20]))}."
            )
        assert isinstance(param_distribution, FloatDistribution)
        raise ValueError(
            f"parameter {param_name!r} is suggested within [{param_distribution.low}, "
            f"{param_distribution.high}], and the space of the sampler has other bounds, or "
            "another scale."
        )

    def before_trial(self, study: optuna.Study, trial: FrozenTrial) -> None:
        """Claim a cell for the trial, or the current answer where no cell is left."""
        self._raise_error_if_multi_objective(study)
        if ENQUEUED in trial.system_attrs:
            study._storage.set_trial_system_attr(trial._trial_id, CELL, None)
            return
        worker = bool(study._thread_local.in_optimize_loop)
        known = claim_of(trial)
        began, patience = time.monotonic(), self._patience if worker else 0.0
        while True:
            read_at = time.monotonic()
            with self._lock:
                run, ended = self._run_of(study, trial if worker else None), False
                if known is not None and COPIED in trial.system_attrs:
                    work: Work | None = run.take_over(trial, known, worker)
                    if work is None:
                        return
                elif known is not None:
                    work = run.known(trial, known)
                else:
                    work, ended = run.claim(trial, worker, wait=read_at < began + patience)
            if work is not None:
                break
            reading = time.monotonic() - read_at
            patience = max(patience, PATIENT_READINGS * reading) if worker else 0.0
            pause = min(max(POLL_SECONDS, POLL_READINGS * reading), MOST_POLL_SECONDS)
            time.sleep(pause * 2 * random.SystemRandom().random())
        if ended and worker:
            study.stop()
        self._work[trial._trial_id] = work
        if not self.space.as_parameters:
            values = self.space.values(work.point).tolist()
            study._storage.set_trial_user_attr(trial._trial_id, POINT, values)

    def after_trial(
        self,
        study: optuna.Study,
        trial: FrozenTrial,
        state: TrialState,
        values: Sequence[float] | None,
    ) -> None:
        """Mark a trial that failed at its point; one whose worker was stopped has no mark."""
        self._work.pop(trial._trial_id, None)
        if state is not TrialState.COMPLETE and is_of_the_point():
            study._storage.set_trial_system_attr(trial._trial_id, FAILED, True)

    def _run_of(self, study: optuna.Study, trial: FrozenTrial | None = None) -> StudyRun:
        """The run of a study; where it is not there yet, a trial first shows that it lives."""
        if self._run is None or not self._run.follows(study):
            others = {"names": list(self.space.names), "attempts": self._handling[1]}
            seed = agreed_seed(study, self._seed, others)
            target = self._arguments["target"]
            if target is not None and study.direction is StudyDirection.MAXIMIZE:
                target = -target
            optimizer = Optimizer(**self._arguments | {"target": target}, rng=seed)
            self._run = StudyRun(study, optimizer, self.space, *self._handling)
            if trial is not None and claim_of(trial) is None:
                self._run.show_life(trial)
        return self._run

    def result(self, study: optuna.Study) -> Result:
        """The answer of the study now; see `zooadmm.integrations.optuna.result`."""
        self._raise_error_if_multi_objective(study)
        with self._lock:
            return self._run_of(study).result()

    def open_cells(self, study: optuna.Study) -> int | None:
        """See `zooadmm.integrations.optuna.open_cells`."""
        self._raise_error_if_multi_objective(study)
        with self._lock:
            return self._run_of(study).open_cells()

    def work_of(self, trial: optuna.Trial) -> Work | None:
        """What a trial of this process evaluates; None for one that was enqueued by hand."""
        return self._work.get(trial._trial_id)


def result(study: optuna.Study) -> Result:
    """The answer of a study now, also published as the user attribute "answer" of the study.

    `study.best_trial` is the luckiest probe; this is the point that the run recommends. `fun` is
    the mean of all trials at that point plus phi, `fun_error` its standard error; None where the
    point has not been evaluated. The run is replayed from the storage, so any process may ask that
    has the study with the same `Sampler`. With direction="maximize" `fun` is of the negated loss.
    """
    return sampler_of(study).result(study)


def open_cells(study: optuna.Study) -> int | None:
    """How many trials `study.ask` can hand out that move the run; None once it has ended.

    More trials than that measure the current answer, until some of the others are told.

    >>> study = optuna.create_study(sampler=Sampler(2, seed=0))
    >>> cells = open_cells(study)
    >>> trials = [study.ask() for _ in range(cells)]
    >>> open_cells(study)
    0
    """
    return sampler_of(study).open_cells(study)


def point(trial: optuna.Trial | FrozenTrial) -> Vector:
    """The point that a trial evaluates, in the order of the space; parameters are suggested.

    A finished trial has it too where the variables are no parameters; else read `trial.params`.
    """
    if isinstance(trial, FrozenTrial):
        if POINT not in trial.user_attrs:
            raise ValueError(f"trial {trial.number} stores parameters; read trial.params.")
        return np.array(trial.user_attrs[POINT], dtype=np.float64)
    sampler = sampler_of(trial.study)
    space, work = sampler.space, sampler.work_of(trial)
    if space.as_parameters:
        bounds = space.distributions.items()
        suggested = [trial.suggest_float(name, d.low, d.high, log=d.log) for name, d in bounds]
        return np.array(suggested)
    if work is None:
        raise ValueError(
            f"trial {trial.number} was enqueued by hand; it has no point. Where variables are no "
            "parameters, start elsewhere by x0 instead."
        )
    return space.values(work.point).copy()


def observation(trial: optuna.Trial | FrozenTrial) -> int | None:
    """The index of the observation that a trial evaluates; None for a loss without observations."""
    if isinstance(trial, FrozenTrial):
        claim = claim_of(trial)
        return None if claim is None else claim.observation
    work = sampler_of(trial.study).work_of(trial)
    return None if work is None else work.observation


def sampler_of(study: optuna.Study) -> Sampler:
    """The sampler of a study, where it is this one."""
    if not isinstance(study.sampler, Sampler):
        raise TypeError(
            f"the sampler of this study is a {type(study.sampler).__name__}: load the study with "
            "the zooadmm Sampler that it was created with."
        )
    return study.sampler


def _observations(count: int | Time | None) -> Any:
    if count is None or isinstance(count, Time):
        return count
    if isinstance(count, bool) or not isinstance(count, Integral):
        raise TypeError(
            "observations must be their number or Time(): a trial stores an index, and the "
            f"objective reads it by observation(trial). It is a {type(count).__name__}."
        )
    return np.arange(int(count))
