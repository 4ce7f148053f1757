"""The rows as tables to read."""

from __future__ import annotations

from benchmarks.engines.clusters import BARE, NAMES
from benchmarks.engines.rows import Row
from benchmarks.machine.rows import table


class Figures:
    """The rows by what they are about."""

    def __init__(self, rows: list[Row]) -> None:
        self._found = {(r.measure, r.engine, r.m, r.workers): r.value for r in rows}

    def __call__(self, measure: str, engine: str, m: int, workers: int, form: str = ".3g") -> str:
        value = self._found.get((measure, engine, m, workers))
        return "" if value is None else format(value, form)


def iterations(of: Figures, m: int, bare: int) -> str:
    """One worker, two, and the round trip of the bare library."""
    head = ("", "1 worker", "2 workers", "bare library, 2 workers")
    here = ["in process", of("iteration", "in process", m, 0), "", ""]
    body = [
        [
            name,
            of("iteration", name, m, 1),
            of("iteration", name, m, 2),
            f"{BARE[name][bare]:g}",
        ]
        for name in NAMES
    ]
    title = f"Milliseconds for an iteration of 30 trivial evaluations, m = {m:,}"
    return table(title, head, [here, *body])


def worth(of: Figures) -> str:
    """What two workers are worth where evaluations take time, and what it takes to start."""
    head = ("", "ms, 1 worker", "2 workers", "ratio", "first answer, s", "cluster, s")
    body = [
        [
            name,
            of("sleeping", name, 100, 1, ".0f"),
            of("sleeping", name, 100, 2, ".0f"),
            of("throughput of two over one", name, 100, 2, ".2f"),
            of("first answer", name, 10, 2, ".2f"),
            of("cluster started", name, 0, 2, ".1f"),
        ]
        for name in NAMES
    ]
    return table("A loss that sleeps 50 ms, 31 directions", head, body)


def model(rows: list[Row]) -> list[list[str]]:
    """Its constants, and what they foretell beside what was measured."""
    kinds = ("constant", "foretold", "measured", "extrapolated")
    return [
        [r.measure, f"{r.m:,}" if r.m else "", str(r.workers or ""), f"{r.value:.3g}", r.unit]
        for r in rows
        if r.measure.startswith(kinds)
    ]


def tables(rows: list[Row]) -> str:
    of = Figures(rows)
    vectors = [[r.engine, f"{r.value:.2f}"] for r in rows if r.unit == "vectors"]
    return "\n".join(
        [
            iterations(of, 1_000, 0),
            iterations(of, 1_000_000, 1),
            worth(of),
            table("Vectors beyond the state at the driver, m = 10^7", ("", "vectors"), vectors),
            table("The cost model", ("", "m", "workers", "", "unit"), model(rows)),
        ]
    )
