"""The short summary in the project's README, between two markers."""

from __future__ import annotations

from textwrap import fill

from benchmarks.report.board import REGIMES, Board
from benchmarks.report.ranks import field_size, median_rank, median_ratio, ranks, wins
from benchmarks.report.text import count, digits, listed, table, times
from benchmarks.report.verdict import advice, safest
from benchmarks.standings import OURS

BEGIN = "<!-- benchmark summary: made by python -m benchmarks.report -->"
END = "<!-- end of benchmark summary -->"
WIDTH = 99
NOTE = (
    "Medians over the problems, after all evaluations: our rank as printed and with the step size "
    "tuned in hindsight, as peers that have one had theirs; our gap to the optimum over the best "
    "peer's."
)
MORE = (
    "[All figures, and how they were made](benchmarks/results/SUMMARY.md);\n"
    "[the profiles as a picture](benchmarks/results/profiles.png)."
)


def replaced(text: str, block: str) -> str | None:
    """The text with the block between its markers; None where they are absent."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    return f"{before}{begin}\n{block}\n{end}{after}" if begin and end else None


def readme_block(board: Board) -> str:
    """A table of regimes, our losses, when to use something else, and where to read more."""
    regimes = [regime for regime in REGIMES if board.problems(regime)]
    return "\n\n".join(
        [
            regime_table(board, regimes),
            fill(NOTE, WIDTH),
            "\n".join(_item(behind(board, regime)) for regime in regimes),
            "When to use something else:",
            "\n".join(_item(instead(board, regime)) for regime in regimes),
            MORE,
        ]
    )


def _item(text: str) -> str:
    return fill(f"- {text}", WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def regime_table(board: Board, regimes: list[str]) -> str:
    heads = ["loss", "problems", "best most often", "rank as printed", "gap", "rank tuned", "gap"]
    return table(heads, [_regime_line(board, regime) for regime in regimes])


def _regime_line(board: Board, regime: str) -> list[str]:
    problems = board.problems(regime)
    best = {name: wins(board, problems, name, board.last)[0] for name in board.methods}
    most = max(best.values())
    leaders = listed(f"`{name}`" for name in best if best[name] == most) if most else "nobody"
    ours = []
    for method in OURS:
        rank = digits(median_rank(board, regime, method, board.last))
        ratio = times(median_ratio(board, regime, method, board.last))
        ours += [f"{rank} of {field_size(board, regime)}", ratio]
    return [regime, str(len(problems)), f"{leaders} ({most})", *ours]


def behind(board: Board, regime: str) -> str:
    """On how many problems of a regime some peer is ahead of ours, and by ten times or more."""
    parts = []
    for method in OURS:
        found = ranks(board, regime, method, board.last)
        lost = [problem for problem, rank in found if rank > 1]
        badly = [name for name in lost if board.ratio(name, method, board.last(name)) >= 10]
        parts.append(
            f"`{method}` loses to some peer on {len(lost)} of {len(found)} "
            f"(by ten times or more on {len(badly)})"
        )
    return f"{regime}: {', '.join(parts)}."


def instead(board: Board, regime: str) -> str:
    """Which peer to take, at the end and early."""
    name, often = safest(board, regime, board.early)
    at = count(max(map(board.early, board.problems(regime))))
    return f"{advice(board, regime)} With only {at} evaluations take `{name}` ({often})."
