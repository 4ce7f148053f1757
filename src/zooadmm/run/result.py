"""What a run gives back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from zooadmm.problem.arrays import Vector
from zooadmm.run.limits import Status
from zooadmm.run.observer import Observer
from zooadmm.run.trace import Trace

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
    nfev_report, nfev_regret: evaluations made only to report `fun`, or to follow the regret.
    residual: |A x + B y - c| at the recommended pair.
    x_violation, y_violation: distance of x from X, and of y from Y = {phi < inf}.
    success, status, message: whether a criterion the user set was met, which, and in words. A run
        whose values were all the same, fell without limit, or that a limit ended far from
        stationary or no better than x0, is no success.
    stationarity, stationarity_error: |x - S(g)|_H and its standard error: the step that the
        gradient at x still asks for, in the metric H of the loss; half its square is about the
        decrease that is left. None where no gradient of an exact loss was measured at x.
    decrease: F(x0) - F(x) for an exact loss, else None.
    trace: the record of the run.
    regret: what `regret` followed, or None.
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
    regret: Observer | None
    stationarity: float | None = None
    stationarity_error: float | None = None
    decrease: float | None = None

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
        rounding = max(1e-12, 100 * float(np.finfo(self.x.dtype).eps))
        for name, v, violation, of in (
            ("x", self.x, self.x_violation, "domain X"),
            ("y", self.y, self.y_violation, "set Y of the regularizer"),
        ):
            if violation > rounding * max(1.0, float(np.abs(v).max())):
                lines.append(f"  violated: {name} is {violation:.3g} away from the {of}")
        return "\n".join(lines)

    def _described_fun(self) -> str:
        if self.fun is None:
            return "unknown"
        error = "" if self.fun_error is None else f" +- {self.fun_error:.2g}"
        return f"{self.fun:.8g}{error} ({self.fun_status})"


def _summary(v: Vector) -> str:
    zeros = int((v == 0).sum())
    text = np.array2string(v, precision=4, threshold=8, edgeitems=3, max_line_width=10_000)
    return f"{text}  ({len(v)} entries{f', {zeros} zero' if zeros else ''})"
