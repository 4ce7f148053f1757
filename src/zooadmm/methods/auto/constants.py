"""Constants that several strategies share, each with its unit and its reason."""

MOST_MODELED = 1500
"""Variables of a model of all variables, at most: it has two m x m matrices, 36 MB in all."""

COARSE = 1e-6
"""Rounding, as a part of the loss or its changes, from which values have steps and plateaus: a
smooth loss in double precision has 1e-16, in single precision 1e-7."""

FEW = 8
"""Observations, estimates or samples for a first variance, known to a quarter: 1 / sqrt(2 * 7)."""

MOST_FACTORED = 1000
"""Variables of matrices that are factored again and again, at most: a factor takes 20 ms; also
directions of an estimate of a run without a budget."""

FLAT = 0.5
"""Share of the variables without slopes from which x is on a plateau: values have steps there."""

# statistics

SURE = 2.0
"""Standard errors by which a pair is taken to be better: a chance of 2 % to be wrong."""

CERTAIN = 3.0
"""Standard errors beyond which a run goes back, or on from elsewhere: a chance of 0.1 %."""

BEYOND_NOISE = 4.0
"""Standard errors beyond which many comparisons in a row are believed: 3e-5 each."""

FEWEST_VALUES = 16
"""Values for a standard error that is itself known to about a fifth: 1 / sqrt(2 * 15)."""

BY_CHANCE = 0.2
"""The part of the values, or observations, that may be not finite by chance."""

MOST_TAU = 2.0
"""The largest relative error of a metric H: beyond it H says nothing."""

# rounding

ULPS = 4.0
"""Rounding error of a value at least, in units of its last place: that of a few operations."""

SEEN = 100.0
"""The least second difference, in units of rounding, that shows a curvature."""

NEGLIGIBLE = 30.0
"""A change of F that is not worth an evaluation, or shows nothing, in units of its rounding."""

ROUNDED = 1e-12
"""What rounding leaves of a double after some thousand operations, as a part of it."""

SINGULAR_PART = 1e-14
"""Eigenvalues and variances, as a part of the largest, that a factor cannot tell from zero."""

FLATTEST = 1e-8
"""Curvatures and singular values, as a part of the typical one, at least: half the digits."""

NEARLY = 1e-9
"""Distance to a set, as a part of the step, that counts as rounding."""

# lengths

DEFAULT_LENGTH = 1e-6
"""The length of differences where none was measured, in units of max(1, |x_1|_inf): between the
roots of the rounding of values, 1e-8, and of what curvature adds."""

FIRST_LENGTH = 1e-3
"""The first length that is tried at x_1, in units of max(1, |x_1|_inf)."""

LEFT = 0.1
"""What X must leave of a move for it to show a slope, as a part of the move."""

PARALLEL = 1e-3
"""A direction whose new part is shorter than this depends on those before it."""

ALIKE = 0.01
"""By how much a ridge, or a parabola, may miss measured values, as a part of their change."""

AT_ONCE = 512
"""Evaluations of a query, or groups of a search, if these can be divided."""
