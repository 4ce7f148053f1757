"""Which runs on bbob's unimodal functions reach f - f* <= 1e-6 within 1,000 d evaluations.

    python -m benchmarks.coco.unimodal --rows FILE [--instances 1 3 5] [--dimensions 10 20 40]

Runs whose rows are in FILE are not made again. Odd instances may be studied while building, even
ones judge.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import zooadmm as zoo
from benchmarks.coco.plan import INSTANCES, LONG, UNIMODAL
from benchmarks.coco.problems import BBOB, Place, task
from benchmarks.yardstick.task import Array

TARGET = 1e-6


class Row(NamedTuple):
    """One run."""

    name: str
    gap: float
    """The least f - f* that was evaluated"""
    needed: int
    """Evaluations to the target; 0 for never"""
    spent: int
    seconds: float
    message: str


def run(place: Place) -> Row:
    """One run with the default method, its budget announced."""
    opened = place.open()
    asked = task(place, opened)
    values: list[float] = []

    def loss(x: Array) -> float:
        values.append(asked.value(x))
        return values[-1]

    start = time.process_time()
    box = zoo.Box(asked.lower, asked.upper)
    limit = LONG * place.dimension
    result = zoo.minimize(loss, asked.x0, domain=box, max_evaluations=limit, rng=0)
    seconds = time.process_time() - start
    opened.close()
    needed = next((i for i, value in enumerate(values, 1) if value <= TARGET), 0)
    return Row(place.name, min(values), needed, len(values), round(seconds, 1), result.message)


def read(path: Path) -> dict[str, Row]:
    lines = path.read_text().splitlines() if path.exists() else []
    rows = [Row(*json.loads(line)) for line in lines]
    return {row.name: row for row in rows}


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coco.unimodal")
    parser.add_argument("--rows", type=Path, required=True)
    parser.add_argument("--instances", type=int, nargs="+", default=list(INSTANCES))
    parser.add_argument("--dimensions", type=int, nargs="+", default=[10, 20, 40])
    parser.add_argument("--functions", type=int, nargs="+", default=list(UNIMODAL))
    given = parser.parse_args(words)
    places = [
        Place(BBOB, f, d, i)
        for d in given.dimensions
        for i in given.instances
        for f in given.functions
    ]
    known = read(given.rows)
    for place in places:
        if place.name not in known:
            row = known[place.name] = run(place)
            with given.rows.open("a") as file:
                file.write(json.dumps(row) + "\n")
    rows = [known[place.name] for place in places]
    for row in rows:
        if row.needed == 0:
            print(f"{row.name:18} {row.gap:8.1e} {row.spent:6} {row.message[:100]}")
    print(f"{sum(row.needed > 0 for row in rows)} of {len(rows)} reach {TARGET:g}")


if __name__ == "__main__":
    main()
