"""Data to try the library on."""

from zooadmm.datasets.colorado import StationRecord, load_colorado

__all__ = ["StationRecord", "load_colorado"]
