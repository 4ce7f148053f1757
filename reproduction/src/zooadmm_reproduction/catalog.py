"""All experiments, in the paper's order."""

from __future__ import annotations

from zooadmm_reproduction.blending import Fig1a, Fig1b
from zooadmm_reproduction.experiment import Experiment
from zooadmm_reproduction.sensors import Fig2a, Fig2b
from zooadmm_reproduction.survival import Fig3, Table1
from zooadmm_reproduction.theory import Theory

EXPERIMENTS: tuple[Experiment, ...] = (
    Fig1a(),
    Fig1b(),
    Fig2a(),
    Fig2b(),
    Fig3(),
    Table1(),
    Theory(),
)


def chosen(names: list[str]) -> list[Experiment]:
    """The experiments of these names in the paper's order; all of them for no names.

    >>> [experiment.name for experiment in chosen(["table1", "fig1b"])]
    ['fig1b', 'table1']
    """
    known = {experiment.name: experiment for experiment in EXPERIMENTS}
    for name in names:
        if name not in known:
            raise ValueError(f"there is no experiment {name!r}; there are {', '.join(known)}.")
    return [known[name] for name in known if name in names or not names]
