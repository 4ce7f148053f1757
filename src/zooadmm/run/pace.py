"""How long an evaluation takes, and what the last iteration measured: for a report after Ctrl-C."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

from zooadmm.run.info import Info

PATIENCE = 2.0
"""Seconds that a report may take after Ctrl-C, as expected from the run; a choice, not measured."""


@dataclass
class Pace:
    """The speed of a session, and f(x) where the last iteration measured it and did not move.

    evaluations: how many the run had made before this session.
    """

    evaluations: int
    loss: float = field(default=math.nan, init=False)
    _began: float = field(default_factory=time.monotonic, init=False)

    def note(self, info: Info) -> None:
        """Take in an iteration."""
        self.loss = info.loss if info.update == 0.0 else math.nan

    def seconds(self, evaluations: int) -> float:
        """Wall-clock seconds of an evaluation, of a run that has made so many."""
        return (time.monotonic() - self._began) / max(1, evaluations - self.evaluations)

    def described(self, evaluations: int) -> str:
        """What is known of the time of an evaluation."""
        if evaluations <= self.evaluations:
            return "no iteration was finished that shows how long an evaluation takes"
        return f"an evaluation takes about {self.seconds(evaluations):.2g} s"

    def affordable(self, evaluations: int) -> int:
        """How many evaluations fit into PATIENCE; none where no iteration shows their time."""
        if evaluations <= self.evaluations:
            return 0
        return int(PATIENCE / max(self.seconds(evaluations), 1e-9))
