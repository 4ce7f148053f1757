"""Every set, regularizer and constraint, under both settings."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import scipy.sparse

from tools.digests import library as zoo
from tools.digests.losses import START, M, bowl
from tools.digests.table import entered

PATH = np.diff(np.eye(M), axis=0)


class UpToOne:
    """A regularizer that is not the library's: the indicator of x <= 1."""

    def __call__(self, x: Any) -> bool:
        return bool((x <= 1.0).all())

    def prox(self, v: Any, tau: float) -> Any:
        return np.minimum(v, 1.0)


def _sets() -> dict[str, Any]:
    row = np.arange(1.0, M + 1.0)
    two = np.vstack([row, np.ones(M)])
    return {
        "WholeSpace": zoo.WholeSpace(),
        "Box": zoo.Box(-0.4, np.linspace(0.3, 1.2, M)),
        "Nonnegative": zoo.Nonnegative(),
        "Simplex": zoo.Simplex(1.2),
        "Budget": zoo.Budget(1.2),
        "BoxBudget": zoo.BoxBudget(0.0, 0.5, 1.2),
        "Halfspace": zoo.Halfspace(row, 1.0),
        "L1Ball": zoo.L1Ball(1.0),
        "L2Ball": zoo.L2Ball(0.8),
        "LInfBall": zoo.LInfBall(0.5),
        "NuclearBall": zoo.NuclearBall(0.9, (2, 3)),
        "AffineSet": zoo.AffineSet(two, np.array([4.2, 1.2])),
        "AffineSet sparse": zoo.AffineSet(scipy.sparse.csr_array(two), np.array([4.2, 1.2])),
    }


def _regularizers() -> dict[str, Any]:
    laplacian = PATH.T @ PATH
    budget: Any = zoo.Budget(1.2)  # a set is taken for its indicator
    foreign: Any = UpToOne()
    return {
        "Zero": zoo.Zero(),
        "L1": zoo.L1(0.3),
        "L1 weighted": zoo.L1(0.3, weights=np.arange(M) / 2.0),
        "ElasticNet": zoo.ElasticNet(0.2, 0.3),
        "SquaredL2": zoo.SquaredL2(0.5),
        "GroupL2": zoo.GroupL2(0.4, [[0, 1], [2, 3, 4]]),
        "LInf": zoo.LInf(0.4),
        "NuclearNorm": zoo.NuclearNorm(0.4, (2, 3)),
        "GraphLaplacian": zoo.GraphLaplacian(0.4, laplacian),
        "ProximalSum": zoo.ProximalSum(budget, zoo.L1(0.2)),
        "Indicator": zoo.Indicator(zoo.Simplex()),
        "Within": zoo.Within(zoo.L1(0.2), zoo.Nonnegative()),
        "Foreign": zoo.Foreign(foreign),
        "coerced": foreign,
    }


def _constraints() -> dict[str, dict[str, Any]]:
    A = np.random.default_rng(3).normal(size=(4, M))
    B = np.random.default_rng(4).normal(size=(4, 5))
    square = np.eye(4) + 0.3 * np.random.default_rng(6).normal(size=(4, 4))
    c = np.linspace(-0.5, 0.5, 4)
    names = "regularizer", "constraint"
    groups = [[0, 1, 2], [2, 3], [3, 4, 5]]
    return {
        "Consensus": {"regularizer": zoo.L1(0.2), "constraint": zoo.Consensus()},
        "Linear": {"regularizer": zoo.L1(0.2), "constraint": zoo.Linear(A, c=c)},
        "Linear sparse": {
            "regularizer": zoo.L1(0.2),
            "constraint": zoo.Linear(scipy.sparse.csr_array(PATH)),
        },
        "Linear scaled": {"regularizer": zoo.L1(0.2), "constraint": zoo.Linear(A, 2.0, c)},
        "Linear general": {"regularizer": zoo.SquaredL2(0.2), "constraint": zoo.Linear(A, B, c)},
        "Linear square B": {"regularizer": zoo.L1(0.2), "constraint": zoo.Linear(A, square, c)},
        "Linear in a box": {
            "regularizer": zoo.L1(0.2),
            "constraint": zoo.Linear(A, c=c),
            "domain": zoo.Box(-0.5, 0.5),
        },
        "rows in bounds": {"regularizer": zoo.Box(-0.2, 0.2), "constraint": zoo.Linear(PATH)},
        "total variation": dict(zip(names, zoo.total_variation(M, 0.2), strict=True)),
        "isotropic": dict(zip(names, zoo.isotropic_total_variation((2, 3), 0.2), strict=True)),
        "overlapping groups": dict(zip(names, zoo.overlapping_groups(M, groups, 0.2), strict=True)),
        "box and L1": {"regularizer": zoo.L1(0.2), "domain": zoo.Box(-0.5, 0.5)},
        "budget and L1": {"regularizer": zoo.L1(0.2), "domain": zoo.BoxBudget(-1.0, 1.0, 0.5)},
        "box and indicator": {
            "regularizer": zoo.Indicator(zoo.Budget(1.2)),
            "domain": zoo.Box(0.0, 1.0),
        },
        "groups in a ball": {
            "regularizer": zoo.GroupL2(0.2, [[0, 1], [2, 3]]),
            "domain": zoo.L2Ball(0.8),
        },
    }


def _structures() -> dict[str, dict[str, Any]]:
    sets, regularizers, constraints = _sets(), _regularizers(), _constraints()
    domains = {f"set/{name}": {"domain": sets[name]} for name in sets}
    of_y = {f"set of y/{k}": {"regularizer": sets[k]} for k in sets if k != "WholeSpace"}
    phis = {f"regularizer/{k}": {"regularizer": regularizers[k]} for k in regularizers}
    return {**domains, **of_y, **phis, **{f"constraint/{k}": constraints[k] for k in constraints}}


def _by_paper(parts: dict[str, Any]) -> Any:
    x0 = parts["domain"].project(START) if "domain" in parts else START
    return zoo.minimize(bowl, x0, settings="paper", max_iterations=40, rng=1, **parts)


def _by_model(parts: dict[str, Any]) -> Any:
    x0 = parts["domain"].project(START) if "domain" in parts else START
    return zoo.minimize(bowl, x0, settings="auto", max_evaluations=300, rng=1, **parts)


def _by_steps(parts: dict[str, Any]) -> Any:
    x0 = parts["domain"].project(START) if "domain" in parts else START
    auto = zoo.Auto(without=["model"])
    return zoo.minimize(bowl, x0, settings=auto, max_evaluations=400, rng=1, **parts)


for _name, _parts in _structures().items():
    entered(f"paper/{_name}")(partial(_by_paper, _parts))
    entered(f"auto/model/{_name}")(partial(_by_model, _parts))
    if not _name.startswith("set of y"):
        entered(f"auto/steps/{_name}")(partial(_by_steps, _parts))
