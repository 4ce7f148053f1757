"""Losses with structure: `python -m benchmarks.structured --quick`."""

from benchmarks.structured.suite import SUITE
from benchmarks.yardstick.command import main

if __name__ == "__main__":
    main(SUITE)
