"""Fig. 1(a): the test RMSE of blended recommenders under minibatch strategies."""

from __future__ import annotations

from zooadmm_reproduction.blending import fig1a_claims as says
from zooadmm_reproduction.blending import pictures, plan
from zooadmm_reproduction.blending.data import check
from zooadmm_reproduction.blending.measures import BEST, FACTOR, FLOOR, blended, marks_of
from zooadmm_reproduction.blending.runs import WAY
from zooadmm_reproduction.blending.strategies import COROLLARY, FIFTY, ROWS, Setting
from zooadmm_reproduction.blending.tables import ends, references
from zooadmm_reproduction.claims import Claim
from zooadmm_reproduction.exhibits import Exhibit, Table
from zooadmm_reproduction.experiment import Experiment, Piece, Size
from zooadmm_reproduction.rows import Row

THERE = f"{WAY:.0%} of the way from the start's test RMSE to that of least squares"


class Fig1a(Experiment):
    """Minibatch strategies on the blending problem."""

    name = "fig1a"
    title = "Blending recommenders: test error under minibatch strategies"
    paper = (
        "The paper blends 237 models that predict 131,072 ratings of music: half of the ratings to "
        "learn the weights from, half to test. Those predictions are private. In their place stand "
        "237 recommenders trained here on joke ratings (Jester; films of MovieLens where that file "
        "is absent), and a synthetic twin. Verdicts come from the real ratings; the twin is a "
        "remark. Weights lie in [-1, 1], as the theory needs a bounded set and the paper names "
        "none. The step 1/sqrt(m t) of Sec. 6 depends on the unit of the ratings, which the paper "
        "does not name. So the unit is swept: ratings and predictions are divided by a number that "
        "gives the loss a largest curvature (eigenvalue of its Hessian) of 0.1 to 100, and left as "
        "they are. This moves no minimizer. Step, start, rho and beta are those of Sec. 6, the "
        "same for every method. Methods are compared as the paper does, by the test RMSE at given "
        f"iterations, as its excess over that of least squares: significant is a factor of "
        f"{FACTOR:g}. A last setting has the steps of Corollary 3, which grow with the minibatch."
    )

    def pieces(self, size: Size, seed: int) -> list[Piece]:
        """Those of Fig. 1(b), and all other strategies."""
        check()
        return [*plan.of_strategies(size, seed), *plan.of_both(size, seed)]

    def exhibits(self, rows: list[Row]) -> list[Exhibit]:
        """The sweep, courses in four settings, a comparison by evaluations, and all numbers."""
        floor = f"What is nearer than {FLOOR}% is drawn at {FLOOR}%."
        which = f"{blended(rows)} {floor}"
        return [
            pictures.units("fig1a", rows, f"The unit of the ratings decides: geometric means over "
                           f"seeds, the step of Sec. 6 for all methods. {which}"),
            pictures.courses("fig1a-courses", rows, (Setting(1.0), Setting(20.0)),
                             f"Along the iterations in two of the units. {BANDS} {which}"),
            pictures.courses("fig1a-corollary", rows, (COROLLARY,),
                             "With the steps of Corollary 3 as printed, longer for larger "
                             f"minibatches. {BANDS} {which}"),
            pictures.evaluations("fig1a-evaluations", rows,
                                 "Where each strategy ends with the steps of Corollary 3, against "
                                 "the values of the loss that it took; and zooadmm's default "
                                 f"settings, on the ratings as they are. {which}"),
            Table(
                says.UNITS,
                "In every unit: the verdict on each claim, and what was measured, at "
                f"{_marks(rows)} iterations. Directions and observations: how many times the "
                "excess of the minibatch q = 1 has. Mitigated: how many times the excess of "
                "O-ADMM q = 1 and 50 directions have. Best: 50 directions beside least squares.",
                says.by_unit(rows),
            ),
            Table("fig1a-ends",
                  "All strategies: percent of the test RMSE above least squares at given "
                  f"iterations (geometric means) and at the end (95% intervals over seeds), and "
                  f"the first iteration that has come {THERE}, in runs that end at least as near.",
                  ends(rows)),
            Table("fig1a-references",
                  "Test RMSE of blends that Algorithm 1 did not make.", references(rows)),
        ]  # fmt: skip

    def claims(self, rows: list[Row]) -> list[Claim]:
        """Acceleration twice, mitigation, the best RMSE, and the private number."""
        how = (
            f"Excess of the test RMSE over least squares', at {_marks(rows)} iterations; a claim "
            f"holds in a unit if the factor is {FACTOR:g} at one of them and at none the reverse. "
            f"In brackets, iterations until x has come {THERE}. {blended(rows)}"
        )
        return [
            says.accelerated(rows, FIFTY, "Averaging over directions", how),
            says.accelerated(rows, ROWS, "Averaging over observations", how, (5,)),
            says.mitigated(rows, how),
            says.best(rows, f"Best: at most {BEST:g}% above least squares, and no worse than the "
                            f"plain average. {blended(rows)}"),
            says.private(rows),
        ]  # fmt: skip


BANDS = "Lines are means over seeds, bands reach from the least to the largest."


def _marks(rows: list[Row]) -> str:
    return ", ".join(f"{mark:,}" for mark in marks_of(rows))
