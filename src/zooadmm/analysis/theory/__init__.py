"""Theorem 1, its corollaries and Lemma 1 as numbers: as they are printed, and as they are sound.

The constants R, L1, L2, Lg and sigma are inputs and are never guessed. The bounds are on averages
over t = 1..T of a run with x_1 in X, y_1 in Y and lambda_1 = 0.

    in the paper                      printed                  sound
    Theorem 1: regret at {x_t, y'_t}  printed_theorem_1 (10)   regret_bound, at {x_t, y_t}
                                      printed_regret_rate (12) completed_regret_bound, O(T^-1/4)
      and at {x'_t, y_t}              both with complete="x"   the same with complete="x"
    (a comparator that moves)                                dynamic_regret_bound
    Corollary 1: averages             printed_regret_rate      average_gap_bound, either side
    Corollary 2: strong convexity     printed_corollary_2 (13) regret_bound with sigma > 0
    Corollary 3: minibatches          printed_corollary_3 (17) regret_bound
      its second moment               printed_second_moment    second_moment
    residuals (appc_7)                printed_theorem_1        residual_bound
    Lemma 1                           lemma_1_bias, lemma_1_second_moment: true, though not sharp

The printed proof of Theorem 1 takes another dual vector for every t in an inequality that holds for
one, on either side, and neither half of the theorem is true: it fails with a small rho or a large
T. With rho = 10 as in the paper's experiments, the counterexamples are far below (10) at T = 10^5.
What the proof does support: for x in X and y in Y with A x + B y = c, any one vector l, random or
not, r_t = A x_t + B y_t - c and spectral norms,

    sum_t E[f_t(x_t) + phi(y_t) - f_t(x) - phi(y) - <l, r_t>] + (rho/2) sum_{t=3..T+1} E|r_t|^2
      <= sum_{t=2..T} max(alpha_t/(2 eta_t) - alpha_{t-1}/(2 eta_{t-1}) - sigma/2, 0) R^2
         + sum_t (eta_t/2) E|g_t|^2 + (R Lg M(mu)/2) sum_t beta_t + K                         (*)

    K = alpha_1 R^2/(2 eta_1) + (rho/2) R^2 |B|^2 + R L2 + |l| R (|A| + |B|) + |l|^2/(2 rho)

The first sum has alpha/(2 eta_t) - alpha/(2 eta_{t-1}) for a constant alpha, and 1 in place of
alpha for the varying alpha_t = rho eta_t lambda_max + 1. f_t is the mean of f over iteration t's
observations. (x, y) may depend on the observations but not on the directions, and the observations
of iteration t must not have shaped x_t, as those of a sliding window have.
"""

from zooadmm.analysis.theory.printed import (
    printed_constant,
    printed_corollary_2,
    printed_corollary_3,
    printed_regret_rate,
    printed_second_moment,
    printed_theorem_1,
)
from zooadmm.analysis.theory.sound import (
    Assumptions,
    Method,
    average_gap_bound,
    completed_regret_bound,
    constant,
    dynamic_regret_bound,
    fixed_dual_bound,
    lemma_1_bias,
    lemma_1_second_moment,
    measured_constants,
    method_of,
    regret_bound,
    residual_bound,
    second_moment,
)

__all__ = [
    "Assumptions",
    "Method",
    "average_gap_bound",
    "completed_regret_bound",
    "constant",
    "dynamic_regret_bound",
    "fixed_dual_bound",
    "lemma_1_bias",
    "lemma_1_second_moment",
    "measured_constants",
    "method_of",
    "printed_constant",
    "printed_corollary_2",
    "printed_corollary_3",
    "printed_regret_rate",
    "printed_second_moment",
    "printed_theorem_1",
    "regret_bound",
    "residual_bound",
    "second_moment",
]
