"""COCO: `python -m benchmarks.coco --quick`."""

from benchmarks.coco.suite import SUITE
from benchmarks.yardstick.command import main

if __name__ == "__main__":
    main(SUITE)
