"""The run of a study, replayed from its trials."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from optuna.trial import FrozenTrial, TrialState

from zooadmm.integrations.optuna.claim import FAILED, Claim, claim_of
from zooadmm.oracle.queries import Query
from zooadmm.run.optimizer import Optimizer


class Replay:
    """An optimizer that has consumed the finished trials of a study.

    The trial that has claimed a cell gives its answer, and a cell is claimed again only when that
    trial has failed. So the answers of a query are unique, and every process that replays them
    gets the same state, bit for bit, whatever their order and their noise.
    """

    def __init__(self, optimizer: Optimizer, sign: float, attempts: int) -> None:
        self.optimizer = optimizer
        self.claimed: dict[tuple[int, int], FrozenTrial] = {}
        """The running trial of each cell"""
        self.running: list[FrozenTrial] = []
        """All running trials, by their numbers"""
        self._sign = sign
        self._attempts = attempts
        self._answers: dict[int, dict[int, float]] = {}
        self._failures: Counter[tuple[int, int]] = Counter()
        self._read: set[int] = set()
        self.first = 0
        """Trials before this one are finished and read"""

    def update(self, trials: Sequence[FrozenTrial]) -> Query | None:
        """Take every step that the trials allow; the pending query, or None at the run's end."""
        self._collect(trials)
        while (query := self.optimizer.ask()) is not None:
            answers = self._answers.get(query.id, {})
            if len(answers) < query.cells:
                return query
            try:
                self.optimizer.tell(query.id, {c: _value(v, query) for c, v in answers.items()})
            except ValueError as refused:
                raise ValueError(
                    f"{refused} The study keeps its trials: mend the objective and begin a new one."
                ) from None
            del self._answers[query.id]
        return None

    def open_cells(self, query: Query) -> list[int]:
        """The cells that have neither an answer nor a running trial."""
        answers = self._answers.get(query.id, {})
        every = range(query.cells)
        return [c for c in every if c not in answers and (query.id, c) not in self.claimed]

    def needs(self, claim: Claim) -> bool:
        """Whether the cell of a claim is of the pending query and has no answer yet."""
        pending = claim.query == self.optimizer.state.t and claim.cell is not None
        return pending and claim.cell not in self._answers.get(claim.query, {})

    def _collect(self, trials: Sequence[FrozenTrial]) -> None:
        self.claimed, self.running = {}, []
        for trial in trials[self.first :]:
            claim = claim_of(trial)
            if trial.state is TrialState.RUNNING:
                self.running.append(trial)
                if claim is not None and claim.cell is not None:
                    self.claimed.setdefault((claim.query, claim.cell), trial)
            elif trial.state.is_finished() and trial.number not in self._read:
                self._read.add(trial.number)
                if claim is not None and claim.cell is not None:
                    self._note(trial, claim.query, claim.cell)
        while self.first in self._read:
            self._read.remove(self.first)
            self.first += 1

    def _note(self, trial: FrozenTrial, query: int, cell: int) -> None:
        """Take the value of a finished trial, or count a failure of its objective."""
        if query < self.optimizer.state.t:  # in a snapshot already
            return
        answers = self._answers.setdefault(query, {})
        if trial.state is TrialState.COMPLETE and trial.value is not None:
            answers.setdefault(cell, self._sign * trial.value)
        elif FAILED in trial.system_attrs:
            self._failures[query, cell] += 1
            if self._failures[query, cell] >= self._attempts:
                answers.setdefault(cell, math.nan)


def _value(value: float, query: Query) -> Any:
    """The value as the query accepts it: one that is not finite is dropped where it must be."""
    return value if query.forgiving or math.isfinite(value) else np.ma.masked
