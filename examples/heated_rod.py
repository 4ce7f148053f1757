"""Minimize a simulator written in C: the heaters of a rod, few of them and none beyond its power.

Needs a C compiler, `cc`. The simulator is `simulator.c`; two copies of it are kept busy.

    python examples/heated_rod.py [picture.png]      (the picture needs zooadmm[plot])
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import zooadmm as zoo

SOURCE = Path(__file__).with_name("simulator.c")


def minimized() -> zoo.Result:
    """The powers of 20 heaters, from values of the compiled simulator."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "simulator"
        subprocess.run(["cc", "-O2", "-o", program, SOURCE], check=True)
        with zoo.Command([str(program)], timeout=60.0) as simulator:
            return zoo.minimize(
                simulator,
                np.full(20, 0.5),
                domain=zoo.Box(0, 1),
                regularizer=zoo.L1(0.01),
                max_evaluations=2000,
                workers=2,
                rng=0,
            )


def draw(result: zoo.Result, picture: Path) -> None:
    """The powers, a bar a heater."""
    import matplotlib.pyplot as plt

    from zooadmm.analysis.style import RUST, TEAL, dress

    figure, axis = plt.subplots(figsize=(7, 2.6), layout="constrained")
    axis.bar(range(20), result.x, color=RUST, width=0.7)
    axis.axhline(1.0, color=TEAL, lw=1.5)
    axis.text(19.5, 1.03, "no heater can do more", color=TEAL, ha="right")
    off = np.count_nonzero(result.x == 0.0)
    axis.set(xlabel=f"heater; {off} of 20 are off", ylabel="power", xticks=range(20), ylim=(0, 1.2))
    dress(axis)
    axis.grid(False, axis="x")
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, dpi=100)
    plt.close(figure)


def main(picture: Path | None) -> None:
    """Print the result, and draw it where there is a place for it."""
    result = minimized()
    print(result)
    print(np.round(result.x, 2))
    if picture is not None:
        draw(result, picture)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].endswith(".png") else None)
