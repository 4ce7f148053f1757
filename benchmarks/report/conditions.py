"""How the benchmark was run, what was left out, and what its words mean."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from benchmarks.report.board import Board
from benchmarks.report.text import count, digits, listed, table

DEFINITIONS = """\
- **Gap**: (F(x) − F\\*) / (F(x0) − F\\*) at the feasible point nearest to the method's answer, from
  the whole data and without noise; 1 is no progress. Optima are known to 1e-6 of that scale, so
  lower gaps are equal.
- **Evaluation**: one f(x; w). A measurement on ten observations costs ten; a gradient by
  differences costs m + 1 measurements.
- **Free constant**: a method with a step size or a difference step to choose is tried with a whole
  grid, and the constant with the lowest gap at the end (first seed) is given to it for free, at
  earlier checkpoints too. What the grid cost is charged to nobody. `zoo-paper` has no grid: it is
  `minimize` with its defaults.
- **`o-admm-tuned`** is given true gradients. It is a ceiling for our method and no rival: ranks,
  bold figures and profiles leave it out.
- **Rank**: 1 + the number of peers with a lower gap. Our two methods are not ranked against each
  other.
- **Marks**: `c` out of time before this checkpoint, with the gap it had by then; `x` failed, with
  the gap it had by then if it had one; `–` the method cannot run there; empty: not run. A method
  that stops by itself keeps its answer, without a mark."""

THINNED = """\
- A grid runs with the first seed only; the other seeds run with the constant that ended lowest.
- A method without randomness runs once on a loss without randomness.
- The problem with 100,000 variables ends at 10,000 evaluations."""


def conditions(board: Board, environment: dict[str, Any]) -> str:
    """The whole section."""
    return "\n\n".join(
        [
            _made_with(environment),
            "What was left out to save time:",
            THINNED,
            "What the words mean:",
            DEFINITIONS,
            "What was tried for the free constants:",
            grid_table(board),
        ]
    )


def _made_with(environment: dict[str, Any]) -> str:
    if not environment:
        return "There is no `environment.json`: what these rows were made with is not known."
    effort = environment["effort"]
    versions = listed(f"{name} {number}" for name, number in environment["versions"].items())
    return (
        f"Finished on {environment['date']} with Python {environment['python']}, {versions}, on "
        f"{environment['machine']} with {environment['cores']} cores, one for each run. "
        f"{effort['seeds']} seeds, {digits(effort['max_seconds'])} seconds for each run, at most "
        f"{count(effort['max_evaluations'])} evaluations (30,000 for a loss without randomness)."
    )


def grid_table(board: Board) -> str:
    """By method: the constants in the rows."""
    constants: dict[str, set[float]] = defaultdict(set)
    for row in board.rows:
        if row.evaluations:
            constants[row.method].add(row.constant)
    lines = [
        [f"`{method}`", ", ".join(f"{constant:g}" for constant in sorted(constants[method]))]
        for method in board.methods
        if len(constants[method]) > 1
    ]
    return table(["method", "constants"], lines).replace("--:", "---")
