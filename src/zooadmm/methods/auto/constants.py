"""Constants that several strategies share, each with its unit and its reason."""

MOST_MODELED = 1500
"""Variables of a model of all variables, at most: it has two m x m matrices, 36 MB in all."""

COARSE = 1e-6
"""Rounding, as a part of the loss or its changes, from which values have steps and plateaus: a
smooth loss in double precision has 1e-16, in single precision 1e-7."""

FEWEST = 4
"""Observations of a batch or for each direction that is fitted, draws of an error, or parts of a
cross-validation, at least: the fewest with a usable variance."""

FEW = 8
"""Observations, estimates or samples for a first variance, known to a quarter: 1 / sqrt(2 * 7)."""

MANY = 32
"""Repeated values or estimates for a variance known to an eighth: 1 / sqrt(2 * 31); also the last
steps that a metric is made of."""

MOST_ROUNDS = 50
"""Rounds of a loop that ends by itself, at most: a guard against one that does not."""

TRIES = 10
"""Attempts in a row at most, each shorter: halvings reach 1/1000 of the first."""

MOST_NUMBERS = 2**24
"""Numbers in a table that is kept, at most: 128 MiB."""

FACTOR = 4.0
"""By how much a length, a sample, a damping, a metric or a patience changes at once where a value
failed or its scale is unknown: factors of 4 find the minimum of a parabola to within a half of its
depth. Its order of magnitude was chosen."""

FACTORS = tuple(FACTOR**k for k in range(-3, 5))
"""Lengths or dampings of a first step, in units of a guess: from 1/64 to 256."""

DECREASE = 1e-4
"""The part of the decrease by the slope that a value must show (Armijo; the usual value)."""

IN_A_ROW = 3
"""Trials that fail, or slopes lost in rounding, one after another, that are not so by chance."""

MOST_FACTORED = 1000
"""Variables of matrices that are factored again and again, at most: a factor takes 20 ms; also
directions of an estimate of a run without a budget."""

# statistics

SURE = 2.0
"""Standard errors by which a pair is taken to be better: a chance of 2 % to be wrong."""

CERTAIN = 3.0
"""Standard errors beyond which a run goes back, or on from elsewhere: a chance of 0.1 %."""

BEYOND_NOISE = 4.0
"""Standard errors beyond which many comparisons in a row are believed: 3e-5 each."""

FEWEST_VALUES = 16
"""Values for a standard error that is itself known to about a fifth: 1 / sqrt(2 * 15)."""

LATEST = 0.25
"""The latest part beside all before it, in means and rounds that grow: about four of them count."""

FADES = 3.0
"""The power of t by which weights in a mean grow: the past fades (Shamir and Zhang 2013)."""

JUDGES = 1 / 16
"""Values that judge a point, in units of those of the gradients beside it: four points cost a
quarter as much."""

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

HALF_DIGITS = 1e-8
"""Half of the digits of a double, as a part of it."""

FLATTEST = HALF_DIGITS
"""Curvatures and singular values, as a part of the typical one, at least."""

NEARLY = 1e-9
"""What counts as rounding in a distance to a set, a covariance, or the height of a plane, as a part
of the step, of itself, or of a decrease."""

# lengths

DEFAULT_LENGTH = 1e-6
"""The length of differences where none was measured, in units of max(1, |x_1|_inf): between the
roots of the rounding of values, 1e-8, and of what curvature adds."""

FIRST_LENGTH = 1e-3
"""The first length that is tried at x_1, in units of max(1, |x_1|_inf)."""

SMALL_PART = 0.1
"""A part that is small beside the whole: of what a model promises, of a budget, of a distance. Its
order of magnitude was chosen, and no study tells 0.1 from 0.2."""

NARROW = 0.25
"""A length that leaves room beside it, as a part of the width of a box or of the usual length."""

LEFT = SMALL_PART
"""What X must leave of a move for it to show a slope, as a part of the move."""

PARALLEL = 1e-3
"""A direction whose new part is shorter than this depends on those before it."""

ALIKE = 0.01
"""By how much a ridge, or a parabola, may miss measured values, as a part of their change."""

AT_ONCE = 512
"""Evaluations of a query, groups of a search, or variables that join a model, if these can be
divided."""
