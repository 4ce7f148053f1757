"""Constants that several strategies share, each with its unit and its reason."""

import math

import numpy as np

MOST_MODELED = 1500
"""Variables of a model of all variables, at most: it has two m x m matrices, 36 MB in all, and a
factor takes 60 ms; also directions of an estimate of a run without a budget."""

COARSE = 1e-6
"""Rounding, as a part of the loss or its changes, from which values have steps and plateaus: a
smooth loss in double precision has 1e-16, in single precision 1e-7."""

FEWEST = 4
"""Observations of a batch or for each direction that is fitted, draws of an error, or parts of a
cross-validation, at least: the fewest with a usable variance."""

FEW = 8
"""Observations, estimates or samples for a first variance, known to a quarter: 1 / sqrt(2 * 7);
also steps and sweeps before what was measured first is measured again."""

MANY = 32
"""Repeated values or estimates for a variance known to an eighth: 1 / sqrt(2 * 31); also the last
steps that a metric is made of."""

MOST_ROUNDS = 50
"""Rounds of a loop that ends by itself, at most: a guard against one that does not."""

TRIES = 10
"""Attempts in a row at most, each shorter: halvings reach 1/1000 of the first. A model is
repaired after this many poor trials."""

MOST_NUMBERS = 2**24
"""Numbers in a table that is kept, at most: 128 MiB."""

FACTOR = 4.0
"""By how much a length, a sample, a damping, a metric or a patience changes at once where a value
failed or its scale is unknown: factors of 4 find the minimum of a parabola to within a half of its
depth. Its order of magnitude was chosen."""

FACTORS = (1 / 64, 1 / 16, 1 / FACTOR, 1.0, FACTOR, 16.0, 64.0, 256.0)
"""Lengths or dampings of a first step, in units of a guess. With 1/16 to 4 sampled log-determinants
end at 0.55 of the first gap in place of 1e-9."""

DECREASE = 1e-4
"""The part of the decrease by the slope that a value must show (Armijo; the usual value)."""

IN_A_ROW = 3
"""Trials that fail, or slopes lost in rounding, one after another, that are not so by chance."""

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

MOST_TAU = 2.0
"""The largest relative error of a metric H: beyond it H says nothing."""

# rounding

ULPS = 4.0
"""Rounding error of a value at least, in units of its last place: that of a few operations."""

SEEN = 100.0
"""The least second difference, in units of rounding, that shows a curvature."""

NEGLIGIBLE = 30.0
"""A change of F that is not worth an evaluation, or shows nothing, in units of its rounding. At 100
least squares whose outcomes are 1e6 times their noise end 3e-6 above the optimum."""

ROUNDED = 1e-12
"""What rounding leaves of a double after some thousand operations, as a part of it."""

SINGULAR_PART = 1e-14
"""Eigenvalues and variances, as a part of the largest, that a factor cannot tell from zero."""

HALF_DIGITS = math.sqrt(np.finfo(float).eps)
"""Half of the digits of a double, as a part of it: what counts as rounding in a distance to a set,
a pivot, or the height of a plane."""

NEARLY = 1e-9
"""What is added to a covariance to be factored, as a part of its diagonal; at 1e-12 a run whose
loss turns out to be noisy overflows."""

FLATTEST = HALF_DIGITS
"""Curvatures and singular values, as a part of the typical one, at least."""

# lengths

DEFAULT_LENGTH = float(np.cbrt(np.finfo(float).eps))
"""The length of differences where none was measured, in units of max(1, |x_1|_inf): at 6e-6 the
rounding of values and third derivatives of size 1 cost central differences as much."""

FIRST_LENGTH = 1e-3
"""The first length that is tried at x_1, in units of max(1, |x_1|_inf)."""

SMALL_PART = 0.1
"""A part that is small beside the whole: of what a model promises, of a budget, of a distance, of
values that are not finite by chance. Its order of magnitude was chosen, and no study tells 0.1 from
0.2."""

TINY_PART = 0.01
"""A part that counts for nothing beside the whole: by how much a ridge may miss the change of its
values, how long differences are beside the way so far, or by how much a loss or a curvature changes
at most before it is measured again. Its order of magnitude was chosen."""

NARROW = 0.25
"""A length that leaves room beside it, as a part of the width of a box or of the usual length."""

LEFT = SMALL_PART
"""The least part of a move that X must leave for it to show a slope."""

PARALLEL = 1e-3
"""A direction whose new part is shorter than this depends on those before it."""

AT_ONCE = 512
"""Evaluations of a query, groups of a search, or variables that join a model, if these can be
divided."""
