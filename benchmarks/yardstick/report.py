"""The tables of a benchmark: every peer beside ours on the runs that both made, losses first."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Sequence

from benchmarks.yardstick.comparison import (
    REFERENCE,
    Place,
    answer_gap,
    flaws,
    one_digest,
    place,
    references,
)
from benchmarks.yardstick.halves import JUDGES, half
from benchmarks.yardstick.pairs import Pair, Shares, is_behind, pairs, standing
from benchmarks.yardstick.runs import Run
from benchmarks.yardstick.suite import Suite
from benchmarks.yardstick.text import table

Least = dict[Place, float]

ALPHAS = {"coco": (100, 1000), "noise": (50, 200), "structured": (30, 3000)}
"""Simplex gradients at which shares are printed: early, and the whole budget."""
USUAL_ALPHAS = (30, 100)
TARGETS = {"coco": 1e-6, "noise": 1e-3, "structured": 1e-2}
"""The target of the short table."""
USUAL_TARGET = 1e-5
GROUPED = {"s2mpj": "plain", "coco": "bbob"}
"""The feature whose groups stand in the short table."""
LOSSES = 25
"""Lines of the table of single losses."""
OUT_OF_SCOPE = "multimodal"
UNANNOUNCED = "zoo unannounced"
NO_ROWS = "No rows of ours yet."


def report(suite: Suite, runs: Sequence[Run]) -> dict[str, str]:
    """The tables by name; the same rows in another order give the same tables."""
    order = {name: index for index, name in enumerate(suite.solvers)}
    runs = sorted(runs, key=lambda run: (order.get(run.solver, len(order)), run.key))
    least = references(suite, runs)
    made = [run for run in runs if run.solver != REFERENCE]
    judging = [run for run in made if _judges(suite, run)]
    others = {run.feature for run in made if not _judges(suite, run)}
    found = {
        "sources": _sources(runs),
        "standing": _standing(suite, judging, least),
        "short": _short(suite, judging, least),
        "judging": _sections(suite, judging, least),
        "all": _sections(suite, [run for run in made if run.feature in others], least),
        "losses": _losses(suite, judging, least),
        "gaps": _gaps(suite, judging, least),
        "times": _times(made),
        "limits": _limits(suite, made),
    }
    if UNANNOUNCED in suite.solvers:
        found["anytime"] = _anytime(suite, made, least)
    return found


def _judges(suite: Suite, run: Run) -> bool:
    return half(suite.name, run) == JUDGES and run.group != OUT_OF_SCOPE


def beside_peers(suite: Suite, runs: Sequence[Run], least: Least) -> list[Pair]:
    """Ours beside every peer; our own runs without an announced budget are none."""
    return pairs([run for run in runs if run.solver != UNANNOUNCED], suite.ours[0], least)


def _sources(runs: Sequence[Run]) -> str:
    found: dict[str, list[Run]] = defaultdict(list)
    for run in runs:
        found[run.solver].append(run)
    lines = [
        [name, one_digest(run.source for run in made), str(len(made))]
        for name, made in found.items()
    ]
    return table(["solver", "digest of the sources", "rows"], lines)


def _by_group(runs: Sequence[Run]) -> dict[str, list[Run]]:
    """Runs by their group; where there are several, first "all" that are in scope."""
    groups = sorted({run.group for run in runs})
    found = {group: [run for run in runs if run.group == group] for group in groups}
    if len(groups) == 1:
        return found
    return {"all": [run for run in runs if run.group != OUT_OF_SCOPE], **found}


def _standing(suite: Suite, runs: Sequence[Run], least: Least) -> str:
    """By the gaps of the answers: ours beside the best peer of each run, then beside each peer."""
    best = standing(_best_peers(suite, runs, least).values())
    sooner = standing(_soonest_peers(suite, runs, least).values())
    beside = sorted(
        ((pair.peer, pair.by_answers()) for pair in beside_peers(suite, runs, least)),
        key=lambda found: (found[1].ahead - found[1].behind) / found[1].total,
    )
    lines = [
        [peer, *map(str, (at.total, at.ahead, at.level, at.behind)), f"{at.ahead / at.total:.0%}"]
        for peer, at in [
            ("the best peer of each run", best),
            (f"level ones by evaluations to {min(suite.targets):g}", sooner),
            *beside,
        ]
        if at.total
    ]
    head = ["ours beside", "runs", "ahead", "level", "behind", "share ahead"]
    return table(head, lines) if lines else NO_ROWS


def _short(suite: Suite, runs: Sequence[Run], least: Least) -> str:
    """One target, at the whole budget: every feature, and the groups of one feature."""
    target = TARGETS.get(suite.name, USUAL_TARGET)
    late = ALPHAS.get(suite.name, USUAL_ALPHAS)[1]
    lines = []
    features = sorted(
        {run.feature for run in runs}, key=lambda f: (f != GROUPED.get(suite.name), f)
    )
    for feature in features:
        groups = _by_group([run for run in runs if run.feature == feature])
        named = groups if feature == GROUPED.get(suite.name) else list(groups)[:1]
        for group in named:
            words = f"{feature}, {group}" if len(groups) > 1 else feature
            for share, pair in _by_lead(suite, groups[group], least, target, late):
                at = pair.by_evaluations(target)
                lines.append(
                    [
                        words,
                        pair.peer,
                        str(len(pair)),
                        f"{share.peers:.2f}",
                        f"{share.ours:.2f}",
                        f"{share.lead:+.2f} [{share.low:+.2f}, {share.high:+.2f}]",
                        f"{at.ahead}, {at.level}, {at.behind}",
                    ]
                )
    head = [f"to {target:g}", "peer", "runs", "peer", "ours", "ours - peer, 90 %"]
    return table([*head, "sooner, level, later"], lines) if lines else NO_ROWS


def _by_lead(
    suite: Suite, runs: Sequence[Run], least: Least, target: float, alpha: float
) -> list[tuple[Shares, Pair]]:
    """Ours beside every peer; the peers that are furthest ahead first."""
    found = [(pair.shares(target, alpha), pair) for pair in beside_peers(suite, runs, least)]
    return sorted(found, key=lambda item: item[0].lead)


def _sections(suite: Suite, runs: Sequence[Run], least: Least) -> str:
    """One table for each feature; groups stand below one another."""
    parts = []
    for feature in dict.fromkeys(run.feature for run in runs):
        lines = []
        groups = _by_group([run for run in runs if run.feature == feature])
        for group, chosen in groups.items():
            lines += _lines(suite, group, chosen, least)
        if lines:
            early, late = ALPHAS.get(suite.name, USUAL_ALPHAS)
            head = ["", "target", "peer", "runs", f"peer at {early}", f"ours at {early}"]
            head += [f"peer at {late}", f"ours at {late}", "ours - peer, 90 %"]
            head += ["sooner, level, later"]
            parts.append(f"**{feature}**\n\n{table(head, lines)}")
    return "\n\n".join(parts) or NO_ROWS


def _lines(suite: Suite, group: str, runs: Sequence[Run], least: Least) -> list[list[str]]:
    """By target; within it the peers that are furthest ahead first."""
    early, late = ALPHAS.get(suite.name, USUAL_ALPHAS)
    lines = []
    for target in suite.targets:
        for share, pair in _by_lead(suite, runs, least, target, late):
            before, at = pair.shares(target, early), pair.by_evaluations(target)
            lines.append(
                [
                    group,
                    f"{target:g}",
                    pair.peer,
                    str(len(pair)),
                    f"{before.peers:.2f}",
                    f"{before.ours:.2f}",
                    f"{share.peers:.2f}",
                    f"{share.ours:.2f}",
                    f"{share.lead:+.2f} [{share.low:+.2f}, {share.high:+.2f}]",
                    f"{at.ahead}, {at.level}, {at.behind}",
                ]
            )
    return lines


def _best_peers(
    suite: Suite, runs: Sequence[Run], least: Least
) -> dict[Place, tuple[float, float, str]]:
    """By place: the gap of our answer, the lowest gap of a peer's, and that peer."""
    found: dict[Place, tuple[float, float, str]] = {}
    for pair in beside_peers(suite, runs, least):
        for index, run in enumerate(pair.ours):
            a, b = pair.gaps(index)
            known = found.get(place(run))
            if known is None or b < known[1]:
                found[place(run)] = a, b, pair.peer
    return found


def _soonest_peers(
    suite: Suite, runs: Sequence[Run], least: Least
) -> dict[Place, tuple[float, float]]:
    """Gaps of ours and of the best peer; evaluations to the last target where both reach it.

    Of the peers that reach it the soonest counts.
    """
    found = {at: (ours, peers) for at, (ours, peers, _) in _best_peers(suite, runs, least).items()}
    soonest: dict[Place, tuple[float, float]] = {}
    for pair in beside_peers(suite, runs, least):
        for index, run in enumerate(pair.ours):
            ours, peers = pair.times(min(suite.targets), index)
            soonest[place(run)] = ours, min(peers, soonest.get(place(run), (ours, math.inf))[1])
    level = (at for at, gaps in found.items() if standing([gaps]).level)
    return found | {at: soonest[at] for at in level}


def _losses(suite: Suite, judging: Sequence[Run], least: Least) -> str:
    """Runs of the judging half whose answer is behind a peer's, the largest ratio first."""
    best = _best_peers(suite, judging, least)
    at = standing(best.values())
    words = (
        f"Of {at.total} runs of the half that judges, ours ends ahead of every peer in {at.ahead}, "
        f"level with the best in {at.level}, behind it in {at.behind}."
    )
    behind = sorted(
        ((where, *found) for where, found in best.items() if is_behind(*found[:2])),
        key=lambda found: -found[1] / found[2],
    )
    lines = [
        [where[0], where[1], f"{a:.1e}", f"{b:.1e}", peer] for where, a, b, peer in behind[:LOSSES]
    ]
    more = len(behind) - LOSSES
    tail = f"\n\nAnd {more} more, nearer to the best." if more > 0 else ""
    head = ["problem", "feature", "our gap", "best gap", "peer"]
    return f"{words}\n\n{table(head, lines)}{tail}" if behind else words


def _gaps(suite: Suite, judging: Sequence[Run], least: Least) -> str:
    """Median relative gaps of the answers on the half that judges, on the runs both made."""
    lines = []
    for feature in dict.fromkeys(run.feature for run in judging):
        chosen = [run for run in judging if run.feature == feature]
        for pair in beside_peers(suite, chosen, least):
            both = [pair.gaps(index) for index in range(len(pair))]
            ours, peers = (statistics.median(gaps) for gaps in zip(*both, strict=True))
            at = pair.by_answers()
            counts = f"{at.ahead}, {at.level}, {at.behind}"
            lines.append(
                [feature, pair.peer, str(len(pair)), f"{peers:.1e}", f"{ours:.1e}", counts]
            )
    head = ["", "peer", "runs", "peer's median gap", "ours", "ahead, level, behind"]
    return table(head, lines) if lines else NO_ROWS


def _anytime(suite: Suite, runs: Sequence[Run], least: Least) -> str:
    """The budget announced and not: median gaps of the answers, and at each count."""
    told, untold = suite.ours[0], UNANNOUNCED
    by_solver: dict[str, dict[tuple[str, str, int], Run]] = defaultdict(dict)
    for run in runs:
        if run.solver in (told, untold) and run.fits:
            by_solver[run.solver][place(run)] = run
    lines = []
    for feature in dict.fromkeys(run.feature for run in runs):
        both = [at for at in by_solver[told] if at in by_solver[untold] and at[1] == feature]
        if not both:
            continue
        gaps = [
            [max(answer_gap(by_solver[name][at], least[at]), 1e-6) for at in both]
            for name in (told, untold)
        ]
        ratios = sorted(b / a for a, b in zip(*gaps, strict=True) if math.isfinite(a))
        within = sum(ratio <= 2.0 for ratio in ratios)
        middle = [f"{statistics.median(found):.1e}" for found in gaps]
        lines.append(
            [feature, str(len(both)), *middle, f"{ratios[len(ratios) // 2]:.2f}", str(within)]
        )
    head = ["", "runs", "announced", "not announced", "median ratio", "within a factor of 2"]
    return table(head, lines) if lines else NO_ROWS


SIZES = (5, 10, 20, 50, 100, 200, 500, 2000, 10_000, 1_000_000)


def _times(runs: Sequence[Run]) -> str:
    """Processor time of the solver itself for one evaluation, by the number of variables."""
    found: dict[tuple[str, int], list[float]] = defaultdict(list)
    for run in runs:
        if run.used > 0:
            size = next(size for size in SIZES if run.n <= size)
            found[run.solver, size].append(1e3 * run.seconds / run.used)
    sizes = [size for size in SIZES if any(at == size for _, at in found)]
    lines = [
        [
            name,
            *(
                f"{statistics.median(found[name, s]):.2f}" if (name, s) in found else ""
                for s in sizes
            ),
        ]
        for name in dict.fromkeys(name for name, _ in found)
    ]
    return table(["ms, median", *(f"n <= {size:,}" for size in sizes)], lines)


def _limits(suite: Suite, runs: Sequence[Run]) -> str:
    lines = []
    for name in dict.fromkeys(run.solver for run in runs):
        made = [run for run in runs if run.solver == name]
        found = [flaw.partition(":")[0] for run in made if run.fits for flaw in flaws(suite, run)]
        words = ", ".join(f"{found.count(flaw)} {flaw}" for flaw in sorted(set(found)))
        unfit = sum(not run.fits for run in made)
        lines.append([name, str(len(made) - unfit), str(unfit), words or "none"])
    words = (
        f"A run has {suite.full_seconds:g} s of the solver's own time (peers of the quick form: "
        f"{suite.quick_seconds:g} s). A problem that a solver has no form for is not compared."
    )
    return words + "\n\n" + table(["solver", "runs", "no form", "flaws"], lines)
