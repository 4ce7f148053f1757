"""Which failed trials say something about their point."""

from __future__ import annotations

import sys
from types import FrameType

import optuna
from optuna.study._optimize import _run_trial


def is_of_the_point() -> bool:
    """Whether the trial that ends now failed at its point; called while Optuna ends it.

    NaN, a pruner and an exception that `study.optimize(catch=...)` names are: the worker goes on.
    Any other exception stops the worker: a mistake in the objective, Ctrl-C, a storage that is
    gone. The next worker evaluates that point as if nothing had happened. Optuna gives a sampler
    no exception, so it is read from the function that has it.
    """
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_code is not _run_trial.__code__:
        frame = frame.f_back
    if frame is None:  # study.tell: somebody says so
        return True
    error = frame.f_locals["func_err"]
    if isinstance(error, optuna.exceptions.StorageInternalError):
        return False
    return error is None or isinstance(error, (optuna.TrialPruned, *frame.f_locals["catch"]))
