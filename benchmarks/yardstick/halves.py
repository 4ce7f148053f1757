"""Which runs judge the method, and which ones chose its constants."""

from __future__ import annotations

from functools import cache

from benchmarks.yardstick.runs import Run

JUDGES, CHOSE, OTHER = "judges", "chose constants", "neither"


def half(suite: str, run: Run) -> str:
    """Whether the problem of a run judges or chose constants; "neither" if it did nothing yet.

    COCO's even instances judge. By name, the second, fourth ... of S2MPJ's judged problems of a
    kind and of the smooth noisy problems do. The structured suite has a file of its halves.
    """
    match suite:
        case "s2mpj":
            return _of_s2mpj(run.problem, run.group)
        case "coco":
            return JUDGES if int(run.problem.rpartition("-i")[2]) % 2 == 0 else CHOSE
        case "noise":
            return _of_noise(run.problem)
        case "structured":
            return JUDGES if run.group == "held-out" else CHOSE
    return OTHER


@cache
def _of_s2mpj(problem: str, kind: str) -> str:
    from benchmarks.s2mpj.selection import JUDGED

    if problem not in JUDGED:
        return OTHER
    return JUDGES if problem in _judging(kind) else CHOSE


@cache
def _judging(kind: str) -> frozenset[str]:
    from benchmarks.s2mpj.selection import judging_half

    return frozenset(judging_half(kind))


@cache
def _of_noise(problem: str) -> str:
    from benchmarks.noise.plan import judged_jobs

    named = sorted({job.problem for job in judged_jobs()})
    if problem not in named:
        return OTHER
    return JUDGES if named.index(problem) % 2 else CHOSE
