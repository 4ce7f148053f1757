"""What `zooadmm demo` shows: three problems on data that ships, beside the specialists' tools."""

from zooadmm.demonstration.blend import blend
from zooadmm.demonstration.genes import genes
from zooadmm.demonstration.stations import stations
from zooadmm.demonstration.story import Line, Story, Watch

STORIES = {"stations": stations, "genes": genes, "blend": blend}
"""The stories by the names of their pictures."""

__all__ = ["STORIES", "Line", "Story", "Watch", "blend", "genes", "stations"]
