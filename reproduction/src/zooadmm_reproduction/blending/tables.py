"""All numbers of the runs, to be read."""

from __future__ import annotations

from zooadmm_reproduction.blending.measures import (
    curvature_of,
    excess,
    marks_of,
    name_of,
    own_runs,
    percent_above,
    runs_of,
    sources_of,
)
from zooadmm_reproduction.blending.strategies import SETTINGS, STRATEGIES, Setting
from zooadmm_reproduction.exhibits import AUTO
from zooadmm_reproduction.intervals import geometric_mean_of
from zooadmm_reproduction.rows import Row, column, distinct, where


def ends(rows: list[Row]) -> list[Row]:
    """Every strategy in every setting: percent above least squares, and the arrival."""
    return [
        _line(rows, source, setting, strategy)
        for source in sources_of(rows)
        for setting in SETTINGS
        for strategy in STRATEGIES
        if runs_of(rows, source, setting, strategy)
    ]


def _line(rows: list[Row], source: str, setting: Setting, strategy: str) -> Row:
    runs = runs_of(rows, source, setting, strategy)
    line: Row = {"data": name_of(rows, source), "setting": setting.words}
    line |= {"curvature": curvature_of(rows, source, setting), "method": strategy}
    for mark in marks_of(rows):
        above = geometric_mean_of([excess(run, mark) for run in runs])
        line[f"% above at {mark:,}"] = f"{above.middle:.3g}"
    line["% above at the end"] = str(percent_above(runs))
    line["arrives after"] = _arrival(runs)
    return line


def _arrival(runs: list[Row]) -> str:
    done = [run for run in runs if "reached" in run]
    if len(done) < len(runs):
        return f"{len(done)} of {len(runs)} arrive"
    return f"{geometric_mean_of(column(done, 'reached')).middle:.3g}"


def references(rows: list[Row]) -> list[Row]:
    """Blends that need no run, and the default settings."""
    table: list[Row] = []
    for source in sources_of(rows):
        for row in where(rows, kind="reference", source=source):
            line: Row = {"data": row["data"], "blend": row["blend"]}
            table.append({**line, "test RMSE": f"{float(row['rmse']):.4f}"})
        own = own_runs(rows, source)
        for rival in distinct(own, "rival"):
            runs = where(own, rival=rival)
            line = {"data": name_of(rows, source)}
            line["blend"] = f"{AUTO}, evaluations of {rival}"
            mean = geometric_mean_of(column(runs, "end"))
            table.append({**line, "test RMSE": str(mean)})
    return table
