"""The page: one sentence for each finding, the numbers folded beneath, then the exhibits."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from zooadmm_reproduction.claims import Claim, Remark
from zooadmm_reproduction.exhibits import Exhibit, Picture
from zooadmm_reproduction.experiment import Experiment
from zooadmm_reproduction.folder import write
from zooadmm_reproduction.report.environment import environment
from zooadmm_reproduction.report.errata import ERRATA
from zooadmm_reproduction.report.findings import Finding, counted, found
from zooadmm_reproduction.reproduction import Reproduction
from zooadmm_reproduction.rows import Row, Value, as_csv, columns


@dataclass(frozen=True)
class Section:
    """An experiment with what it came to.

    module: where its code is.
    """

    experiment: Experiment
    exhibits: list[Exhibit]
    claims: list[Claim]
    remarks: list[Remark]
    minutes: float
    module: str


def write_report(reproduction: Reproduction, command: str) -> list[Claim]:
    """Write index.html, and the data of every exhibit beside it; return the claims."""
    folder = reproduction.folder
    sections = [_section(reproduction, experiment) for experiment in reproduction.experiments]
    claims = [claim for section in sections for claim in section.claims]
    for section in sections:
        for exhibit in section.exhibits:
            write(folder.path / "data" / f"{exhibit.name}.csv", as_csv(exhibit.rows))
    page = _environment().from_string(_resource("page.html.jinja")).render(
        sections=sections,
        findings=_findings(sections, found(claims)),
        num_claims=len(claims),
        num_findings=len(found(claims)),
        counts=counted(claims),
        skipped=reproduction.skipped,
        errata={n: ERRATA[n] for n in _errata(sections)},
        environment=environment(),
        size=folder.size.value,
        seed=folder.seed,
        command=command,
        made=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        style=Markup(_resource("page.css")),
    )  # fmt: skip
    write(folder.path / "data" / "claims.csv", as_csv([_row(claim) for claim in claims]))
    write(folder.path / "data" / "remarks.csv", as_csv(_remark_rows(sections)))
    write(folder.path / "index.html", page)
    return claims


def _findings(sections: list[Section], all_of_them: list[Finding]) -> dict[str, list[Finding]]:
    """By experiment: a finding stands where its first claim does, with its claims elsewhere."""
    return {
        section.experiment.name: [
            finding
            for finding in all_of_them
            if any(finding.claims[0] is claim for claim in section.claims)
        ]
        for section in sections
    }


def _errata(sections: list[Section]) -> list[int]:
    numbers = {n for section in sections for claim in section.claims for n in claim.errata}
    numbers |= {n for section in sections for remark in section.remarks for n in remark.errata}
    return sorted(numbers)


def _row(claim: Claim) -> Row:
    return {
        "says": claim.says,
        "where": claim.where,
        "measured": claim.measured,
        "verdict": claim.verdict.value,
        "exhibit": claim.exhibit,
        "errata": " ".join(map(str, claim.errata)),
        "finding": claim.finding,
        "conclusion": claim.conclusion,
    }


def _remark_rows(sections: list[Section]) -> list[Row]:
    return [
        {"says": remark.says, "measured": remark.measured, "exhibit": remark.exhibit}
        for section in sections
        for remark in section.remarks
    ]


def _section(reproduction: Reproduction, experiment: Experiment) -> Section:
    rows = reproduction.rows(experiment)
    exhibits, claims = experiment.exhibits(rows), experiment.claims(rows)
    remarks = experiment.remarks(rows)
    names = {exhibit.name for exhibit in exhibits}
    shown = [claim.exhibit for claim in claims] + [remark.exhibit for remark in remarks]
    for name in shown:
        if name not in names:
            raise ValueError(f"a claim of {experiment.name} points to {name!r}.")
    minutes = reproduction.seconds(experiment) / 60
    module = type(experiment).__module__
    return Section(experiment, exhibits, claims, remarks, minutes, module)


def _resource(name: str) -> str:
    return (files("zooadmm_reproduction.report") / name).read_text(encoding="utf-8")


def _environment() -> Environment:
    page = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    page.filters.update(
        inline=inline,
        columns=columns,
        readable=readable,
        short=lambda verdict: verdict.name.lower(),
    )
    page.tests["picture"] = lambda exhibit: isinstance(exhibit, Picture)
    return page


def inline(picture: Picture) -> Markup:
    """The SVG of all panels for a page with other pictures: every id is made its own."""
    panels = []
    for number, svg in enumerate(picture.svgs()):
        own = f"{picture.name}-{number}-"
        text = re.sub(r'\bid="', f'id="{own}', svg)
        panels.append(text.replace("url(#", f"url(#{own}").replace('href="#', f'href="#{own}'))
    return Markup("\n".join(panels))


def readable(value: Value) -> str:
    """A number or a word for a reader.

    >>> readable(0.123456), readable(1e-12), readable(50), readable("auto")
    ('0.1235', '1e-12', '50', 'auto')
    """
    return f"{value:.4g}" if isinstance(value, float) else str(value)
