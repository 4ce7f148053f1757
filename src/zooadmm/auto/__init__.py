"""ZOO-ADMM without knobs: no step size, penalty, smoothing radius or batch size to choose."""

from zooadmm.auto.adaptive import Adaptive
from zooadmm.auto.knowledge import Learned, from_plain, to_plain
from zooadmm.auto.settings import PARTS, Auto
from zooadmm.auto.setup import Setup

__all__ = ["PARTS", "Adaptive", "Auto", "Learned", "Setup", "from_plain", "to_plain"]
