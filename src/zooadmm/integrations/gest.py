"""A generator of the gest-api standard, for Xopt, libEnsemble, Optimas and other runners."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import gest_api
import numpy as np
from gest_api.vocs import (
    VOCS,
    BoundsConstraint,
    ContextualVariable,
    ContinuousVariable,
    DiscreteVariable,
    ExploreObjective,
    GreaterThanConstraint,
    LessThanConstraint,
    MaximizeObjective,
)

from zooadmm.integrations.numbered_cells import NumberedCells
from zooadmm.methods.choice import Settings
from zooadmm.problem.arrays import Vector
from zooadmm.problem.linear_constraints import Inequality
from zooadmm.problem.sets import Box
from zooadmm.run.optimizer import Optimizer
from zooadmm.run.result import FunStatus, Report, Result

__all__ = ["Generator"]

FIRST_SPARE = -2
"""The `_id` of the first spare point; they count down. libEnsemble takes -1 for no `_id`."""
FLOATS = (None, float, "float", "float64", "f8")
"""Types of a variable that are real numbers."""


class Generator(gest_api.Generator):
    """Minimizes one objective of a VOCS plus phi over its bounds and linear constraints.

    Each suggested point is one evaluation that the run needs, and its `_id` is the number of that
    evaluation. Results may come back in any order, in batches of any size. A result that comes
    twice counts once, the first time.

    A step needs all evaluations of its query. When a caller takes more points than the query has
    left, the rest are spare: the current answer, to measure it again.

    vocs: continuous variables with bounds, one objective, to minimize or maximize; constraints
        that `linear` explains. Constants are passed on, observables are ignored.
    linear: {name of a constraint: {name of a variable: coefficient}}. The VOCS bounds the
        constraint c = sum_j a_j x_j. The answer satisfies it; points on the way may violate it.
    x0: the start by name; the default is each variable's `default_value`, or the middle.
    regularizer, settings: as in `zooadmm.minimize`, in the units of the variables. No point leaves
        the bounds.
    max_evaluations, max_iterations, target, tolerance: end the run; see `ended`.
    seed: of the random directions.
    retry_after: how many spare results may come in while a point has none; then the missing points
        are suggested again.
    checkpoint: a file that is written with every `ingest`. If it exists, the run continues from it
        bit for bit: points without a result are suggested again, with the same `_id`.

    >>> vocs = VOCS(variables={"a": [0.0, 5.0], "b": [-1.0, 1.0]}, objectives={"f": "MINIMIZE"})
    >>> generator = Generator(vocs, seed=0)
    >>> while not generator.ended:
    ...     points = generator.suggest(3)
    ...     generator.ingest([p | {"f": (p["a"] - 2) ** 2 + (p["b"] + 3) ** 2} for p in points])
    >>> {name: round(value, 6) for name, value in generator.answer.items()}
    {'a': 2.0, 'b': -1.0}
    """

    returns_id = True

    def __init__(
        self,
        vocs: VOCS,
        *,
        linear: Mapping[str, Mapping[str, float]] | None = None,
        x0: Mapping[str, float] | None = None,
        regularizer: Any = None,
        settings: Settings = "auto",
        max_evaluations: int | None = None,
        max_iterations: int | None = None,
        target: float | None = None,
        tolerance: float | None = None,
        seed: int | None = None,
        retry_after: int = 20,
        checkpoint: str | Path | None = None,
    ) -> None:
        super().__init__(vocs)
        self.vocs = vocs
        self._names = tuple(vocs.variables)
        (self._objective,) = vocs.objectives
        maximize = isinstance(vocs.objectives[self._objective], MaximizeObjective)
        self._sign = -1.0 if maximize else 1.0
        low, high = np.array([v.domain for v in vocs.variables.values()], dtype=np.float64).T
        optimizer = Optimizer(
            self._start(x0, low, high),
            domain=Box(low, high),
            constraint=self._rows(linear or {}),
            regularizer=regularizer,
            settings=settings,
            max_evaluations=max_evaluations,
            max_iterations=max_iterations,
            target=None if target is None else self._sign * target,
            tolerance=tolerance,
            rng=seed,
        )
        self._cells = NumberedCells(optimizer)
        self._retry_after = retry_after
        self._spares = 0
        self._waited = 0
        self._measured: list[float] = []
        self._measured_at = self._point
        self._checkpoint = None if checkpoint is None else Path(checkpoint).absolute()
        if self._checkpoint is not None and self._checkpoint.exists():
            self.load(self._checkpoint)

    def _validate_vocs(self, vocs: VOCS) -> None:
        """Refuse by name what this method cannot do."""
        if not vocs.variables:
            raise ValueError("the VOCS has no variables; give at least one.")
        for name, variable in vocs.variables.items():
            _check_variable(name, variable)
        if len(vocs.objectives) != 1:
            raise ValueError(
                f"the VOCS has {len(vocs.objectives)} objectives, {list(vocs.objectives)}; this "
                "generator needs exactly one. Combine them, or use a multi-objective generator."
            )
        for name, objective in vocs.objectives.items():
            if isinstance(objective, ExploreObjective):
                raise ValueError(f"objective {name!r} is EXPLORE; give MINIMIZE or MAXIMIZE.")

    def _start(self, x0: Mapping[str, float] | None, low: Vector, high: Vector) -> Vector:
        unknown = sorted(set(x0 or {}) - set(self._names))
        if unknown:
            raise ValueError(f"x0 names {unknown[0]!r}; the variables are {list(self._names)}.")
        start = dict(x0 or {})
        for name, lower, upper in zip(self._names, low.tolist(), high.tolist(), strict=True):
            middle = self.vocs.variables[name].default_value
            middle = lower / 2 + upper / 2 if middle is None else middle
            value = start.setdefault(name, middle)
            if not (math.isfinite(value) and lower <= value <= upper):
                raise ValueError(
                    f"variable {name!r} starts at {value}, not within [{lower:g}, {upper:g}]; give "
                    "a finite x0 or default_value within its bounds."
                )
        return np.array([start[name] for name in self._names], dtype=np.float64)

    def _rows(self, linear: Mapping[str, Mapping[str, float]]) -> Inequality | None:
        constraints = self.vocs.constraints
        for name in constraints:
            if name not in linear:
                raise ValueError(
                    f"constraint {name!r} is an output of the evaluation; this generator handles "
                    f"linear ones. Give linear={{{name!r}: {{variable: coefficient, ...}}}}, or "
                    "remove the constraint."
                )
        for name, coefficients in linear.items():
            if name not in constraints:
                raise ValueError(f"linear has the constraint {name!r}; the VOCS has none so named.")
            for strange in sorted(set(coefficients) - set(self._names)):
                raise ValueError(f"linear[{name!r}] has {strange!r}, which is no variable.")
        if not linear:
            return None
        A = [[float(linear[c].get(name, 0.0)) for name in self._names] for c in constraints]
        low, high = zip(*(_between(c, constraints[c]) for c in constraints), strict=True)
        return Inequality(A, low, high)

    @property
    def _point(self) -> Vector:
        return self._cells.optimizer.recommended()[0]

    @property
    def ended(self) -> bool:
        """Whether the run has ended: it settled, or met a limit. Further points are spare."""
        return self._cells.query is None

    @property
    def answer(self) -> dict[str, float]:
        """The recommended point, by name. The best evaluated point is only the luckiest probe."""
        return dict(zip(self._names, self._point.tolist(), strict=True))

    def result(self) -> Result:
        """What there is now; `fun` is the mean of the spare evaluations at the answer plus phi.

        For an objective to maximize, `fun` is of the negated one.
        """
        values = np.array(self._measured if self._is_at_answer(self._measured_at) else [])
        if len(values) == 0:
            return self._cells.optimizer.result(Report(remark="x has not been evaluated."))
        error = float(values.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else None
        status: FunStatus = "exact" if error == 0.0 else "estimated"
        report = Report(float(values.mean()), status, error, len(values))
        return self._cells.optimizer.result(report)

    def suggest(self, num_points: int | None = None) -> list[dict[str, Any]]:
        """The next points to evaluate, exactly `num_points`; by default all that a step needs."""
        if num_points is not None and num_points < 0:
            raise ValueError(f"num_points = {num_points} must be at least 0.")
        if self._waited >= self._retry_after:
            self._cells.release_all()
            self._waited = 0
        query = self._cells.query
        most = 0 if query is None else query.cells
        taken = self._cells.take(most if num_points is None else num_points)
        points = [self._suggestion(cell.id, cell.point) for cell in taken]
        while len(points) < (1 if num_points is None else num_points):
            points.append(self._suggestion(FIRST_SPARE - self._spares, self._point))
            self._spares += 1
        return points

    def _suggestion(self, id: int, point: Vector) -> dict[str, Any]:
        constants = {name: constant.value for name, constant in self.vocs.constants.items()}
        variables = dict(zip(self._names, point.tolist(), strict=True))
        return {**variables, **constants, "_id": id}

    def ingest(self, results: Iterable[Mapping[str, Any]]) -> None:
        """Take results in; those without `_id` are not of this run and only measure the answer.

        A value that is not finite, or a failed evaluation, makes the run probe elsewhere. An `_id`
        that was never suggested is an error, before anything is taken in.
        """
        taken = [(self._id(row), self._value(row), row) for row in results]
        for id, value, row in taken:
            if id is None or id <= FIRST_SPARE:
                self._measure(row, value)
                self._waited += id is not None
            elif self._cells.answer(id, value):
                self._waited = 0
        if taken and self._checkpoint is not None:
            self.save(self._checkpoint)

    def _id(self, row: Mapping[str, Any]) -> int | None:
        id = row.get("_id")
        if id is None or (isinstance(id, float) and math.isnan(id)):
            return None
        id = int(id) if isinstance(id, float) and id.is_integer() else id  # beside a missing one
        spare = isinstance(id, int | np.integer) and FIRST_SPARE - self._spares < id <= FIRST_SPARE
        if not spare and not self._cells.knows(id):
            raise ValueError(
                f"_id = {id!r} was not suggested by this generator; leave _id out of results that "
                "come from elsewhere."
            )
        return int(id)

    def _value(self, row: Mapping[str, Any]) -> float:
        """The objective to minimize; nan where the evaluation failed."""
        if self._objective not in row and not row.get("xopt_error"):
            raise ValueError(
                f"a result has no {self._objective!r}; its names are {sorted(map(str, row))}."
            )
        value = row.get(self._objective)
        if value is None:
            return math.nan
        if np.ndim(value) != 0 or not isinstance(value, int | float | np.number):
            raise TypeError(f"{self._objective!r} must be a number, not {value!r}.")
        return self._sign * float(value)

    def _is_at_answer(self, point: Any) -> bool:
        return bool(np.array_equal(point, self._point))

    def _measure(self, row: Mapping[str, Any], value: float) -> None:
        point = np.array([row.get(name, math.nan) for name in self._names], dtype=np.float64)
        if not self._is_at_answer(point):
            return
        if not self._is_at_answer(self._measured_at):
            self._measured, self._measured_at = [], point
        if math.isfinite(value):
            self._measured.append(value)

    def finalize(self) -> None:
        """Write the checkpoint, if there is one."""
        if self._checkpoint is not None:
            self.save(self._checkpoint)

    def save(self, path: str | Path) -> None:
        """Write all that the future of the run depends on to a file, atomically."""
        spare = np.array([self._spares, self._waited], dtype=np.float64)
        measured = np.array(self._measured, dtype=np.float64)
        at = np.asarray(self._measured_at, dtype=np.float64)
        notes = {"spare": spare, "measured": measured, "measured_at": at}
        self._cells.save(path, notes)

    def load(self, path: str | Path) -> None:
        """Go on from a file of a generator with the same arguments; others are refused by name."""
        notes = self._cells.load(path)
        self._cells.release_all()
        self._spares, self._waited = (int(count) for count in notes["spare"])
        self._measured, self._measured_at = notes["measured"].tolist(), notes["measured_at"]


def _check_variable(name: str, variable: Any) -> None:
    if isinstance(variable, DiscreteVariable):
        raise ValueError(
            f"variable {name!r} is discrete; this generator needs real variables. Fix it as a "
            "constant, or search over it with another generator."
        )
    if isinstance(variable, ContextualVariable):
        raise ValueError(f"variable {name!r} is contextual, which this generator does not support.")
    if not isinstance(variable, ContinuousVariable):
        raise ValueError(f"variable {name!r} is a {type(variable).__name__}, not continuous.")
    if getattr(variable, "dtype", None) not in FLOATS:
        raise ValueError(
            f"variable {name!r} has the dtype {variable.dtype!r}; this generator needs reals."
        )


def _between(name: str, constraint: Any) -> tuple[float, float]:
    """The bounds that a VOCS sets for a constraint."""
    if isinstance(constraint, LessThanConstraint):
        return -math.inf, constraint.value
    if isinstance(constraint, GreaterThanConstraint):
        return constraint.value, math.inf
    if isinstance(constraint, BoundsConstraint):
        low, high = constraint.range
        return low, high
    raise ValueError(f"constraint {name!r} is a {type(constraint).__name__}, which is unknown.")
