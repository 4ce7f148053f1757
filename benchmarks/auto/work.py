"""Running the jobs of a study side by side, each in a process of its own."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from fnmatch import fnmatch
from pathlib import Path

from benchmarks.auto.study import Job, Plan, Row, Study, append, path_of, read


def work(study: Study, plan: Plan, only: str, workers: int, folder: Path) -> None:
    """Run what has no rows yet and file the rows of each job when it is done."""
    for stage in study.stages:
        rows = read(path_of(study, folder))
        done = {row.key for row in rows}
        wanted = [job for job in stage(plan, rows) if fnmatch(job.name, only)]
        _side_by_side(study, [job for job in wanted if job.keys - done], workers, folder)


def _side_by_side(study: Study, jobs: list[Job], workers: int, folder: Path) -> None:
    path, began = path_of(study, folder), time.monotonic()
    done = {row.key for row in read(path)}
    pool = ThreadPoolExecutor(workers)
    try:
        running = {pool.submit(_in_a_process, study.run, job): job for job in jobs}
        for count, future in enumerate(as_completed(running), start=1):
            said = f"{study.name}: {running[future].name}"
            if error := future.exception():  # data that is not there, a process that died
                said += f" has no rows: {type(error).__name__}: {error}"
            else:
                append((row for row in future.result() if row.key not in done), path)
            minutes = (time.monotonic() - began) / 60
            left = minutes / count * (len(jobs) - count)
            print(f"{count}/{len(jobs)}  {minutes:.1f} min, {left:.0f} left  {said}", flush=True)
    finally:
        pool.shutdown(cancel_futures=True)


def _in_a_process(run: Callable[[Job], list[Row]], job: Job) -> list[Row]:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["benchmarks.auto.studies"])
    with ProcessPoolExecutor(1, mp_context=context) as own:
        return own.submit(run, job).result()
