"""Which problems, levels of noise and seeds."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.noise.problems import SIGMAS, SMOOTH, SQUARES
from benchmarks.s2mpj.selection import size

SIMPLEX_GRADIENTS, QUICK_SIMPLEX_GRADIENTS = 200, 100
REFERENCE = "reference"
QUICK_PROBLEMS = ("ARWHEAD", "BROWNAL", "PENALTY1", "TRIDIA", "VARDIM", "KOWOSBNE", "BROYDN3D")
QUICK_SIGMAS = ("sigma-1e-6", "sigma-1e-3", "sigma-1e-1")
SEED = 7
"""Not used while the method was built."""
SLOW = ("METHANL8", "OSBORNE2")
"""Least squares whose 200 (n + 1) values take more than 12 s of processor time."""
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
    """Smooth problems of six variables and more; by name, every second one chose no constant."""
    problems = [problem for problem in SMOOTH if size(problem) >= 6]
    return [Job(p, s, SEED) for p in problems for s in QUICK_SIGMAS]


def full_jobs(solver: str) -> list[Job]:
    """All levels; DFO-LS on least squares, slow peers on the judged runs."""
    if solver in SLOW_PEERS:
        return judged_jobs()
    squares = [problem for problem in SQUARES if problem not in SLOW]
    if solver == REFERENCE:
        return [Job(problem, "sigma-0", SEED) for problem in (*SMOOTH, *squares)]
    problems = squares if solver == "dfo-ls" else (*SMOOTH, *squares)
    return [Job(problem, sigma, SEED) for problem in problems for sigma in SIGMAS]
