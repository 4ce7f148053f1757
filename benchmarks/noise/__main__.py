"""The noise protocol: `python -m benchmarks.noise --quick`."""

from benchmarks.noise.suite import SUITE
from benchmarks.yardstick.command import main

if __name__ == "__main__":
    main(SUITE)
