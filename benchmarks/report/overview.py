"""The table of regimes: a line for each kind of loss."""

from __future__ import annotations

import statistics

from benchmarks.report.board import REGIMES, Board
from benchmarks.report.ranks import clear_leads, field, median_rank, median_ratio, span, wins
from benchmarks.report.text import digits, listed, table, times
from benchmarks.standings import OURS


def regime_table(board: Board) -> str:
    """By regime: who is best most often, our ranks, gaps and clear leads, peers out of time."""
    heads = ["loss", "problems", "best most often"]
    for kind in ("auto", "paper", "paper tuned"):
        heads += [f"rank, {kind}", "gap"]
    lines = [_regime_line(board, regime) for regime in REGIMES if board.problems(regime)]
    return table([*heads, "clear leads, auto", "out of time"], lines)


def _regime_line(board: Board, regime: str) -> list[str]:
    problems = board.problems(regime)
    best = {name: wins(board, problems, name, board.last)[0] for name in board.methods}
    most = max(best.values())
    leaders = listed(f"`{name}`" for name in best if best[name] == most)
    ours = []
    for method in OURS:
        rank = digits(median_rank(board, regime, method, board.last))
        ratio = times(median_ratio(board, regime, method, board.last))
        ours += [f"{rank} of {field(board, regime, method)}" if rank else "", ratio]
    late = statistics.median(len(board.capped(name, board.last(name))) for name in problems)
    peers = span([len(board.peers(problem)) for problem in problems])
    shown = f"{leaders} ({most})" if most else "nobody"
    leads = str(len(clear_leads(board, regime, OURS[0])))
    return [regime, str(len(problems)), shown, *ours, leads, f"{digits(late)} of {peers}"]
