"""Which evaluator serves the arguments of a user."""

from __future__ import annotations

from typing import Any

from zooadmm.evaluation.command import Command
from zooadmm.evaluation.engine import Engine
from zooadmm.evaluation.evaluator import Evaluator, InProcess
from zooadmm.evaluation.faults import OnError
from zooadmm.evaluation.processes import Processes
from zooadmm.evaluation.threads import Threads


def evaluator_for(
    loss: Any, workers: int | None, engine: Engine | None, on_error: OnError
) -> Evaluator:
    """In this process, unless the user has given workers or an engine.

    A `Command` runs in processes of its own, so threads do for it.
    """
    if workers is not None and engine is not None:
        raise ValueError("workers = n is short for evaluator=Processes(n); give one of them.")
    if engine is not None and not isinstance(engine, Engine):
        raise TypeError(
            "evaluator must be an engine, Threads(n), Processes(n), Ray() or Dask(), not "
            f"{engine!r}; other ways to evaluate are for Optimizer's ask and tell."
        )
    if workers is not None:
        program = isinstance(getattr(loss, "loss", loss), Command)  # also one with named arguments
        engine = Threads(workers) if program else Processes(workers)
    return InProcess(loss, on_error) if engine is None else engine.evaluator(loss, on_error)
