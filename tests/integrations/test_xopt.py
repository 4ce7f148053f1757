"""The generator of the gest-api standard in Xopt 3, on its own example."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zooadmm as zoo

xopt = pytest.importorskip("xopt", reason="Xopt is absent: make test-xopt")
from xopt.resources.test_functions.rosenbrock import (  # noqa: E402
    make_rosenbrock_vocs,
    rosenbrock,
)

from zooadmm.integrations.gest import Generator  # noqa: E402


def evaluate(inputs: dict[str, Any]) -> dict[str, float]:
    """Xopt's Rosenbrock function, by name: `inputs` has `_id` too."""
    return {"y": float(rosenbrock([inputs[f"x{i}"] for i in range(3)]))}


def new(workers: int = 1, **arguments: Any) -> Any:
    chosen = Generator(make_rosenbrock_vocs(3), seed=0, **arguments)
    pool = ThreadPoolExecutor(workers)
    evaluator = xopt.Evaluator(function=evaluate, max_workers=workers, executor=pool)
    return xopt.Xopt(generator=chosen, evaluator=evaluator)


def stepped(run: Any, steps: int = 10_000) -> Any:
    for _ in range(steps):
        if run.generator.ended:
            break
        run.step()
    return run


def twin() -> bytes:
    run = zoo.Optimizer(np.zeros(3), domain=zoo.Box(-2.0, 2.0), rng=0)
    while (query := run.ask()) is not None:
        run.tell(query.id, [rosenbrock(x) for x in query.points])
    return run.result().x.tobytes()


@pytest.mark.parametrize("workers", [1, 4])
def test_xopt_has_the_bits_of_the_run_without_it(workers: int) -> None:
    run = stepped(new(workers))
    found = run.generator.result()
    assert found.status is zoo.Status.SETTLED
    assert found.x.tobytes() == twin()
    assert np.allclose(found.x, 1.0, atol=1e-6)
    assert len(run.data) == len(run.data[run.data["_id"] >= 0]) + (run.data["_id"] < 0).sum()
    assert (run.data["_id"] >= 0).sum() == found.nfev


def test_xopt_stopped_goes_on_bit_for_bit(tmp_path: Path) -> None:
    path = tmp_path / "run.zoo"
    for _ in range(3):
        stepped(new(4, checkpoint=path), steps=7)
    assert stepped(new(4, checkpoint=path)).generator.result().x.tobytes() == twin()


def test_xopt_may_add_points_of_its_own() -> None:
    run = new()
    run.random_evaluate(3)
    stepped(run, steps=5)
    run.random_evaluate(2)
    assert stepped(run).generator.result().x.tobytes() == twin()


def test_a_failed_evaluation_is_probed_around() -> None:
    def fragile(inputs: dict[str, Any]) -> dict[str, float]:
        if inputs["x0"] > 0.3:
            raise RuntimeError("the beam is lost")
        return evaluate(inputs)

    chosen = Generator(make_rosenbrock_vocs(3), seed=0, max_evaluations=200)
    evaluator = xopt.Evaluator(function=fragile)
    run = stepped(xopt.Xopt(generator=chosen, evaluator=evaluator, strict=False))
    found = run.generator.answer
    assert run.data["xopt_error"].any()
    assert found["x0"] <= 0.3
    assert evaluate(found)["y"] < evaluate({"x0": 0, "x1": 0, "x2": 0})["y"]
