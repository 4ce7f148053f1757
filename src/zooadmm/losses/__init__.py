"""Ready losses, with values of many points at once and with gradients.

Each is f(x) = mean of f(x; w) over w in `loss.observations`. `minimize(loss, x0)` evaluates the
mean; `minimize(loss, x0, observations=loss.observations)` samples it.
"""

from zooadmm.losses.average import Average
from zooadmm.losses.cox import Cox
from zooadmm.losses.log_determinant import LogDeterminant
from zooadmm.losses.logistic import Logistic
from zooadmm.losses.squares import Squares

__all__ = ["Average", "Cox", "LogDeterminant", "Logistic", "Squares"]
