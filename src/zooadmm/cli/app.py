"""The program `zooadmm` and its commands."""

from __future__ import annotations

from typing import Annotated

import typer

import zooadmm as zoo
from zooadmm.cli.demonstrate import demo
from zooadmm.cli.minimize import minimize

app = typer.Typer(
    no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, name="zooadmm"
)


def _show_version(given: bool) -> None:
    if given:
        typer.echo(f"zooadmm {zoo.__version__}")
        raise typer.Exit


@app.callback()
def zooadmm(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Minimize what you can evaluate but not differentiate, with structure.

    zooadmm minimize --help shows how to give a loss, bounds and limits; zooadmm demo runs four
    problems on data that ships.
    """


app.command()(minimize)
app.command()(demo)
