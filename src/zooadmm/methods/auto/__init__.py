"""ZOO-ADMM without knobs: no step size, penalty, smoothing radius or batch size to choose."""

from zooadmm.methods.auto.given import Given
from zooadmm.methods.auto.known import Learned
from zooadmm.methods.auto.router import Adaptive
from zooadmm.methods.auto.settings import PARTS, Auto

__all__ = ["PARTS", "Adaptive", "Auto", "Given", "Learned"]
