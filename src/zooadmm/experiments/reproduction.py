"""A reproduction: experiments that are run in pieces, and go on where they were stopped."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing import get_context

from zooadmm.experiments.experiment import Experiment, Piece
from zooadmm.experiments.folder import Done, Folder
from zooadmm.experiments.rows import Row

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""What tells the linear algebra how many threads to take: one, as every worker has a core."""


class Reproduction:
    """Experiments and the folder that keeps their pieces.

    >>> from pathlib import Path
    >>> from zooadmm.experiments.experiment import Size
    >>> Reproduction([], Folder(Path("report"), Size.QUICK, seed=0)).left()
    []
    """

    def __init__(self, experiments: Sequence[Experiment], folder: Folder) -> None:
        self.folder = folder
        self.skipped: dict[str, str] = {}
        self._pieces: dict[Experiment, list[Piece]] = {}
        for experiment in experiments:
            try:
                self._pieces[experiment] = experiment.pieces(folder.size, folder.seed)
            except (ImportError, FileNotFoundError) as error:
                self.skipped[experiment.name] = str(error)

    @property
    def experiments(self) -> list[Experiment]:
        """Those that can be run here."""
        return list(self._pieces)

    def left(self) -> list[Piece]:
        """The pieces that have not been run, each once."""
        return [*self._left(timed=False), *self._left(timed=True)]

    def run(self, workers: int) -> Iterator[Piece]:
        """Run what is left, and yield each piece when it has been kept.

        Where seconds are measured, one piece runs at a time, after all others.
        """
        yield from self._run(self._left(timed=False), workers)
        yield from self._run(self._left(timed=True), 1)

    def rows(self, experiment: Experiment) -> list[Row]:
        """The rows of all pieces of an experiment."""
        return [row for done in self._done(experiment) for row in done.rows]

    def seconds(self, experiment: Experiment) -> float:
        """The processor seconds that its pieces took."""
        return sum(done.seconds for done in self._done(experiment))

    def _done(self, experiment: Experiment) -> list[Done]:
        found = [(piece, self.folder.done(piece)) for piece in self._pieces[experiment]]
        for piece, done in found:
            if done is None:
                raise RuntimeError(f"{piece.name}, a piece of {experiment.name}, has not been run.")
        return [done for _, done in found if done is not None]

    def _left(self, *, timed: bool) -> list[Piece]:
        some = {
            piece.name: piece
            for experiment, pieces in self._pieces.items()
            if experiment.timed is timed
            for piece in pieces
        }
        return [piece for piece in some.values() if self.folder.done(piece) is None]

    def _run(self, pieces: list[Piece], workers: int) -> Iterator[Piece]:
        if not pieces:
            return
        pool = ProcessPoolExecutor(min(workers, len(pieces)), mp_context=get_context("spawn"))
        asked: dict[Future[Done], Piece] = {}
        try:
            with _one_thread_each():  # workers start as pieces are handed over
                for piece in pieces:
                    asked[pool.submit(_timed, piece)] = piece
            for future in as_completed(asked):
                piece = asked[future]
                try:
                    self.folder.keep(piece, future.result())
                except Exception as error:
                    error.add_note(f"in the piece {piece.name} of a reproduction")
                    raise
                yield piece
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _timed(piece: Piece) -> Done:
    start = time.process_time()
    rows = piece.rows()
    return Done(rows, time.process_time() - start)


@contextmanager
def _one_thread_each() -> Iterator[None]:
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
