"""What a run gives back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from zooadmm.arrays import Vector
from zooadmm.limits import Status
from zooadmm.trace import Trace

FunStatus = Literal["exact", "estimated", "unknown"]


@dataclass(frozen=True)
class Report:
    """What was learned of the loss at the recommended x."""

    loss: float | None = None
    status: FunStatus = "unknown"
    error: float | None = None
    evaluations: int = 0


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Result:
    """The result of a run, with the names of scipy.optimize.

    x, y: the recommended pair, the averages or the last iterates as `output` asked (or, where a
        target ended the run, the pair that met it), one side completed as `complete` asked.
    x_average, y_average: the means of the iterates x_1..x_T and y_1..y_T.
    x_last, y_last: the newest iterates x_{T+1} and y_{T+1}.
    dual: lambda_{T+1}.
    fun: f(x) + phi(y) at the recommended pair, with phi taken at the point of Y nearest to y; None
        if unknown.
    fun_status: "exact" for a loss without observations or a mean over all of them, "estimated" for
        a mean over some, "unknown" where nothing was evaluated. A noisy loss is beyond its sight.
    fun_error: the standard error of an estimated `fun`, else None.
    nit, nfev, njev: iterations, evaluations f(x; w) and gradients made by the method.
    nfev_report: evaluations made only to report `fun`.
    residual: |A x + B y - c| at the recommended pair.
    x_violation, y_violation: distance of x from X, and of y from Y = {phi < inf}.
    success, status, message: whether a criterion the user set was met, which, and in words.
    trace: the record of the run.
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
    residual: float
    x_violation: float
    y_violation: float
    success: bool
    status: Status
    message: str
    trace: Trace

    def __repr__(self) -> str:
        lines = [f"{'success' if self.success else 'no success'}: {self.message}"]
        lines.append(f"       fun: {self._described_fun()}")
        lines.append(f"         x: {_summary(self.x)}")
        if self.y.shape != self.x.shape or not np.array_equal(self.x, self.y):
            lines.append(f"         y: {_summary(self.y)}")
        work = f"{self.nit} iterations, {self.nfev} evaluations"
        work += f", {self.njev} gradients" if self.njev else ""
        work += f" (and {self.nfev_report} to report fun)" if self.nfev_report else ""
        lines.append(f"      work: {work}")
        lines.append(f"  residual: |Ax + By - c| = {self.residual:.3g}")
        if self.x_violation > 0 or self.y_violation > 0:
            lines.append(
                f"  violated: x is {self.x_violation:.3g} from its domain, "
                f"y is {self.y_violation:.3g} from its own"
            )
        return "\n".join(lines)

    def _described_fun(self) -> str:
        if self.fun is None:
            return "unknown"
        error = "" if self.fun_error is None else f" +- {self.fun_error:.2g}"
        return f"{self.fun:.8g}{error} ({self.fun_status})"


def _summary(v: Vector) -> str:
    zeros = int((v == 0).sum())
    text = np.array2string(v, precision=4, threshold=8, edgeitems=3, max_line_width=70)
    return f"{text}  ({len(v)} entries{f', {zeros} zero' if zeros else ''})"
