"""Where evaluations are made, and what is done about those that fail.

Ray takes ten seconds to start and is left out: tests/engines compares its bits.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from tools.digests import library as zoo
from tools.digests.losses import START, bowl, bowls
from tools.digests.table import entered

PROGRAM = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    value = sum((v - 0.3) ** 2 for v in asked["x"])
    print(json.dumps({"id": asked["id"], "value": value}), flush=True)
"""


def _loss() -> Any:
    """A loss that travels by value: workers need not import this package."""

    def loss(x: Any) -> float:
        return float(np.square(x - 0.4).sum() + 0.1 * x[0] ** 4)

    return loss


def _by_paper(loss: Any, **given: Any) -> Any:
    phi = zoo.L1(0.1)
    return zoo.minimize(
        loss, START, regularizer=phi, settings="paper", max_iterations=12, rng=3, **given
    )


def _by_auto(loss: Any, **given: Any) -> Any:
    return zoo.minimize(loss, START, regularizer=zoo.L1(0.1), max_evaluations=120, rng=3, **given)


class Fails:
    """`bowl`, but the calls of these numbers raise: every `every`-th, or where x_2 is large."""

    def __init__(self, every: int, beyond: float) -> None:
        self.calls, self.every, self.beyond = 0, every, beyond

    def __call__(self, x: Any) -> float:
        self.calls += 1
        if x[1] > self.beyond or (self.every > 0 and self.calls % self.every == 0):
            raise ArithmeticError("no value here")
        return bowl(x)


def _failing(run: Callable[..., Any], every: int, beyond: float, **given: Any) -> Any:
    return run(Fails(every, beyond), **given)


for _settings, _run in (("paper", _by_paper), ("auto", _by_auto)):
    _engine, _policy = f"{_settings}/engine", f"{_settings}/policies"
    entered(f"{_engine}/in process")(partial(_run, _loss()))
    entered(f"{_engine}/batched")(partial(_run, zoo.Loss(values=bowls)))
    entered(f"{_engine}/threads")(partial(_run, _loss(), evaluator=zoo.Threads(2)))
    entered(f"{_engine}/processes")(partial(_run, _loss(), evaluator=zoo.Processes(2)))
    entered(f"{_policy}/retry")(partial(_failing, _run, 5, np.inf, on_error=zoo.Retry(2)))
    _far = partial(_failing, smoothing=0.2)
    entered(f"{_policy}/drop")(partial(_far, _run, 7, np.inf, on_error="drop"))
    entered(f"{_policy}/drop beyond")(partial(_far, _run, 0, 0.35, on_error="drop"))
    entered(f"{_policy}/retry, then drop")(
        partial(_far, _run, 0, 0.35, on_error=zoo.Retry(1, then="drop"))
    )


@entered("auto/engine/command")
def _command() -> Any:
    with zoo.Command([sys.executable, "-c", PROGRAM]) as program:
        return _by_auto(program)


@entered("paper/engine/command")
def _command_by_paper() -> Any:
    with zoo.Command([sys.executable, "-c", PROGRAM]) as program:
        return _by_paper(program)


@entered("paper/engine/dask")
def _dask() -> Any:
    import distributed

    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        return _by_paper(_loss(), evaluator=zoo.Dask(client))
