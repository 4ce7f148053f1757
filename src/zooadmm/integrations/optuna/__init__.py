"""A sampler for Optuna: its storages, workers and dashboard, with exact resume.

Needs the extra `optuna`.
"""

from zooadmm.integrations.optuna.answer import result
from zooadmm.integrations.optuna.sampler import Sampler, observation, point

__all__ = ["Sampler", "observation", "point", "result"]
