"""A reproduction: experiments that are run in pieces, and go on where they were stopped."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing import get_context

from zooadmm_reproduction.experiment import Experiment, Piece
from zooadmm_reproduction.folder import Done, Folder
from zooadmm_reproduction.rows import Row

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""What tells the linear algebra how many threads to take: one, as every worker has a core."""


class Reproduction:
    """Experiments and the folder that keeps their pieces.

    >>> from pathlib import Path
    >>> from zooadmm_reproduction.experiment import Size
    >>> Reproduction([], Folder(Path("report"), Size.QUICK, seed=0)).left()
    []
    """

    def __init__(self, experiments: Sequence[Experiment], folder: Folder) -> None:
        self.folder = folder
        self._absent: dict[str, str] = {}
        self._failed: dict[str, str] = {}
        self._pieces: dict[Experiment, list[Piece]] = {}
        for experiment in experiments:
            try:
                self._pieces[experiment] = experiment.pieces(folder.size, folder.seed)
            except (ImportError, FileNotFoundError) as error:
                self._absent[experiment.name] = str(error)

    @property
    def experiments(self) -> list[Experiment]:
        """Those of which no piece has failed, and nothing that they need is absent."""
        return [
            experiment
            for experiment, pieces in self._pieces.items()
            if not any(piece.name in self._failed for piece in pieces)
        ]

    @property
    def skipped(self) -> dict[str, str]:
        """The others by name, with the reason."""
        failed = {
            experiment.name: f"{piece.name}: {self._failed[piece.name]}"
            for experiment, pieces in self._pieces.items()
            for piece in pieces
            if piece.name in self._failed
        }
        return self._absent | failed

    def left(self) -> list[Piece]:
        """The pieces that have not been run, each once."""
        together, alone = self._left()
        return [*together, *alone]

    def run(self, workers: int) -> Iterator[Piece]:
        """Run what is left, and yield each piece when it has been kept.

        Where seconds are measured, one piece runs at a time, after all others. A piece that fails
        keeps no other from being run; its experiment is then among those `skipped`.
        """
        together, alone = self._left()
        yield from self._run(together, workers)
        yield from self._run(alone, 1)

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

    def _left(self) -> tuple[list[Piece], list[Piece]]:
        """What can run beside other pieces, and what must run alone."""
        timed: dict[str, bool] = {}
        all_pieces: dict[str, Piece] = {}
        for experiment, pieces in self._pieces.items():
            for piece in pieces:
                all_pieces[piece.name] = piece
                timed[piece.name] = timed.get(piece.name, False) or experiment.timed
        left = [piece for piece in all_pieces.values() if self.folder.done(piece) is None]
        return (
            [piece for piece in left if not timed[piece.name]],
            [piece for piece in left if timed[piece.name]],
        )

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
                if self._kept(asked[future], future):
                    yield asked[future]
        finally:  # of a run that is stopped, keep what has ended meanwhile
            pool.shutdown(wait=True, cancel_futures=True)
            for future, piece in asked.items():
                if future.done() and not future.cancelled() and self.folder.done(piece) is None:
                    self._kept(piece, future)

    def _kept(self, piece: Piece, future: Future[Done]) -> bool:
        """Keep a piece that has ended; False, with the reason noted, if it failed."""
        try:
            done = future.result()
        except Exception as error:  # whatever an experiment may raise
            self._failed[piece.name] = f"{type(error).__name__}: {error}"
            return False
        self.folder.keep(piece, done)
        return True


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
