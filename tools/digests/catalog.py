"""All runs: importing the modules enters them in the table."""

from tools.digests import (
    runs_applied,
    runs_auto,
    runs_engines,
    runs_paper,
    runs_replay,
    runs_shared,
)
from tools.digests.table import RUNS

__all__ = [
    "RUNS",
    "runs_applied",
    "runs_auto",
    "runs_engines",
    "runs_paper",
    "runs_replay",
    "runs_shared",
]
