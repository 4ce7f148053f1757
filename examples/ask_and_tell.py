"""A laboratory that answers when it likes: ask and tell, a file for each experiment.

Every experiment becomes a file in `inbox`; whoever makes it writes a file in `outbox`. Answers come
in any order and on any day: the run is saved after each round, so this program may be stopped and
started at will. An experiment that failed is told as `np.ma.masked`; one that was lost is given up
(`optimizer.give_up`) and handed in again.
"""

from __future__ import annotations

import json
import random
import tempfile
from pathlib import Path

import numpy as np

import zooadmm as zoo
from zooadmm.run import Cell

WANTED = np.array([0.3, 0.0, 0.7, 0.0, 0.0])


def new_run() -> zoo.Optimizer:
    return zoo.Optimizer(
        np.full(5, 0.5), domain=zoo.Box(0, 1), regularizer=zoo.L1(0.05), max_evaluations=400, rng=0
    )


def hand_in(cell: Cell, inbox: Path) -> None:
    """An experiment a file, named by its query and its cell."""
    order = {"id": cell.id, "settings": cell.point.tolist()}
    (inbox / "{}-{}.json".format(*cell.id)).write_text(json.dumps(order))


def laboratory(inbox: Path, outbox: Path) -> None:
    """Somebody else, who works through the orders as they come to hand."""
    orders = list(inbox.iterdir())
    random.shuffle(orders)
    for order in orders:
        asked = json.loads(order.read_text())
        loss = float(np.square(np.array(asked["settings"]) - WANTED).sum())
        (outbox / order.name).write_text(json.dumps({**asked, "measured": loss}))
        order.unlink()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        inbox, outbox, saved = Path(folder) / "in", Path(folder) / "out", Path(folder) / "run.zoo"
        inbox.mkdir()
        outbox.mkdir()
        optimizer = new_run()
        while (cells := optimizer.ask(20)) is not None:
            for cell in cells:
                hand_in(cell, inbox)
            laboratory(inbox, outbox)
            for answer in list(outbox.iterdir()):
                told = json.loads(answer.read_text())
                optimizer.tell(told["id"], told["measured"])
                answer.unlink()
            optimizer.save(saved)
            optimizer = new_run()  # another day
            optimizer.load(saved)
        result = optimizer.result()
    print(f"after {result.nfev} experiments: {np.round(result.y, 2)}")


if __name__ == "__main__":
    main()
