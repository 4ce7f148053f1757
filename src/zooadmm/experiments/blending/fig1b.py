"""Fig. 1(b): the update error, and what it says of convergence."""

from __future__ import annotations

import math

from zooadmm import theory
from zooadmm.experiments.blending import pictures, plan
from zooadmm.experiments.blending.data import SOURCES, Source, check
from zooadmm.experiments.blending.findings import Finding, capital, found, told, verdict
from zooadmm.experiments.blending.measures import FACTOR, geometric, ratio, runs_of
from zooadmm.experiments.blending.plan import FOLLOWED
from zooadmm.experiments.blending.strategies import FIFTY, STRATEGIES, WORDS, Setting
from zooadmm.experiments.claims import Claim, Verdict
from zooadmm.experiments.exhibits import Exhibit, Table
from zooadmm.experiments.experiment import Experiment, Piece, Size
from zooadmm.experiments.intervals import Interval
from zooadmm.experiments.rows import Row, distinct

WHERE = "Sec. 6, Fig. 1(b)"
FALLS = "fig1b-falls"


class Fig1b(Experiment):
    """The update error of ZOO-ADMM and O-ADMM on the blending problem."""

    name = "fig1b"
    title = "Blending recommenders: update error, and distance to the optimum"
    paper = (
        "The paper shows |x(t+1) - x(t)| of ZOO-ADMM with 50 directions and of O-ADMM, which it "
        "calls the convergence error. These are runs of Fig. 1(a), as printed, on scaled "
        "ratings, and with the step of Corollary 3, with the distance to the least squares "
        "solution beside it, on the same axis. A step is at most eta(t)/alpha(t) times a "
        "gradient, so it vanishes as eta(t) does, wherever x(t) is. Most directions matter "
        "little to the loss: the RMSE can be near the best while x is far from the optimum, and "
        "the update error tells of neither."
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
            pictures.updates(name, rows, source, setting, _caption(source, setting))
            for (setting, source), name in names.items()
        ]
        caption = (
            "Root mean square of the update error in the first 10 iterations and in the last "
            "tenth, and distance to the optimum at the start and at the end; geometric means over "
            "seeds with 95% intervals."
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
                told(alike) + _predicted(rows),
                verdict(alike),
                FALLS,
            ),
            convergence(rows),
        ]


def _caption(source: Source, setting: Setting) -> str:
    return (
        f"Update error (left) and distance to the optimum (right), {SOURCES[source]}, "
        f"{WORDS[setting]}. Lines are means over seeds, bands go from the least to the largest; "
        "both sides have the same vertical axis."
    )


def comparable(rows: list[Row]) -> list[Finding]:
    """Whether the update error is larger at first, and comparable in the end."""

    def look(source: str, setting: Setting) -> tuple[bool, str]:
        early = ratio(rows, source, setting, FOLLOWED, "early update")
        late = ratio(rows, source, setting, FOLLOWED, "late update")
        text = f"{early} times that of O-ADMM at first, {late} times in the end"
        return early.middle > 1.0 and 1.0 / FACTOR <= late.middle <= FACTOR, text

    return found(rows, tuple(Setting), look)


def _predicted(rows: list[Row]) -> str:
    """What theory says of the ratio, in root mean square."""
    m = int(distinct(rows, "models")[0])
    root = math.sqrt(theory.second_moment(STRATEGIES[FIFTY].gradient, m, gradient=1.0))
    return (
        f" Comparable means within a factor of {FACTOR:g}. At the same x and step the root mean "
        f"square of an estimate over 50 of {m} dimensions is {root:.3g} times that of the "
        "gradient, in the first iteration as in the last; the step of Corollary 3 for it is "
        "shorter by about as much."
    )


def convergence(rows: list[Row]) -> Claim:
    """Whether x came nearer to the optimum wherever the update error fell."""
    seen, words = [], []
    for finding in found(rows, tuple(Setting), lambda *at: _nearer(rows, *at)):
        seen.append(finding.seen)
        words.append(f"{capital(WORDS[finding.setting])}: {finding.words}.")
    return Claim(
        "That the update error of ZOO-ADMM vanishes shows that it converges.",
        WHERE,
        f"Update error and distance to the optimum, end over start. {' '.join(words)} If the one "
        f"showed the other, the distance would fall by a factor of {FACTOR:g} at least wherever "
        "the update error does.",
        Verdict.HOLDS if all(seen) else Verdict.FAILS,
        Fig1b.name,
        (18,),
    )


def _nearer(rows: list[Row], source: str, setting: Setting) -> tuple[bool, str]:
    update, distance = fall(rows, source, setting, FIFTY)
    vanishes, nears = update.middle <= 1.0 / FACTOR, distance.middle <= 1.0 / FACTOR
    return nears or not vanishes, f"{update} and {distance}"


def fall(rows: list[Row], source: str, setting: str, strategy: str) -> tuple[Interval, Interval]:
    """Late over early update error, and distance to the optimum at the end over the start's."""
    runs = runs_of(rows, source, setting, strategy)
    update, distance = (
        geometric([float(run[last]) / float(run[first]) for run in runs])
        for last, first in (("late update", "early update"), ("end distance", "start distance"))
    )
    return update, distance


def falls(rows: list[Row]) -> list[Row]:
    """Both methods, in all settings."""
    table: list[Row] = []
    for source, words in SOURCES.items():
        for setting in Setting:
            for strategy in FOLLOWED:
                runs = runs_of(rows, source, setting, strategy)
                row: Row = {"data": words, "setting": WORDS[setting], "method": strategy}
                for name in ("early update", "late update", "start distance", "end distance"):
                    row[name] = str(geometric([float(run[name]) for run in runs]))
                table.append(row)
    return table
