"""The automatic method: every strategy that it chooses between, and what may be said to it."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from tools.digests import library as zoo
from tools.digests.losses import (
    FEATURES,
    OUTCOME,
    ROWS,
    START,
    M,
    Noisy,
    NoisyCounts,
    NoisyRows,
    across,
    barrier,
    bowl,
    classification,
    curved,
    edge,
    folded,
    holes,
    kinked,
    moving,
    regression,
    sparse_bowl,
    sparse_edge,
    steep,
    stepped,
)
from tools.digests.table import entered

PARTS = ("radius", "ridges", "model", "scale", "metric", "answer", "check", "epochs")
TWELVE = np.zeros(12)
SAMPLES = np.arange(80)


def _minimized(loss: Any = bowl, x0: Any = START, **given: Any) -> Any:
    return zoo.minimize(loss, x0, **{"regularizer": zoo.L1(0.1), "rng": 4, **given})


def _enter(name: str, loss: Any = bowl, x0: Any = START, **given: Any) -> None:
    entered(f"auto/{name}")(lambda: _minimized(loss, x0, **given))


def _many(count: int) -> Any:
    """A bowl of many variables, where not all directions are affordable."""

    def loss(x: Any) -> float:
        r = np.asarray(x) - np.sin(np.arange(count))
        return float(r @ r)

    return loss


def _uneven(count: int) -> Any:
    """Many variables whose curvatures change on the way."""
    scales = np.geomspace(1.0, 30.0, count)

    def loss(x: Any) -> float:
        r = scales * np.asarray(x)
        return float(np.log(np.cosh(r)).sum() + 0.05 * (r @ r))

    return loss


# A loss without noise: its quadratic model.
_enter("model/budget", max_evaluations=300)
_enter("model/no budget", max_iterations=60)
_enter("model/settles", max_evaluations=5000, complete="x")
_enter("model/ends at the start", max_evaluations=25)
_enter("model/unlike scales", steep, max_evaluations=600)
_enter("model/zero start", x0=np.zeros(M), max_evaluations=300)
_enter("model/samples", curved, observations=ROWS, max_evaluations=6000)
_enter("model/nan", barrier, max_evaluations=600)
_enter("model/nan in bounds", barrier, domain=zoo.Nonnegative(), max_evaluations=600)
_enter(
    "model/inside",
    settings=zoo.Auto(probes="inside"),
    domain=zoo.Box(-0.3, 0.3),
    max_evaluations=400,
)
_enter(
    "model/inside a simplex",
    x0=np.full(M, 1 / M),
    settings=zoo.Auto(probes="inside"),
    domain=zoo.Simplex(),
    regularizer=None,
    max_evaluations=400,
)
_enter("model/kinks", kinked, max_evaluations=1500)
_enter("model/plateaus", stepped, max_evaluations=1500)
_enter("model/printed", lambda x: float(f"{bowl(x):.5g}"), max_evaluations=600)
_enter("model/unbounded", lambda x: float(-np.sum(x)), regularizer=None, max_evaluations=150)
_enter("model/constant", lambda x: 1.0, max_evaluations=300)
_enter("model/noise given", settings=zoo.Auto(noise=0.0), max_evaluations=300)
_enter("model/200 variables", _many(200), np.zeros(200), max_evaluations=1200)

# More than 1500 variables: the working set.
_sparse = zoo.Loss(values=sparse_bowl(1600))
_enter("working set/settles", _sparse, np.zeros(1600), max_evaluations=20_000)
_enter("working set/cut short", _sparse, np.zeros(1600), max_evaluations=900)
_enter(
    "working set/nonnegative",
    _sparse,
    np.zeros(1600),
    domain=zoo.Nonnegative(),
    max_evaluations=6000,
)
_enter(
    "working set/elastic net",
    _sparse,
    np.zeros(1600),
    regularizer=zoo.ElasticNet(0.1, 0.1),
    max_iterations=60,
)
_net = zoo.ElasticNet(0.1, 0.1)
_enter("working set/dense start", _sparse, np.ones(1600), regularizer=_net, max_evaluations=6000)
_twenty = zoo.Loss(values=sparse_bowl(1600, 20))
_enter("working set/twenty", _twenty, np.zeros(1600), regularizer=_net, max_evaluations=8000)
_sparse_edge = zoo.Loss(values=sparse_edge(1600))
_enter("working set/edge", _sparse_edge, np.zeros(1600), max_evaluations=4000)
_enter("model/edge", edge, max_evaluations=1000)
_enter("model/edge, no budget", edge, np.zeros(M), max_iterations=150)

# Observations that are ridges, and some that are not.
_enter("ridges/all", regression, TWELVE, observations=SAMPLES, max_evaluations=6000)
_enter("ridges/some", regression, TWELVE, observations=SAMPLES, max_evaluations=900)
_enter("ridges/few", regression, TWELVE, observations=SAMPLES, max_evaluations=250)
_enter("ridges/no budget", regression, TWELVE, observations=SAMPLES, max_iterations=30)
_enter("ridges/logistic", classification, TWELVE, observations=SAMPLES, max_evaluations=6000)
_enter("ridges/logistic some", classification, TWELVE, observations=SAMPLES, max_evaluations=1200)
_enter(
    "ridges/box",
    regression,
    TWELVE,
    observations=SAMPLES,
    domain=zoo.Box(-1.0, 1.0),
    max_evaluations=6000,
)
_enter("ridges/none", curved, observations=ROWS, max_evaluations=900)
_enter("ridges/none, no budget", curved, observations=ROWS, max_iterations=100)
_phi, _constraint = zoo.total_variation(12, 0.1)
_enter(
    "ridges/total variation",
    regression,
    TWELVE,
    observations=SAMPLES,
    regularizer=_phi,
    constraint=_constraint,
    max_evaluations=3000,
)

# Steps: streams, sampling, drift.
_enter("steps/stream", curved, observations=zoo.Stream(np.tile(ROWS, (8, 1))))
_enter("steps/regression stream", regression, TWELVE, observations=zoo.Stream(np.tile(SAMPLES, 5)))
_enter(
    "steps/replacement",
    curved,
    observations=zoo.Samples(ROWS, "with replacement"),
    max_evaluations=1200,
)
_enter("steps/time", moving, observations=zoo.Time(), max_evaluations=1200)
_enter(
    "steps/horizon",
    moving,
    observations=zoo.Time(),
    settings=zoo.Auto(horizon=40),
    max_evaluations=1200,
)
_enter("steps/given step", step_size=0.05, max_evaluations=600)
_enter("steps/given radius", smoothing=1e-3, max_evaluations=600)
_enter("steps/given penalty", penalty=3.0, max_evaluations=600)
_enter("steps/given gradient", gradient=zoo.Smoothed(4), max_evaluations=600)
_enter("steps/given pairs", curved, observations=ROWS, gradient=zoo.Paired(4), max_evaluations=1200)
_enter(
    "steps/few directions",
    _many(200),
    np.zeros(200),
    settings=zoo.Auto(without=["model"]),
    max_evaluations=1500,
)
_enter(
    "steps/inside",
    curved,
    observations=ROWS,
    settings=zoo.Auto(probes="inside"),
    domain=zoo.Box(-0.3, 0.3),
    max_evaluations=1200,
)
_enter("steps/float32", x0=START.astype(np.float32), max_evaluations=600)
_enter(
    "steps/float32 samples",
    curved,
    START.astype(np.float32),
    observations=ROWS,
    max_evaluations=900,
)
_enter("steps/nan", barrier, settings=zoo.Auto(without=["model"]), max_evaluations=900)
_enter("steps/last", curved, observations=ROWS, output="last", max_evaluations=900)
_enter("steps/target", target=1.2, settings=zoo.Auto(without=["model"]), max_evaluations=3000)
_enter(
    "steps/total variation",
    regression,
    TWELVE,
    regularizer=_phi,
    constraint=_constraint,
    observations=zoo.Stream(np.tile(SAMPLES, 3)),
)

_enter("limits/target", target=1.2, max_evaluations=3000)
_enter("limits/tolerance", tolerance=1e-4, max_evaluations=3000)
_enter(
    "limits/batched",
    zoo.Loss(values=lambda points: np.square(points - 1.0).sum(axis=1)),
    max_evaluations=300,
)


def _noisy_many(count: int) -> Any:
    generator, loss = np.random.default_rng(9), _many(count)
    return lambda x: loss(x) + 0.1 * float(generator.normal())


def _noisy(level: float, **given: Any) -> Any:
    return _minimized(Noisy(level), **given)


@entered("auto/limits/callback")
def _called_back() -> Any:
    def stop(info: Any) -> None:
        if info.t == 9:
            raise StopIteration

    return _minimized(curved, observations=ROWS, callback=stop, max_evaluations=900)


@entered("auto/regret")
def _regret() -> Any:
    followed = zoo.Regret(np.zeros(M))
    return _minimized(curved, observations=ROWS, regret=followed, max_evaluations=900)


@entered("auto/least squares in full")
def _full() -> Any:
    def loss(x: Any) -> float:
        return float(np.mean((FEATURES @ x - OUTCOME) ** 2))

    return _minimized(loss, TWELVE, max_evaluations=1000, complete="x")


for _level in (1e-6, 1e-2, 1.0):
    entered(f"auto/noise/{_level:g}")(partial(_noisy, _level, max_evaluations=1500))
_enter("steps/edge", edge, observations=zoo.Stream(np.tile(ROWS, (4, 1))))
_enter("steps/edge, exact", edge, settings=zoo.Auto(without=["model"]), max_evaluations=900)
_enter("steps/holes", holes, observations=ROWS, max_evaluations=1200)
entered("auto/noise/observations")(
    lambda: _minimized(NoisyRows(0.1), observations=ROWS, max_evaluations=1500)
)
entered("auto/noise/many variables")(
    lambda: _minimized(_noisy_many(150), np.zeros(150), max_evaluations=3000)
)
entered("auto/noise/counts")(
    lambda: _minimized(NoisyCounts(1e-3), domain=zoo.Box(-3.0, 3.0), max_evaluations=2000)
)
entered("auto/noise/no budget")(lambda: _noisy(0.01, max_iterations=80))
entered("auto/noise/given")(lambda: _noisy(0.1, settings=zoo.Auto(noise=0.1), max_evaluations=1500))
entered("auto/noise/box")(lambda: _noisy(0.1, domain=zoo.Box(0.0, 0.5), max_evaluations=1500))
entered("auto/noise/inside")(
    lambda: _noisy(
        0.1,
        domain=zoo.Box(0.0, 0.5),
        settings=zoo.Auto(probes="inside"),
        max_evaluations=1500,
    )
)
for _part in PARTS:
    _auto = zoo.Auto(without=[_part])
    entered(f"auto/without/{_part}, noisy")(
        partial(_noisy, 0.1, settings=_auto, max_evaluations=800)
    )
    _enter(
        f"without/{_part}, sampled", curved, observations=ROWS, settings=_auto, max_evaluations=800
    )
    _stepwise = zoo.Auto(without=[_part, "model"])
    _enter(f"without/{_part}, exact", steep, settings=_stepwise, max_evaluations=400)
# A smooth loss with kinks across its axes, too few evaluations for a model, values that are known.
_enter("model/kinks across axes", across, np.full(M, 0.9), max_evaluations=1500)
_enter("model/a fold", folded, np.full(M, 0.9), regularizer=None, max_evaluations=1500)
_enter("model/few", bowl, max_evaluations=2 * M + 3)
_enter("model/fewer", steep, regularizer=None, max_evaluations=M + 2)
_known = np.random.default_rng(3).standard_normal((4 * M, M))
_values = np.array([bowl(x) for x in _known])
_enter("model/start values", start_values=(_known, _values), max_evaluations=200)
_enter("model/wrong start values", start_values=(_known, 2.0 * _values), max_evaluations=200)

# More than 1500 variables that all matter: a limited-memory model.
_wide = np.ones(1600)
_enter("limited/free", _many(1600), _wide, regularizer=None, max_evaluations=9000)
_squares = zoo.SquaredL2(0.1)
_box = zoo.Box(0.0, 1.0)
_enter(
    "limited/bounds",
    _many(1600),
    _wide,
    regularizer=_squares,
    domain=_box,
    max_evaluations=9000,
)
_enter("limited/steep", _uneven(1600), _wide, regularizer=None, max_evaluations=30_000)
_enter("limited/cut short", _uneven(1600), _wide, regularizer=_squares, max_iterations=30)
