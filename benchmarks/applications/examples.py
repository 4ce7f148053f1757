"""How long the examples take."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.applications.line import Figures, Limit, Line

FOLDER = Path(__file__).parents[2] / "examples"


def run(case: str, seed: int, evaluations: int) -> Figures:
    before = os.times().children_user
    with tempfile.TemporaryDirectory() as folder:
        picture = Path(folder) / "picture.png"
        subprocess.run(
            [sys.executable, str(FOLDER / case), str(picture)], check=True, capture_output=True
        )
    return {"processor seconds": os.times().children_user - before}


LINES = [
    Line(
        "examples",
        "Examples",
        (
            "blend_models.py",
            "choose_stations.py",
            "classify_on_a_grid.py",
            "few_features.py",
            "fool_a_network.py",
            "genes_and_survival.py",
        ),
        run,
        {"processor seconds": Limit("below", 60.0)},
        0,
    )
]
