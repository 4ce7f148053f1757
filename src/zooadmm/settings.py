"""Named settings: the parameters of Algorithm 1 for a problem of m variables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from zooadmm.gradients import GradientSource, Smoothed
from zooadmm.schedules import Schedule, general_smoothing, general_step_size

SettingsName = Literal["paper"]
ProximalWeight = float | Literal["varying", "constant"]


@dataclass(frozen=True)
class Settings:
    """The parameters that a name stands for; what the user gives by name wins over them."""

    gradient: GradientSource
    step_size: Schedule
    smoothing: Schedule
    penalty: float
    proximal_weight: ProximalWeight


def named(name: str, m: int) -> Settings:
    """The settings of that name.

    "paper": the constants of the paper's experiments (Sec. 6), exactly: rho = 10,
    eta_t = 1/sqrt(m t), beta_t = 1/(m^1.5 t), alpha_t = rho eta_t lambda_max(A'A) + 1, directions
    uniform on the sphere of radius sqrt m, averaged over 30 of them.
    """
    if name != "paper":
        raise ValueError(f'settings must be "paper", not {name!r}.')
    return Settings(
        gradient=Smoothed(num_directions=30),
        step_size=general_step_size(m),
        smoothing=general_smoothing(m),
        penalty=10.0,
        proximal_weight="varying",
    )
