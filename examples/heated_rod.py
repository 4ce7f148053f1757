"""Minimize a simulator written in C: the heaters of a rod, few of them and none beyond its power.

Needs a C compiler, `cc`. The simulator is `simulator.c`; two copies of it are kept busy.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import numpy as np

import zooadmm as zoo

SOURCE = Path(__file__).with_name("simulator.c")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "simulator"
        subprocess.run(["cc", "-O2", "-o", program, SOURCE], check=True)
        with zoo.Command([str(program)], timeout=60.0) as simulator:
            result = zoo.minimize(
                simulator,
                np.full(20, 0.5),
                domain=zoo.Box(0, 1),
                regularizer=zoo.L1(0.01),
                max_evaluations=2000,
                workers=2,
                rng=0,
            )
    print(result)
    print(np.round(result.x, 2))


if __name__ == "__main__":
    main()
