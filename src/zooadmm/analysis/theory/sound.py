"""The bounds that the paper's proofs support, with the one inequality they rest on."""

# Proof of (*). Let h = lambda_t - rho (A x_{t+1} + B y_t - c). The x-step (6) is optimal in X:
# <g_t - A'h + G_t (x_{t+1} - x_t)/eta_t, x_{t+1} - x> <= 0. With the identity for three points and
# <g_t, x_t - x_{t+1}> <= (eta_t/2)|g_t|^2 + |x_t - x_{t+1}|^2_{G_t}/(2 eta_t), as G_t >= I,
#   <g_t, x_t - x> <= <h, A(x_{t+1} - x)> + (|x - x_t|^2_{G_t} - |x - x_{t+1}|^2_{G_t})/(2 eta_t)
#                     + (eta_t/2)|g_t|^2.                                                       (a)
# The y-step (3) makes B'lambda_{t+1} a subgradient of phi, with Y in it, at y_{t+1}:
#   phi(y_{t+1}) - phi(y) <= <lambda_{t+1}, B(y_{t+1} - y)>.                                    (b)
# Write b = B(y_{t+1} - y_t) and e = lambda_t - lambda_{t+1} = rho r_{t+1}; then h = lambda_{t+1} +
# rho b and A(x_{t+1} - x) = r_{t+1} - B(y_{t+1} - y), so the inner products of (a) and (b) make
#   <lambda_{t+1}, r_{t+1}> + <b, e> - rho <b, B(y_{t+1} - y)>
#     = (|lambda_t|^2 - |lambda_{t+1}|^2 - |e|^2)/(2 rho) + <b, e>
#       + (rho/2)(|B(y - y_t)|^2 - |B(y - y_{t+1})|^2 - |b|^2).                                 (c)
# For t >= 2 both B'lambda_t and B'lambda_{t+1} are subgradients, so <b, e> <= 0 by monotonicity,
# and |e|^2/(2 rho) = (rho/2)|r_{t+1}|^2 moves to the left. For t = 1, <b, e> <= |e|^2/(2 rho) +
# (rho/2)|b|^2 uses up both. Now sum over t. As G_t/eta_t = (alpha_t/eta_t) I - rho A'A, (a) leaves
# alpha_1 R^2/(2 eta_1) and the first sum of (*), sigma coming from (9). As lambda_1 = 0, (c) leaves
# (rho/2) R^2 |B|^2 - |lambda_{T+1}|^2/(2 rho). From phi(y_{t+1}) to phi(y_t) it costs phi(y_1) -
# phi(y_{T+1}) <= R L2, nothing for an indicator. As sum_t r_{t+1} = -lambda_{T+1}/rho, to subtract
# <l, r_{t+1}> costs <l, lambda_{T+1}>/rho - |lambda_{T+1}|^2/(2 rho) <= |l|^2/(2 rho), and from
# r_{t+1} to r_t it costs <l, r_{T+1} - r_1> <= |l| R (|A| + |B|). So far l may be anything. Last,
# expectations: given x_t and all w, E g_t is grad f_t(x_t) up to the bias of Lemma 1.
#
# Completed pairs: x'_t - x_t = -A^-1 r_t, and w_t is independent of x_t, x'_t, y_t. With F = E f,
#   E[f_t(x'_t) - f_t(x_t)] <= E <grad F(x'_t), x'_t - x_t> <= mean_gradient |A^-1| E|r_t|,     (d)
# and the mean of E|r_t| over t is at most the root of `residual_bound`. That takes a multiplier l:
# F(x) + phi(y) - <l, A x + B y - c> is at least min F + phi on X x Y. If x' is in X for all y in Y,
# the problem is one in y alone, and A^-T grad F(x*) is a multiplier. The gradient in (d) is that at
# x'_t. If f is known on X alone, take the point p_t of X nearest x'_t: |p_t - x_t| is at most
# |x'_t - x_t|, so (d) is true of p_t, with a gradient on X. The other side is alike: y'_t - y_t is
# -B^-1 r_t, and L2 takes the place of mean_gradient.
#
# Kinks: with DoublySmoothed, E g_t is the gradient at x_t of F_t(x) = E f_t(x + beta_t v + b s), v
# and s uniform in balls of radius sqrt(m + 2) and sqrt m, b = beta_t/m^2 (Flaxman, Kalai and
# McMahan 2005), so (*) holds for F_t without the bias of Lemma 1. By convexity f_t <= F_t, and
# F_t <= f_t + L1 (beta_t sqrt(m + 2) + b sqrt m), which comes instead. As |g_t| <= |z|^2 L1,
# E|g_t|^2 <= m^2 L1^2; Lg is not needed, and L1 bounds the slopes of f out to the queried points.
#
# Comparators that move: (a), (b) and (c) hold for each t with a feasible (x*_t, y*_t) of its own.
# What no longer telescopes is, with M_t = G_t/eta_t, 0 <= M_t <= (alpha_t/eta_t) I,
#   |x*_t - x_t|^2_{M_{t-1}}/2 - |x*_{t-1} - x_t|^2_{M_{t-1}}/2
#     = <x*_t - x*_{t-1}, M_{t-1} (x*_t + x*_{t-1} - 2 x_t)>/2
#    <= (alpha_{t-1}/eta_{t-1}) R |x*_t - x*_{t-1}|
# and in (c) alike at most rho |B|^2 R |y*_t - y*_{t-1}|. Nothing else in the proof has two of them.

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from zooadmm.methods.paper.algorithm import Algorithm
from zooadmm.methods.schedule import Schedule
from zooadmm.oracle.directions import Distribution
from zooadmm.oracle.gradients import DoublySmoothed, Exact, GradientSource, Paired, Smoothed
from zooadmm.problem.arguments import whole
from zooadmm.problem.arrays import Vector
from zooadmm.problem.linear_map import LinearMap, as_matrix
from zooadmm.structure.metrics import Linearized

Side = Literal["x", "y"]


@dataclass(frozen=True, kw_only=True)
class Assumptions:
    """The constants of Assumptions A to D and of (9), as the user knows them.

    R: |x - x'| <= R on X and |y - y'| <= R on Y.
    L1: sqrt(E|grad f(x; w)|^2) <= L1 on X, and at x' where x is completed; x' may leave X.
    L2: |subgradients of phi| <= L2 on Y, and at y' where y is completed. 0 for an indicator, on Y.
    Lg: f(.; w) is Lg(w)-smooth, sqrt(E Lg(w)^2) <= Lg, out to the queried points.
    sigma: strong convexity of f(.; w).
    mean_gradient: |E grad f(x; w)| is at most this at the same points, by default L1. Without it a
        second observation is worth nothing, since under L1 alone there may be no noise to average.
    dual: some multiplier has |lambda| <= dual. By default L2 |B^-1|, which is right if y' is in Y
        for every x in X (with x completed, mean_gradient |A^-1|, if x' is in X for every y in Y).
        An indicator that binds needs a number.

    >>> Assumptions(R=4.0, L1=2.0, L2=1.0, Lg=math.inf)
    Traceback (most recent call last):
    ValueError: Lg = inf must be finite and at least 0.
    """

    R: float
    L1: float
    L2: float
    Lg: float
    sigma: float = 0.0
    mean_gradient: float | None = None
    dual: float | None = None

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is not None and not 0 <= value < math.inf:
                raise ValueError(f"{name} = {value} must be finite and at least 0.")
        if self.mean_gradient is not None and self.mean_gradient > self.L1:
            raise ValueError(f"mean_gradient = {self.mean_gradient} is above L1 = {self.L1}.")

    @property
    def worst_gradient(self) -> tuple[float, float]:
        """|E grad f| and tr Cov grad f at their worst; the one squared plus the other is L1^2."""
        mean = self.L1 if self.mean_gradient is None else self.mean_gradient
        return mean, self.L1**2 - mean**2


@dataclass(frozen=True, kw_only=True, eq=False)
class Method:
    """The parameters of a run that the bounds depend on; see also `method_of`.

    m: the length of x.
    source: Smoothed, Paired, DoublySmoothed or Exact, which carry q1, q2 and the distribution.
    step_size, smoothing, proximal_weight, penalty: eta_t, beta_t, alpha_t and rho.
    A, B: the matrices of the constraint, a number for that multiple of I.

    >>> from zooadmm.methods.paper.schedules import Constant, general_smoothing, general_step_size
    >>> method = Method(
    ...     m=3, source=Smoothed(1), step_size=general_step_size(3), smoothing=general_smoothing(3),
    ...     proximal_weight=Constant(9.0), penalty=0.5, A=np.diag([1.0, 2.0, 3.0]), B=-2.0,
    ... )
    >>> round(method.reach, 6)
    5.0
    """

    m: int
    source: GradientSource
    step_size: Schedule
    smoothing: Schedule
    proximal_weight: Schedule
    penalty: float
    A: Any = 1.0
    B: Any = -1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "m", whole("m", self.m, 1))
        if not isinstance(self.source, (Exact, DoublySmoothed)):
            distribution_of(self.source)
        if not 0 < self.penalty < math.inf:
            raise ValueError(f"penalty = {self.penalty} must be positive and finite.")
        A = _as_map("A", self.A, self.m)
        B = _as_map("B", self.B, A.shape[0])
        if A.shape[1] != self.m or B.shape[0] != A.shape[0]:
            raise ValueError(
                f"A is {A.shape[0]} x {A.shape[1]} and B has {B.shape[0]} rows: A needs m = "
                f"{self.m} columns, and B as many rows as A."
            )
        object.__setattr__(self, "A", A)
        object.__setattr__(self, "B", B)

    @property
    def reach(self) -> float:
        """|A| + |B|: |A x + B y - c| is at most R times this."""
        return math.sqrt(self.A.lambda_max) + math.sqrt(self.B.lambda_max)


def method_of(algorithm: Algorithm) -> Method:
    """The parameters of an algorithm, such as `Optimizer(...).algorithm`.

    >>> import zooadmm as zoo
    >>> method_of(zoo.Optimizer(np.zeros(5), settings="paper").algorithm).source.num_directions
    30
    """
    problem = algorithm.problem
    linearized = type(Linearized().x_step(problem, algorithm.penalty))
    if not isinstance(algorithm.x_step, linearized):
        raise ValueError("the theory is about the metric Linearized(), and this run has another.")
    A, B = problem.constraint.maps(problem.m)
    names = ("source", "step_size", "smoothing", "proximal_weight", "penalty")
    return Method(m=problem.m, A=A, B=B, **{name: getattr(algorithm, name) for name in names})


# The sound bounds


def second_moment(
    source: GradientSource,
    m: int,
    gradient: float,
    noise: float = 0.0,
    smoothing: float = 0.0,
    Lg: float = 0.0,
) -> float:
    """E|g_t|^2 at a fixed x is at most this, and equal to it if f is linear (or beta Lg = 0).

    (sqrt(V) + beta Lg M(mu)/2)^2, where with a = |E grad f|, v = tr Cov grad f, independent
    observations and `Distribution.spread`, 1 + (s(m) - 1)/q for q independent directions,

        Smoothed(q1, q2):  V = spread (a^2 + v/q2)
        Paired(q):         V = spread a^2 + (s(m)/q) v
        Exact(q2):         a^2 + v/q2, whatever beta and Lg

    Slopes are <grad f, z> + delta with |delta| <= beta Lg |z|^2/2, and delta z adds to the root.

    gradient, noise: a and v.

    >>> round(second_moment(Smoothed(1, 50), 100, gradient=1.0, noise=0.01), 4)
    100.02
    >>> round(second_moment(Paired(num_pairs=50), 100, gradient=1.0, noise=0.01), 4)
    3.0
    """
    if isinstance(source, Exact):
        return gradient**2 + noise / source.num_observations
    mu = distribution_of(source)
    if isinstance(source, Paired):
        q = source.num_pairs
        linear = mu.spread(m, q) * gradient**2 + mu.s(m) / q * noise
    else:
        assert isinstance(source, Smoothed)
        noise /= source.num_observations
        linear = mu.spread(m, source.num_directions) * (gradient**2 + noise)
    return (math.sqrt(linear) + lemma_1_bias(mu, m, smoothing, Lg)) ** 2


def constant(method: Method, assumptions: Assumptions, dual_norm: float = 0.0) -> float:
    """K of (*), where dual_norm is |l|.

    >>> import zooadmm as zoo
    >>> run = zoo.Optimizer(np.zeros(4), settings="paper", penalty=2.0)  # eta_1 = 1/2
    >>> method = method_of(run.algorithm)
    >>> constant(method, Assumptions(R=1.0, L1=1.0, L2=3.0, Lg=0.0), dual_norm=1.0)
    8.25
    """
    R, rho = assumptions.R, method.penalty
    return float(
        method.proximal_weight(1) * R**2 / (2 * method.step_size(1))
        + rho / 2 * R**2 * method.B.lambda_max
        + R * assumptions.L2
        + dual_norm * R * method.reach
        + dual_norm**2 / (2 * rho)
    )


def fixed_dual_bound(T: int, method: Method, assumptions: Assumptions, dual_norm: float) -> float:
    """The right-hand side of (*) divided by T, where dual_norm is |l|.

    For DoublySmoothed, L1 (sqrt(m + 2) + m^-1.5) sum_t beta_t stands in place of the terms in Lg,
    and m^2 L1^2 in place of E|g_t|^2.

    Condition: alpha_t >= rho eta_t lambda_max(A'A) + 1 for t = 1..T; it is checked.

    >>> import zooadmm as zoo
    >>> method = method_of(zoo.Optimizer(np.zeros(4), settings="paper", penalty=2.0).algorithm)
    >>> known = Assumptions(R=1.0, L1=0.0, L2=3.0, Lg=0.0)
    >>> fixed_dual_bound(1, method, known, dual_norm=1.0)
    8.25
    """
    eta, alpha = table(method.step_size, T), table(method.proximal_weight, T)
    least = method.penalty * eta * method.A.lambda_max + 1.0
    if np.any(short := alpha < least * (1 - 1e-9)):
        t = int(short.argmax()) + 1
        raise ValueError(
            f"proximal_weight({t}) = {alpha[t - 1]:g} is below penalty * step_size * "
            f"lambda_max(A'A) + 1 = {least[t - 1]:g}: nothing is known without G_t >= I."
        )
    growth = np.diff(alpha / (2 * eta)) - assumptions.sigma / 2
    bias, above = np.zeros(T), 0.0
    if isinstance(method.source, DoublySmoothed):
        m, root = method.m, method.m * assumptions.L1
        reach = math.sqrt(m + 2) + math.sqrt(m) / m**2
        above = assumptions.L1 * reach * float(table(method.smoothing, T).sum())
    else:
        root = math.sqrt(second_moment(method.source, method.m, *assumptions.worst_gradient))
    if not isinstance(method.source, (Exact, DoublySmoothed)):
        mu, beta = distribution_of(method.source), table(method.smoothing, T)
        bias = beta * lemma_1_bias(mu, method.m, 1.0, assumptions.Lg)
    total = (
        assumptions.R**2 * float(np.maximum(growth, 0.0).sum())
        + float((eta / 2 * np.square(root + bias)).sum())
        + assumptions.R * float(bias.sum())
        + above
        + constant(method, assumptions, dual_norm)
    )
    return total / T


def regret_bound(T: int, method: Method, assumptions: Assumptions) -> float:
    """(1/T) sum_t E[f_t(x_t) + phi(y_t) - f_t(x) - phi(y)] is at most this: (*) with l = 0.

    For any feasible (x, y), the best in hindsight included. O(sqrt(m/T)) with eta_t =
    C1/sqrt(s(m) t); O(m (1 + log T)/T) with sigma > 0, eta_t = 1/(sigma t) and varying alpha_t.

    >>> import zooadmm as zoo
    >>> method = method_of(zoo.Optimizer(np.zeros(5), settings="paper").algorithm)
    >>> round(regret_bound(10_000, method, Assumptions(R=4.0, L1=2.0, L2=2.0, Lg=1.0)), 3)
    0.218
    """
    return fixed_dual_bound(T, method, assumptions, 0.0)


def dynamic_regret_bound(
    T: int, method: Method, assumptions: Assumptions, x_path: float, y_path: float | None = None
) -> float:
    """(1/T) sum_t E[f_t(x_t) + phi(y_t) - f_t(x*_t) - phi(y*_t)] is at most this.

    For comparators that are feasible at every t, with path lengths sum_{t=2..T} |x*_t - x*_{t-1}|
    and the same of y*. It is `regret_bound` plus

        (R/T) [max_{t<T} (alpha_t/eta_t) x_path + rho |B|^2 y_path]

    so O((1 + x_path) sqrt(m/T)) with eta_t = C1/sqrt(s(m) t). The comparators may depend on the
    observations but not on the directions.

    y_path: by default |B^-1| |A| x_path, which completed y*_t keep to.

    >>> import zooadmm as zoo
    >>> method = method_of(zoo.Optimizer(np.zeros(5), settings="paper").algorithm)
    >>> known = Assumptions(R=4.0, L1=2.0, L2=2.0, Lg=1.0)
    >>> dynamic_regret_bound(10_000, method, known, 0.0) == regret_bound(10_000, method, known)
    True
    """
    if y_path is None:
        y_path = x_path * math.sqrt(method.A.lambda_max) * inverse_norm("B", method.B)
    for name, value in (("x_path", x_path), ("y_path", y_path)):
        if not 0 <= value < math.inf:
            raise ValueError(f"{name} = {value} must be finite and at least 0.")
    largest = float(
        (table(method.proximal_weight, T) / table(method.step_size, T))[:-1].max(initial=0)
    )
    moved = float(largest * x_path + method.penalty * method.B.lambda_max * y_path)
    return regret_bound(T, method, assumptions) + assumptions.R / T * moved


def average_gap_bound(
    T: int, method: Method, assumptions: Assumptions, complete: Side = "y"
) -> float:
    """Corollary 1: at the averages, one of them completed, E F - min F is at most this.

    For i.i.d. observations. (*) with l = B^-T times a subgradient of phi at the completed average
    of y, |l| <= L2 |B^-1|; with complete="x", l = A^-T grad F at the completed average of x,
    |l| <= mean_gradient |A^-1|. L2, or mean_gradient, must be true of that point as well.

    >>> import zooadmm as zoo
    >>> method = method_of(zoo.Optimizer(np.zeros(5), settings="paper").algorithm)
    >>> round(average_gap_bound(10_000, method, Assumptions(R=4.0, L1=2.0, L2=2.0, Lg=1.0)), 3)
    0.22
    """
    return fixed_dual_bound(T, method, assumptions, _slope(method, assumptions, complete))


def residual_bound(T: int, method: Method, assumptions: Assumptions, complete: Side = "y") -> float:
    """(1/T) sum_t E|A x_t + B y_t - c|^2 is at most this, O(T^-1/2): what (appc_7) is good for.

    For i.i.d. observations. (*) with l a multiplier, for which its first sum is at least 0;
    |r_1| and |r_2| are at most R (|A| + |B|).
    complete: which side `assumptions.dual` is worked out from where it is not given.

    >>> import zooadmm as zoo
    >>> method = method_of(zoo.Optimizer(np.zeros(5), settings="paper").algorithm)
    >>> round(residual_bound(10_000, method, Assumptions(R=4.0, L1=2.0, L2=2.0, Lg=1.0)), 3)
    0.057
    """
    dual = assumptions.dual
    if dual is None:
        dual = _slope(method, assumptions, complete)
    largest = (assumptions.R * method.reach) ** 2
    rest = 2 / method.penalty * fixed_dual_bound(T, method, assumptions, dual)
    return min(largest, 2 * largest / T + rest)


def completed_regret_bound(
    T: int, method: Method, assumptions: Assumptions, complete: Side = "y"
) -> float:
    """(1/T) sum_t E[f_t(x_t) + phi(y'_t) - f_t(x) - phi(y)] is at most this, O(T^-1/4).

    With complete="x" the same of f_t(x'_t) + phi(y_t). It is `regret_bound`, and L2 |B^-1|
    (mean_gradient |A^-1|) times the root of `residual_bound`.

    Conditions: i.i.d. observations, and those of `residual_bound`. L2 must be true at y'_t (f
    convex with |E grad f| <= mean_gradient at x'_t), also outside Y (X). Where it is known inside
    only, the bound is that of the point of Y (X) nearest y'_t (x'_t), which is what `Regret` does
    with phi; that point is at most |B^-1| |r_t| (|A^-1| |r_t|) from the completed one.

    >>> import zooadmm as zoo
    >>> method = method_of(zoo.Optimizer(np.zeros(5), settings="paper").algorithm)
    >>> round(completed_regret_bound(10_000, method, Assumptions(R=4.0, L1=2.0, L2=2.0, Lg=1.0)), 3)
    0.694
    """
    residual = math.sqrt(residual_bound(T, method, assumptions, complete))
    return regret_bound(T, method, assumptions) + _slope(method, assumptions, complete) * residual


# Lemma 1, and what is printed


def lemma_1_bias(distribution: Distribution, m: int, smoothing: float, Lg: float) -> float:
    """|E g_t - grad f| <= beta Lg E|z|^3/2 <= beta Lg M(mu)/2, for each of several directions too.

    >>> lemma_1_bias(Smoothed().distribution, 4, smoothing=0.5, Lg=3.0)
    6.0
    """
    return smoothing * Lg * distribution.M(m) / 2


def lemma_1_second_moment(
    distribution: Distribution, m: int, gradient: float, smoothing: float, Lg: float
) -> float:
    """E|g_t|^2 <= 2 s(m) |grad f|^2 + beta^2 Lg^2 M(mu)^2/2, for one direction.

    >>> lemma_1_second_moment(Smoothed().distribution, 4, gradient=1.0, smoothing=0.5, Lg=3.0)
    80.0
    """
    bias = lemma_1_bias(distribution, m, smoothing, Lg)
    return 2 * distribution.s(m) * gradient**2 + 2 * bias**2


# For illustration


def measured_constants(
    gradient: Callable[..., Any], points: Sequence[Vector], observations: Sequence[Any]
) -> tuple[float, float]:
    """(L1, Lg) as measured at a few points. For illustration only.

    The largest sqrt(mean_w |grad f(x; w)|^2), and the largest |grad f(x; w) - grad f(x'; w)| /
    |x - x'| in root mean square over w. Assumptions B and C need at least as much, and may need
    more, so no bound follows from them.

    >>> measured_constants(lambda x, w: w * x, [np.array([0.0]), np.array([3.0])], [1.0, 7.0])
    (15.0, 5.0)
    """
    size = np.linalg.norm
    slopes = [[np.asarray(gradient(x, w)) for x in points] for w in observations]
    steepest = np.mean([[size(g) ** 2 for g in row] for row in slopes], axis=0).max()
    pairs = list(combinations(range(len(points)), 2))
    turns = [
        max(size(row[i] - row[j]) / size(points[i] - points[j]) for i, j in pairs) for row in slopes
    ]
    return math.sqrt(steepest), math.sqrt(float(np.mean(np.square(turns))))


def _slope(method: Method, assumptions: Assumptions, complete: Side) -> float:
    """What completing a side costs at most, for each unit of |r|."""
    if complete == "y":
        return assumptions.L2 * inverse_norm("B", method.B)
    if complete == "x":
        return assumptions.worst_gradient[0] * inverse_norm("A", method.A)
    raise ValueError(f'complete must be "x" or "y", not {complete!r}.')


def distribution_of(source: GradientSource) -> Distribution:
    if not isinstance(source, (Paired, Smoothed)):
        raise TypeError(f"the theory is about Smoothed and Paired estimates, not {source!r}.")
    if source.probes == "inside":
        raise ValueError(
            'the theory is about probes="anywhere", since "inside" bends the directions: give '
            'gradient=zoo.paper.Smoothed(30, probes="anywhere").'
        )
    return source.distribution


def pairs_of(source: GradientSource) -> int:
    """q1 q2, or the number of pairs."""
    return source.num_observations * (source.count if isinstance(source, Smoothed) else 1)


def table(schedule: Schedule, T: int) -> NDArray[np.float64]:
    """The schedule at t = 1..T."""
    last = whole("T", T, 1)
    return np.array([float(schedule(t)) for t in range(1, last + 1)])


def _as_map(name: str, given: Any, size: int) -> LinearMap:
    if isinstance(given, LinearMap):
        return given
    if np.ndim(given) == 0 and not hasattr(given, "shape"):
        return LinearMap(float(given), (size, size))
    matrix = as_matrix(name, given)
    return LinearMap(matrix, (int(matrix.shape[0]), int(matrix.shape[1])))


def frobenius(A: LinearMap) -> float:
    if A.tau is not None:
        return math.sqrt(A.tau * A.shape[1])
    return float(np.linalg.norm(A.matrix.data if scipy.sparse.issparse(A.matrix) else A.dense()))


def inverse_norm(name: str, A: LinearMap) -> float:
    if A.inverse is None:
        raise ValueError(f"{name} has no inverse, so this side cannot be completed.")
    if A.tau is not None:
        return 1.0 / math.sqrt(A.tau)
    return 1.0 / float(np.linalg.svd(A.dense(), compute_uv=False)[-1])
