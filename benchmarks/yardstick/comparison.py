"""Before and after a change: what got worse, what got better."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.yardstick.profiles import bootstrap, lowest, needed
from benchmarks.yardstick.runs import Run, as_text
from benchmarks.yardstick.sources import digest
from benchmarks.yardstick.suite import Suite
from benchmarks.yardstick.task import FEASIBLE
from benchmarks.yardstick.text import count, table

SLOWER = 1.25
"""A cell is worse if its evaluations grew by more than this factor."""
NEGLIGIBLE = 1e-6
"""Relative gaps of answers below it are not compared."""
LINES = 30
REFERENCE = "reference"
"""The name of rows that hold an optimum; no solver."""

Place = tuple[str, str, int]
"""(problem, feature, seed)."""


def place(run: Run) -> Place:
    return run.problem, run.feature, run.seed


def references(suite: Suite, runs: Iterable[Run]) -> dict[Place, float]:
    """f_L by place: zero for histories of gaps; an optimum counts wherever its problem runs."""
    found, optima = defaultdict(list), defaultdict(list)
    for run in runs:
        found[place(run)].append(run)
        if run.solver == REFERENCE:
            optima[run.problem].append(run)
    return {
        at: 0.0 if suite.gaps else lowest([*made, *optima[at[0]]]) for at, made in found.items()
    }


MULTIPLES = (3, 10, 30, 100, 300, 1000, 3000)
"""Evaluations a variable at which gaps are drawn."""


LADDER = 1.1
"""A cut history has the last record of each range of counts [1.1^k, 1.1^(k+1))."""


def thinned(suite: Suite, runs: Sequence[Run]) -> list[Run]:
    """Histories cut down to where each target is first reached, what is drawn, and the end.

    Where targets depend on f_L, a ladder of records stays as well: after a lower f_L, a cut history
    reaches a target at most 10 % later than the whole one.
    """
    least = references(suite, runs)
    return [replace(run, history=as_text(_steps(suite, run, least[place(run)]))) for run in runs]


def _steps(suite: Suite, run: Run, least: float) -> list[tuple[int, float]]:
    records = run.records()
    times = {needed(run, least, target) for target in suite.targets}
    kept = {*records[-1:], *([min(records, key=lambda pair: pair[1])] if records else [])}
    for multiple in MULTIPLES:
        kept.update([pair for pair in records if pair[0] <= multiple * run.n][-1:])
    if not suite.gaps:
        kept.update({int(math.log(pair[0], LADDER)): pair for pair in records}.values())
    return [pair for pair in records if float(pair[0]) in times or pair in kept]


@dataclass(frozen=True)
class Change:
    """One cell at one target; evaluations before and after, infinite for never."""

    run: Run
    target: float
    before: float
    after: float

    @property
    def ratio(self) -> float:
        if math.isinf(self.before) and math.isinf(self.after):
            return 1.0
        return self.after / self.before

    def __str__(self) -> str:
        at = f"{self.run.problem} ({self.run.feature}, n = {self.run.n}, {self.run.solver})"
        return f"{at} to {self.target:g}: {count(self.before)} -> {count(self.after)}"


def changes(suite: Suite, before: Sequence[Run], after: Sequence[Run]) -> list[Change]:
    """Ours, cell by cell, against targets that the baseline fixed."""
    least = references(suite, before)
    old = {run.key: run for run in before if run.solver in suite.ours}
    return [
        Change(run, target, *(needed(r, least[place(run)], target) for r in (old[run.key], run)))
        for run in after
        if run.solver in suite.ours and run.key in old
        for target in suite.targets
    ]


def compare(suite: Suite, before: Sequence[Run], after: Sequence[Run]) -> str:
    """The page that the quick form prints."""
    if not before:
        return "There is no baseline yet: run with --store."
    found = changes(suite, before, after)
    worse = sorted((c for c in found if c.ratio > SLOWER), key=lambda c: -c.ratio)
    better = sorted((c for c in found if c.ratio < 1 / SLOWER), key=lambda c: c.ratio)
    parts = [
        f"{suite.name}: baseline {_sources(suite, before)}, now {_sources(suite, after)}",
        _shares(suite, found, before),
        _listed(f"WORSE in {len(worse)} of {len(found)} (cell, target)", worse),
        _listed(f"better in {len(better)}", better),
        _answer_gaps(suite, before, after),
        _risen(suite, before, after),
        _answers(suite, before, after),
        _pace(found, before, after, suite),
    ]
    return "\n\n".join(part for part in parts if part)


def _sources(suite: Suite, runs: Sequence[Run]) -> str:
    return one_digest(run.source for run in runs if run.solver in suite.ours)


def one_digest(sources: Iterable[str]) -> str:
    """The digest of rows; of all their digests where cells differ in effort.

    >>> one_digest(["a", "a"]), one_digest([])
    ('a', 'none')
    """
    found = sorted(set(sources))
    return found[0] if len(found) == 1 else digest([], " ".join(found)) if found else "none"


def _listed(title: str, found: Sequence[Change]) -> str:
    more = [f"  ... and {len(found) - LINES} more"] if len(found) > LINES else []
    return "\n".join([title, *(f"  {change}" for change in found[:LINES]), *more])


def _shares(suite: Suite, found: Sequence[Change], before: Sequence[Run]) -> str:
    """Shares of cells that reach each target within the budget."""
    least = references(suite, before)
    peers: dict[tuple[str, float], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for run in before:
        if run.solver not in suite.ours and run.fits and run.solver != REFERENCE:
            for target in suite.targets:
                reached = math.isfinite(needed(run, least[place(run)], target))
                peers[_heading(run), target][run.solver].append(float(reached))
    ours: dict[tuple[str, float], list[Change]] = defaultdict(list)
    for change in found:
        ours[_heading(change.run), change.target].append(change)
    lines = []
    for (heading, target), made in sorted(ours.items(), key=lambda item: (item[0][0], -item[0][1])):
        old, new = ([math.isfinite(v) for v in (c.before, c.after)] for c in made), []
        pairs = np.array(list(old), dtype=float)
        low, high = bootstrap(pairs[:, 1])
        new = [f"{pairs[:, 0].mean():.2f}", f"{pairs[:, 1].mean():.2f}", f"{low:.2f} to {high:.2f}"]
        rivals = {name: np.mean(v) for name, v in peers[heading, target].items()}
        best = max(rivals, key=lambda name: rivals[name], default="")
        words = f"{best} {rivals[best]:.2f}" if best else ""
        lines.append([heading, f"{target:g}", str(len(made)), *new, words])
    head = ["", "target", "cells", "before", "after", "90 % interval", "best peer (baseline)"]
    return table(head, lines)


def answer_gap(run: Run, least: float) -> float:
    """(f(answer) - f_L) / (f(x0) - f_L); infinite where the answer is infeasible or none.

    >>> run = Run("p", "plain", "u", 2, "zoo", 0, 9, start=5.0, answer=2.0, violation=0.0)
    >>> answer_gap(run, 1.0)
    0.25
    """
    if not run.violation <= FEASIBLE or math.isnan(run.answer) or run.start <= least:
        return math.inf
    return (run.answer - least) / (run.start - least)


def _answer_gaps(suite: Suite, before: Sequence[Run], after: Sequence[Run]) -> str:
    """Medians of the relative gaps of the answers."""
    least = references(suite, before)
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for when, runs in (("before", before), ("after", after)):
        for run in runs:
            if run.solver in suite.ours:
                found[_heading(run), f"{run.solver}, {when}"].append(
                    answer_gap(run, least.get(place(run), math.inf))
                )
            elif when == "before" and run.fits and run.solver != REFERENCE:
                found[_heading(run), run.solver].append(answer_gap(run, least[place(run)]))
    names = list(dict.fromkeys(name for _, name in found))
    headings = sorted({heading for heading, _ in found})
    lines = [
        [h, *(f"{np.median(found[h, name]):.1e}" if (h, name) in found else "" for name in names)]
        for h in headings
    ]
    return table(["median gap of the answer", *names], lines)


def _risen(suite: Suite, before: Sequence[Run], after: Sequence[Run]) -> str:
    """Cells whose answer has a gap that is larger than before by a quarter, and not tiny."""
    least = references(suite, before)
    old = {
        run.key: answer_gap(run, least[place(run)]) for run in before if run.solver in suite.ours
    }
    pairs = [
        (run, old[run.key], answer_gap(run, least[place(run)]))
        for run in after
        if run.solver in suite.ours and run.key in old
    ]
    risen = [(r, a, b) for r, a, b in pairs if b > SLOWER * max(a, NEGLIGIBLE)]
    fallen = sum(a > SLOWER * max(b, NEGLIGIBLE) for _, a, b in pairs)
    risen.sort(key=lambda found: -found[2] / max(found[1], NEGLIGIBLE))
    lines = [f"  {r.problem} ({r.feature}, {r.solver}): {a:.1e} -> {b:.1e}" for r, a, b in risen]
    title = f"LARGER GAPS of answers: {len(risen)} of {len(pairs)}; smaller: {fallen}"
    return "\n".join([title, *lines[:LINES]])


def _heading(run: Run) -> str:
    return f"{run.group}, plain" if run.feature == "plain" else f"all, {run.feature}"


def _answers(suite: Suite, before: Sequence[Run], after: Sequence[Run]) -> str:
    """Answers that are infeasible, no better than the start, or far above the best point seen."""
    old = {run.key: flaws(suite, run) for run in before}
    lines = [
        f"  {run.problem} ({run.feature}): {flaw}"
        for run in after
        if run.solver in suite.ours
        for flaw in flaws(suite, run)
        if flaw not in old.get(run.key, [])
    ]
    return "\n".join([f"NEW FLAWS of answers: {len(lines)}", *lines[:LINES]])


def flaws(suite: Suite, run: Run) -> list[str]:
    """What is wrong with an answer.

    >>> from benchmarks.s2mpj.suite import SUITE
    >>> run = Run("p", "plain", "u", 2, "zoo", 0, 9, start=1.0, answer=1.0, violation=0.0)
    >>> flaws(SUITE, run)
    ['answer no better than the start']
    """
    found = []
    if run.status.startswith("failed"):
        found.append(run.status)
    elif run.violation > FEASIBLE:
        found.append("answer infeasible")
    elif run.answer >= run.start and not suite.gaps:
        found.append("answer no better than the start")
    if run.status == "out of time":
        found.append("out of time")
    return found


def _pace(
    found: Sequence[Change], before: Sequence[Run], after: Sequence[Run], suite: Suite
) -> str:
    """Typical ratios; seconds are information only."""
    both = [c.ratio for c in found if math.isfinite(c.before) and math.isfinite(c.after)]
    ratio = float(np.exp(np.mean(np.log(both)))) if both else math.nan
    times = [
        1e3 * float(np.median([r.seconds / max(r.used, 1) for r in runs if r.solver in suite.ours]))
        for runs in (before, after)
    ]
    return (
        f"evaluations to targets reached both times, after / before: {ratio:.3f} (geometric mean)\n"
        f"own processor time an evaluation, median: {times[0]:.3f} ms -> {times[1]:.3f} ms"
    )
