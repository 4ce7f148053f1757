"""A sampler for Optuna: its storages, workers and dashboard, with exact resume.

Needs the extra `optuna`.
"""

from zooadmm.integrations.optuna.sampler import Sampler, observation, open_cells, point, result

__all__ = ["Sampler", "observation", "open_cells", "point", "result"]
