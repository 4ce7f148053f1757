"""Descent by a limited-memory model of the loss, for many variables."""

from zooadmm.methods.auto.limited.descent import LimitedDescent
from zooadmm.methods.auto.limited.metric import LimitedMetric, limited_metric
from zooadmm.methods.auto.limited.state import LimitedState

__all__ = ["LimitedDescent", "LimitedMetric", "LimitedState", "limited_metric"]
