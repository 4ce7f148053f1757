"""All experiments, in the paper's order."""

from __future__ import annotations

from zooadmm.experiments.experiment import Experiment

EXPERIMENTS: tuple[Experiment, ...] = ()


def chosen(names: list[str]) -> list[Experiment]:
    """The experiments of these names in the paper's order; all of them for no names.

    >>> chosen(["fig7"])
    Traceback (most recent call last):
    ValueError: there is no experiment 'fig7'; there are .
    """
    known = {experiment.name: experiment for experiment in EXPERIMENTS}
    for name in names:
        if name not in known:
            raise ValueError(f"there is no experiment {name!r}; there are {', '.join(known)}.")
    return [known[name] for name in known if name in names or not names]
