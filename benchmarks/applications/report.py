"""The table of the applications, in Markdown, from the rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from benchmarks.applications.line import Line
from benchmarks.applications.rows import Row, read

PAGE = "README.md"

HEAD = """# What the applications reach

Made from the rows beside this page by `python -m benchmarks.applications`, with default settings. A
figure is the median over seeds, with the least and the largest in brackets where they differ. What
each line measures is in its module in `benchmarks/applications`.
"""


def page(rows: Sequence[Row], lines: Sequence[Line]) -> str:
    """All lines that have rows, and which limits are kept to."""
    parts = [HEAD]
    for line in lines:
        own = [row for row in rows if row.line == line.name]
        if own:
            parts.append(_table(line, own))
    return "\n".join(parts)


def _table(line: Line, rows: Sequence[Row]) -> str:
    figures = list(dict.fromkeys(row.figure for row in rows))
    budget = f", {line.evaluations:,} evaluations at most" if line.evaluations else ""
    seeds = len({row.seed for row in rows})
    head = f"## {line.title}{budget} ({seeds} seed{'s' if seeds > 1 else ''})\n"
    columns = [f"{name} ({line.limits[name]})" if name in line.limits else name for name in figures]
    text = [
        head,
        f"| {line.name} | {' | '.join(columns)} | reached |",
        "|---" * (len(figures) + 2) + "|",
    ]
    for case in (case for case in line.cases if any(row.case == case for row in rows)):
        values = {
            name: [row.value for row in rows if row.case == case and row.figure == name]
            for name in figures
        }
        kept = all(limit.holds(median(values[name])) for name, limit in line.limits.items())
        cells = " | ".join(_cell(values[name]) for name in figures)
        text.append(f"| {case} | {cells} | {'yes' if kept else '**no**'} |")
    return "\n".join(text) + "\n"


def _cell(values: Sequence[float]) -> str:
    middle, least, most = (_number(f(values)) for f in (median, min, max))
    return middle if least == most else f"{middle} ({least} to {most})"


def _number(value: float) -> str:
    if math.isinf(value):
        return "none" if value > 0 else "-inf"
    return f"{value:,.0f}" if value == round(value) and abs(value) >= 1000 else f"{value:.3g}"


def write(folder: Path, lines: Sequence[Line]) -> str:
    """The page, beside the rows."""
    text = page(read(folder), lines)
    (folder / PAGE).write_text(text, encoding="utf-8")
    return text
