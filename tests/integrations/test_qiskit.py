"""The optimizer for Qiskit, in its variational eigensolver."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import zooadmm as zoo

pytest.importorskip("qiskit_algorithms", reason="qiskit-algorithms is absent: make test-qiskit")
from qiskit.circuit.library import efficient_su2
from qiskit.primitives import StatevectorEstimator
from qiskit.quantum_info import SparsePauliOp
from qiskit_algorithms import VQE

from zooadmm.integrations.qiskit import ZooADMM
from zooadmm.problem.arrays import Vector

HYDROGEN = SparsePauliOp.from_list(
    [
        ("II", -1.052373245772859),
        ("IZ", 0.39793742484318045),
        ("ZI", -0.39793742484318045),
        ("ZZ", -0.01128010425623538),
        ("XX", 0.18093119978423156),
    ]
)
"""The Hamiltonian of hydrogen in Qiskit's tutorials."""
GROUND = float(np.linalg.eigvalsh(HYDROGEN.to_matrix())[0])


def bowl(x: Vector) -> float:
    return float(np.sum(1 - np.cos(x - 0.5)))


def noisy(sigma: float, seed: int = 0) -> Any:
    dice = np.random.default_rng(seed)
    return lambda x: bowl(x) + sigma * dice.standard_normal()


def test_the_eigensolver_finds_the_ground_state_without_noise() -> None:
    ansatz = efficient_su2(2, reps=1)
    start = np.full(ansatz.num_parameters, 0.3)
    solver = VQE(StatevectorEstimator(), ansatz, ZooADMM(seed=0), initial_point=start)
    found = solver.compute_minimum_eigenvalue(HYDROGEN)
    assert found.eigenvalue == pytest.approx(GROUND, abs=1e-6)
    assert found.cost_function_evals < 500 * 9  # it settles


def test_the_eigensolver_takes_shot_noise() -> None:
    ansatz = efficient_su2(2, reps=1)
    dice = np.random.default_rng(1)  # a number would make the same noise at every call
    estimator = StatevectorEstimator(default_precision=0.01, seed=dice)
    chosen = ZooADMM(seed=0, max_evaluations=600)
    solver = VQE(estimator, ansatz, chosen, initial_point=np.full(ansatz.num_parameters, 0.3))
    found = solver.compute_minimum_eigenvalue(HYDROGEN)
    assert found.cost_function_evals <= 600
    energy = StatevectorEstimator().run([(ansatz, HYDROGEN, found.optimal_point)])
    assert float(energy.result()[0].data.evs) < GROUND + 0.15


def test_it_has_the_bits_of_the_run_without_qiskit() -> None:
    found = ZooADMM(seed=3).minimize(bowl, np.zeros(3), bounds=[(-1, 1), (-1, 0.2), (None, None)])
    run = zoo.Optimizer(
        np.zeros(3),
        domain=zoo.Box([-1, -1, -np.inf], [1, 0.2, np.inf]),
        max_evaluations=1999,
        rng=3,
    )
    while (query := run.ask()) is not None:
        run.tell(query.id, [bowl(x) for x in query.points])
    assert found.x.tobytes() == run.result().x.tobytes()
    assert found.fun == bowl(found.x)
    assert found.nfev == run.evaluations + 1
    assert found.x == pytest.approx([0.5, 0.2, 0.5], abs=1e-5)


@pytest.mark.parametrize("sigma", [0.0, 0.05])
def test_no_point_leaves_the_bounds_and_a_start_outside_is_moved(sigma: float) -> None:
    loss, seen = noisy(sigma), []

    def watched(x: Vector) -> float:
        seen.append(x.copy())
        return float(loss(x))

    ZooADMM(seed=0, max_evaluations=400).minimize(watched, [2.0, 0.0], bounds=[(0, 1), (-0.1, 0.3)])
    assert len(seen) <= 400
    points = np.array(seen)
    assert ((points >= [0, -0.1]) & (points <= [1, 0.3])).all()


@pytest.mark.parametrize("seed", range(3))
def test_a_noisy_run_stops_by_itself_at_a_precision(seed: int) -> None:
    chosen = ZooADMM(seed=seed, precision=0.01, max_evaluations=20_000)
    found = chosen.minimize(noisy(0.02, seed), np.zeros(4), bounds=[(-math.pi, math.pi)] * 4)
    assert found.nfev < 20_000
    assert bowl(found.x) <= 0.01


def test_structure_callback_and_settings() -> None:
    seen = list[int]()
    chosen = ZooADMM(
        seed=0,
        regularizer=zoo.L1(0.6),
        callback=lambda count, x: seen.append(count),
        precision=1e-9,
    )
    found = chosen.minimize(bowl, np.array([0.1, 0.2]))
    assert found.x.tolist() == [0.0, 0.0]
    assert seen == sorted(seen)
    assert seen[-1] == found.nfev - 1
    assert ZooADMM(**chosen.settings).settings == chosen.settings
    assert chosen.is_bounds_supported
    assert chosen.is_gradient_ignored


def test_wrong_arguments_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match="precision = 0"):
        ZooADMM(precision=0.0)
    with pytest.raises(ValueError, match="bounds must be"):
        ZooADMM().minimize(bowl, np.zeros(2), bounds=[(0, 1)])
