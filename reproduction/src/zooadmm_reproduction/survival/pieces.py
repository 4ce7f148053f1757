"""What is run for Fig. 3 and Table 1; they share what is the same."""

from __future__ import annotations

from dataclasses import dataclass

from zooadmm_reproduction.exhibits import FIRST_ORDER, ZOO
from zooadmm_reproduction.experiment import Piece, Size, trial_seed
from zooadmm_reproduction.survival.cohort import cohort
from zooadmm_reproduction.survival.runs import automatic, exact, printed, released

TABLE_STRENGTHS = (1.5, 0.05, 0.001)
"""gamma in Table 1."""


@dataclass(frozen=True)
class Scale:
    """How much is run.

    between: the strengths of Fig. 3 that are not in Table 1.
    iterations: T of ZOO-ADMM and O-ADMM; the paper does not tell, and 10,000 is what its other
    experiment on real data has.
    evaluations: of the whole likelihood, that the default settings may make.
    seeds, settled_seeds: trials of ZOO-ADMM and O-ADMM, and of the default settings.
    """

    between: tuple[float, ...]
    iterations: int
    evaluations: int
    seeds: int
    settled_seeds: int


SCALES = {
    Size.QUICK: Scale((0.15, 0.015), 1_000, 3_200, seeds=3, settled_seeds=1),
    Size.FULL: Scale((0.5, 0.15, 0.015, 0.005), 10_000, 10_000, seeds=5, settled_seeds=3),
}


def of_table(size: Size, seed: int) -> list[Piece]:
    """The runs at the strengths of Table 1, and the optimum in four forms."""
    optima = [
        _optimum(size, patients, columns)
        for patients in ("train", "everybody")
        for columns in ("raw", "standardized")
    ]
    scale = SCALES[size]
    others = [
        Piece(f"survival-table-released-{trial}", released,
              (TABLE_STRENGTHS, scale.iterations, trial_seed(seed, trial)))
        for trial in range(scale.seeds)
    ]  # fmt: skip
    return [*_runs("table", TABLE_STRENGTHS, scale, seed), *others, *optima]


def of_figure(size: Size, seed: int) -> list[Piece]:
    """The runs at all strengths of Fig. 3, those of Table 1 among them."""
    scale = SCALES[size]
    parts = {"between": scale.between, "table": TABLE_STRENGTHS}
    runs = [piece for part in parts for piece in _runs(part, parts[part], scale, seed)]
    return [*runs, _optimum(size, "train", "raw")]


def _optimum(size: Size, patients: str, columns: str) -> Piece:
    strengths = (*TABLE_STRENGTHS, *SCALES[size].between)
    return Piece(f"survival-exact-{patients}-{columns}", exact, (strengths, patients, columns))


def _runs(part: str, strengths: tuple[float, ...], scale: Scale, seed: int) -> list[Piece]:
    cohort()  # says at once what data is missing
    seeds, T = [trial_seed(seed, trial) for trial in range(scale.seeds)], scale.iterations
    pieces = []
    for batch, short in (("all events", "all"), ("one event", "one")):
        for trial, number in enumerate(seeds):
            name, arguments = f"survival-{part}-zoo-{short}-{trial}", (ZOO, batch, strengths, T)
            pieces.append(Piece(name, printed, (*arguments, number)))
    for trial, number in enumerate(seeds[: scale.settled_seeds]):
        name = f"survival-{part}-auto-{trial}"
        pieces.append(Piece(name, automatic, (strengths, scale.evaluations, number)))
    whole = (FIRST_ORDER, "all events", strengths, T, seed)  # no random numbers: one seed is all
    pieces.append(Piece(f"survival-{part}-first-order-all", printed, whole))
    for trial, number in enumerate(seeds):
        single = (FIRST_ORDER, "one event", strengths, T, number)
        pieces.append(Piece(f"survival-{part}-first-order-one-{trial}", printed, single))
    return pieces
