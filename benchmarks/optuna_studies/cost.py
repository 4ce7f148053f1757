"""What a trial costs beside its objective: `python -m benchmarks.optuna_studies.cost`.

Milliseconds a trial of `study.ask` and `study.tell` with a trivial objective, for this sampler and
for Optuna's random one with the same number of variables, on each storage. Then the processor time
to replay a study of 10,000 trials, from its first trial and from its snapshot. The table is
`results/optuna/cost.md`.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import optuna
from optuna.distributions import FloatDistribution
from optuna.samplers import BaseSampler, RandomSampler
from optuna.storages import InMemoryStorage, JournalStorage, RDBStorage
from optuna.storages.journal import JournalFileBackend

import zooadmm as zoo
from benchmarks.optuna_studies import postgresql
from zooadmm.integrations.optuna import Sampler, point, result

REPORT = Path(__file__).parents[1] / "results" / "optuna" / "cost.md"
TRIALS = 15
REPLAYED = 10_000
SIZES = (10, 100, 500)
Make = Callable[[str], Any]


@contextmanager
def storages() -> Iterator[dict[str, Make]]:
    """How each storage is made in a folder; PostgreSQL where it is installed."""
    made: dict[str, Make] = {
        "memory": lambda folder: InMemoryStorage(),
        "SQLite": lambda folder: RDBStorage(f"sqlite:///{folder}/study.db"),
        "Journal": lambda folder: JournalStorage(JournalFileBackend(f"{folder}/study.log")),
    }
    programs = postgresql.programs()
    if programs is None:
        yield made
    else:
        with postgresql.serving(programs) as server:
            yield made | {"PostgreSQL": lambda folder: server.storage()}


def ours(m: int) -> Sampler:
    structure: dict[str, Any] = {"regularizer": zoo.L1(0.01), "seed": 0}
    return Sampler(_space(m) if m <= 20 else m, **structure)


def _space(m: int) -> dict[str, FloatDistribution]:
    return {f"v{i}": FloatDistribution(-2.0, 2.0) for i in range(m)}


def _suggested(trial: optuna.Trial, m: int) -> np.ndarray[Any, Any]:
    return np.array([trial.suggest_float(name, -2.0, 2.0) for name in _space(m)])


def milliseconds(storage: Any, sampler: BaseSampler, m: int, trials: int) -> str:
    """Least wall-clock time of a trial, and the median of its processor time."""
    study = optuna.create_study(storage=storage, sampler=sampler)
    wall, processor = [], []
    for _ in range(trials):
        began, worked = time.perf_counter(), time.process_time()
        trial = study.ask()
        x = point(trial) if isinstance(sampler, Sampler) else _suggested(trial, m)
        study.tell(trial, float(np.square(x - 0.5).sum()))
        wall.append(1e3 * (time.perf_counter() - began))
        processor.append(1e3 * (time.process_time() - worked))
    return f"{min(wall):.3g} | {statistics.median(processor):.3g}"


def costs(make: Make, m: int) -> str:
    """Of this sampler and of the random one, which has one trial of many parameters."""
    with tempfile.TemporaryDirectory() as folder:
        own = milliseconds(make(folder), ours(m), m, TRIALS)
    with tempfile.TemporaryDirectory() as folder:
        random = milliseconds(make(folder), RandomSampler(seed=0), m, TRIALS if m == 10 else 1)
    return f"{own} | {random}"


def replay_seconds() -> tuple[float, float, int]:
    """(without a snapshot, with it, trials) for a noisy study of 10 variables."""
    storage, noise = InMemoryStorage(), np.random.default_rng(0)
    limit: dict[str, Any] = {"max_evaluations": REPLAYED, "seed": 0}
    study = optuna.create_study(storage=storage, study_name="s", sampler=Sampler(10, **limit))
    study.optimize(lambda t: float(np.square(point(t) - 1).sum()) + 0.1 * noise.standard_normal())
    spent = []
    for kept in (True, False):
        if not kept:
            storage.set_study_system_attr(study._study_id, "zooadmm:snapshot", None)
        again = optuna.load_study(storage=storage, study_name="s", sampler=Sampler(10, **limit))
        began = time.process_time()
        assert result(again).x.tobytes() == result(study).x.tobytes()
        spent.append(time.process_time() - began)
    return spent[1], spent[0], len(study.trials)


def main() -> None:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    lines = [
        "# What a trial costs beside its objective",
        "",
        "Milliseconds a trial, by `python -m benchmarks.optuna_studies.cost`: the least wall-clock",
        f"time of {TRIALS} trials, and the median of their processor time without PostgreSQL's.",
        "RandomSampler has one trial of 100 or 500 parameters, which it stores one by one.",
        f"{os.cpu_count()} cores with a load of {os.getloadavg()[0]:.0f}: trust processor time.",
        "",
        "| storage | variables | stored as | wall | processor | Random: wall | processor |",
        "|---|---|---|---|---|---|---|",
    ]
    with storages() as each:
        for name, make in each.items():
            for m in SIZES:
                kind = "parameters" if m <= 20 else "an attribute"
                lines.append(f"| {name} | {m} | {kind} | {costs(make, m)} |")
                print(lines[-1], flush=True)
    slow, fast, trials = replay_seconds()
    lines += [
        "",
        f"Replay of {trials:,} trials (memory, 10 variables, noise): {slow:.2g} s of processor "
        f"time from the first trial, {fast:.2g} s from the snapshot.",
    ]
    print(lines[-1])
    REPORT.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
