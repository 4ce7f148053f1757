"""Which problems, regimes, seeds and budgets."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.structured.split import Half, halves, names

MULTIPLES = (3, 10, 30, 100, 300, 1000, 3000)
"""Checkpoints in evaluations a variable."""
MOST = 20_000
"""Evaluations of a run, but for problems that have more than `LARGE` variables."""
QUICK_MULTIPLE, QUICK_MOST, QUICK_VARIABLES = 100, 20_000, 300
SLOW_STEPS = ("tv", "nuclear", "equalities")
"""Structures on which a step of ours takes long: their quick runs are shorter."""
RIDGES = ("squares", "logistic", "poisson", "cox", "quantile")
SAMPLED = (*RIDGES, "logdet", "inventory", "queue")
LARGE, LARGE_MULTIPLE = 5000, 10
"""Beyond LARGE variables only the full loss runs, for 10 evaluations a variable."""
DRIFTING = ("squares", "logistic", "poisson")
DRIFTING_VARIABLES = 100
SEED = 0
OURS = ("zoo", "zoo unannounced", "reference")
"""Both halves and all sizes; peers have the half that is held out."""
PEER_VARIABLES = 300
"""Peers run to 300 variables, those below to fewer or more: a run is repeated for every constant of
their grids."""
MOST_VARIABLES = {
    "scipy-lbfgsb": 2000,
    "nlopt-bobyqa": 60,
    "nlopt-newuoa": 60,
    "pycma": 60,
    "spsa": 60,
    "nevergrad-oneplusone": 60,
    "nevergrad-tbpsa": 60,
}
WITHOUT_RUNS = ("scipy-cobyqa", "nevergrad-cma", "nevergrad-ngopt")
"""Left out for lack of time: a run with all their constants takes minutes. The suite of
`python -m benchmarks` has them."""
WITH_GRADIENTS = ("o-admm-tuned",)
"""A bound for the paper's method, given true gradients: no peer."""


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
    """full; sampled where observations are known; others to 300 variables."""
    loss, structure, size = name.split("-")
    if int(size) > LARGE:
        return ["full"]
    found = ["full"]
    found += ["sampled"] if loss in SAMPLED else []
    if int(size) > QUICK_VARIABLES:
        return found
    found += ["noisy"] if structure in ("l1", "none", "simplex", "box", "equalities") else []
    found += ["streamed"] if loss in ("squares", "logistic") and int(size) <= 100 else []
    followed = loss in DRIFTING and structure != "tv" and int(size) <= DRIFTING_VARIABLES
    return found + (["drifting"] if followed else [])


def quick_jobs() -> list[Job]:
    """The building half only; every problem full, and in one other regime that does not drift."""
    jobs = []
    for index, name in enumerate(names("building")):
        m = int(name.split("-")[2])
        if m > QUICK_VARIABLES:
            continue
        others = [regime for regime in regimes(name)[1:] if regime != "drifting"]
        for regime in ["full", *others[index % len(others) :][:1]] if others else ["full"]:
            slow = name.split("-")[1] in SLOW_STEPS
            counts = _checkpoints(m, 30 if slow else QUICK_MULTIPLE, QUICK_MOST)
            jobs.append(Job(_named(name, regime), m, regime, 0, counts))
    return jobs


def full_jobs(solver: str) -> list[Job]:
    """All regimes from one seed; ours on both halves."""
    return [*judged_jobs(solver), *(_jobs("building") if solver in OURS else [])]


def judged_jobs(solver: str) -> list[Job]:
    """The half that is held out."""
    if solver in (*WITHOUT_RUNS, *WITH_GRADIENTS):
        return []
    if solver in OURS:
        return _jobs("held-out")
    most = MOST_VARIABLES.get(solver, PEER_VARIABLES)
    return [job for job in _jobs("held-out") if job.m <= most]


def _jobs(half: Half) -> list[Job]:
    jobs = []
    for name in names(half):
        m = int(name.split("-")[2])
        large = m > LARGE
        counts = _checkpoints(
            m, LARGE_MULTIPLE if large else MULTIPLES[-1], LARGE_MULTIPLE * m if large else MOST
        )
        jobs += [Job(_named(name, regime), m, regime, SEED, counts) for regime in regimes(name)]
    return jobs


def _named(name: str, regime: str) -> str:
    return name if regime == "full" else f"{name}@{regime}"
