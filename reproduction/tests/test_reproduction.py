"""Reproductions: pieces are run once, kept, found again; and a report comes of them."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from coins import Broken, Coins, Missing, Timed
from typer.testing import CliRunner

from zooadmm_reproduction import Claim, Folder, Reproduction, Size, Verdict, catalog, write_report
from zooadmm_reproduction.claims import over_range
from zooadmm_reproduction.command import app
from zooadmm_reproduction.report.findings import SEVERITY, Finding, counted

pytestmark = pytest.mark.xdist_group("reproduction")  # one report for all of these


def quick(path: Path, seed: int = 0) -> Folder:
    folder = Folder(path, Size.QUICK, seed)
    folder.open()
    return folder


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out: Path = tmp_path_factory.mktemp("reports") / "report"
    reproduction = Reproduction([Coins(), Timed(), Broken(), Missing()], quick(out))
    assert [piece.name for piece in reproduction.run(2)][-1] == "timed-1"
    assert [piece.name for piece in reproduction.left()] == ["broken-1"]
    assert [experiment.name for experiment in reproduction.experiments] == ["coins", "timed"]
    assert reproduction.skipped["broken"] == "broken-1: ArithmeticError: the coin rolled away"
    write_report(reproduction, "zooadmm-reproduce coins")
    return out


def test_pieces_are_kept_and_found_again(report: Path) -> None:
    kept = json.loads((report / "pieces" / "coins-1.json").read_text())
    assert kept["rows"][0]["seed"] == 1
    assert kept["rows"][0]["threads"] == "1"
    (report / "pieces" / "coins-1.json").unlink()
    again = Reproduction([Coins()], quick(report))
    assert [piece.name for piece in again.left()] == ["coins-1"]
    assert [piece.name for piece in again.run(1)] == ["coins-1"]
    assert json.loads((report / "pieces" / "coins-1.json").read_text())["rows"] == kept["rows"]
    assert list(again.run(1)) == []


def test_rows_are_asked_for_too_early(tmp_path: Path) -> None:
    reproduction = Reproduction([Coins()], quick(tmp_path / "report"))
    with pytest.raises(RuntimeError, match="coins-0, a piece of coins, has not been run"):
        reproduction.rows(reproduction.experiments[0])


def test_a_piece_that_would_be_run_otherwise_is_run_again(report: Path) -> None:
    class Loaded(Coins):
        bias = 0.9

    assert len(Reproduction([Loaded()], quick(report)).left()) == 3


def test_what_is_timed_in_one_experiment_runs_alone(tmp_path: Path) -> None:
    reproduction = Reproduction([Coins(), Timed()], quick(tmp_path / "report"))
    names = [piece.name for piece in reproduction.left()]
    assert names == ["coins-0", "coins-1", "coins-2", "timed-1"]


def test_a_folder_of_another_reproduction_is_refused(report: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="with seed 0, and this is one with 7"):
        quick(report, seed=7)
    with pytest.raises(ValueError, match="with size quick, and this is one with full"):
        Folder(report, Size.FULL, 0).open()
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(ValueError, match="holds other things"):
        quick(tmp_path)


def test_the_page_says_what_was_measured(report: Path) -> None:
    page = (report / "index.html").read_text()
    assert "Coins &amp; &lt;tosses&gt;" in page
    assert page.count('class="verdict holds"') >= 2
    assert re.search(r"missing</strong>: coins.csv could not be found", page)
    assert re.search(r"broken</strong>: broken-1: ArithmeticError: the coin rolled away", page)
    assert 'href="#erratum-4"' in page
    assert 'id="erratum-4"' in page
    assert "zooadmm-reproduce coins" in page
    assert "its\nverdicts are provisional" in page


def test_the_page_needs_nothing_else(report: Path) -> None:
    page = (report / "index.html").read_text()
    linked = {link for link in re.findall(r'(?:src|href)="([^"#]*)"', page) if link != "data:,"}
    assert linked == {f"data/{name}.csv" for name in exhibits(report)}  # and what is downloaded
    assert all((report / link).is_file() for link in linked)
    targets = set(re.findall(r'href="#([^"]+)"', page))
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert targets <= set(ids)
    assert len(ids) == len(set(ids)), "two things have one id"


def exhibits(report: Path) -> set[str]:
    """The names of all exhibits on the page."""
    return set(re.findall(r'<figure id="([^"]+)"', (report / "index.html").read_text()))


def test_the_data_lies_beside_the_page_once(report: Path) -> None:
    assert {"coins", "coins-again", "coins-table"} <= exhibits(report)
    text = (report / "data" / "coins.csv").read_text()
    assert [row["seed"] for row in csv.DictReader(text.splitlines())] == ["0", "1", "2"]
    assert "base64" not in (report / "index.html").read_text()
    claims = list(csv.DictReader((report / "data" / "claims.csv").read_text().splitlines()))
    assert [claim["verdict"] for claim in claims[:2]] == ["holds", IRREPRODUCIBLE]
    assert [claim["finding"] for claim in claims] == ["fair", "fair", ""] * 2
    assert claims[0]["conclusion"] == "The coins are fair."
    remarks = (report / "data" / "remarks.csv").read_text()
    assert remarks.count("Coins ring.") == 2


IRREPRODUCIBLE = "not reproducible from what is published"


def test_findings_are_counted_not_claims(report: Path) -> None:
    page = (report / "index.html").read_text()
    assert "6 claims, 3 findings" in page
    assert f'<span class="verdict irreproducible">1 {IRREPRODUCIBLE}</span>' in page
    assert '<span class="verdict holds">2 holds</span>' in page
    assert page.count('<span class="sentence">The coins are fair.</span>') == 1
    assert page.count('<span class="sentence">Coins are round.</span>') == 2
    assert page.count("Half show tails.") == 2  # a consequence, folded
    assert page.count('<span class="sentence">Coins ring.</span>') == 2


def claim(verdict: Verdict, finding: str = "") -> Claim:
    return Claim("a", "Sec. 1", "1", verdict, "fig", finding=finding)


def test_a_finding_has_the_most_severe_verdict_of_its_claims() -> None:
    assert set(SEVERITY) == set(Verdict)
    both = (claim(Verdict.HOLDS, "gap"), claim(Verdict.FAILS, "gap"))
    assert Finding(both).verdict is Verdict.FAILS
    assert Finding(both[:1]).verdict is Verdict.HOLDS
    assert counted([*both, claim(Verdict.FAILS)]) == [(Verdict.FAILS, 2)]


def test_a_range_is_some_and_not_all() -> None:
    held, failed, open_ = Verdict.HOLDS, Verdict.FAILS, Verdict.UNDECIDED
    assert over_range([held, held]) is Verdict.HOLDS
    assert over_range([held, open_]) is Verdict.RANGE
    assert over_range([failed, open_]) is Verdict.UNDECIDED
    assert over_range([failed, failed]) is Verdict.FAILS


def test_every_verdict_has_its_color(report: Path) -> None:
    page = (report / "index.html").read_text()
    grays = {Verdict.UNDECIDED, Verdict.UNCHECKABLE}
    for verdict in set(Verdict) - grays:
        assert f".{verdict.name.lower()} {{ background:" in page


def test_a_claim_that_points_nowhere_is_an_error(report: Path) -> None:
    class Lost(Coins):
        def exhibits(self, rows):  # type: ignore[no-untyped-def]
            return super().exhibits(rows)[1:]

    with pytest.raises(ValueError, match="a claim of coins points to 'coins'"):
        write_report(Reproduction([Lost()], quick(report)), "")


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog, "EXPERIMENTS", (Coins(), Missing()))
    out = tmp_path / "report"
    result = CliRunner().invoke(app, ["--out", str(out), "--workers", "1"])
    assert result.exit_code == 1, result.output  # something was not run
    assert "The coins are fair." in result.output
    assert "missing was not run" in result.output
    assert "zooadmm-reproduce --quick --seed 0 --workers 1" in (out / "index.html").read_text()
    wrong = CliRunner().invoke(app, ["fig7"])
    assert wrong.exit_code == 2
    assert "no experiment 'fig7'; there are coins, missing" in wrong.stderr


def test_a_run_that_is_cut_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog, "EXPERIMENTS", (Coins(),))
    out = tmp_path / "report"
    cut = CliRunner().invoke(app, ["--out", str(out), "--workers", "1", "--minutes", "0", "--full"])
    assert cut.exit_code == 3
    assert "pieces are left; the same command resumes" in cut.stderr
    done = {path.name: path.stat().st_mtime_ns for path in (out / "pieces").iterdir()}
    assert 1 <= len(done) < 30
    assert not (out / "index.html").exists()
    rest = CliRunner().invoke(app, ["--out", str(out), "--workers", "1", "--full"])
    assert rest.exit_code == 0
    assert len(list((out / "pieces").iterdir())) == 30
    assert all((out / "pieces" / name).stat().st_mtime_ns == made for name, made in done.items())
