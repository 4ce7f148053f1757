"""`settings="follow"`: an answer that keeps up with a loss that drifts."""

from zooadmm.methods.follow.settings import Follow

__all__ = ["Follow"]
