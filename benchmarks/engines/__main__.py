"""Measure the engines: `python -m benchmarks.engines`, from the root of the repository."""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy is loaded
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ["PYTHONPATH"] = f"{os.getcwd()}:{os.environ.get('PYTHONPATH', '')}"  # for clusters

from benchmarks.engines.measures import everything
from benchmarks.engines.rows import write
from benchmarks.engines.tables import tables


def main() -> None:
    rows = everything()
    write(rows)
    print(tables(rows))


if __name__ == "__main__":
    main()
