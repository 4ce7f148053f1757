"""Which problems, levels of noise and seeds."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.noise.problems import SIGMAS, SMOOTH, SQUARES
from benchmarks.s2mpj.selection import size

SIMPLEX_GRADIENTS, QUICK_SIMPLEX_GRADIENTS = 200, 100
REFERENCE = "reference"
QUICK_PROBLEMS = ("ARWHEAD", "BROWNAL", "PENALTY1", "TRIDIA", "VARDIM", "KOWOSBNE", "BROYDN3D")
QUICK_SIGMAS = ("sigma-1e-6", "sigma-1e-3", "sigma-1e-1")
SEEDS = (7, 8, 9, 10, 11)
"""Not used while the method was built."""
SLOW = ("METHANL8", "OSBORNE2")
"""Least squares whose 200 (n + 1) values take more than 12 s of processor time."""
ONE_SEED = ("py-bobyqa", "cobyla")
"""Peers without runs of the further seeds, for lack of time."""
SLOW_PEERS = ("py-bobyqa", "cobyqa")
"""A run takes them up to a minute: the judged runs, least squares without them."""


@dataclass(frozen=True)
class Job:
    """One problem at one level of noise from one seed."""

    problem: str
    sigma: str
    seed: int
    simplex_gradients: int = SIMPLEX_GRADIENTS


def quick_jobs() -> list[Job]:
    return [Job(p, s, 0, QUICK_SIMPLEX_GRADIENTS) for p in QUICK_PROBLEMS for s in QUICK_SIGMAS]


def judged_jobs() -> list[Job]:
    """Smooth problems of six variables and more; by name, every second one chose no constant.

    Those have all seeds, the others the first.
    """
    problems = [problem for problem in SMOOTH if size(problem) >= 6]
    found = [Job(p, s, SEEDS[0]) for p in problems for s in QUICK_SIGMAS]
    judging = sorted(problems)[1::2]
    return found + [Job(p, s, seed) for seed in SEEDS[1:] for p in judging for s in QUICK_SIGMAS]


def full_jobs(solver: str) -> list[Job]:
    """All levels, and the judged runs; DFO-LS on least squares, slow peers on the judged runs."""
    judged = [job for job in judged_jobs() if job.seed == SEEDS[0] or solver not in ONE_SEED]
    if solver in SLOW_PEERS:
        return judged
    squares = [problem for problem in SQUARES if problem not in SLOW]
    if solver == REFERENCE:
        return [Job(problem, "sigma-0", SEEDS[0]) for problem in (*SMOOTH, *squares)]
    if solver == "dfo-ls":
        return [Job(problem, sigma, SEEDS[0]) for problem in squares for sigma in SIGMAS]
    once = [Job(p, sigma, SEEDS[0]) for p in (*SMOOTH, *squares) for sigma in SIGMAS]
    return list(dict.fromkeys([*once, *judged]))
