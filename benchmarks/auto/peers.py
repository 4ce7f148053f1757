"""The method without knobs beside the best peer of the suite, at equal numbers of evaluations.

The automatic method was told each budget and has fresh seeds, as in the study `hindsight`, whose
rows these are. A peer's gap is that of the suite: its free constant was chosen in hindsight for the
longest runs, its own seeds, and 2 seconds of processor time; where it was out of time by then it
stands with what it had.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from benchmarks import results, standings
from benchmarks.auto.figures import Figure, figures, places, ratio
from benchmarks.auto.study import Row
from benchmarks.report.text import count, digits, table

TITLE = "Against peers"
VARIANT = "auto"
CLEARLY = 0.5


def peers_table(rows: Sequence[Row], suite: Sequence[results.Row]) -> str:
    """A line for each problem of the suite and budget that both have."""
    known, others = figures(rows), standings.figures(list(suite))
    lines, ratios = [], []
    for case, budget in places(rows):
        ours, best = known.get((case, VARIANT, budget)), best_peer(others, case, budget)
        if ours is None or best is None:
            continue
        name, its = best
        ratios.append(ratio(ours, Figure(its.gap, its.lowest, its.highest)))
        late = "" if its.in_time else ", out of time"
        cells = [f"`{case}`", count(budget), str(ours), f"{digits(its.gap)} (`{name}`{late})"]
        lines.append([*cells, digits(ratios[-1])])
    head = ["problem", "evaluations", "auto", "best peer", "ratio"]
    return "\n\n".join([table(head, lines), _summary(ratios)])


def best_peer(
    others: dict[tuple[str, str, int], standings.Figure], case: str, budget: int
) -> tuple[str, standings.Figure] | None:
    """The method of others with the least median gap there."""
    here = {
        method: figure
        for (problem, method, evaluations), figure in others.items()
        if (problem, evaluations) == (case, budget)
        and method not in (*standings.OURS, *standings.CEILING)
    }
    return min(here.items(), key=lambda pair: pair[1].gap) if here else None


def _summary(ratios: Sequence[float]) -> str:
    if not ratios:
        return "No ratios yet."
    ahead = sum(value < 1.0 for value in ratios)
    clearly = sum(value <= CLEARLY for value in ratios)
    return (
        f"Ahead of every peer in {ahead} of {len(ratios)}, by a factor of two or more in "
        f"{clearly}; median ratio {digits(statistics.median(ratios))}, worst {digits(max(ratios))}."
    )
