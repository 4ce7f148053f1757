"""Table 1: how many of the selected genes have the largest univariate Cox scores."""

from __future__ import annotations

from typing import ClassVar

from zooadmm_reproduction.claims import Claim
from zooadmm_reproduction.exhibits import Exhibit, Table
from zooadmm_reproduction.experiment import Experiment, Piece, Size
from zooadmm_reproduction.rows import Row
from zooadmm_reproduction.survival.cohort import DATA
from zooadmm_reproduction.survival.overlap import counts, eighty_percent, significance
from zooadmm_reproduction.survival.overlap_table import overlaps, picture_of_chance
from zooadmm_reproduction.survival.pieces import TABLE_STRENGTHS, of_table


class Table1(Experiment):
    """Genes in common with those of the largest univariate scores, and with chance."""

    name: ClassVar[str] = "table1"
    title: ClassVar[str] = "Selected genes in common with univariate Cox scores"
    paper: ClassVar[str] = (
        "Table 1 has the number of genes that ZOO-ADMM selects at three strengths and how many of "
        "them have large univariate Cox scores (Witten and Tibshirani). Overlap, which the paper "
        "does not define, is here: of the k selected genes, the part among the k genes with the "
        "largest absolute scores on the same patients. Beside it stands chance: k genes drawn at "
        "random from the 160 have k/160 of them in common with any k, so that an overlap near 1 "
        "says nothing where nearly all are selected. The runs are those of Fig. 3, and runs with "
        "the constants of the authors' released program (rho = 0.1, beta_t = 1/(t m^2.5), a "
        "constant alpha, 70 directions, x_1 = 0.1, columns of norm 1 with L1 weights 1/norm). "
        + DATA
    )

    def pieces(self, size: Size, seed: int) -> list[Piece]:
        return of_table(size, seed)

    def exhibits(self, rows: list[Row]) -> list[Exhibit]:
        mine = [row for row in rows if row["strength"] in TABLE_STRENGTHS]
        caption = (
            "Selected genes and their overlap with the genes of the largest scores; intervals are "
            "over seeds, those that select any gene. Chance: mean and 95% interval of the overlap "
            "for the rounded mean number of genes; p: how probable an overlap as large is by "
            "chance, in the seed where it is most probable. The paper's row is as if its genes "
            "were these 160, its overlap rounded down: 80.1% of 19 and 92.3% of 93 are whole "
            "numbers of genes for no single run with these denominators."
        )
        return [Table("table1", caption, overlaps(mine)), picture_of_chance(mine)]

    def claims(self, rows: list[Row]) -> list[Claim]:
        return [counts(rows), eighty_percent(rows), significance(rows)]
