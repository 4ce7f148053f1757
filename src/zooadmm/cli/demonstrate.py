"""`zooadmm demo`: the main job on data that ships."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from zooadmm.cli.demo import Story


def demo(
    out: Annotated[Path, typer.Option(help="The folder for the pictures.")] = Path("demo"),
    seed: Annotated[int, typer.Option(help="For the same figures again.", min=0)] = 0,
) -> None:
    """Solve four problems on data that ships, beside the specialists' tools: about a minute."""
    began = time.monotonic()
    with _explained(out):
        out.mkdir(parents=True, exist_ok=True)
    try:
        stories = _all(seed)
    except ImportError as error:
        remedy = "pip install zooadmm[plot,applications]"
        typer.echo(f"zooadmm: the demonstration needs {_missing(error)}: {remedy}.", err=True)
        raise typer.Exit(2) from None
    with _explained(out):
        for name, story in stories.items():
            story.figure.savefig(out / f"{name}.png", dpi=100)
    _show(list(stories.values()))
    pictures = ", ".join(str(out / f"{name}.png") for name in stories)
    typer.echo(f"{time.monotonic() - began:.0f} s. Pictures: {pictures}")


@contextmanager
def _explained(out: Path) -> Iterator[None]:
    """A folder that cannot be written to ends the command with a sentence."""
    try:
        yield
    except OSError as error:
        typer.echo(f"zooadmm: --out {out}: {error}", err=True)
        raise typer.Exit(2) from None


def _all(seed: int) -> dict[str, Story]:
    with _progress() as progress:
        opening = progress.add_task("loading the tools", total=None, seen="")
        from zooadmm.cli.demo import STORIES

        progress.remove_task(opening)
        return {name: _told(tell, name, seed, progress) for name, tell in STORIES.items()}


def _missing(error: ImportError) -> str:
    """The package whose import failed."""
    first = error.__cause__ if isinstance(error.__cause__, ImportError) else error
    return (first.name or "more packages").partition(".")[0]


def _told(tell: Any, name: str, seed: int, progress: Any) -> Story:
    """The story, its progress shown while it goes on."""
    task = progress.add_task(name, total=1, seen="")

    def watch(count: int, value: float) -> None:
        newest = "" if value != value else f", newest {value:.6g}"
        progress.update(task, seen=f"{count:,} values{newest}")

    story: Story = tell(seed, watch)
    progress.update(task, completed=1)
    return story


def _progress() -> Any:
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    return Progress(
        TextColumn("{task.description:18}"),
        BarColumn(bar_width=20),
        TimeElapsedColumn(),
        TextColumn("{task.fields[seen]}"),
    )


def _show(stories: list[Story]) -> None:
    from rich.console import Console
    from rich.table import Table

    for story in stories:
        table = Table(title=story.title, title_justify="left", title_style="bold")
        for heading in ("by", "given", *story.columns):
            table.add_column(heading)
        for line in story.lines:
            style = "bold" if line.by.startswith("zooadmm") else ""
            table.add_row(line.by, line.given, *line.figures, style=style)
        table.caption, table.caption_justify = story.said, "left"
        Console().print(table)
