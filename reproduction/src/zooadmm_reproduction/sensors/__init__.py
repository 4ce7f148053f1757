"""Sensor selection: the paper's Fig. 2, on its random field and on Colorado's stations."""

from zooadmm_reproduction.sensors.fig2a import Fig2a
from zooadmm_reproduction.sensors.fig2b import Fig2b

__all__ = ["Fig2a", "Fig2b"]
