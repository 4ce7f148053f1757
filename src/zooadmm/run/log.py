"""What a run says while it goes on: to Python's logging, and to the screen where verbose."""

from __future__ import annotations

import logging

from zooadmm.problem.arguments import whole_number
from zooadmm.run.info import Info
from zooadmm.run.result import Result

LOGGER = logging.getLogger("zooadmm")


class Log:
    """Lines about iterations and the end of a run.

    verbose: 0 prints nothing; 1 prints iterations 1, 2, 4, 8, ... and the result; 2 prints every
        iteration and the result.

    The logger "zooadmm" gets every iteration at level DEBUG, and the end at level INFO.
    """

    def __init__(self, verbose: int) -> None:
        level = int(verbose) if isinstance(verbose, bool) else whole_number(verbose)
        if isinstance(verbose, float) or level not in (0, 1, 2):
            raise ValueError(f"verbose = {verbose!r} must be 0, 1 or 2.")
        self._verbose = level
        self.speaks = self._verbose > 0 or LOGGER.isEnabledFor(logging.DEBUG)
        """Whether there is somebody to hear of iterations."""

    def note(self, info: Info) -> None:
        """Say something about an iteration."""
        t = info.t
        printed = self._verbose == 2 or (self._verbose == 1 and t & (t - 1) == 0)
        line = f"iteration {t}, {info.evaluations} evaluations, loss {info.loss:.6g}"
        line += f", residual {info.residual:.2g}" if info.residual > 0 else ""
        if printed:
            print(line, flush=True)
        LOGGER.debug(line)

    def end(self, result: Result) -> None:
        """Say how the run ended."""
        if self._verbose:
            print(result, flush=True)
        LOGGER.info("%s after %d evaluations: %s", result.status, result.nfev, result.message)
