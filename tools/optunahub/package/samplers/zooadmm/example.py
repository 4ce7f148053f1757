"""Three variables, two of which matter: the sampler finds out by the L1 norm.

Run it where the folder `package` is.
"""

from __future__ import annotations

import optuna
import optunahub
from optuna.distributions import FloatDistribution

from zooadmm import L1

module = optunahub.load_local_module("samplers/zooadmm", registry_root="./package/")
SPACE = {name: FloatDistribution(-2.0, 2.0) for name in ("a", "b", "c")}


def objective(trial: optuna.Trial) -> float:
    a, b, c = (trial.suggest_float(name, -2.0, 2.0) for name in SPACE)
    return float((a - 1) ** 2 + (b + 0.5) ** 2 + (c - 0.02) ** 2)


study = optuna.create_study(sampler=module.Sampler(SPACE, regularizer=L1(0.1), seed=0))
study.optimize(objective)  # ends by itself
print(module.result(study).x.round(6).tolist())
