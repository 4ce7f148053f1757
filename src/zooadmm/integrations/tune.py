"""A search algorithm for Ray Tune, with exact save and restore."""

from __future__ import annotations

import base64
import json
import math
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ray.tune.result import DEFAULT_METRIC
from ray.tune.search import Searcher
from ray.tune.search.sample import Categorical, Float, Integer, LogUniform, Quantized, Uniform
from ray.tune.search.variant_generator import parse_spec_vars
from ray.tune.utils.util import unflatten_dict

from zooadmm.integrations.numbered_cells import NumberedCells
from zooadmm.methods.choice import Settings
from zooadmm.problem.named_variables import Parameters
from zooadmm.run.optimizer import Optimizer
from zooadmm.run.result import Result

__all__ = ["Search"]


class Search(Searcher):
    """Minimizes or maximizes the metric of a Tune experiment by its values, with structure.

    Each trial is one evaluation that the run needs; Tune starts as many at once as it may. When
    all evaluations of a step are out, Tune waits for them. The run ends by itself: set
    `num_samples=-1`. The space is `param_space` of the Tuner: `tune.uniform` and `tune.loguniform`,
    nested as you like, beside constants.

    metric, mode: as in `TuneConfig`, where they may stand instead. The last report of a trial
        counts, so use no scheduler that stops trials early.
    start: values to start from by name, "a/b" for a nested one; by default the middle of the scale.
    regularizer, constraint, settings: as in `zooadmm.minimize`, about x from 0 to 1 along the scale
        of each parameter, in the order of `param_space`.
    max_evaluations, max_iterations, target, tolerance: end the run.
    seed: of the random directions.
    attempts: how many trials of an evaluation may fail; then it counts as NaN, and the run probes
        elsewhere.

    `save` writes all that the future of the run depends on. After `restore`, which
    `Tuner.restore` calls, the run continues bit for bit.

    >>> from ray import tune
    >>> search = Search(metric="f", mode="min", seed=0)
    >>> search.set_search_properties(None, None, {"a": tune.uniform(0, 5), "b": 3})
    True
    >>> trial = 0
    >>> while (config := search.suggest(str(trial))) != Search.FINISHED:
    ...     search.on_trial_complete(str(trial), {"f": (config["a"] - 2) ** 2})
    ...     trial += 1
    >>> {name: round(value, 6) for name, value in search.result().named.items()}
    {'a': 2.0}
    """

    def __init__(
        self,
        metric: str | None = None,
        mode: str | None = None,
        *,
        start: Mapping[str, float] | None = None,
        regularizer: Any = None,
        constraint: Any = None,
        settings: Settings = "auto",
        max_evaluations: int | None = None,
        max_iterations: int | None = None,
        target: float | None = None,
        tolerance: float | None = None,
        seed: int | None = None,
        attempts: int = 3,
    ) -> None:
        if isinstance(metric, list) or isinstance(mode, list):
            raise ValueError(f"metric = {metric!r}: this search has one metric, not several.")
        super().__init__(metric=metric, mode=mode)
        self._metric: str | None = metric
        self._mode: str | None = mode
        if attempts < 1:
            raise ValueError(f"attempts = {attempts} must be at least 1.")
        self._start = dict(start or {})
        self._target = target
        self._attempts = attempts
        self._arguments: dict[str, Any] = {
            "regularizer": regularizer,
            "constraint": constraint,
            "settings": settings,
            "max_evaluations": max_evaluations,
            "max_iterations": max_iterations,
            "tolerance": tolerance,
            "rng": seed,
        }
        self._space: Parameters | None = None
        self._cells: NumberedCells | None = None
        self._live: dict[str, int] = {}
        self._failures: Counter[int] = Counter()

    def set_search_properties(
        self, metric: str | None, mode: str | None, config: dict[str, Any], **spec: Any
    ) -> bool:
        """Take the space of an experiment, once."""
        if self._cells is not None:
            return False
        self._metric = metric or self._metric or DEFAULT_METRIC
        self._mode = mode or self._mode
        if self._mode not in ("min", "max"):
            raise ValueError(f'mode = {self._mode!r}; give "min" or "max".')
        self._begin(_space(config, self._start))
        return True

    def _begin(self, space: Parameters) -> None:
        target = None if self._target is None else self._sign * self._target
        self._space = space
        self._cells = NumberedCells(Optimizer(space, target=target, **self._arguments))

    @property
    def _sign(self) -> float:
        return -1.0 if self._mode == "max" else 1.0

    @property
    def _at_work(self) -> tuple[NumberedCells, Parameters]:
        if self._cells is None or self._space is None:
            raise RuntimeError("the search has no space yet; give param_space to the Tuner.")
        return self._cells, self._space

    def suggest(self, trial_id: str) -> dict[str, Any] | str | None:
        """The parameters of a trial; None to ask again later, FINISHED at the end of the run."""
        cells, space = self._at_work
        if trial_id in self._live:
            cell = cells.cell(self._live[trial_id])
        else:
            taken = cells.take()
            if not taken:
                return None if cells.query is not None else str(Searcher.FINISHED)
            cell = taken[0]
        self._live[trial_id] = cell.id
        config: dict[str, Any] = unflatten_dict(space.at(cell.point))
        return config

    def on_trial_complete(
        self, trial_id: str, result: dict[str, Any] | None = None, error: bool = False
    ) -> None:
        """Take the value of a trial in; one that failed is tried again."""
        cells, _ = self._at_work
        id = self._live.pop(trial_id, None)
        if id is None:
            return
        value = math.nan
        if error or not result or self._metric not in result:
            if result and not error:
                raise ValueError(
                    f"trial {trial_id} reported no {self._metric!r}; it has {sorted(result)}."
                )
            self._failures[id] += 1
            if self._failures[id] < self._attempts:
                cells.release(id)
                return
        else:
            value = self._sign * float(result[self._metric])
        cells.answer(id, value)

    def result(self) -> Result:
        """What there is now; `named` has the parameters. The best trial is the luckiest probe."""
        return self._at_work[0].optimizer.result()

    def save(self, checkpoint_path: str) -> None:
        """Write the space, the run and the trials at work to a file."""
        cells, space = self._at_work
        with tempfile.TemporaryDirectory() as folder:
            run = Path(folder) / "run.zoo"
            cells.save(run)
            saved = {
                "metric": self._metric,
                "mode": self._mode,
                "names": space.names,
                "low": space.lower.tolist(),
                "high": space.upper.tolist(),
                "log": space.log.tolist(),
                "live": self._live,
                "failures": list(self._failures.items()),
                "run": base64.b64encode(run.read_bytes()).decode(),
            }
        Path(checkpoint_path).write_text(json.dumps(saved), encoding="utf-8")

    def restore(self, checkpoint_path: str) -> None:
        """Go on from a file of a search with the same arguments; others are refused by name.

        Trials that were at work are expected to complete, as Tune has it.
        """
        saved = json.loads(Path(checkpoint_path).read_text(encoding="utf-8"))
        if self._cells is None:  # Tune restores a search that has seen no space
            self._metric, self._mode = saved["metric"], saved["mode"]
            scales = ["log" if log else "linear" for log in saved["log"]]
            rows = zip(saved["low"], saved["high"], scales, strict=True)
            bounds = dict(zip(saved["names"], rows, strict=True))
            self._begin(Parameters(bounds, self._start))
        cells, _ = self._at_work
        with tempfile.TemporaryDirectory() as folder:
            run = Path(folder) / "run.zoo"
            run.write_bytes(base64.b64decode(saved["run"]))
            try:
                cells.load(run)
            except ValueError as error:
                raise ValueError(str(error).replace(str(run), checkpoint_path)) from None
        self._live, self._failures = saved["live"], Counter(dict(saved["failures"]))


def _space(config: dict[str, Any], start: dict[str, float]) -> Parameters:
    """The parameters of an experiment; what is no real interval is refused by name."""
    _, domains, grids = parse_spec_vars(config)
    if grids:
        raise ValueError(
            f"parameter {_name(grids[0][0])!r} is a grid; fix it, or use tune.uniform."
        )
    if not domains:
        raise ValueError("param_space has no parameters; give at least one tune.uniform.")
    bounds = {_name(path): _bounds(_name(path), domain) for path, domain in domains}
    return Parameters(bounds, start)


def _name(path: tuple[str, ...]) -> str:
    return "/".join(map(str, path))


def _bounds(name: str, domain: Any) -> tuple[float, float, str]:
    another = "fix it, or search over it with another algorithm."
    if isinstance(domain, Integer):
        raise ValueError(f"parameter {name!r} is an integer; {another}")
    if isinstance(domain, Categorical):
        raise ValueError(f"parameter {name!r} is categorical; {another}")
    sampler = domain.get_sampler()
    if isinstance(sampler, Quantized):
        raise ValueError(f"parameter {name!r} is quantized; {another}")
    if not isinstance(domain, Float) or not isinstance(sampler, Uniform | LogUniform):
        raise ValueError(f"parameter {name!r} is not tune.uniform or tune.loguniform; {another}")
    scale = "log" if isinstance(sampler, LogUniform) else "linear"
    return float(domain.lower), float(domain.upper), scale
