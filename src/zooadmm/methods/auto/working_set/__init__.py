"""Descent on the few variables that matter, where phi keeps most of them at zero."""

from zooadmm.methods.auto.working_set.descent_on_few import MOST_AT_WORK, WorkingSet
from zooadmm.methods.auto.working_set.restriction import sparse_coordinates
from zooadmm.methods.auto.working_set.state import WorkingState

__all__ = ["MOST_AT_WORK", "WorkingSet", "WorkingState", "sparse_coordinates"]
