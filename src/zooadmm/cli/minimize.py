"""`zooadmm minimize`: a run from the shell."""

from __future__ import annotations

import json
import os
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

import zooadmm as zoo
from zooadmm.cli.named import domain_of, function_at, regularizer_of


class Settings(StrEnum):
    """The named settings."""

    auto = "auto"
    paper = "paper"


def minimize(
    dim: Annotated[int, typer.Option(help="The number of variables.", min=1)],
    command: Annotated[
        str | None,
        typer.Option(help="A program that reads and writes lines of JSON: the loss."),
    ] = None,
    loss: Annotated[
        str | None, typer.Option(help="A Python function, package.module:function: the loss.")
    ] = None,
    regularizer: Annotated[
        str | None, typer.Option(help="phi: l1:0.1, squared-l2:1, elastic-net:0.1:1, or a set.")
    ] = None,
    domain: Annotated[
        str | None,
        typer.Option(help="X: box:0:1, nonnegative, simplex:1, budget:10, box-budget:0:1:10."),
    ] = None,
    start: Annotated[float, typer.Option(help="Every x at the start, if X allows it.")] = 0.0,
    observations: Annotated[
        int | None, typer.Option(help="The loss has this many observations, 0, 1, 2, ...", min=1)
    ] = None,
    settings: Annotated[Settings, typer.Option(help="The method.")] = Settings.auto,
    max_evaluations: Annotated[int | None, typer.Option(help="Evaluations to make.")] = None,
    max_iterations: Annotated[int | None, typer.Option(help="Iterations to make.")] = None,
    max_seconds: Annotated[float | None, typer.Option(help="Seconds to take.")] = None,
    target: Annotated[float | None, typer.Option(help="An objective to reach.")] = None,
    complete: Annotated[str | None, typer.Option(help="The side computed from the other.")] = None,
    workers: Annotated[
        int | None, typer.Option(help="Copies of the program, or processes.", min=1)
    ] = None,
    timeout: Annotated[
        float | None, typer.Option(help="Seconds that an evaluation may take.")
    ] = None,
    drop: Annotated[bool, typer.Option("--drop", help="Drop evaluations that fail.")] = False,
    seed: Annotated[int | None, typer.Option(help="For a run that can be repeated.")] = None,
    checkpoint: Annotated[
        Path | None, typer.Option(help="A file to go on from, and to save the run in.")
    ] = None,
    write: Annotated[Path | None, typer.Option(help="Write the result to this JSON file.")] = None,
) -> None:
    """Minimize f(x) + phi(x) over x in X, from values of f alone."""
    try:
        _check_place(write)
        evaluated, evaluator = _loss(command, loss, workers, timeout)
        x0, X = _start(dim, start), domain_of(domain)
        result = zoo.minimize(
            evaluated,
            x0 if X is None else X.project(x0),
            regularizer=regularizer_of(regularizer),
            domain=X,
            observations=None if observations is None else range(observations),
            settings=settings.value,
            max_evaluations=max_evaluations,
            max_iterations=max_iterations,
            max_seconds=max_seconds,
            target=target,
            complete=complete,  # type: ignore[arg-type]
            rng=seed,
            checkpoint=checkpoint,
            evaluator=evaluator,
            on_error="drop" if drop else "stop",
        )
        if write is not None:
            write.write_text(json.dumps(_plain(result), indent=1) + "\n")
    except Exception as error:  # also what the user's loss raises
        for line in (f"zooadmm: {_said(error)}", *getattr(error, "__notes__", ())):
            typer.echo(line, err=True)
        raise typer.Exit(2) from None
    typer.echo(repr(result))
    raise typer.Exit(0 if result.success else 1)


def _check_place(write: Path | None) -> None:
    """Refuse, before the run, a place where no result can be written."""
    if write is not None and not write.parent.is_dir():
        raise ValueError(f"--write {write}: there is no folder {write.parent}; make it first.")
    if write is not None and (write.is_dir() or not os.access(write.parent, os.W_OK)):
        raise ValueError(f"--write {write}: this place cannot be written to.")


def _start(dim: int, start: float) -> Any:
    """Every x at the start; more variables than a quarter of the memory holds are refused."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if os.name == "posix" else 0
    if memory and 8 * dim > memory / 4:
        raise ValueError(f"--dim {dim}: so many variables do not fit into the memory.")
    return np.full(dim, start)


def _said(error: Exception) -> str:
    """The sentence of the library's own errors; others with their type before it."""
    ours = isinstance(error, (ValueError, OSError, RuntimeError)) and str(error)
    return str(error) if ours else f"{type(error).__name__}: {error}".rstrip(": ")


def _loss(
    command: str | None, loss: str | None, workers: int | None, timeout: float | None
) -> tuple[Any, Any]:
    """The loss, and the engine that evaluates it."""
    if (command is None) == (loss is None):
        raise ValueError("give the loss by --command or by --loss.")
    if command is not None:
        program = zoo.Command(command, timeout=timeout)
        return program, None if workers is None else zoo.evaluation.Threads(workers)
    assert loss is not None
    here = workers is None and timeout is None
    return function_at(loss), None if here else zoo.Processes(workers or 1, timeout=timeout)


def _plain(result: zoo.Result) -> dict[str, Any]:
    return {
        "x": result.x.tolist(),
        "y": result.y.tolist(),
        "fun": result.fun,
        "success": result.success,
        "status": result.status.name.lower(),
        "message": result.message,
        "iterations": result.nit,
        "evaluations": result.nfev,
    }
