"""`settings="svrg"` and "spider": ADMM with variance-reduced estimates, to compare with."""

from zooadmm.methods.variance_reduced.settings import SPIDER, SVRG, Corrections

__all__ = ["SPIDER", "SVRG", "Corrections"]
