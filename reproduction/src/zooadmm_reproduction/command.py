"""`zooadmm-reproduce`: the paper's experiments and claims, with a report."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from zooadmm_reproduction import Folder, Reproduction, Size, chosen, write_report
from zooadmm_reproduction.report.findings import found

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, name="zooadmm-reproduce")


@app.command()
def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="fig1a fig1b fig2a fig2b fig3 table1 theory; all of them for none."),
    ] = None,
    full: Annotated[
        bool,
        typer.Option("--full/--quick", help="The paper's sizes (three core hours), or small."),
    ] = False,
    out: Annotated[Path, typer.Option(help="The folder of the report.")] = Path("report"),
    seed: Annotated[int, typer.Option(help="For all random numbers.", min=0)] = 0,
    workers: Annotated[
        int | None, typer.Option(help="Processes; by default one for each core.", min=1)
    ] = None,
    minutes: Annotated[
        float | None, typer.Option(help="Start no piece after these minutes; 3 is the exit code.")
    ] = None,
) -> None:
    """Run the paper's experiments and write a report: each claim, the measurement, a verdict.

    Pieces that have been run are kept in the folder; the same command goes on from there.
    """
    end = time.monotonic() + 60.0 * minutes if minutes is not None else None
    errors = Console(stderr=True)
    size = Size.FULL if full else Size.QUICK
    try:
        experiments = chosen(names or [])
        folder = Folder(out, size, seed)
        folder.open()
    except (ValueError, OSError) as error:
        errors.print(f"zooadmm-reproduce: {error}", style="red", markup=False)
        raise typer.Exit(2) from None
    reproduction = Reproduction(experiments, folder)
    crew = workers or os.cpu_count() or 1
    left = reproduction.left()
    with Progress(console=errors) as progress:
        task = progress.add_task("pieces", total=len(left))
        for piece in reproduction.run(crew):
            progress.update(task, advance=1, description=piece.name)
            if end is not None and time.monotonic() > end:
                break
    if end is not None and reproduction.left() and not reproduction.skipped:
        errors.print(f"{len(reproduction.left())} pieces are left; the same command resumes.")
        raise typer.Exit(3)
    options = f"--{size.value} --seed {seed} --workers {crew}"
    command = " ".join(["zooadmm-reproduce", *(names or []), options])
    claims = write_report(reproduction, command)
    table = Table("finding", "verdict", show_lines=True)
    for finding in found(claims):
        table.add_row(finding.sentence, finding.verdict.value)
    console = Console()
    console.print(table)
    for name, reason in reproduction.skipped.items():
        console.print(f"{name} was not run: {reason}", markup=False)
    console.print(f"The report is {out / 'index.html'}", markup=False)
    raise typer.Exit(1 if reproduction.skipped else 0)
