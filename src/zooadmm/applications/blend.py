"""Weights of models in one call: predictions by name and a metric in, weights by name out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from zooadmm.applications.blender import Blender
from zooadmm.applications.blending_losses import Metric, Named
from zooadmm.applications.weight_sets import Weights


def blend(
    predictions: Any,
    target: Any,
    metric: Named | Metric = "squared",
    *,
    direction: Literal["minimize", "maximize"] | None = None,
    weights: Weights = "simplex",
    max_evaluations: int = 3_000,
    random_state: Any = 0,
) -> Any:
    """The weights of the best blend, as a pandas Series for a DataFrame, else as a dictionary.

    predictions: a DataFrame with one column per model, or a dictionary of predictions by name.
    target: what they predict, in the same order. A Series must have the index of the DataFrame.
    metric: "squared", "absolute", "log" or metric(target, blended) -> float.
    direction: "maximize" for a metric where higher is better, else "minimize". It must be given for
        a metric whose name ends in "_score", as scikit-learn's scores do; others are minimized.
    weights: where they may lie, as for `Blender`. The default is a simplex.

    >>> generator = np.random.default_rng(0)
    >>> truth = generator.standard_normal(500)
    >>> models = {name: truth + s * generator.standard_normal(500) for name, s in zip("ab", [1, 3])}
    >>> {name: round(float(weight), 1) for name, weight in blend(models, truth).items()}
    {'a': 0.9, 'b': 0.1}
    """
    chosen = _direction(direction, metric)
    _refuse_other_index(predictions, target)
    names = list(predictions) if isinstance(predictions, Mapping) else None
    if names is not None:
        columns = np.column_stack([np.asarray(predictions[name]) for name in names])
    elif hasattr(predictions, "columns"):
        columns = predictions.to_numpy(dtype=np.float64)
    else:
        raise TypeError("predictions must be a DataFrame or a dictionary of predictions by name.")
    loss: Any = metric
    if callable(metric):
        loss = _Metric(metric, np.asarray(target), -1.0 if chosen == "maximize" else 1.0)
    elif chosen == "maximize":
        raise ValueError(f'metric = "{metric}" is a loss; leave direction at "minimize".')
    blender = Blender(
        loss, weights=weights, max_evaluations=max_evaluations, random_state=random_state
    )
    found = blender.fit(columns, np.asarray(target)).coef_
    if names is not None:
        return dict(zip(names, found.tolist(), strict=True))
    import pandas as pd

    return pd.Series(found, index=predictions.columns, name="weight")


def _direction(given: str | None, metric: Any) -> str:
    """The direction, which a score must have."""
    name = getattr(metric, "__name__", "")
    if given is None and name.endswith("_score"):
        raise ValueError(
            f'{name} is a score: give direction="maximize", or "minimize" if lower is better.'
        )
    if given not in (None, "minimize", "maximize"):
        raise ValueError(f'direction must be "minimize" or "maximize", not {given!r}.')
    return given or "minimize"


def _refuse_other_index(predictions: Any, target: Any) -> None:
    """Rows are matched by position, so a frame and a Series must have one index."""
    known = hasattr(predictions, "columns") and hasattr(target, "index") and hasattr(target, "loc")
    if known and not predictions.index.equals(target.index):
        raise ValueError(
            "predictions and target have different indices; give "
            "target.reindex(predictions.index), or target.to_numpy() for rows in the same order."
        )


class _Metric:
    """A metric as a loss: it sees the target as the user gave it, booleans for instance."""

    def __init__(self, metric: Any, target: Any, sign: float) -> None:
        self.metric, self.target, self.sign = metric, target, sign

    def __call__(self, target: Any, blended: Any) -> float:
        return self.sign * float(self.metric(self.target, blended))
