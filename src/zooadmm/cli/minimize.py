"""`zooadmm minimize`: a run from the shell."""

from __future__ import annotations

import os
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

import zooadmm as zoo
from zooadmm.cli.named import function_at, regularizer_of
from zooadmm.cli.plain_program import PlainProgram
from zooadmm.cli.start import columns_of, start_of


class Settings(StrEnum):
    """The named settings."""

    auto = "auto"
    paper = "paper"


class Probes(StrEnum):
    """Where the loss may be evaluated."""

    inside = "inside"
    anywhere = "anywhere"


def whole(text: str) -> int:
    """A whole number, also 1e4."""
    with suppress(ValueError, OverflowError):
        if text.strip().lstrip("+-").isdigit():
            return int(text)
        if (value := float(text)).is_integer():
            return int(value)
    raise typer.BadParameter(f"{text} must be a whole number, such as 10000 or 1e4.")


def minimize(
    dim: Annotated[
        int | None, typer.Option(help="The number of variables, if nothing else tells it.", min=1)
    ] = None,
    command: Annotated[
        str | None, typer.Option(help="The loss: a program kept running, lines of JSON in and out.")
    ] = None,
    program: Annotated[
        str | None,
        typer.Option(
            help="The loss: a program started for each evaluation. It gets the values as "
            "arguments, or where {0}, {1} or {name} stand; the last number it prints is the value."
        ),
    ] = None,
    loss: Annotated[
        str | None, typer.Option(help="The loss: a Python function, package.module:function.")
    ] = None,
    parameters: Annotated[
        Path | None,
        typer.Option(help='Names, bounds and scales, a JSON file: {"rate": [1e-4, 1, "log"]}.'),
    ] = None,
    x0: Annotated[
        str | None, typer.Option(help="The start: 0,0.5,1, or a file with numbers, or a result.")
    ] = None,
    bounds: Annotated[
        str | None, typer.Option(help="Of each variable: 0:1,0:10, or JSON [[0,1],[0,null]].")
    ] = None,
    regularizer: Annotated[
        str | None, typer.Option(help="phi: l1:0.1, squared-l2:1, elastic-net:0.1:1, or a set.")
    ] = None,
    domain: Annotated[
        str | None,
        typer.Option(help="X: box:0:1, nonnegative, simplex:1, budget:10, box-budget:0:1:10."),
    ] = None,
    start_values: Annotated[
        Path | None,
        typer.Option(
            help="Points with known values: a CSV file with a column value and one for each "
            "variable, x0, x1, ... or its name."
        ),
    ] = None,
    start: Annotated[float, typer.Option(help="Every x at the start, moved into X.")] = 0.0,
    observations: Annotated[
        int | None, typer.Option(help="The loss has this many observations, 0, 1, 2, ...", min=1)
    ] = None,
    settings: Annotated[Settings, typer.Option(help="The method.")] = Settings.auto,
    probes: Annotated[
        Probes | None, typer.Option(help="Where the loss may be evaluated: inside X, or anywhere.")
    ] = None,
    max_evaluations: Annotated[
        int | None, typer.Option(help="Evaluations to make.", parser=whole, metavar="<int>")
    ] = None,
    max_iterations: Annotated[
        int | None, typer.Option(help="Iterations to make.", parser=whole, metavar="<int>")
    ] = None,
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
        Path | None, typer.Option(help="A file to continue from, and to save the run in.")
    ] = None,
    write: Annotated[
        Path | None,
        typer.Option(help="Write the result to this JSON file; zooadmm.Result.load reads it."),
    ] = None,
) -> None:
    """Minimize f(x) + phi(x) over x in X, from values of f alone.

    Six bounded parameters of a program, stopped by Ctrl-C and continued by the same command:

    zooadmm minimize --program "./simulator" --bounds 0:1,0:1,0:1,0:10,0:10,0:10
    --max-evaluations 500 --checkpoint run.zoo --write result.json

    Exit codes: 0 an answer better than the start, 1 none, 2 a mistake or an error, 130 Ctrl-C.
    """
    try:
        _check_place(write)
        evaluated, evaluator = _loss(command, program, loss, workers, timeout)
        first = start_of(dim, x0, bounds, parameters, domain, start)
        result = zoo.minimize(
            evaluated,
            first.x0,
            regularizer=regularizer_of(regularizer),
            domain=first.domain,
            observations=None if observations is None else range(observations),
            settings=_settings(settings, probes),
            max_evaluations=max_evaluations,
            max_iterations=max_iterations,
            max_seconds=max_seconds,
            target=target,
            complete=complete,  # type: ignore[arg-type]
            rng=seed,
            checkpoint=checkpoint,
            evaluator=evaluator,
            on_error="drop" if drop else "stop",
            start_values=None if start_values is None else columns_of(start_values),
        )
        if write is not None:
            result.save(write)
    except Exception as error:  # also what the user's loss raises
        for line in (f"zooadmm: {_said(error)}", *getattr(error, "__notes__", ())):
            typer.echo(line, err=True)
        raise typer.Exit(2) from None
    typer.echo(repr(result))
    if result.status is zoo.Status.INTERRUPTED:
        typer.echo(_onward(checkpoint), err=True)
        raise typer.Exit(130)
    raise typer.Exit(0 if result.success or _is_better(result) else 1)


def _is_better(result: zoo.Result) -> bool:
    """Whether a run that a limit ended has an answer: one that is not known to be no better."""
    failed = zoo.Status.DIVERGED, zoo.Status.UNBOUNDED, zoo.Status.UNCHANGED
    fell = result.decrease is None or result.decrease > 0.0
    return fell and result.status not in failed


def _onward(checkpoint: Path | None) -> str:
    """How to go on after Ctrl-C."""
    if checkpoint is None:
        return (
            "zooadmm: stopped by Ctrl-C. The run was not saved: with --checkpoint run.zoo the same "
            "command continues where it stopped. To start from this x, --write result.json and "
            "--x0 result.json."
        )
    return f"zooadmm: stopped by Ctrl-C and saved. The same command continues from {checkpoint}."


def _settings(settings: Settings, probes: Probes | None) -> Any:
    """The method, with probes where they are given."""
    if probes is None:
        return settings.value
    if settings is Settings.paper:
        raise ValueError("--probes is for --settings auto.")
    return zoo.Auto(probes=probes.value)


def _check_place(write: Path | None) -> None:
    """Refuse, before the run, a place where no result can be written."""
    if write is not None and not write.parent.is_dir():
        raise ValueError(f"--write {write}: there is no folder {write.parent}; make it first.")
    if write is not None and (write.is_dir() or not os.access(write.parent, os.W_OK)):
        raise ValueError(f"--write {write}: this place cannot be written to.")


def _said(error: Exception) -> str:
    """The sentence of the library's own errors; others with their type before it."""
    if str(error).startswith("nothing would end this run"):
        return (
            "nothing would end this run: give --max-evaluations, --max-iterations, --max-seconds "
            "or --target."
        )
    ours = isinstance(error, (ValueError, OSError, RuntimeError)) and str(error)
    return str(error) if ours else f"{type(error).__name__}: {error}".rstrip(": ")


def _loss(
    command: str | None,
    program: str | None,
    loss: str | None,
    workers: int | None,
    timeout: float | None,
) -> tuple[Any, Any]:
    """The loss, and the engine that evaluates it."""
    if sum(given is not None for given in (command, program, loss)) != 1:
        raise ValueError("give the loss by --command, by --program or by --loss.")
    threads = None if workers is None else zoo.evaluation.Threads(workers)
    if command is not None:
        return zoo.Command(command, timeout=timeout), threads
    if program is not None:
        return PlainProgram(program, timeout), threads
    assert loss is not None
    here = workers is None and timeout is None
    return function_at(loss), None if here else zoo.Processes(workers or 1, timeout=timeout)
