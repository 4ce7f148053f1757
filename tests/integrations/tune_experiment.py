"""A program: an experiment of Ray Tune in the folder it is started in.

python tune_experiment.py new|restore. It prints the
answer in hexadecimal, the number of evaluations and the status.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

import ray
from ray import tune

from zooadmm.integrations.tune import Search

SPACE = {"rate": tune.loguniform(1e-4, 1.0), "body": {"depth": tune.uniform(0.0, 5.0)}, "bias": 1.0}


def error(config: dict[str, Any]) -> float:
    rate, depth = config["rate"], config["body"]["depth"]
    return float((rate / 0.02 - 1) ** 2 + (depth - 4) ** 2 + config["bias"])


def trainable(config: dict[str, Any]) -> None:
    time.sleep(float(os.environ.get("PAUSE", "0")))
    tune.report({"error": error(config)})


def search() -> Search:
    return Search("error", "min", seed=0, max_evaluations=30)


def start_cluster() -> None:
    """Ray gives a cluster 30 seconds to start; on a machine that is busy it gets more of them."""
    for left in reversed(range(6)):
        try:
            ray.init(
                num_cpus=3,
                include_dashboard=False,
                log_to_driver=False,
                _node_ip_address="127.0.0.1",
            )
            return
        except Exception as error:
            if "timed out during startup" not in str(error) or left == 0:
                raise
            ray.shutdown()


def main(how: str) -> None:
    start_cluster()
    folder = Path.cwd() / "results"
    if how == "restore":
        tuner = tune.Tuner.restore(str(folder / "study"), trainable, restart_errored=True)
    else:
        tuner = tune.Tuner(
            trainable,
            param_space=SPACE,
            tune_config=tune.TuneConfig(search_alg=search(), num_samples=-1, reuse_actors=True),
            run_config=tune.RunConfig(name="study", storage_path=str(folder), verbose=0),
        )
    grid = tuner.fit()
    found = search()
    found.restore_from_dir(str(folder / "study"))
    answer = found.result()
    print("answer", answer.x.tobytes().hex(), answer.nfev, len(grid), answer.status)


if __name__ == "__main__":
    main(sys.argv[1])
