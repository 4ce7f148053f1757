"""The runs behind Fig. 3 and Table 1: one row for each method, strength and seed."""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np
from sksurv.linear_model import CoxnetSurvivalAnalysis

import zooadmm as zoo
from zooadmm.applications import SparseCox, concordance
from zooadmm.losses import Cox
from zooadmm_reproduction.exhibits import AUTO, FIRST_ORDER, ZOO
from zooadmm_reproduction.rows import Row
from zooadmm_reproduction.survival.cohort import Cohort, Columns, Patients, cohort

Batch = Literal["one event", "all events"]
"""What an iteration of Algorithm 1 evaluates: a term f(x; w_t) as printed, or the whole of (20)."""

RELEASED = "one event, released constants"
"""In the place of a batch: runs with the constants of the authors' released program."""

RELEASED_DIRECTIONS, RELEASED_PENALTY, RELEASED_START = 70, 0.1, 0.1
"""q, rho and every entry of x_1 there. beta_t is 1/(t m^2.5), and alpha constant."""

EXACT = "exact optimum (Coxnet)"

PATH = 60
"""Strengths on the way down to the smallest: without them Coxnet diverges there."""


def printed(
    method: str, batch: Batch, strengths: tuple[float, ...], iterations: int, seed: int
) -> list[Row]:
    """ZOO-ADMM or O-ADMM with the constants of Sec. 6; the answer is y_{T+1}, which has zeros.

    evaluations, gradients: how many terms f(x; w) of single events they were made of.
    """
    data, rows = cohort(), list[Row]()
    loss = data.loss
    for strength in strengths:
        result = zoo.minimize(
            loss,
            np.zeros(loss.num_variables),
            regularizer=zoo.L1(strength),
            observations=loss.observations if batch == "one event" else None,
            gradient=zoo.paper.Exact() if method == FIRST_ORDER else None,
            settings="paper",
            output="last",
            complete="x",
            max_iterations=iterations,
            max_trace_rows=0,
            rng=seed,
            progress=False,
        )
        terms = 1 if batch == "one event" else len(loss.observations)
        rows.append(
            {
                "batch": batch,
                "seed": seed,
                **_row(method, data, strength, result.y),
                "evaluations": result.nfev * terms,
                "gradients": result.njev * terms,
            }
        )
    return rows


def released(strengths: tuple[float, ...], iterations: int, seed: int) -> list[Row]:
    """ZOO-ADMM with the constants of the authors' released program.

    Columns are scaled to norm 1 and the L1 weights are 1/norm, which is the same problem in other
    units of x. alpha is the least constant that Algorithm 1 allows.
    """
    data, rows = cohort(), list[Row]()
    norms = np.linalg.norm(data.X, axis=0)
    event, time = data.y.dtype.names
    loss = Cox(data.X / norms, data.y[time], data.y[event])
    m = loss.num_variables
    for strength in strengths:
        result = zoo.minimize(
            loss,
            np.full(m, RELEASED_START),
            regularizer=zoo.L1(strength, weights=1.0 / norms),
            observations=loss.observations,
            gradient=zoo.paper.Smoothed(RELEASED_DIRECTIONS),
            settings="paper",
            penalty=RELEASED_PENALTY,
            smoothing=zoo.paper.schedules.Power(m**-2.5, 1.0),
            proximal_weight="constant",
            output="last",
            complete="x",
            max_iterations=iterations,
            max_trace_rows=0,
            rng=seed,
            progress=False,
        )
        label: Row = {"batch": RELEASED, "seed": seed}
        rows.append({**label, **_row(ZOO, data, strength, result.y / norms)})
        rows[-1]["evaluations"] = result.nfev
    return rows


def automatic(strengths: tuple[float, ...], evaluations: int, seed: int) -> list[Row]:
    """`SparseCox` as it comes; an evaluation of the whole likelihood is one of all its events."""
    data, rows = cohort(), list[Row]()
    for strength in strengths:
        model = SparseCox(strength, max_evaluations=evaluations, random_state=seed)
        result = model.fit(data.X, data.y).result_
        rows.append(
            {
                "batch": "all events",
                "seed": seed,
                **_row(AUTO, data, strength, result.x),
                "evaluations": result.nfev * len(data.loss.observations),
            }
        )
    return rows


def exact(strengths: tuple[float, ...], patients: Patients, columns: Columns) -> list[Row]:
    """The optimum, by coordinate descent along a path of strengths; and how exact it is."""
    data = cohort(patients, columns)
    none = np.zeros(data.X.shape[1])
    gamma_max = float(np.abs(data.loss.gradient(none)).max())
    below = [strength for strength in strengths if strength < gamma_max]
    answers = dict.fromkeys(strengths, none)
    if below:
        path = np.unique([*below, *np.geomspace(min(below), 0.99 * gamma_max, PATH)])[::-1]
        judge = CoxnetSurvivalAnalysis(l1_ratio=1.0, alphas=path, tol=1e-10, max_iter=10**6)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # `optimality` below says how far it came
            found = judge.fit(data.X, data.y).coef_.T
        answers |= {g: x for g, x in zip(path.tolist(), found, strict=True) if g in below}
    return [
        {
            "patients": patients,
            "columns": columns,
            "batch": "all events",
            **_row(EXACT, data, strength, answers[strength]),
            "optimality": _optimality(data, strength, answers[strength]),
        }
        for strength in strengths
    ]


def _row(method: str, data: Cohort, strength: float, x: Any) -> Row:
    """What there is to say of an answer x."""
    loss, selected = data.loss, np.flatnonzero(x)
    value = float(loss(x))
    top = data.ranking[: len(selected)]
    return {
        "method": method,
        "strength": strength,
        "genes": len(selected),
        "common": len(np.intersect1d(selected, top)),
        "likelihood": -value,
        "objective": value + strength * float(np.abs(x).sum()),
        "concordance": concordance(data.y, data.X @ x),
        "test concordance": concordance(data.y_test, data.X_test @ x),
    }


def _optimality(data: Cohort, strength: float, x: Any) -> float:
    """The largest distance of a slope from where it must be: zero at the optimum."""
    slope = data.loss.gradient(x)
    off = np.maximum(np.abs(slope) - strength, 0.0)
    return float(np.where(x == 0, off, np.abs(slope + strength * np.sign(x))).max())
