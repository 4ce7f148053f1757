"""Measure the machine: `python -m benchmarks.machine`, from the root of the repository."""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy is loaded
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from benchmarks.machine import memory, timing
from benchmarks.machine.rows import Row, table, write


def figures(rows: list[Row], head: str) -> str:
    return table(head, ("", "value", "unit"), [_figure(row) for row in rows])


def _figure(row: Row) -> tuple[str, str, str]:
    name = f"{row.measure}, {row.distribution}" if row.distribution else row.measure
    return name, f"{row.value:.2f}", row.unit


def by_size(rows: list[Row], measure: str) -> str:
    """A line for every distribution, a column for every m."""
    found = {(row.distribution, row.m): row for row in rows if row.measure == measure}
    sizes = list(dict.fromkeys(m for _, m in found))
    unit = next(iter(found.values())).unit
    body = [
        [name, *(f"{found[name, m].value:.3g}" for m in sizes)] for name in timing.DISTRIBUTIONS
    ]
    return table(f"{measure}, {unit}", ("m", *(f"{m:,}" for m in sizes)), body)


def main() -> None:
    ratios = timing.ratios()
    print(figures(ratios, "Beside a bare loop, m = 237"), flush=True)
    sizes = timing.over_sizes()
    print(by_size(sizes, "time"))
    print(by_size(sizes, "library / lean bare loop"), flush=True)
    growth = timing.growth()
    print(figures(growth, "Growth"), flush=True)
    vectors = memory.vectors()
    print(figures(vectors, "Memory beyond the state, m = 10^6"), flush=True)
    traffic = memory.traffic()
    print(figures(traffic, "Directions and the traffic of memory, m = 10^6"))
    write([*ratios, *sizes, *growth, *vectors, *traffic])


if __name__ == "__main__":
    main()
