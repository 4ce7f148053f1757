"""The optimizer for PennyLane, on its circuits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import zooadmm as zoo

qml = pytest.importorskip("pennylane", reason="PennyLane is absent: make test-pennylane")
from pennylane import numpy as qnp  # noqa: E402

from zooadmm.integrations.pennylane import ZooADMMOptimizer  # noqa: E402

ANGLES = [[0.3, 0.4], [0.5, 0.6]]


def circuit(shots: int | None = None) -> Any:
    device = qml.device("default.qubit", wires=2, seed=0)

    @qml.set_shots(shots)
    @qml.qnode(device)
    def cost(weights: Any, shift: Any = 0.0) -> Any:
        for layer in weights:
            for wire, angle in enumerate(layer):
                qml.RY(angle + shift, wires=wire)
            qml.CNOT(wires=[0, 1])
        return qml.expval(qml.PauliZ(0) @ qml.PauliZ(1) + 0.5 * qml.PauliX(0))

    return cost


def weights() -> Any:
    return qnp.array(ANGLES, requires_grad=True)


def exact_ground() -> float:
    z, x, one = np.diag([1.0, -1.0]), np.array([[0.0, 1.0], [1.0, 0.0]]), np.eye(2)
    return float(np.linalg.eigvalsh(np.kron(z, z) + 0.5 * np.kron(x, one))[0])


def test_a_circuit_without_noise_ends_by_itself_at_the_optimum() -> None:
    optimizer, params, cost = ZooADMMOptimizer(seed=0), weights(), circuit()
    costs = []
    while not optimizer.ended:
        params, value = optimizer.step_and_cost(cost, params)
        costs.append(value)
    assert costs[0] == pytest.approx(float(cost(weights())))
    assert params.shape == (2, 2)
    assert params.requires_grad
    assert float(cost(params)) == pytest.approx(exact_ground(), abs=1e-6)
    assert optimizer.result().status is zoo.Status.SETTLED
    again = optimizer.step(cost, params)
    assert np.array_equal(again, params)


def test_it_has_the_bits_of_the_run_without_pennylane() -> None:
    def bowl(a: Any, b: Any, scale: float) -> float:
        return float(scale * (np.square(a - 1).sum() + np.square(b + 2).sum()))

    optimizer = ZooADMMOptimizer(seed=5, low=-1.5, high=3.0)
    a, b = qnp.array(0.5, requires_grad=True), qnp.array([[0.0, 1.0]], requires_grad=True)
    fixed = qnp.array(3.0, requires_grad=False)
    while not optimizer.ended:
        a, fixed, b = optimizer.step(
            lambda a, f, b, scale: bowl(a, b, scale * f), a, fixed, b, scale=2
        )
    run = zoo.Optimizer(
        np.array([0.5, 0.0, 1.0]), domain=zoo.Box(-1.5, 3.0), max_evaluations=2000, rng=5
    )
    while (query := run.ask()) is not None:
        run.tell(query.id, [bowl(x[0], x[1:], 6) for x in query.points])
    assert np.append(a, b).tobytes() == run.result().x.tobytes()
    assert np.append(a, b) == pytest.approx([1.0, -1.5, -1.5], abs=1e-5)


def test_shots_within_bounds() -> None:
    cost, seen = circuit(shots=500), list[Any]()

    def watched(weights: Any) -> Any:
        seen.append(np.array(weights))
        return cost(weights)

    optimizer = ZooADMMOptimizer(seed=0, low=-1.0, high=7.0, max_evaluations=250)
    params = weights()
    while not optimizer.ended:
        params = optimizer.step(watched, params)
    assert -1.0 <= np.min(seen) <= np.max(seen) <= 7.0
    assert len(seen) <= 250
    assert float(circuit()(params)) < float(circuit()(weights()))


def test_a_noisy_run_stops_by_itself_at_a_precision() -> None:
    dice = np.random.default_rng(0)
    optimizer = ZooADMMOptimizer(seed=0, precision=0.01, max_evaluations=20_000)
    params = qnp.array(np.zeros(4), requires_grad=True)
    while not optimizer.ended:
        noise = lambda x: np.sum(1 - np.cos(x - 0.5)) + 0.02 * dice.standard_normal()  # noqa: E731
        params = optimizer.step(noise, params)
    assert optimizer.result().nfev < 20_000
    assert np.sum(1 - np.cos(params - 0.5)) <= 0.01


def test_what_does_not_fit_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="no argument is trainable"):
        ZooADMMOptimizer().step(lambda x: x.sum(), np.zeros(2))
    with pytest.raises(ValueError, match="one number, not an array of shape"):
        ZooADMMOptimizer().step(lambda x: x, qnp.array([1.0, 2.0], requires_grad=True))
    with pytest.raises(RuntimeError, match="no step was taken"):
        ZooADMMOptimizer().result()
    optimizer = ZooADMMOptimizer(seed=0)
    params = optimizer.step(lambda x: np.square(x).sum(), qnp.array([1.0, 2.0], requires_grad=True))
    with pytest.raises(ValueError, match="the last step returned"):
        optimizer.step(lambda x: np.square(x).sum(), params + 1)
