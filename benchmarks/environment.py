"""What a run of the benchmark was made with, in `results/environment.json`.

python -m benchmarks.environment    writes that file for the default effort
"""

from __future__ import annotations

import datetime
import json
import os
import platform
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.run import Effort

PATH = Path(__file__).parent / "results" / "environment.json"
PACKAGES = ("zooadmm", "numpy", "scipy", "nevergrad", "cma", "nlopt")

Environment = dict[str, Any]


def environment(effort: Effort) -> Environment:
    """The date, the interpreter, the machine in general terms, versions, and the effort."""
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "python": platform.python_version(),
        "machine": f"{platform.system()} on {platform.machine()}",
        "cores": os.cpu_count(),
        "versions": {name: found for name in PACKAGES if (found := _version(name))},
        "effort": asdict(effort),
    }


def record(effort: Effort, path: Path = PATH) -> None:
    """Write it down."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(environment(effort), indent=1) + "\n")


def _version(name: str) -> str:
    """Empty where a package is not installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


if __name__ == "__main__":
    record(Effort())
