from zooadmm.integrations.optuna import (
    Sampler,
    observation,
    open_cells,
    point,
    result,
)

__all__ = ["Sampler", "observation", "open_cells", "point", "result"]
