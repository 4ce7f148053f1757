"""Which problems, regimes, seeds and budgets."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.structured.split import halves, names

MULTIPLES = (3, 10, 30, 100, 300, 1000, 3000)
"""Checkpoints in evaluations a variable."""
MOST = 1_000_000
QUICK_MULTIPLE, QUICK_MOST, QUICK_VARIABLES = 100, 20_000, 300
SLOW_STEPS = ("tv", "nuclear", "equalities")
"""Structures on which a step of ours takes long: their quick runs are shorter."""
RIDGES = ("squares", "logistic", "poisson", "cox", "quantile")
SAMPLED = (*RIDGES, "logdet", "inventory", "queue")
SEEDS = 3
LARGE = 5000
"""Beyond so many variables only the full loss runs, for 30 evaluations a variable."""


@dataclass(frozen=True)
class Job:
    """A problem (with its regime), a seed, and the counts at which it is compared."""

    problem: str
    m: int
    regime: str
    seed: int
    checkpoints: tuple[int, ...]

    @property
    def group(self) -> str:
        return halves()[self.problem.partition("@")[0]]


def _checkpoints(m: int, multiple: int, most: int) -> tuple[int, ...]:
    counts = [k * m for k in MULTIPLES if k <= multiple and k * m <= most]
    return tuple(counts or [3 * m])


def regimes(name: str) -> list[str]:
    """full; sampled where observations are known, noisy and streamed where values are cheap."""
    loss, structure, size = name.split("-")
    if int(size) > LARGE:
        return ["full"]
    found = ["full"]
    found += ["sampled"] if loss in SAMPLED else []
    found += ["noisy"] if structure in ("l1", "none", "simplex", "box", "equalities") else []
    found += ["streamed"] if loss in ("squares", "logistic") and int(size) <= 100 else []
    return found


def quick_jobs() -> list[Job]:
    """The building half only; every problem full, and in one other regime."""
    jobs = []
    for index, name in enumerate(names("building")):
        m = int(name.split("-")[2])
        if m > QUICK_VARIABLES:
            continue
        others = regimes(name)[1:]
        for regime in ["full", *others[index % len(others) :][:1]] if others else ["full"]:
            slow = name.split("-")[1] in SLOW_STEPS
            counts = _checkpoints(m, 30 if slow else QUICK_MULTIPLE, QUICK_MOST)
            jobs.append(Job(_named(name, regime), m, regime, 0, counts))
    return jobs


def full_jobs() -> list[Job]:
    """Both halves, all regimes, three seeds."""
    jobs = []
    for name in halves():
        m = int(name.split("-")[2])
        counts = _checkpoints(m, 30 if m > LARGE else MULTIPLES[-1], MOST)
        for regime in regimes(name):
            seeds = 1 if m > LARGE else SEEDS
            jobs += [Job(_named(name, regime), m, regime, seed, counts) for seed in range(seeds)]
    return jobs


def _named(name: str, regime: str) -> str:
    return name if regime == "full" else f"{name}@{regime}"
