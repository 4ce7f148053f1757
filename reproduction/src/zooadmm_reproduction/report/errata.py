"""The errata of the paper that the report speaks of, each in a sentence."""

ERRATA: dict[int, str] = {
    1: "The printed step C1/(m √t) gives the rate m/√T; the rate √(m/T) needs C1/√(m t).",
    2: "The printed soft threshold has lost an absolute value, and sets every negative coefficient "
    "to zero; |d| has to be compared with γ/ρ.",
    3: "x₁ = 0 has an infinite loss in sensor selection, and y₁ = 0 is not in Y there; it has to "
    "start inside, at (m₀/m) 1. The released program starts at 0.5, and at 0.1 for Cox.",
    4: "Theorem 1 takes another dual vector for every t in an inequality that holds for one: with "
    "a small ρ or in a long run the bound fails at (x_t, y'_t) and at (x'_t, y_t); it holds at "
    "(x_t, y_t) and for averages. With the ρ = 10 of Section 6 all runs here are below it.",
    5: "Corollary 3 counts q₁q₂ independent terms where they share their directions or their "
    "observations; the printed second moment is true of directions with one observation and of "
    "independent pairs.",
    6: "A missing condition: the step α/(σt) of Corollary 2 with a constant α needs ρ λ_max < σ; "
    "1/(σt) with a varying α does not.",
    7: "A remark: α is constant in the theorem and varies in the experiments; both are valid, "
    "with other constants.",
    8: "A remark: the y-step is the proximal operator of φ only if B'B = τI.",
    9: "A remark: β_t = 1/(m^1.5 t) amplifies rounding and noise without limit.",
    10: "A remark: the Cox loss of one subject needs all subjects at risk, and that of a censored "
    "one is 0. The released program samples events only.",
    11: "A remark: the constraint A x + B y = c holds at the completed pair, but y' leaves Y: a "
    "budget is missed, and a sparse y' is not sparse.",
    12: "A remark: the averages contain x₁ and not x_{T+1}, and need y'₁, which the loop does not "
    "compute.",
    13: "Theorem 1 drops the bias of the gradient estimate, and K omits a term.",
    14: "log T in Corollary 2 should read 1 + log T.",
    15: "The rate √(m/T) means m times more iterations for the same error, not √m times.",
    16: "The paper's applications do not meet the assumptions: X is unbounded for Cox regression, "
    "indicators are not Lipschitz, log det is neither Lipschitz nor smooth.",
    17: "With a sliding window x_t depends on the observations of its own window, which "
    "Corollary 3 excludes.",
    18: "A remark: an update error falls because the step size does; it is no evidence of "
    "convergence. The released program plots that of the running averages.",
    19: "That no matrix is inverted is not what makes the method cheap: the gradient inverts a 5 "
    "× 5 matrix, and so does each evaluation of the released program; what grows with m is "
    "the Newton system of the second-order method.",
    20: "μ_i = 5 exp(+ mean distance) looks like a lost minus sign; the released sample has the "
    "plus. The released program's MSE is one inverse pooled over all samples, not the mean "
    "over t.",
    21: "Table 1 is not reproducible from what is published: gene set, T and rule of selection "
    "are not stated, and the released program has other constants than Section 6.",
    22: "A sign slip in the proof of Theorem 1, harmless: ∇f = A'λ and B'λ ∈ ∂φ.",
    23: "A remark: the released program evaluates f(x_t) again for every direction and keeps the "
    "whole history.",
}
