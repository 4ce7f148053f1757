"""People give the values: a blend of three coffees, graded in the forms of optuna-dashboard.

The program puts a card into the dashboard for each blend that the method needs. People taste,
in any order, and say by how much a cup misses what they like. Everything is in one file: stop
the program, start it again tomorrow, and it goes on with the same bits.

    python examples/human_answers.py study.db 8080      (needs zooadmm[optuna] and optuna-dashboard)
"""

from __future__ import annotations

import sys
import threading
import time

import optuna
from optuna.distributions import FloatDistribution
from optuna.trial import TrialState
from optuna_dashboard import (
    TextInputWidget,
    register_objective_form_widgets,
    run_server,
    save_note,
)

import zooadmm as zoo
from zooadmm.integrations.optuna import Sampler, open_cells, point, result

COFFEES = ("arabica", "robusta", "liberica")
CUPS = 40


def open_study(url: str) -> optuna.Study:
    """The study in that storage, new or from an earlier day."""
    sampler = Sampler(
        {name: FloatDistribution(0.0, 1.0) for name in COFFEES},
        domain=zoo.Simplex(),  # shares: nonnegative, and their sum is one
        x0=[1 / 3] * 3,
        max_evaluations=CUPS,
        seed=0,
    )
    study = optuna.create_study(
        storage=url, study_name="blend", sampler=sampler, load_if_exists=True
    )
    question = "By how much does this cup miss what you like? (0: not at all)"
    register_objective_form_widgets(study, widgets=[TextInputWidget(description=question)])
    return study


def put_out(trial: optuna.Trial) -> None:
    """Store the shares of a trial, and write its card."""
    shares = zip(COFFEES, point(trial), strict=True)
    save_note(trial, "\n".join(f"- {name}: {100 * share:.1f} %" for name, share in shares))


def main(path: str, port: int) -> None:
    url = f"sqlite:///{path}"
    study = open_study(url)
    server = threading.Thread(target=run_server, args=(url, "127.0.0.1", port), daemon=True)
    server.start()
    for left in study.get_trials(states=(TrialState.RUNNING,)):  # cards of an earlier day
        put_out(optuna.Trial(study, left._trial_id))
    while (cells := open_cells(study)) is not None:
        for _ in range(cells):
            put_out(study.ask())
        time.sleep(0.5)
    shares = zip(COFFEES, result(study).x, strict=True)
    print(", ".join(f"{name} {100 * share:.0f} %" for name, share in shares), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
