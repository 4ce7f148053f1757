"""Sensor selection: the paper's Fig. 2, on its random field and on Colorado's stations."""

from zooadmm.experiments.sensors.fig2a import Fig2a
from zooadmm.experiments.sensors.fig2b import Fig2b

__all__ = ["Fig2a", "Fig2b"]
