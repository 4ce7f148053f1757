"""Descent on the few variables that matter, where phi keeps most of them at zero."""

from zooadmm.methods.auto.working_set.bisection import FIRST_GROUPS
from zooadmm.methods.auto.working_set.descent_on_few import WorkingSet
from zooadmm.methods.auto.working_set.restriction import sparse_coordinates
from zooadmm.methods.auto.working_set.state import WorkingState

__all__ = ["FIRST_GROUPS", "WorkingSet", "WorkingState", "sparse_coordinates"]
