"""Fig. 2(a): the error of the chosen sensors against their number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from zooadmm_reproduction.claims import Claim, Remark
from zooadmm_reproduction.exhibits import Exhibit
from zooadmm_reproduction.experiment import Experiment, Piece, Size
from zooadmm_reproduction.rows import Row, where
from zooadmm_reproduction.sensors import fig2a_claims as says
from zooadmm_reproduction.sensors import fig2a_pictures as draw
from zooadmm_reproduction.sensors.budgeting import course
from zooadmm_reproduction.sensors.selecting import (
    PROVEN,
    colorado_trial,
    field_trial,
    whole_trial,
)
from zooadmm_reproduction.sensors.task import DIRECTIONS

M, T = 100, 1000
"""The paper's sensors and samples; on Colorado, T iterations that go through the years in turn."""

COURSE_BUDGET = 10
"""The budget whose course along the iterations is shown."""


@dataclass(frozen=True)
class Extent:
    """How much is run: budgets, and trials of each part."""

    budgets: tuple[int, ...]
    field: int
    whole: int
    colorado: int
    course: int


EXTENTS = {
    Size.QUICK: Extent((10, 30, 60), 3, 2, 3, 2),
    Size.FULL: Extent((10, 20, 30, 40, 50, 60), 50, 15, 20, 8),
}


class Fig2a(Experiment):
    """MSE against the number of selected sensors."""

    name: ClassVar[str] = "fig2a"
    title: ClassVar[str] = "Sensor selection: error against the number of selected sensors"
    paper: ClassVar[str] = (
        f"The paper chooses m0 of {M} sensors of a random field with 5 unknowns from {T} samples, "
        "and shows the mean squared error of ZOO-ADMM, O-ADMM and the second-order method of Joshi "
        "and Boyd over 50 trials. Here ZOO-ADMM and O-ADMM have the constants of Sec. 6, sample t "
        f"at iteration t, {DIRECTIONS} directions, and answer with the average of their iterates; "
        "they start at (m0/m) 1, as the loss is infinite at 0. Joshi and Boyd's method minimizes "
        f"the mean over all samples to {PROVEN:g}, as printed; the released program has one pooled "
        "log-determinant there (timed in Fig. 2(b)). Our default settings take as many single "
        "values as ZOO-ADMM. The m0 sensors of largest weight are chosen. The paper does not "
        "define its MSE: the released program computes tr of one pooled inverse, that of the "
        "information of all samples together; beside it stands the mean over the samples of such "
        "traces. A choice at random shows what the MSE can tell. The same is done with 104 "
        "weather stations in Colorado, of which the paper claims nothing."
    )

    def pieces(self, size: Size, seed: int) -> list[Piece]:
        much = EXTENTS[size]
        whole = [
            Piece(f"sensors-whole-{k}", whole_trial, (seed, k, M, T, much.budgets))
            for k in range(much.whole)
        ]
        field = [
            Piece(f"sensors-field-{k}", field_trial, (seed, k, M, T, much.budgets))
            for k in range(much.field)
        ]
        colorado = [
            Piece(f"sensors-colorado-{k}", colorado_trial, (seed, k, T, much.budgets))
            for k in range(much.colorado)
        ]
        courses = [
            Piece(f"sensors-course-{k}", course, (seed, k, M, T, COURSE_BUDGET))
            for k in range(much.course)
        ]
        return whole + field + colorado + courses

    def exhibits(self, rows: list[Row]) -> list[Exhibit]:
        field, colorado = where(rows, part="field"), where(rows, part="colorado")
        course_rows = where(rows, part="course")
        return [
            draw.errors(field, "fig2a", FIELD),
            draw.random_choice(field, colorado, RATIOS),
            draw.gains(field, colorado, CRITERION),
            draw.errors(colorado, "fig2a-colorado", COLORADO),
            draw.held_out(colorado, HELD_OUT),
            draw.budgets(course_rows, f"{BUDGET} {says.budget_remark(course_rows)}"),
        ]

    def claims(self, rows: list[Row]) -> list[Claim]:
        field = where(rows, part="field")
        return [
            says.almost_the_same(field, "on the random field", "fig2a"),
            says.second_order_better(field, "on the random field", "fig2a"),
            says.because_second_order(field + where(rows, part="whole")),
        ]

    def remarks(self, rows: list[Row]) -> list[Remark]:
        colorado, at = where(rows, part="colorado"), ("on Colorado's stations", "fig2a-colorado")
        return [
            says.blind_choice(where(rows, part="field")),
            says.elsewhere(says.almost_the_same(colorado, *at)),
            says.elsewhere(says.second_order_better(colorado, *at)),
        ]


FIELD = (
    "The random field of the paper: by how much the MSE of the chosen sensors is above that of "
    "Joshi and Boyd's method in the same trial. Lines are means over the trials, bands their 95% "
    "intervals. First panel: the mean over samples; second: the released program's reading. A "
    "choice at "
    "random is beyond the frame where it is not seen."
)
RATIOS = (
    "MSE over that of Joshi and Boyd's choice, means over the trials, in both readings: what "
    "choosing at random costs, and what ZOO-ADMM does."
)
CRITERION = (
    "What is minimized is not the MSE but the mean of -log det over the samples. Of the decrease "
    "from the start to the optimum, the part that each method has made, with all weights brought "
    "to the budget by projection; 100% is Joshi and Boyd's optimum. First panel: the random "
    "field; second: "
    "Colorado's stations."
)
COLORADO = (
    "104 stations in Colorado, whose field is a combination of five patterns. A sample is a year "
    f"with its own patterns; a trial draws 36 of the 48 years. ZOO-ADMM and O-ADMM make {T} "
    "iterations, through the years in turn. The years of two trials overlap: the trials are not "
    "independent, and the intervals too narrow. A choice at random is beyond the frame where it is "
    "not seen."
)
HELD_OUT = (
    "Colorado, what the choice is for: the root mean squared error in degrees Celsius of the "
    "monthly temperature at stations not chosen, reconstructed from the chosen ones in the twelve "
    "years left out. Means over the trials with 95% intervals."
)
BUDGET = (
    f"What the budget does: how many sensors x_t uses beyond m0 = {COURSE_BUDGET}, and how far the "
    "criterion over all samples is above its optimum at x_t as it stands. A line for each trial. "
    "What holds at every x_t = y'_t is x = y, not the budget (erratum 11)."
)
