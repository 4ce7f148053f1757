"""How long the examples take."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.applications.line import Figures, Limit, Line

FOLDER = Path(__file__).parents[2] / "examples"


def run(case: str, seed: int, evaluations: int) -> Figures:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        picture = Path(folder) / "picture.png"
        subprocess.run(
            [sys.executable, str(FOLDER / case), str(picture)], check=True, capture_output=True
        )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {"processor seconds": after.ru_utime - before.ru_utime}


LINES = [
    Line(
        "examples",
        "Examples",
        (
            "blend_models.py",
            "choose_stations.py",
            "classify_on_a_grid.py",
            "genes_and_survival.py",
        ),
        run,
        {"processor seconds": Limit("below", 60.0)},
        0,
    )
]
