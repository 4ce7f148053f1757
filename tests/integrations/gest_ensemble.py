"""A program: the six-hump camel of libEnsemble's examples, with our generator.

python gest_ensemble.py batch|async|optimas, in the folder of its checkpoint run.zoo.
"""

from __future__ import annotations

import os
import sys
import time
from typing import Any

from gest_api.vocs import VOCS

from zooadmm.integrations.gest import Generator

WORKERS, SIMULATIONS = 3, 120
VOCS_OF_THE_CAMEL = VOCS(
    variables={"core": [-3.0, 3.0], "edge": [-2.0, 2.0]}, objectives={"energy": "MINIMIZE"}
)


def camel(point: dict[str, Any]) -> dict[str, float]:
    time.sleep(float(os.environ.get("PAUSE", "0")))
    x, y = float(point["core"]), float(point["edge"])
    return {"energy": (4 - 2.1 * x**2 + x**4 / 3) * x**2 + x * y + (-4 + 4 * y**2) * y**2}


def generator() -> Generator:
    start = {"core": 0.5, "edge": -0.3}
    return Generator(VOCS_OF_THE_CAMEL, x0=start, seed=0, checkpoint="run.zoo")


def by_libensemble(returned: str) -> None:
    from libensemble import Ensemble
    from libensemble.alloc_funcs.start_only_persistent import only_persistent_gens
    from libensemble.specs import AllocSpecs, ExitCriteria, GenSpecs, LibeSpecs, SimSpecs

    ensemble = Ensemble(
        libE_specs=LibeSpecs(nworkers=WORKERS, comms="local", gen_on_manager=True),
        sim_specs=SimSpecs(simulator=camel, vocs=VOCS_OF_THE_CAMEL),
        gen_specs=GenSpecs(
            generator=generator(), vocs=VOCS_OF_THE_CAMEL, initial_batch_size=4, batch_size=2
        ),
        alloc_specs=AllocSpecs(
            alloc_f=only_persistent_gens, user={"async_return": returned == "async"}
        ),
        exit_criteria=ExitCriteria(sim_max=SIMULATIONS),
    )
    ensemble.run()


def by_optimas() -> None:
    from optimas.evaluators import FunctionEvaluator
    from optimas.explorations import Exploration
    from optimas.generators import ExternalGenerator

    def evaluate(inputs: dict[str, Any], outputs: Any) -> None:
        outputs["energy"] = camel(inputs)["energy"]

    Exploration(
        generator=ExternalGenerator(generator(), vocs=VOCS_OF_THE_CAMEL),
        evaluator=FunctionEvaluator(function=evaluate),
        max_evals=SIMULATIONS,
        sim_workers=WORKERS,
        run_async=True,
    ).run()


if __name__ == "__main__":
    by_optimas() if sys.argv[1] == "optimas" else by_libensemble(sys.argv[1])
