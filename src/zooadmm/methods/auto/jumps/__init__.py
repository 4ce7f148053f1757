"""A loss whose values repeat and jump: a normal distribution of points that adapts by ranks."""

from zooadmm.methods.auto.jumps.adaptation import Adaptation
from zooadmm.methods.auto.jumps.state import JumpState

__all__ = ["Adaptation", "JumpState"]
