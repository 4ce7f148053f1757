"""Sparse Cox regression on the kidney cohort: Fig. 3 and Table 1."""

from zooadmm_reproduction.survival.fig3 import Fig3
from zooadmm_reproduction.survival.table1 import Table1

__all__ = ["Fig3", "Table1"]
