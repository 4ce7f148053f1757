"""Algorithm 1 as printed: gradients, directions, metrics, schedules, limits, policies."""

from __future__ import annotations

from typing import Any

import numpy as np

from tools.digests import library as zoo
from tools.digests.losses import CENTER, ROWS, START, M, barrier, bowl, curved, moving, slope
from tools.digests.table import entered


def _minimized(loss: Any = bowl, x0: Any = START, **given: Any) -> Any:
    defaults = {"settings": "paper", "regularizer": zoo.L1(0.2), "rng": 2}
    if not {"max_iterations", "max_evaluations"} & set(given):
        defaults["max_iterations"] = 40
    return zoo.minimize(loss, x0, **{**defaults, **given})


def _enter(name: str, loss: Any = bowl, x0: Any = START, **given: Any) -> None:
    """A run with these arguments; functions of none are called first, for what has a state."""
    entered(f"paper/{name}")(
        lambda: _minimized(loss() if isinstance(loss, type) else loss, x0, **given)
    )


for _distribution in (zoo.Sphere, zoo.Gaussian, zoo.Rademacher, zoo.Coordinate, zoo.Orthogonal):
    for _count in (4, 9):
        if _count <= M or _distribution not in (zoo.Coordinate, zoo.Orthogonal):
            _enter(
                f"directions/{_distribution.__name__} {_count}",
                gradient=zoo.Smoothed(_count, distribution=_distribution()),
            )
_enter("gradient/forward", gradient=zoo.Smoothed(1))
_enter("gradient/central", gradient=zoo.Smoothed(5, difference="central"))
_enter("gradient/crossed", curved, gradient=zoo.Smoothed(4, 3), observations=ROWS)
_enter(
    "gradient/central crossed",
    curved,
    gradient=zoo.Smoothed(4, 3, difference="central"),
    observations=zoo.Samples(ROWS, order="without replacement"),
)
_enter("gradient/paired", curved, gradient=zoo.Paired(5), observations=ROWS)
_enter(
    "gradient/central paired",
    curved,
    gradient=zoo.Paired(5, difference="central"),
    observations=zoo.Samples(ROWS, order="epochs"),
)
_enter("gradient/exact", zoo.Loss(bowl, gradient=slope), gradient=zoo.Exact())
_enter(
    "gradient/exact observed",
    zoo.Loss(curved, gradient=lambda x, w: 2.0 * (x - w)),
    gradient=zoo.Exact(3),
    observations=ROWS,
)
_enter(
    "gradient/inside a box",
    gradient=zoo.Smoothed(5, probes="inside", distribution=zoo.Rademacher()),
    domain=zoo.Box(-0.3, 0.3),
)
_enter(
    "gradient/inside a simplex",
    x0=np.full(M, 1.0 / M),
    gradient=zoo.Smoothed(5, probes="inside"),
    domain=zoo.Simplex(),
    regularizer=None,
)
_enter("gradient/many directions", gradient=zoo.Smoothed(3300), max_iterations=2)

_enter("observations/in order", curved, observations=zoo.Samples(ROWS, order="in order"))
_enter("observations/a list", curved, observations=list(ROWS))
_enter("observations/stream", curved, observations=zoo.Stream(ROWS), gradient=zoo.Smoothed(4, 3))
_enter("observations/time", moving, observations=zoo.Time())

_enter("metric/Linearized", metric=zoo.Linearized())
_enter("metric/LinearizedDiagonal", metric=zoo.LinearizedDiagonal(1.0 + np.arange(M)))
_enter("metric/Fixed number", metric=zoo.Fixed(2.0), domain=zoo.Box(-0.5, 0.5))
_enter("metric/Fixed vector", metric=zoo.Fixed(1.0 + np.arange(M)), domain=zoo.Box(-0.5, 0.5))
_enter(
    "metric/Fixed matrix",
    metric=zoo.Fixed(2.0 * np.eye(M) + 0.1),
    constraint=zoo.Linear(np.diff(np.eye(M), axis=0)),
)

_enter("schedules/constant", step_size=0.05, smoothing=1e-4, penalty=2.0)
_enter("schedules/functions", step_size=lambda t: 0.1 / t**0.5, smoothing=lambda t: 1e-3 / t)
_enter(
    "schedules/Gaussian",
    step_size=zoo.schedules.general_step_size(M, 0.5, zoo.Gaussian()),
    smoothing=zoo.schedules.general_smoothing(M, 0.1, zoo.Gaussian()),
)
_enter("schedules/strongly convex", step_size=zoo.schedules.strongly_convex_step_size(2.0))
_enter("schedules/minibatch", step_size=zoo.schedules.minibatch_step_size(M, 30))
_enter("schedules/printed", step_size=zoo.schedules.printed_minibatch_step_size(M, 30, 2))
_enter("schedules/constant weight", proximal_weight="constant")
_enter("schedules/given weight", proximal_weight=50.0)

_enter("output/last", output="last", complete="x")
_enter("output/complete y", complete="y")
_enter("output/warm start", y0=CENTER, dual0=0.1 * CENTER)
_enter("output/few rows", max_trace_rows=7)
_enter("output/no rows", max_trace_rows=0)
_enter("dtype/float32", x0=START.astype(np.float32))
_enter("dtype/float32 stream", curved, START.astype(np.float32), observations=zoo.Stream(ROWS))

_enter(
    "constraint/many rows",
    lambda x: float(x @ x),
    np.sin(np.arange(1200.0)),
    regularizer=zoo.SquaredL2(0.1),
    constraint=zoo.total_variation(1200, 0.1)[1],
    max_iterations=4,
)

_enter("limits/target", target=1.6, max_iterations=400)
_enter("limits/target not reached", target=-1.0)
_enter(
    "limits/tolerance",
    zoo.Loss(bowl, gradient=slope),
    gradient=zoo.Exact(),
    tolerance=1e-3,
    max_iterations=3000,
    step_size=0.05,
)
_enter("limits/evaluations", max_evaluations=500)
_enter("limits/diverges", step_size=1e9, smoothing=1e-3, penalty=1e-9, max_iterations=200)


def _stop_at_seventh(info: Any) -> None:
    if info.t == 7:
        raise StopIteration


_enter("limits/callback", callback=_stop_at_seventh)
_enter("policies/shrink", barrier, on_nan="shrink", smoothing=0.3, step_size=0.01)


@entered("paper/regret")
def _regret() -> Any:
    return _minimized(curved, observations=ROWS, regret=zoo.Regret(CENTER))


@entered("paper/regret on a stream")
def _streamed_regret() -> Any:
    return _minimized(curved, observations=zoo.Stream(ROWS), regret=zoo.Regret(CENTER, max_rows=9))
