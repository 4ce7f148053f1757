"""What the rows were made with, and what each run could spend."""

from __future__ import annotations

from typing import Any

from benchmarks.report.text import count, digits, table
from benchmarks.run import Effort
from benchmarks.trial import FULL_CHECKPOINTS, SAMPLED_CHECKPOINTS


def effort_of(environment: dict[str, Any]) -> Effort:
    """What was spent, or by default is, where that is not known."""
    return Effort(**environment.get("effort", {}))


def environment_table(environment: dict[str, Any]) -> str:
    """The last day of the runs, the machine, and the versions."""
    if not environment:
        return "There is no `environment.json`."
    facts = {
        "finished": environment["date"],
        "machine": environment["machine"],
        "cores": str(environment["cores"]),
        "Python": environment["python"],
        **environment["versions"],
    }
    return table(["made with", ""], list(facts.items()))


def effort_table(environment: dict[str, Any]) -> str:
    """By kind of loss: seeds, evaluations, seconds of a method's own processor time."""
    effort = effort_of(environment)
    kinds = {
        "full": (FULL_CHECKPOINTS, effort.max_seconds),
        "stochastic, noisy": (SAMPLED_CHECKPOINTS, effort.sampled_seconds),
    }
    lines = [
        [
            kind,
            str(effort.seeds),
            count(min(effort.max_evaluations, checkpoints[-1])),
            digits(seconds),
        ]
        for kind, (checkpoints, seconds) in kinds.items()
    ]
    return table(["loss", "seeds", "evaluations", "seconds"], lines)
