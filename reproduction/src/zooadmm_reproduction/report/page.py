"""The page: what was claimed, what was measured, and whether it holds."""

from __future__ import annotations

import base64
import re
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from zooadmm_reproduction.claims import Claim, Verdict
from zooadmm_reproduction.exhibits import Exhibit, Picture
from zooadmm_reproduction.experiment import Experiment
from zooadmm_reproduction.folder import write
from zooadmm_reproduction.report.code import modules_of, source_of
from zooadmm_reproduction.report.environment import environment
from zooadmm_reproduction.report.errata import ERRATA
from zooadmm_reproduction.reproduction import Reproduction
from zooadmm_reproduction.rows import Row, Value, as_csv, columns


@dataclass(frozen=True)
class Section:
    """An experiment with what it came to."""

    experiment: Experiment
    exhibits: list[Exhibit]
    claims: list[Claim]
    minutes: float
    modules: list[str]


def write_report(reproduction: Reproduction, command: str) -> list[Claim]:
    """Write index.html, and the figures and data also as files; return the claims."""
    folder = reproduction.folder
    sections = [_section(reproduction, experiment) for experiment in reproduction.experiments]
    claims = [claim for section in sections for claim in section.claims]
    for section in sections:
        for exhibit in section.exhibits:
            write(folder.path / "data" / f"{exhibit.name}.csv", as_csv(exhibit.rows))
            if isinstance(exhibit, Picture):
                write(folder.path / "figures" / f"{exhibit.name}.svg", exhibit.svg())
    modules = sorted({module for section in sections for module in section.modules})
    template = _environment().from_string(_resource("page.html.jinja"))
    page = template.render(
        sections=sections,
        claims=claims,
        counts=_counts(claims),
        skipped=reproduction.skipped,
        errata={n: ERRATA[n] for n in sorted({n for claim in claims for n in claim.errata})},
        code={module: source_of(module) for module in modules},
        environment=environment(),
        size=folder.size.value,
        seed=folder.seed,
        command=command,
        made=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        style=Markup(_resource("page.css")),
    )
    write(folder.path / "data" / "claims.csv", as_csv([_row(claim) for claim in claims]))
    write(folder.path / "index.html", page)
    return claims


def _row(claim: Claim) -> Row:
    return {
        "says": claim.says,
        "where": claim.where,
        "measured": claim.measured,
        "verdict": claim.verdict.value,
        "exhibit": claim.exhibit,
        "errata": " ".join(map(str, claim.errata)),
    }


def _section(reproduction: Reproduction, experiment: Experiment) -> Section:
    rows = reproduction.rows(experiment)
    exhibits, claims = experiment.exhibits(rows), experiment.claims(rows)
    names = {exhibit.name for exhibit in exhibits}
    for claim in claims:
        if claim.exhibit not in names:
            raise ValueError(f"a claim of {experiment.name} points to {claim.exhibit!r}.")
    minutes = reproduction.seconds(experiment) / 60
    return Section(experiment, exhibits, claims, minutes, modules_of(experiment))


def _counts(claims: list[Claim]) -> list[tuple[Verdict, int]]:
    found = Counter(claim.verdict for claim in claims)
    return [(verdict, found[verdict]) for verdict in Verdict if found[verdict]]


def _resource(name: str) -> str:
    return (files("zooadmm_reproduction.report") / name).read_text(encoding="utf-8")


def _environment() -> Environment:
    page = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    page.filters.update(
        inline=inline,
        data_link=data_link,
        columns=columns,
        readable=readable,
        short=lambda verdict: verdict.name.lower(),
    )
    page.tests["picture"] = lambda exhibit: isinstance(exhibit, Picture)
    return page


def inline(picture: Picture) -> Markup:
    """The SVG for a page with other pictures: every id is made its own."""
    svg = re.sub(r'\bid="', f'id="{picture.name}-', picture.svg())
    svg = svg.replace("url(#", f"url(#{picture.name}-").replace(
        'href="#', f'href="#{picture.name}-'
    )
    return Markup(svg)


def data_link(exhibit: Exhibit) -> str:
    """The data of an exhibit as an address that needs no other file."""
    coded = base64.b64encode(as_csv(exhibit.rows).encode()).decode()
    return f"data:text/csv;base64,{coded}"


def readable(value: Value) -> str:
    """A number or a word as a reader wants it.

    >>> readable(0.123456), readable(1e-12), readable(50), readable("auto")
    ('0.1235', '1e-12', '50', 'auto')
    """
    return f"{value:.4g}" if isinstance(value, float) else str(value)
