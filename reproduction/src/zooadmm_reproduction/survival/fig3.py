"""Fig. 3: partial likelihood and number of selected genes along gamma."""

from __future__ import annotations

from typing import ClassVar

from zooadmm_reproduction.claims import Claim
from zooadmm_reproduction.exhibits import AUTO, Exhibit
from zooadmm_reproduction.experiment import Experiment, Piece, Size
from zooadmm_reproduction.rows import Row, where
from zooadmm_reproduction.survival.along_gamma import picture
from zooadmm_reproduction.survival.cohort import DATA
from zooadmm_reproduction.survival.pieces import SCALES, of_figure
from zooadmm_reproduction.survival.runs import EXACT
from zooadmm_reproduction.survival.tradeoff import more_genes, near_first_order


class Fig3(Experiment):
    """Likelihood and genes along gamma, and what the figure is said to show."""

    name: ClassVar[str] = "fig3"
    title: ClassVar[str] = "Sparse Cox regression: likelihood and genes along gamma"
    paper: ClassVar[str] = (
        "Fig. 3 has the partial likelihood and the number of selected genes for a range of gamma, "
        "by ZOO-ADMM and O-ADMM. Here both have the constants of Sec. 6 (rho = 10, "
        "eta_t = 1/sqrt(m t), beta_t = 1/(m^1.5 t), 30 directions), in two readings: an iteration "
        "sees the term of one event, as the supplement writes it, or all events. Left open and "
        "chosen here: the number of iterations T "
        f"({SCALES[Size.FULL].iterations:,}; quick: {SCALES[Size.QUICK].iterations:,}), the range "
        "of gamma, and the answer, which is the last y, the side with zeros. Beside them: the "
        "exact optimum by scikit-survival's Coxnet, and SparseCox with this library's default "
        f"settings and up to {SCALES[Size.FULL].evaluations:,} values of the likelihood (quick: "
        f"{SCALES[Size.QUICK].evaluations:,}). {DATA}"
    )

    def pieces(self, size: Size, seed: int) -> list[Piece]:
        return of_figure(size, seed)

    def exhibits(self, rows: list[Row]) -> list[Exhibit]:
        band = "Lines are means over seeds, bands reach from the lowest to the highest seed."
        return [
            picture(
                "fig3",
                rows,
                {"likelihood": "log partial likelihood per patient",
                 "genes": "selected genes of 160"},
                "Log partial likelihood of the training patients, (20) without its sign, and genes "
                f"whose coefficient is not zero, with the same lines. {band} "
                f"{_off(rows, 'likelihood')} In genes {_off(rows, 'genes', 'they')}",
            ),
            picture(
                "fig3-concordance",
                rows,
                {"concordance": "concordance, training patients",
                 "test concordance": "concordance, test patients"},
                "Harrell's concordance on the 372 patients fitted and on the 160 test patients "
                "(0.5: no better than a coin).",
            ),
        ]  # fmt: skip

    def claims(self, rows: list[Row]) -> list[Claim]:
        return [near_first_order(rows), more_genes(rows)]


def _off(rows: list[Row], quantity: str, who: str = "The default settings") -> str:
    """How far the default settings are from the exact optimum, where they are farthest."""
    found = [
        (abs(float(run[quantity]) - float(best[quantity])), run["strength"])
        for best in where(rows, method=EXACT)
        for run in where(rows, method=AUTO, strength=best["strength"])
    ]
    farthest, strength = max(found)
    return f"{who} differ from the optimum by at most {farthest:.2g} (at gamma = {strength})."
