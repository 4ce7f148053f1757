"""Which problems: 100 d evaluations to d = 160, 1,000 d to d = 40.

Odd instances chose constants: the even ones judge.
"""

from __future__ import annotations

from benchmarks.coco.problems import BBOB, CONSTRAINED, LARGE, NOISY, Place

SHORT, LONG = 100, 1000
LONG_TO = 40
LARGEST = 160
UNIMODAL = (1, 2, 5, 8, 9, 10, 11, 12, 13, 14)
OTHERS = tuple(f for f in range(1, 25) if f not in UNIMODAL)
INSTANCES = range(1, 6)
FIRST = (2,)
SLOW_PEERS = ("cobyqa",)
"""A run takes it up to a minute: bbob in 10 variables."""
WITHOUT_RUNS = ("py-bobyqa", "nomad", "cobyla")
"""Left out for lack of time: a run takes them a minute. S2MPJ compares them."""
MOST_VARIABLES = {"bobyqa": 20}
"""A run in 40 variables takes it 20 s, on bbob-largescale more than a minute."""


def budget(place: Place) -> int:
    """Evaluations; constrained and noisy runs have the long budget too."""
    return (LONG if place.dimension <= LONG_TO else SHORT) * place.dimension


def quick_places() -> list[Place]:
    """The unimodal functions of bbob in 10 dimensions, and a few of every other suite."""
    found = [Place(BBOB, f, 10, i) for f in UNIMODAL for i in (1, 2)]
    found += [Place(BBOB, f, 20, 1) for f in (1, 8, 10, 14)]
    found += [Place(LARGE, f, 80, 1) for f in (1, 2, 8, 14)]
    found += [Place(NOISY, f, 10, 1) for f in (101, 104, 116)]
    return found + [Place(CONSTRAINED, f, 10, 1) for f in (1, 2)]


def judged_places() -> list[Place]:
    """The unimodal functions of bbob to 40 dimensions; even instances chose no constant."""
    return [Place(BBOB, f, d, i) for d in (10, 20, 40) for f in UNIMODAL for i in INSTANCES]


def full_places(solver: str) -> list[Place]:
    """Five instances of functions with one basin, one of the others."""
    if solver in WITHOUT_RUNS:
        return []
    if solver in SLOW_PEERS:
        return [Place(BBOB, f, 10, 2) for f in UNIMODAL]
    found = [Place(BBOB, f, d, i) for d in (5, 10, 20, 40) for f in UNIMODAL for i in INSTANCES]
    found += [Place(BBOB, f, d, i) for d in (5, 10, 20) for f in OTHERS for i in FIRST]
    found += [Place(LARGE, f, d, i) for d in (80, 160) for f in UNIMODAL for i in FIRST]
    found += [Place(NOISY, f, 10, i) for f in range(101, 131) for i in FIRST]
    found += [Place(NOISY, f, 20, i) for f in range(101, 122) for i in FIRST]
    found += [Place(CONSTRAINED, f, 10, i) for f in range(1, 55) for i in FIRST]
    return [place for place in found if place.dimension <= MOST_VARIABLES.get(solver, LARGEST)]
