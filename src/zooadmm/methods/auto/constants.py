"""Constants that several strategies share, each with its unit and its reason."""

MOST_MODELED = 1500
"""Variables of a model of all variables, at most: it has two m x m matrices, 36 MB in all."""

COARSE = 1e-6
"""Rounding, as a part of the loss or its changes, from which values have steps and plateaus: a
smooth loss in double precision has 1e-16, in single precision 1e-7."""

FEWEST_SAMPLES = 8
"""Samples from which fresh observations come before their mean: two batches of the least size,
one for the first slopes and curvatures, one for what confirms a step."""
