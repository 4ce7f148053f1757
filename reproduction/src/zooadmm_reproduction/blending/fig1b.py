"""Fig. 1(b): the update error of iterates and of running averages."""

from __future__ import annotations

import math

from zooadmm.analysis import theory
from zooadmm_reproduction.blending import pictures, plan
from zooadmm_reproduction.blending.data import check
from zooadmm_reproduction.blending.findings import seen, told, units_of, verdict
from zooadmm_reproduction.blending.measures import (
    FACTOR,
    blended,
    name_of,
    percent_above,
    ratio,
    runs_of,
    sources_of,
)
from zooadmm_reproduction.blending.plan import FOLLOWED
from zooadmm_reproduction.blending.runs import EARLY, LATE
from zooadmm_reproduction.blending.strategies import FIFTY, RAW, SETTINGS, STRATEGIES, Setting
from zooadmm_reproduction.claims import Claim, Remark, Verdict, all_of, at_least, at_most
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
        "calls the convergence error. The authors' released program plots the update of the "
        "running averages. Both are shown, from the runs of Fig. 1(a), in every unit, with the "
        "distance to the least squares solution beside them."
    )

    def pieces(self, size: Size, seed: int) -> list[Piece]:
        """Pieces of Fig. 1(a), all of them."""
        check()
        return plan.of_both(size, seed)

    def exhibits(self, rows: list[Row]) -> list[Exhibit]:
        """A picture in one unit, and a table of all."""
        caption = (
            f"Lines are means over seeds, bands reach from the least to the largest. An update is "
            f"at most eta(t)/alpha(t) times a direction, of gradient, dual variable and residual: "
            f"while that is bounded it falls as the step does, wherever x(t) is (erratum 18). "
            f"{blended(rows)}"
        )
        listed = (
            f"Root mean square of the update in the first {EARLY} iterations and in the last "
            f"{LATE:.0%}, and the distance to the optimum at the start and at the end; geometric "
            "means over seeds."
        )
        return [
            pictures.updates(self.name, rows, Setting(1.0), caption),
            Table(FALLS, listed, falls(rows)),
        ]

    def claims(self, rows: list[Row]) -> list[Claim]:
        """Likeness to O-ADMM."""
        found = seen(rows, lambda source, setting: _comparable(rows, source, setting))
        return [
            Claim(
                "The update error of ZOO-ADMM is larger than that of O-ADMM in the first "
                "iterations, and comparable thereafter.",
                WHERE,
                f"{told(found)}{_predicted(rows)} {blended(rows)}",
                verdict(found),
                FALLS,
                conclusion="The update error is larger than O-ADMM's at first and comparable later "
                f"{units_of(found)}.",
            )
        ]

    def remarks(self, rows: list[Row]) -> list[Remark]:
        """What a small update is evidence of."""
        source = sources_of(rows)[0]
        words = []
        for setting in (Setting(0.1), Setting(1.0), RAW):
            update, distance = fall(rows, source, setting, FIFTY)
            above = percent_above(runs_of(rows, source, setting, FIFTY))
            words.append(f"{setting.words}: {update} and {distance}, {above}%")
        return [
            Remark(
                "A falling update error is no evidence of convergence: it falls with the step "
                "size, wherever x is, and that of a running average by itself.",
                f"{name_of(rows, source)}, 50 directions: update error and distance to the "
                "optimum, end over start, and the test RMSE at the end above that of least "
                f"squares: {'; '.join(words)}. The update of a running average is the distance of "
                "x(t+1) from it over t + 1. The paper does not say that it is evidence.",
                self.name,
                (18,),
            )
        ]


def _comparable(rows: list[Row], source: str, setting: Setting) -> tuple[Verdict, str]:
    """Whether the update error is larger at first and comparable in the end, by either reading."""
    verdicts, words = [], []
    for of, name in (("update", "iterates"), ("average update", "running averages")):
        early = ratio(rows, source, setting, FOLLOWED, f"early {of}")
        late = ratio(rows, source, setting, FOLLOWED, f"late {of}")
        near = at_least(late, 1.0 / FACTOR), at_most(late, FACTOR)
        verdicts.append(all_of(at_least(early, LARGER), *near))
        words.append(f"of {name} {early} times that of {FIRST_ORDER} at first, {late} times later")
    held = Verdict.HOLDS in verdicts
    return Verdict.HOLDS if held else all_of(*verdicts), "; ".join(words)


def _predicted(rows: list[Row]) -> str:
    """What theory says of the ratio, in root mean square."""
    m = int(distinct(rows, "models")[0])
    root = math.sqrt(theory.second_moment(STRATEGIES[FIFTY], m, gradient=1.0))
    return (
        f" Comparable means within a factor of {FACTOR:g}; it is enough in one of the two "
        f"readings. At the same x and step the root mean square of an estimate over 50 of {m} "
        f"dimensions is {root:.3g} times that of the gradient, in every iteration."
    )


def fall(
    rows: list[Row], source: str, setting: Setting, strategy: str
) -> tuple[Interval, Interval]:
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
    names = ("early update", "late update", "early average update", "late average update",
             "start distance", "end distance")  # fmt: skip
    for source in sources_of(rows):
        for setting in SETTINGS:
            for strategy in FOLLOWED:
                runs = runs_of(rows, source, setting, strategy)
                row: Row = {"data": name_of(rows, source), "setting": setting.words}
                row["method"] = strategy
                for name in names:
                    mean = geometric_mean_of([float(run[name]) for run in runs])
                    row[name] = f"{mean.middle:.3g}"
                table.append(row)
    return table
