"""The same call as a method of scipy.optimize.minimize."""

from zooadmm.integrations.scipy.method import scipy_method

__all__ = ["scipy_method"]
