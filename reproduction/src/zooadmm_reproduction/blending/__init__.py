"""Blending recommenders: the paper's black-box optimization, Fig. 1."""

from zooadmm_reproduction.blending.fig1a import Fig1a
from zooadmm_reproduction.blending.fig1b import Fig1b

__all__ = ["Fig1a", "Fig1b"]
