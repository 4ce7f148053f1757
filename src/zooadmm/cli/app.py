"""The program `zooadmm` and its commands."""

from __future__ import annotations

import typer

from zooadmm.cli.demonstrate import demo
from zooadmm.cli.minimize import minimize

app = typer.Typer(
    no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, name="zooadmm"
)


@app.callback()
def zooadmm() -> None:
    """Minimize what you can evaluate but not differentiate, with structure."""


app.command()(minimize)
app.command()(demo)
