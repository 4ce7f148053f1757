"""Fig. 3: partial likelihood and number of selected genes along gamma."""

from __future__ import annotations

from typing import ClassVar

from zooadmm.experiments.claims import Claim
from zooadmm.experiments.exhibits import Exhibit
from zooadmm.experiments.experiment import Experiment, Piece, Size
from zooadmm.experiments.rows import Row
from zooadmm.experiments.survival.along_gamma import picture
from zooadmm.experiments.survival.cohort import DATA
from zooadmm.experiments.survival.pieces import of_figure
from zooadmm.experiments.survival.tradeoff import more_genes, near_first_order


class Fig3(Experiment):
    """Likelihood and genes along gamma, and what the figure is said to show."""

    name: ClassVar[str] = "fig3"
    title: ClassVar[str] = "Sparse Cox regression: likelihood and genes along gamma"
    paper: ClassVar[str] = (
        "Fig. 3 has the partial likelihood and the number of selected genes for a range of gamma, "
        "by ZOO-ADMM and O-ADMM. Here both have the constants of Sec. 6 (rho = 10, "
        "eta_t = 1/sqrt(m t), beta_t = 1/(m^1.5 t), 30 directions), in two readings: an iteration "
        "sees the term of one event, as the supplement writes it, or all events. Left open and "
        "chosen here: the number of iterations T (10,000; quick: 1,000), the range of gamma, and "
        "the answer, which is the last y, the side with zeros. Beside them: the exact optimum by "
        "scikit-survival's Coxnet, and SparseCox with this library's default settings and up to "
        "10,000 values of the likelihood (quick: 3,200). " + DATA
    )

    def pieces(self, size: Size, seed: int) -> list[Piece]:
        return of_figure(size, seed)

    def exhibits(self, rows: list[Row]) -> list[Exhibit]:
        both = (
            "Lines are means over seeds, bands reach from the lowest to the highest seed. The "
            "default settings lie on the exact optimum where they had evaluations enough."
        )
        return [
            picture(
                "fig3",
                rows,
                "likelihood",
                "log partial likelihood per patient",
                f"Log partial likelihood of the training patients, (20) without its sign. {both}",
            ),
            picture(
                "fig3-genes",
                rows,
                "genes",
                "selected genes of 160",
                f"Genes whose coefficient is not zero. {both}",
            ),
            picture(
                "fig3-concordance-train",
                rows,
                "concordance",
                "concordance, training patients",
                "Harrell's concordance on the 372 patients fitted (0.5: no better than a coin).",
            ),
            picture(
                "fig3-concordance",
                rows,
                "test concordance",
                "concordance, test patients",
                "Harrell's concordance on the 160 test patients (0.5: no better than a coin). The "
                "likelihood of the training patients goes on growing where this no longer does.",
            ),
        ]

    def claims(self, rows: list[Row]) -> list[Claim]:
        return [near_first_order(rows), more_genes(rows)]
