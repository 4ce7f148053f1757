"""How the benchmark was run, what was left out, and what its words mean."""

from __future__ import annotations

from typing import Any

from benchmarks.report.board import REGIMES, Board
from benchmarks.report.coverage import coverage
from benchmarks.report.grids import grid_table
from benchmarks.report.text import count, digits, listed
from benchmarks.run import GRID_PART, Effort
from benchmarks.trial import FULL_CHECKPOINTS, SAMPLED_CHECKPOINTS

DEFINITIONS = """\
- **Gap**: (F(x) − F\\*) / (F(x0) − F\\*) at the feasible point nearest to the method's answer, from
  the whole data and without noise; 1 is no progress. Optima are known to 1e-6 of that scale, so
  lower gaps are equal.
- **Evaluation**: one f(x; w). A measurement on ten observations costs ten; a gradient by
  differences costs m + 1 measurements.
- **Out of time**: runs are compared at equal numbers of evaluations, but each has only so much
  processor time of its own, the loss's left out. A run that is out of time before a checkpoint
  stands there with the answer it had; it might have done better with more time. Tables say how
  many peers that were, and rank also at the last named checkpoint that **most** peers reached
  **in time**: more than half of those that ran there reached it, or had stopped by themselves.
- **Free constant**: a method with a constant to choose (a step size, a difference step, a radius,
  or how many sampled observations to hold on to) is tried with a whole grid, and the constant with
  the lowest gap at the end is given to it for free, at earlier checkpoints too. What the grid cost
  is charged to nobody.
- **`zoo-auto`** and **`zoo-paper`** have no grid: the first is `minimize` with its defaults, the
  second with `settings="paper"`, except that `complete="x"` is set on the L1 problems and on matrix
  completion, so that the answer has y's zeros.
- **Early** figures of methods that plan for a budget (`zoo-auto`, a little, `spsa`,
  `nevergrad-ngopt`, `nevergrad-tbpsa`) come from a run that was planned for the end, and all
  constants are chosen for the end: with an early end in view such methods would do better there.
- **`o-admm-tuned`** is given true gradients. It is a ceiling for our method and no rival: ranks,
  bold figures and profiles leave it out.
- **Rank**: 1 + the number of peers with a lower gap. Our two methods are not ranked against each
  other. **The right tool** is said where our highest gap over the seeds is below every peer's
  lowest, and some peer was not out of time.
- **Marks**: `c` out of time before this checkpoint, `d` diverged by its own judgment, `x` failed,
  each with the gap it had by then if it had one; `–` the method cannot run there; empty: not run. A
  method that stops by itself keeps its answer, without a mark."""


def conditions(board: Board, environment: dict[str, Any]) -> str:
    """The whole section."""
    effort = effort_of(environment)
    return "\n\n".join(
        [
            _made_with(environment),
            _spent(effort),
            "What was left out to save time:",
            _thinned(board),
            "What is missing:",
            coverage(board, effort.seeds),
            "What the words mean:",
            DEFINITIONS,
            "What was tried for the free constants, and on how many problems the best one lay at "
            "an end of its grid, so that a better one may lie beyond:",
            grid_table(board),
        ]
    )


def effort_of(environment: dict[str, Any]) -> Effort:
    """What was spent, or by default is, where that is not known."""
    return Effort(**environment.get("effort", {}))


def _made_with(environment: dict[str, Any]) -> str:
    if not environment:
        return "There is no `environment.json`: what these rows were made with is not known."
    versions = listed(f"{name} {number}" for name, number in environment["versions"].items())
    return (
        f"Finished on {environment['date']} with Python {environment['python']}, {versions}, on "
        f"{environment['machine']} with {environment['cores']} cores, one for each run."
    )


def _spent(effort: Effort) -> str:
    full, sampled = (
        count(min(effort.max_evaluations, named[-1]))
        for named in (FULL_CHECKPOINTS, SAMPLED_CHECKPOINTS)
    )
    return (
        f"{effort.seeds} seeds. For each run at most {full} evaluations and "
        f"{digits(effort.max_seconds)} seconds of the method's own processor time where the loss "
        f"gives the same value every time, {sampled} and {digits(effort.sampled_seconds)} where it "
        f"is sampled or noisy."
    )


def _thinned(board: Board) -> str:
    """What was not run in full, with the problems that end early."""
    lines = [
        f"- A grid runs with the first seed and {digits(100 * GRID_PART)} % of the time; the "
        f"constant that ended lowest runs with all seeds and all of the time.",
        "- A method without randomness runs once on a loss without randomness.",
    ]
    for regime in REGIMES:
        problems = board.problems(regime)
        usual = max(map(board.last, problems), default=0)
        for problem in problems:
            if board.last(problem) < usual:
                lines.append(f"- `{problem}` ends at {count(board.last(problem))} evaluations.")
    return "\n".join(lines)
