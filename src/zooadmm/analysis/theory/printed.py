"""The bounds as the paper prints them: to compare with, not to rely on."""

from __future__ import annotations

import math

import numpy as np

from zooadmm.analysis.theory.sound import (
    Assumptions,
    Method,
    Side,
    distribution_of,
    frobenius,
    inverse_norm,
    lemma_1_bias,
    pairs_of,
    table,
)
from zooadmm.oracle.gradients import GradientSource


def printed_second_moment(
    source: GradientSource, m: int, L1: float, smoothing: float = 0.0, Lg: float = 0.0
) -> float:
    """(appF_5): 2 (1 + s(m)/(q1 q2)) L1^2 + (q1 q2 + 1)/(2 q1 q2) beta^2 Lg^2 M(mu)^2.

    True of Smoothed(q1, 1), and of Paired(q) with q in place of q1 q2. Not of Smoothed(q1, q2),
    whose q1 q2 terms share their directions: see `second_moment`.

    >>> import zooadmm as zoo
    >>> round(printed_second_moment(zoo.paper.Smoothed(1, 50), 100, L1=math.sqrt(1.01)), 4)
    6.06
    """
    mu, pairs = distribution_of(source), pairs_of(source)
    bias = lemma_1_bias(mu, m, smoothing, Lg)
    return 2 * (1 + mu.s(m) / pairs) * L1**2 + 2 * (1 + 1 / pairs) * bias**2


def printed_constant(method: Method, assumptions: Assumptions, complete: Side = "y") -> float:
    """K as printed: alpha R^2/(2 eta_1) + R|l|(|A|_F + |B|_F) + |l|^2/(2 rho) + R(L2 + |B'l|).

    alpha is alpha_1, here and below. It lacks (rho/2) R^2 |B|^2. The proof takes

        B invertible (complete="y"): l = B^-T subgradient of phi, |l| <= L2 |B^-1|, |B'l| <= L2
        A invertible (complete="x"): l = A^-T grad f_t, |l| <= L1 |A^-1|, |B'l| <= |B| |l|

    the second in root mean square over the observations, as Assumption B is.

    >>> import numpy as np
    >>> import zooadmm as zoo
    >>> from zooadmm.analysis.theory import Assumptions, method_of
    >>> run = zoo.Optimizer(np.zeros(4), settings="paper", penalty=2.0)  # eta_1 = 1/2
    >>> method = method_of(run.algorithm)
    >>> known = Assumptions(R=1.0, L1=2.0, L2=1.0, Lg=0.0)
    >>> printed_constant(method, known), printed_constant(method, known, complete="x")
    (8.25, 14.0)
    """
    R, L2 = assumptions.R, assumptions.L2
    size, through_B = _printed_dual(method, assumptions, complete)
    return float(
        method.proximal_weight(1) * R**2 / (2 * method.step_size(1))
        + R * size * (frobenius(method.A) + frobenius(method.B))
        + size**2 / (2 * method.penalty)
        + R * (L2 + through_B)
    )


def _printed_dual(method: Method, assumptions: Assumptions, complete: Side) -> tuple[float, float]:
    """|l| and |B'l| of the dual vector that the printed proof takes."""
    if complete == "y":
        return assumptions.L2 * inverse_norm("B", method.B), assumptions.L2
    if complete == "x":
        size = assumptions.L1 * inverse_norm("A", method.A)
        return size, size * math.sqrt(method.B.lambda_max)
    raise ValueError(f'complete must be "x" or "y", not {complete!r}.')


def printed_theorem_1(
    T: int, method: Method, assumptions: Assumptions, complete: Side = "y"
) -> float:
    """(10), printed for the regret at {x_t, y'_t} and {x'_t, y_t}; it fails at both for small rho.

    (1/T) [sum_{t=2..T} max(alpha/(2 eta_t) - alpha/(2 eta_{t-1}) - sigma/2, 0) R^2
           + s(m) L1^2 sum_t eta_t + (M(mu)^2 Lg^2/4) sum_t eta_t beta_t^2 + printed K]

    For one direction and one observation. (appc_7) puts the residuals under it as well, as
    (rho/2T) sum_t |A x_{t+1} + B y_{t+1} - c|^2.

    complete: the side that is completed, which decides K: "y" where B is invertible, "x" where A
        is.

    >>> import numpy as np
    >>> import zooadmm as zoo
    >>> from zooadmm.analysis.theory import Assumptions, method_of
    >>> method = method_of(zoo.Optimizer(np.zeros(4), settings="paper", penalty=2.0).algorithm)
    >>> printed_theorem_1(1, method, Assumptions(R=1.0, L1=1.0, L2=1.0, Lg=0.0))
    10.25
    """
    mu, m = distribution_of(method.source), method.m
    eta, beta = table(method.step_size, T), table(method.smoothing, T)
    growth = np.diff(method.proximal_weight(1) / (2 * eta)) - assumptions.sigma / 2
    total = (
        assumptions.R**2 * float(np.maximum(growth, 0.0).sum())
        + mu.s(m) * assumptions.L1**2 * float(eta.sum())
        + (mu.M(m) * assumptions.Lg) ** 2 / 4 * float((eta * np.square(beta)).sum())
        + printed_constant(method, assumptions, complete)
    )
    return total / T


def printed_regret_rate(
    T: int, method: Method, assumptions: Assumptions, C1: float, C2: float, complete: Side = "y"
) -> float:
    """(12): sqrt(m/T) (alpha R^2/(2 C1) + 2 C1 L1^2) + (5/12) C1 C2^2 Lg^2/T + K/T.

    For eta_t = C1/sqrt(m t), in place of the C1/(m sqrt t) of (11), and beta_t = C2/(M(mu) t).

    >>> import numpy as np
    >>> import zooadmm as zoo
    >>> from zooadmm.analysis.theory import Assumptions, method_of
    >>> method = method_of(zoo.Optimizer(np.zeros(4), settings="paper", penalty=2.0).algorithm)
    >>> printed_regret_rate(1, method, Assumptions(R=1.0, L1=1.0, L2=1.0, Lg=0.0), C1=1.0, C2=1.0)
    14.25
    """
    K = printed_constant(method, assumptions, complete)
    rest = 5 / 12 * C1 * (C2 * assumptions.Lg) ** 2 + K
    return _printed_rate(method, assumptions, C1) * math.sqrt(method.m / T) + rest / T


def printed_corollary_2(T: int, method: Method, assumptions: Assumptions, C2: float) -> float:
    """(13): (alpha L1^2/sigma) m log(T)/T + (3/8) alpha C2^2 Lg^2/(sigma T) + K/T.

    For eta_t = alpha/(sigma t), for which alpha >= rho eta_t lambda_max + 1 holds at t = 1 only
    if sigma > rho lambda_max. Its log T should be 1 + log T.

    >>> import numpy as np
    >>> import zooadmm as zoo
    >>> from zooadmm.analysis.theory import Assumptions, method_of
    >>> method = method_of(zoo.Optimizer(np.zeros(4), settings="paper", penalty=2.0).algorithm)
    >>> known = Assumptions(R=1.0, L1=1.0, L2=1.0, Lg=0.0, sigma=1.0)
    >>> printed_corollary_2(1, method, known, C2=1.0)
    8.25
    """
    L1, Lg = assumptions.L1, assumptions.Lg
    if assumptions.sigma == 0:
        raise ValueError("sigma = 0: Corollary 2 is about strongly convex losses.")
    rest = L1**2 * method.m * math.log(T) + 3 / 8 * (C2 * Lg) ** 2
    rest *= method.proximal_weight(1) / assumptions.sigma
    return (rest + printed_constant(method, assumptions)) / T


def printed_corollary_3(
    T: int, method: Method, assumptions: Assumptions, C1: float, C2: float
) -> float:
    """(17): sqrt(s/T) (alpha R^2/(2 C1) + 2 C1 L1^2) + (5/6) C1 C2^2 Lg^2/T + K/T.

    For eta_t = C1/sqrt(s t), s = 1 + s(m)/(q1 q2). It rests on `printed_second_moment`.

    >>> import numpy as np
    >>> import zooadmm as zoo
    >>> from zooadmm.analysis.theory import Assumptions, method_of
    >>> one = zoo.paper.Smoothed(1, 1)
    >>> run = zoo.Optimizer(np.zeros(4), settings="paper", penalty=2.0, gradient=one)
    >>> known = Assumptions(R=1.0, L1=1.0, L2=1.0, Lg=0.0)
    >>> round(printed_corollary_3(500, method_of(run.algorithm), known, C1=1.0, C2=1.0), 4)
    0.3165
    """
    s = 1 + distribution_of(method.source).s(method.m) / pairs_of(method.source)
    rest = 5 / 6 * C1 * (C2 * assumptions.Lg) ** 2 + printed_constant(method, assumptions)
    return _printed_rate(method, assumptions, C1) * math.sqrt(s / T) + rest / T


def _printed_rate(method: Method, assumptions: Assumptions, C1: float) -> float:
    alpha = float(method.proximal_weight(1))
    return alpha * assumptions.R**2 / (2 * C1) + 2 * C1 * assumptions.L1**2
