"""Fig. 1(b): the update error, and what it says of convergence."""

from __future__ import annotations

import math

from zooadmm.analysis import theory
from zooadmm_reproduction.blending import pictures, plan
from zooadmm_reproduction.blending.data import Source, check
from zooadmm_reproduction.blending.findings import Finding, capital, found, told, verdict
from zooadmm_reproduction.blending.measures import (
    FACTOR,
    blended,
    name_of,
    ratio,
    runs_of,
    sources_of,
)
from zooadmm_reproduction.blending.plan import FOLLOWED
from zooadmm_reproduction.blending.runs import EARLY, LATE
from zooadmm_reproduction.blending.strategies import (
    FIFTY,
    STRATEGIES,
    WORDS,
    Setting,
    step_size,
)
from zooadmm_reproduction.claims import Claim, Verdict, all_of, at_least, at_most
from zooadmm_reproduction.exhibits import FIRST_ORDER, Exhibit, Table
from zooadmm_reproduction.experiment import Experiment, Piece, Size
from zooadmm_reproduction.intervals import Interval, geometric_mean_of
from zooadmm_reproduction.rows import Row, distinct

WHERE = "Sec. 6, Fig. 1(b)"
FALLS = "fig1b-falls"

LARGER = math.nextafter(1.0, 2.0)
"""The least ratio of two numbers of which the first is larger."""


class Fig1b(Experiment):
    """The update error of ZOO-ADMM and O-ADMM on the blending problem."""

    name = "fig1b"
    title = "Blending recommenders: update error, and distance to the optimum"
    paper = (
        "The paper shows |x(t+1) - x(t)| of ZOO-ADMM with 50 directions and of O-ADMM, which it "
        "calls the convergence error. These are runs of Fig. 1(a), as printed, on scaled "
        "ratings, and with the step of Corollary 3, with the distance to the least squares "
        "solution beside it, on the same axis. A step is at most eta(t)/alpha(t) times a "
        "gradient, so it vanishes as eta(t) does, wherever x(t) is."
    )

    def pieces(self, size: Size, seed: int) -> list[Piece]:
        """Pieces of Fig. 1(a), all of them."""
        check()
        return plan.of_both(size, seed)

    def exhibits(self, rows: list[Row]) -> list[Exhibit]:
        """A picture for each setting, one of the twin, and how far everything fell."""
        names: dict[tuple[Setting, Source], str] = {
            (Setting.SCALED, "recommenders"): self.name,
            (Setting.SCALED, "synthetic"): "fig1b-synthetic",
            (Setting.COROLLARY, "recommenders"): "fig1b-corollary",
            (Setting.PRINTED, "recommenders"): "fig1b-printed",
        }
        shown: list[Exhibit] = [
            pictures.updates(name, rows, source, setting, _caption(rows, source, setting))
            for (setting, source), name in names.items()
        ]
        caption = (
            f"Root mean square of the update error in the first {EARLY} iterations and in the "
            f"last {LATE:.0%}, and distance to the optimum at the start and at the end; geometric "
            f"means over seeds with 95% intervals. {blended(rows)}"
        )
        return [*shown, Table(FALLS, caption, falls(rows))]

    def claims(self, rows: list[Row]) -> list[Claim]:
        """Likeness to O-ADMM, and what the update error is evidence of."""
        alike = comparable(rows)
        return [
            Claim(
                "The update error of ZOO-ADMM is larger than that of O-ADMM in the first "
                "iterations, and comparable thereafter.",
                WHERE,
                f"{told(alike)}{_predicted(rows)} {blended(rows)}",
                verdict(alike),
                FALLS,
            ),
            convergence(rows),
        ]


def _caption(rows: list[Row], source: Source, setting: Setting) -> str:
    return (
        f"Update error (left) and distance to the optimum (right), {name_of(rows, source)}, "
        f"{WORDS[setting]}. Lines are means over seeds, bands go from the least to the largest; "
        f"both sides have the same vertical axis. {blended(rows)}"
    )


def comparable(rows: list[Row]) -> list[Finding]:
    """Whether the update error is larger at first, and comparable in the end."""

    def look(source: str, setting: Setting) -> tuple[Verdict, str]:
        early = ratio(rows, source, setting, FOLLOWED, "early update")
        late = ratio(rows, source, setting, FOLLOWED, "late update")
        text = f"{early} times that of {FIRST_ORDER} at first, {late} times in the end"
        near = at_least(late, 1.0 / FACTOR), at_most(late, FACTOR)
        return all_of(at_least(early, LARGER), *near), text

    return found(rows, look)


def _predicted(rows: list[Row]) -> str:
    """What theory says of the ratio, in root mean square, and how far the steps are apart."""
    m = int(distinct(rows, "models")[0])
    root = math.sqrt(theory.second_moment(STRATEGIES[FIFTY], m, gradient=1.0))
    ours, first = (step_size(Setting.COROLLARY, STRATEGIES[name], m)(1) for name in FOLLOWED)
    return (
        f" Comparable means within a factor of {FACTOR:g}. At the same x and step the root mean "
        f"square of an estimate over 50 of {m} dimensions is {root:.3g} times that of the "
        "gradient, in the first iteration as in the last. By Corollary 3 the step of "
        f"{FIRST_ORDER} is {first / ours:.3g} times that of {FIFTY}; in the other settings it "
        "is the same."
    )


def convergence(rows: list[Row]) -> Claim:
    """Whether x came nearer to the optimum wherever the update error fell."""
    judged: list[Verdict] = []
    words = []
    for setting in Setting:
        parts = []
        for source in sources_of(rows):
            update, distance = fall(rows, source, setting, FIFTY)
            vanishes = at_most(update, 1.0 / FACTOR) is Verdict.HOLDS
            judged += [at_most(distance, 1.0 / FACTOR)] if vanishes else []
            not_judged = "" if vanishes else ", not judged"
            parts.append(f"{update} and {distance} ({name_of(rows, source)}{not_judged})")
        words.append(f"{capital(WORDS[setting])}: {'; '.join(parts)}.")
    return Claim(
        "That the update error of ZOO-ADMM vanishes shows that it converges.",
        WHERE,
        f"Update error and distance to the optimum, end over start. {' '.join(words)} If the one "
        f"showed the other, the distance would fall by a factor of {FACTOR:g} at least wherever "
        f"the update error does; where that does not, nothing is judged. {blended(rows)}",
        all_of(*judged) if judged else Verdict.UNDECIDED,
        Fig1b.name,
        (18,),
    )


def fall(rows: list[Row], source: str, setting: str, strategy: str) -> tuple[Interval, Interval]:
    """Late over early update error, and distance to the optimum at the end over the start's."""
    runs = runs_of(rows, source, setting, strategy)
    update, distance = (
        geometric_mean_of([float(run[last]) / float(run[first]) for run in runs])
        for last, first in (("late update", "early update"), ("end distance", "start distance"))
    )
    return update, distance


def falls(rows: list[Row]) -> list[Row]:
    """Both methods, in all settings."""
    table: list[Row] = []
    for source in sources_of(rows):
        words = name_of(rows, source)
        for setting in Setting:
            for strategy in FOLLOWED:
                runs = runs_of(rows, source, setting, strategy)
                row: Row = {"data": words, "setting": WORDS[setting], "method": strategy}
                for name in ("early update", "late update", "start distance", "end distance"):
                    row[name] = str(geometric_mean_of([float(run[name]) for run in runs]))
                table.append(row)
    return table
