"""ZOO-ADMM without knobs: no step size, penalty, smoothing radius or batch size to choose."""

from zooadmm.methods.auto.learned import Learned
from zooadmm.methods.auto.router import Adaptive
from zooadmm.methods.auto.settings import PARTS, Auto
from zooadmm.methods.auto.setup import Setup

__all__ = ["PARTS", "Adaptive", "Auto", "Learned", "Setup"]
