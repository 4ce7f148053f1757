"""The short summary in benchmarks/README.md, between two markers."""

from __future__ import annotations

import statistics
from textwrap import fill

from benchmarks.optima import optima
from benchmarks.report.board import REGIMES, Board
from benchmarks.report.ranks import field, median_rank, median_ratio, ranks, span, wins
from benchmarks.report.text import digits, listed, table, times
from benchmarks.report.verdict import advice, after, safest
from benchmarks.run import Effort
from benchmarks.standings import OURS

BEGIN = "<!-- benchmark summary: made by python -m benchmarks.report -->"
END = "<!-- end of benchmark summary -->"
WIDTH = 99
NOTE = (
    "Medians over the problems, at the end: our rank as it is (auto), with the paper's constants, "
    "and with their step size tuned in hindsight, as peers that have one had theirs; our gap to "
    "the optimum over the best peer's; "
    "peers that were out of time before. *In time*: at the last checkpoint that most peers "
    "reached. A lead is clear where our highest gap over the seeds is below every peer's lowest."
)
MORE = (
    "[All figures, and how they were made](results/SUMMARY.md);\n"
    "[the profiles as a picture](results/profiles.png)."
)


def replaced(text: str, block: str) -> str | None:
    """The text with the block between its markers; None where they are absent."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    return f"{before}{begin}\n{block}\n{end}{after}" if begin and end else None


def readme_block(board: Board, effort: Effort) -> str:
    """What was run, a table of regimes, our losses, when to use something else, where to read."""
    regimes = [regime for regime in REGIMES if board.problems(regime)]
    return "\n\n".join(
        [
            fill(setting(board, effort), WIDTH),
            regime_table(board, regimes),
            fill(NOTE, WIDTH),
            "\n".join(_item(behind(board, regime)) for regime in regimes),
            "When to use something else:",
            "\n".join(_item(instead(board, regime)) for regime in regimes),
            MORE,
        ]
    )


def setting(board: Board, effort: Effort) -> str:
    """How many problems, optima and methods, and what each run could spend."""
    problems = board.problems(*REGIMES)
    return (
        f"{len(problems)} problems with {distinct_optima(problems)} distinct known optima, "
        f"{len({peer for name in problems for peer in board.peers(name)})} peers, at equal "
        f"numbers of evaluations, {in_words(effort)}."
    )


def distinct_optima(problems: list[str]) -> int:
    """How many optima there are to be found: a sampled or noisy version has its original's."""
    filed = {name: name.removesuffix("-stochastic") for name in problems}
    known = optima()
    return len({base if base in known else base.partition("-")[0] for base in filed.values()})


def in_words(effort: Effort) -> str:
    """The cap on time."""
    most = f"{digits(effort.max_seconds)} s of a method's own processor time at most"
    if effort.sampled_seconds == effort.max_seconds:
        return most
    return f"{most} ({digits(effort.sampled_seconds)} s where the loss is sampled or noisy)"


def _item(text: str) -> str:
    return fill(f"- {text}", WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def regime_table(board: Board, regimes: list[str]) -> str:
    heads = ["loss", "problems", "best most often"]
    for kind in ("auto", "paper", "paper tuned"):
        heads += [f"rank, {kind}", "gap"]
    return table([*heads, "out of time"], [_regime_line(board, regime) for regime in regimes])


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
    return [regime, str(len(problems)), shown, *ours, f"{digits(late)} of {peers}"]


def behind(board: Board, regime: str) -> str:
    """On how many problems of a regime some peer is ahead of ours, and by ten times or more."""
    there = [method for method in OURS if ranks(board, regime, method, board.last)]
    return f"{regime}: {', '.join(losses(board, regime, method) for method in there) or 'not run'}."


def losses(board: Board, regime: str, method: str) -> str:
    """On how many problems a method loses: at the end, by far, and in time."""
    found = ranks(board, regime, method, board.last)
    lost = [problem for problem, rank in found if rank > 1]
    badly = [name for name in lost if board.ratio(name, method, board.last(name)) >= 10]
    before = [name for name, rank in ranks(board, regime, method, board.common) if rank > 1]
    some = f"loses to some peer on {len(lost)}" if lost else "loses to no peer on any"
    by_far = f"by ten times or more on {len(badly)}, " if badly else ""
    return f"`{method}` {some} of {len(found)} ({by_far}in time on {len(before) or 'none'})"


def instead(board: Board, regime: str) -> str:
    """Which peer to take, at the end and early."""
    name, often = safest(board, regime, board.early)
    if not often:
        return advice(board, regime)
    at = after(board, regime, board.early)
    return f"{advice(board, regime)} The safest {at} is `{name}` (on {often})."
