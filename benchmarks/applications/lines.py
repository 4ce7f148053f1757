"""All lines, in the order of the table."""

from __future__ import annotations

from benchmarks.applications import blending, cox, examples, groups, sensors
from benchmarks.applications.line import Line

LINES: dict[str, Line] = {
    line.name: line for part in (cox, sensors, blending, groups, examples) for line in part.LINES
}
