"""What a run gives back."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

from zooadmm.problem.arrays import Vector
from zooadmm.run import result_file, result_view
from zooadmm.run.limits import Status
from zooadmm.run.result_file import LocalOptimum
from zooadmm.run.trace import Observer, Record, Trace

FunStatus = Literal["exact", "estimated", "unknown"]


@dataclass(frozen=True)
class Report:
    """What was learned of the loss at the recommended x."""

    loss: float | None = None
    status: FunStatus = "unknown"
    error: float | None = None
    evaluations: int = 0
    remark: str = ""
    """What is to be said of the loss at x, beside its value."""
    finite: bool = True
    """Whether no value of the loss at x was NaN or infinite."""
    start: float = math.nan
    """f(x0), where it is known."""


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Result:
    """The result of a run: a mapping with the names of scipy's `OptimizeResult`.

    `result.x` and `result["x"]` are the same; `dict(result)` has all fields. `result.to_dict()` has
    them as plain numbers, strings and lists, and `result.save(path)` writes those to a JSON file
    that `Result.load(path)` reads.

    x, y: the recommended pair, the averages or the last iterates, by `output` (or, if a target
        ended the run, the pair that met it), one side completed by `complete`.
    x_average, y_average: the means of the iterates x_1..x_T and y_1..y_T.
    x_last, y_last: the newest iterates x_{T+1} and y_{T+1}.
    dual: lambda_{T+1}.
    fun: f(x) + phi(y) at the recommended pair, with phi taken at the point of Y nearest to y; None
        if unknown.
    fun_status: "exact" for a loss without observations or a mean over all of them, "estimated" for
        a mean over some, "unknown" if nothing was evaluated. Noise is not detected here.
    fun_error: the standard error of an estimated `fun`, else None.
    nit, nfev, njev: iterations, evaluations f(x; w) and gradients made by the method.
    nfev_report, nfev_regret: evaluations made only to report `fun`, or to follow the regret.
    residual: |A x + B y - c| at the recommended pair.
    x_violation, y_violation: distance of x from X, and of y from Y = {phi < inf}.
    success, status, message: whether the run succeeded, how it ended, and in words. A target or
        tolerance that was met is a success. Any other end is one only if the gradient was measured
        at x and shows that at most 1e-4 of |f|, or of the decrease, is left to gain, and if an
        exact loss ended better than x0.
    learned: what the run learned about the loss, the part of `message` about that; may be empty.
    named: x by name, where x0 had names: a dictionary of values for `Parameters`, a pandas Series
        for a Series; else None.
    stationarity, stationarity_error: sqrt(2 p) and its standard error, where p is the decrease of F
        that the gradient at x still promises in the metric H of the loss; in the square root of the
        unit of F. Unconstrained it is |x - S(g)|_H. None where no gradient was measured at x, or
        where failed trials put H in doubt.
    decrease: F(x0) - F(x) for an exact loss, else None.
    optimum: what was shown of x: "stationary", to first order; "stationary, not convex" where
        values have shown that the loss is not convex, so that x is a local minimum at best; empty
        where nothing was.
    starts: what each start led to, the best first, where there were several; else empty.
    constraints, multipliers: the values c_i(x) of constraints that are `evaluated`, and how much F
        would fall if c_i <= 0 were c_i <= 1, to first order; None where there are none.
    x_error: the standard error of each entry of x, as far as comparisons tell; None where there
        were none.
    preferred: how probable it is, by all comparisons, that x is better than x0; None without any.
    trace: the record of the run.
    regret: what `regret` followed, or None.

    >>> import numpy as np
    >>> import zooadmm as zoo
    >>> result = zoo.minimize(lambda x: (x - 1) @ (x - 1), np.zeros(3), max_evaluations=100, rng=0)
    >>> bool(result["fun"] == result.fun), result.nfev <= 100
    (True, True)
    """

    x: Vector
    y: Vector
    x_average: Vector
    y_average: Vector
    x_last: Vector
    y_last: Vector
    dual: Vector
    fun: float | None
    fun_status: FunStatus
    fun_error: float | None
    nit: int
    nfev: int
    njev: int
    nfev_report: int
    nfev_regret: int
    residual: float
    x_violation: float
    y_violation: float
    success: bool
    status: Status
    message: str
    trace: Trace
    regret: Observer | Record | None
    learned: str = ""
    named: Any = None
    stationarity: float | None = None
    stationarity_error: float | None = None
    decrease: float | None = None
    optimum: str = ""
    starts: tuple[LocalOptimum, ...] = ()
    constraints: Vector | None = None
    multipliers: Vector | None = None
    x_error: Vector | None = None
    preferred: float | None = None

    def __repr__(self) -> str:
        return result_view.text(self)

    def _repr_html_(self) -> str:
        return result_view.html(self)

    def keys(self) -> list[str]:
        """The names of the fields."""
        return [field.name for field in fields(self)]

    def values(self) -> list[Any]:
        """The fields."""
        return [getattr(self, name) for name in self.keys()]

    def items(self) -> list[tuple[str, Any]]:
        """The fields with their names."""
        return list(zip(self.keys(), self.values(), strict=True))

    def get(self, name: str, default: Any = None) -> Any:
        """The field of that name, or the default where there is none."""
        return getattr(self, name) if name in self else default

    def __getitem__(self, name: str) -> Any:
        if name not in self:
            raise KeyError(f"there is no field {name!r}; there are {', '.join(self.keys())}")
        return getattr(self, name)

    def __contains__(self, name: object) -> bool:
        return name in self.keys()

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(fields(self))

    def to_dict(self) -> dict[str, Any]:
        """The fields as numbers, strings, lists and dictionaries: ready for JSON.

        Numbers that are not finite are "nan", "inf" or "-inf"; a trace is its columns and rows.
        """
        return result_file.plain(self)

    def save(self, path: str | Path) -> None:
        """Write the result to a JSON file, exactly; `Result.load` reads it."""
        result_file.write(Path(path), self.to_dict())

    @classmethod
    def load(cls, path: str | Path) -> Result:
        """The result that `save`, or the command line's `--write`, put into a file.

        A regret comes back as a `Record` with its columns.
        """
        return cls(**result_file.read(Path(path), {f.name: str(f.type) for f in fields(cls)}))


Mapping.register(Result)
