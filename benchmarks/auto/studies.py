"""All studies by name."""

from __future__ import annotations

from benchmarks.auto import ablations, budget, cost, drifts, exact, hindsight, large, scaling
from benchmarks.auto.study import Study

STUDIES: dict[str, Study] = {
    module.STUDY.name: module.STUDY
    for module in (hindsight, scaling, budget, ablations, drifts, cost, exact, large)
}
