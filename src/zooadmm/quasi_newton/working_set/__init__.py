"""Descent on the few variables that matter, where phi keeps most of them at zero."""

from zooadmm.quasi_newton.working_set.descent import MOST_AT_WORK, WorkingSet
from zooadmm.quasi_newton.working_set.restriction import sparse_coordinates
from zooadmm.quasi_newton.working_set.state import Working

__all__ = ["MOST_AT_WORK", "Working", "WorkingSet", "sparse_coordinates"]
