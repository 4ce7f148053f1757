"""What `zooadmm demo` shows: four problems on data that ships, beside the specialists' tools."""

from zooadmm.cli.demo.blend import blend
from zooadmm.cli.demo.genes import genes
from zooadmm.cli.demo.risk_factors import risk_factors
from zooadmm.cli.demo.stations import stations
from zooadmm.cli.demo.story import Line, Story, Watch

STORIES = {"risk-factors": risk_factors, "stations": stations, "genes": genes, "blend": blend}
"""The stories by the names of their pictures."""

__all__ = ["STORIES", "Line", "Story", "Watch", "blend", "genes", "risk_factors", "stations"]
