"""All numbers of the runs, to be read."""

from __future__ import annotations

from zooadmm_reproduction.blending.measures import name_of, percent_above, runs_of, sources_of
from zooadmm_reproduction.blending.strategies import STRATEGIES, WORDS, Setting
from zooadmm_reproduction.exhibits import AUTO
from zooadmm_reproduction.intervals import geometric_mean_of, mean_of
from zooadmm_reproduction.rows import Row, column, distinct, where


def ends(rows: list[Row]) -> list[Row]:
    """Every strategy in every setting, and the default settings."""
    table: list[Row] = []
    for source in sources_of(rows):
        words = name_of(rows, source)
        for setting in Setting:
            for strategy in STRATEGIES:
                runs = runs_of(rows, source, setting, strategy)
                if runs:
                    arrival: Row = {"arrives after": _arrival(runs)}
                    table.append({**_label(words, WORDS[setting], strategy, runs), **arrival})
        own = runs_of(rows, source, "default", AUTO)
        for rival in distinct(own, "rival"):
            label = f"{AUTO}, evaluations of {rival}"
            table.append(_label(words, "ratings as they are", label, where(own, rival=rival)))
    return table


def _label(words: str, setting: str, name: str, runs: list[Row]) -> Row:
    return {
        "data": words,
        "setting": setting,
        "method": name,
        "runs": len(runs),
        "evaluations": runs[0]["evaluations"],
        "RMSE at the end": str(mean_of(column(runs, "end"))),
        "above least squares, %": str(percent_above(runs)),
    }


def _arrival(runs: list[Row]) -> str:
    done = [run for run in runs if "reached" in run]
    if len(done) < len(runs):
        return f"{len(done)} of {len(runs)} arrive"
    return str(geometric_mean_of(column(done, "reached")))


def references(rows: list[Row]) -> list[Row]:
    """Blends that need no run."""
    return [
        {name: row[name] for name in ("data", "held out", "blend")}
        | {"test RMSE": f"{float(row['rmse']):.4f}"}
        for row in where(rows, kind="reference")
    ]
