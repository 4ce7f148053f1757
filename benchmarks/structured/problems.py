"""The generators: `build("loss-structure-m")`, with a regime after an @."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import scipy.sparse

import zooadmm as zoo
from benchmarks.problem import Array, BatchedLoss, NoStructure, Problem, SplitStructure
from benchmarks.structured import losses, simulators
from benchmarks.structured.drift import drifting
from zooadmm.losses import Cox, LogDeterminant, Logistic, Squares
from zooadmm.problem.regularizers import GraphLaplacian, NuclearNorm
from zooadmm.problem.sets import AffineSet

REGIMES = ("full", "sampled", "noisy", "streamed", "drifting")
NOISE = 0.01
"""Standard deviation of a noisy loss, relative to F(x0); a drifting one has a tenth."""
STREAM = 200_000
"""Observations of a streamed loss: more than a run of the quick form sees."""

Generator = np.random.Generator


def build(name: str) -> Problem:
    """The problem of a name such as squares-l1-60@sampled."""
    base, _, regime = name.partition("@")
    loss_name, structure_name, size = base.split("-")
    m = int(size)
    generator = np.random.default_rng([2026, *map(ord, base)])
    rows = STREAM if regime == "streamed" else _rows(m)
    loss = LOSSES[loss_name](generator, m, rows)
    problem = replace(STRUCTURES[structure_name](loss, m), name=name)
    if regime == "noisy":
        return problem.with_noise(NOISE * abs(problem.objective(problem.nearest(problem.x0))))
    if regime == "drifting":
        noise = 0.1 * NOISE * abs(problem.objective(problem.nearest(problem.x0)))
        return drifting(problem, noise, generator)
    if regime in ("sampled", "streamed"):
        return replace(problem.sampled(1), name=name)
    return problem


def _rows(m: int) -> int:
    return min(max(4 * m, 100), 2000)


def _features(generator: Generator, m: int, rows: int) -> Array:
    """Correlated columns of different sizes."""
    A = generator.standard_normal((rows, m))
    A[:, 1:] = 0.8 * A[:, 1:] + 0.6 * A[:, :-1]
    return A * 10.0 ** generator.uniform(-0.5, 0.5, m)


def _truth(generator: Generator, m: int) -> Array:
    chosen = generator.random(m) < max(0.1, 3.0 / m)
    return np.where(chosen, generator.standard_normal(m), 0.0)


def _squares(generator: Generator, m: int, rows: int) -> BatchedLoss:
    if m > 5000:  # every variable on its own, in units of their own
        curvature = 10.0 ** generator.uniform(-0.5, 0.5, m)
        truth = np.where(generator.random(m) < 0.01, 2.0 * generator.standard_normal(m), 0.0)
        A = scipy.sparse.diags_array(np.sqrt(m) * curvature, format="csr")
        return Squares(A, np.sqrt(m) * (curvature * truth + 0.01 * generator.standard_normal(m)))
    A = _features(generator, m, rows)
    return Squares(A, A @ _truth(generator, m) + generator.standard_normal(rows))


def _logistic(generator: Generator, m: int, rows: int) -> BatchedLoss:
    A = _features(generator, m, rows)
    chance = 1.0 / (1.0 + np.exp(-A @ _truth(generator, m)))
    return Logistic(A, np.where(generator.random(rows) < chance, 1.0, -1.0))


def _poisson(generator: Generator, m: int, rows: int) -> BatchedLoss:
    A = _features(generator, m, rows) / np.sqrt(m)
    return losses.poisson(A, generator.poisson(np.exp(A @ _truth(generator, m))).astype(float))


def _cox(generator: Generator, m: int, rows: int) -> BatchedLoss:
    A = _features(generator, m, rows)
    time = generator.exponential(np.exp(-np.clip(A @ _truth(generator, m), -5, 5)))
    return Cox(A, time, generator.random(rows) < 0.7)


def _quantile(generator: Generator, m: int, rows: int) -> BatchedLoss:
    A = _features(generator, m, rows)
    return losses.quantile(A, A @ _truth(generator, m) + generator.standard_t(3, rows), 0.8)


def _returns(generator: Generator, m: int, rows: int) -> Array:
    factors = generator.standard_normal((rows, 3)) @ generator.standard_normal((3, m))
    return 0.05 * generator.random(m) + 0.5 * factors + generator.standard_normal((rows, m))


def _logdet(generator: Generator, m: int, rows: int) -> BatchedLoss:
    return LogDeterminant(generator.standard_normal((min(rows, 50), m, 4)))


def _auc(generator: Generator, m: int, rows: int) -> BatchedLoss:
    labels = np.where(generator.random(rows) < 0.3, 1.0, -1.0)
    skill = generator.uniform(0.0, 1.2, m) / np.sqrt(m)
    noise = generator.standard_normal((rows, m))
    return losses.one_minus_auc(np.outer(labels, skill) + noise, labels)


def _ndcg(generator: Generator, m: int, rows: int) -> BatchedLoss:
    relevance = generator.integers(0, 4, (50, 12)).astype(float) + 0.01
    skill = generator.uniform(0.2, 1.0, m)
    noise = 2.0 * generator.standard_normal((50, 12, m))
    return losses.one_minus_ndcg(relevance[:, :, None] * skill + noise, relevance)


def _inventory(generator: Generator, m: int, rows: int) -> BatchedLoss:
    means = generator.uniform(2.0, 8.0, m)
    return simulators.Inventory(generator.poisson(means, (100, 30, m)).astype(float))


def _queue(generator: Generator, m: int, rows: int) -> BatchedLoss:
    return simulators.Queue(generator.exponential(1.0, (60, 100, m + 1)))


LOSSES: dict[str, Callable[[Generator, int, int], BatchedLoss]] = {
    "squares": _squares,
    "logistic": _logistic,
    "poisson": _poisson,
    "cox": _cox,
    "quantile": _quantile,
    "cvar": lambda generator, m, rows: losses.cvar(_returns(generator, m, 500), 0.95),
    "logdet": _logdet,
    "auc": _auc,
    "ndcg": _ndcg,
    "inventory": _inventory,
    "queue": _queue,
}


def _l1(loss: BatchedLoss, m: int) -> Problem:
    strength = 0.1 * float(np.abs(loss.gradient(np.zeros(m))).max())
    if m > 5000:
        strength = 0.2
    phi = zoo.L1(strength)
    return Problem("", loss, np.zeros(m), structure=phi, regularizer=phi, complete="x", sparse=True)


def _within(domain: zoo.Box | zoo.Simplex, loss: BatchedLoss, x0: Array) -> Problem:
    structure = NoStructure(domain)
    return Problem("", loss, x0, structure=structure, feasible=domain, domain=domain)


def _simplex(loss: BatchedLoss, m: int) -> Problem:
    return _within(zoo.Simplex(), loss, np.full(m, 1.0 / m))


def _box(loss: BatchedLoss, m: int) -> Problem:
    """Levels of stock up to 20, from 5; coefficients within 0.5, from 0."""
    if isinstance(loss, simulators.Inventory):
        return _within(zoo.Box(0.0, 20.0), loss, np.full(m, 5.0))
    return _within(zoo.Box(-0.5, 0.5), loss, np.zeros(m))


def _none(loss: BatchedLoss, m: int) -> Problem:
    return Problem("", loss, np.zeros(m), structure=NoStructure(None))


def _groups(loss: BatchedLoss, m: int) -> Problem:
    """Groups of five variables."""
    groups = [np.arange(k, k + 5) for k in range(0, m, 5)]
    g = loss.gradient(np.zeros(m))
    strength = 0.2 * max(float(np.linalg.norm(g[group])) for group in groups)
    phi = zoo.GroupL2(strength, groups)
    return Problem("", loss, np.zeros(m), structure=phi, regularizer=phi, complete="x")


def _tv(loss: BatchedLoss, m: int) -> Problem:
    strength = 0.02 * float(np.abs(loss.gradient(np.zeros(m))).max())
    phi, constraint = zoo.total_variation(m, strength)
    structure = SplitStructure(phi, constraint.A, constraint.lambda_max)
    return Problem(
        "", loss, np.zeros(m), structure=structure, regularizer=phi, constraint=constraint
    )


def _nuclear(loss: BatchedLoss, m: int) -> Problem:
    rows = int(np.sqrt(m * 0.8))
    while m % rows:
        rows -= 1
    g = loss.gradient(np.zeros(m)).reshape(rows, m // rows)
    phi = NuclearNorm(0.1 * float(np.linalg.norm(g, 2)), (rows, m // rows))
    return Problem("", loss, np.zeros(m), structure=phi, regularizer=phi, complete="x")


def _graph(loss: BatchedLoss, m: int) -> Problem:
    """phi = y'Ly on a ring with chords."""
    ring = np.arange(m)
    ends = [(ring, (ring + 1) % m), (ring[::3], (ring[::3] + m // 3) % m)]
    tails, heads = (np.concatenate(part) for part in zip(*ends, strict=True))
    D = scipy.sparse.coo_array(
        (
            np.concatenate([np.ones(len(tails)), -np.ones(len(heads))]),
            (np.tile(np.arange(len(tails)), 2), np.concatenate([tails, heads])),
        )
    ).tocsr()
    phi = GraphLaplacian(0.1, scipy.sparse.csr_array(D.T @ D))
    return Problem("", loss, np.zeros(m), structure=phi, regularizer=phi)


def _equalities(loss: BatchedLoss, m: int) -> Problem:
    """Sums of five blocks are given: M x = b."""
    blocks = np.repeat(np.eye(5), -(-m // 5), axis=1)[:, :m]
    domain = AffineSet(blocks, np.linspace(-1.0, 1.0, 5))
    return Problem(
        "",
        loss,
        domain.project(np.zeros(m)),
        structure=NoStructure(domain),
        feasible=domain,
        domain=domain,
    )


def _budget(loss: BatchedLoss, m: int) -> Problem:
    """0 <= x, 1'x = total, an even start; above by 1 for a selection, by nothing much for rates."""
    total, upper = (m / 5.0, 1.0) if isinstance(loss, LogDeterminant) else (2.5 * m, 2.5 * m)
    feasible = zoo.BoxBudget(0.0, upper, total)
    return Problem(
        "",
        loss,
        np.full(m, total / m),
        structure=NoStructure(feasible),
        feasible=feasible,
        domain=feasible,
    )


STRUCTURES: dict[str, Callable[[BatchedLoss, int], Problem]] = {
    "none": _none,
    "l1": _l1,
    "groups": _groups,
    "simplex": _simplex,
    "box": _box,
    "budget": _budget,
    "tv": _tv,
    "nuclear": _nuclear,
    "graph": _graph,
    "equalities": _equalities,
}
