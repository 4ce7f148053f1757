"""Fig. 2(b): seconds against the number of variables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from zooadmm_reproduction.claims import Claim, Remark
from zooadmm_reproduction.exhibits import Exhibit
from zooadmm_reproduction.experiment import Experiment, Piece, Size
from zooadmm_reproduction.rows import Row
from zooadmm_reproduction.sensors import fig2b_claims as says
from zooadmm_reproduction.sensors import fig2b_pictures as draw
from zooadmm_reproduction.sensors.conic import (
    SAMPLES,
    conic_trial,
    pooled_trial,
    require_conic_solver,
)
from zooadmm_reproduction.sensors.task import DIRECTIONS
from zooadmm_reproduction.sensors.timing import BUDGET, PROVEN, timed_trial

T = 1000
"""The samples, for every m; and the iterations, one sample each."""

VALUES = (DIRECTIONS + 1) * T
"""What the iterations of ZOO-ADMM take, and the default settings are given."""


@dataclass(frozen=True)
class Extent:
    """How much is run.

    seconds: that Algorithm 1 has for half the gap. conic_seconds: after which no larger m is tried.
    """

    sizes: tuple[int, ...]
    trials: int
    seconds: float
    conic_sizes: tuple[int, ...]
    conic_trials: int
    conic_seconds: float


EXTENTS = {
    Size.QUICK: Extent((50, 100, 200), 2, 2.0, (50, 100), 1, 3.0),
    Size.FULL: Extent((50, 100, 200, 400, 800), 10, 15.0, (50, 100, 200, 400), 3, 10.0),
}


class Fig2b(Experiment):
    """Computation time against the number of optimization variables."""

    name: ClassVar[str] = "fig2b"
    title: ClassVar[str] = "Sensor selection: computation time against the number of variables"
    timed: ClassVar[bool] = True
    paper: ClassVar[str] = (
        "The paper shows the computation time of ZOO-ADMM against the number m of sensors, and "
        "says neither how long each method was run nor to what accuracy. Here both are shown, in "
        f"processor seconds of one thread, on fields with {T} samples and a budget of {BUDGET} for "
        f"every m. As usually run: {T} iterations of ZOO-ADMM and of O-ADMM, one sample each; "
        f"{VALUES} single values for our default settings; Joshi and Boyd's method on all samples "
        f"until it has proved to be within {PROVEN:g} of the optimum; and a conic solver (cvxpy "
        "with Clarabel, modeling included) to its own tolerance, on the mean over "
        f"{SAMPLES} samples only, and on one log-determinant of the matrix pooled over all "
        "samples (SCS), which is another problem and what the authors' released program solves as "
        "the second-order rival. To the same accuracy: until half of f(x_1) - f* is gone, f over "
        "all samples at the feasible weights nearest to the average of the iterates. This favors "
        "ZOO-ADMM and O-ADMM: they are observed from outside, at no cost, and end at once, and "
        "our default settings know the value to reach, while Joshi and Boyd's method has to "
        "prove with its own bound that it is so near to an optimum it does not know."
    )

    def pieces(self, size: Size, seed: int) -> list[Piece]:
        require_conic_solver()
        much = EXTENTS[size]
        fields = [
            Piece(f"sensors-time-{m}-{k}", timed_trial, (seed, k, m, T, much.seconds))
            for m in reversed(much.sizes)
            for k in range(much.trials)
        ]
        conic = [
            Piece(
                f"sensors-conic-{k}",
                conic_trial,
                (seed, k, much.conic_sizes, much.conic_seconds),
            )
            for k in range(much.conic_trials)
        ]
        pooled = [
            Piece(f"sensors-pooled-{k}", pooled_trial, (seed, k, much.sizes, T))
            for k in range(much.trials)
        ]
        return fields + conic + pooled

    def exhibits(self, rows: list[Row]) -> list[Exhibit]:
        return [
            draw.seconds(rows, SECONDS),
            draw.parts(rows, PARTS, T),
            draw.exponents(rows, EXPONENTS),
        ]

    def claims(self, rows: list[Row]) -> list[Claim]:
        return [
            says.faster_as_usual(rows, T),
            says.because_nothing_is_inverted(rows, T),
        ]

    def remarks(self, rows: list[Row]) -> list[Remark]:
        return [says.until_half(rows)]


SECONDS = (
    f"First panel: {T} iterations of ZOO-ADMM and O-ADMM, {VALUES} values for the default "
    f"settings, Joshi "
    f"and Boyd's method until within a proven {PROVEN:g} of the optimum, the conic solver to its "
    f"tolerance on {SAMPLES} of {T} samples, and on one pooled log-determinant. These end at "
    "different accuracies. Second panel: the time until half of the gap between start and "
    "optimum has "
    "gone, which Joshi and Boyd's method has to prove and the others do not; a hollow triangle is "
    "a run that was given up before. The default settings there take values of the mean over all "
    "samples. Dots are trials; lines are their geometric means, where no trial was given up."
)
PARTS = (
    "What the seconds are made of. The inverse that O-ADMM needs is of order n = 5, whatever m. A "
    "Newton step has the Hessian over all samples, a number of operations like m squared, and its "
    "m x m system, one like m cubed."
)
EXPONENTS = (
    "The exponent p of seconds ~ m^p with its 95% interval, over the m at which no trial was given "
    "up, and the seconds at both ends of them. Exponents of this range of m, not limits."
)
