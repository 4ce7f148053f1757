"""Reproductions: pieces are run once, kept, found again; and a report comes of them."""

from __future__ import annotations

import base64
import csv
import json
import re
from pathlib import Path

import pytest
from coins import Broken, Coins, Missing, Timed
from typer.testing import CliRunner

from zooadmm.cli import app
from zooadmm_reproduction import Folder, Reproduction, Size, catalog, write_report

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
    write_report(reproduction, "zooadmm reproduce coins")
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
    assert "zooadmm reproduce coins" in page
    assert "its\nverdicts are provisional" in page


def test_the_page_needs_nothing_else(report: Path) -> None:
    page = (report / "index.html").read_text()
    outside = [link for link in re.findall(r'(?:src|href)="([^"#]*)"', page) if "data:" not in link]
    assert outside == []
    targets = set(re.findall(r'href="#([^"]+)"', page))
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert targets <= set(ids)
    assert len(ids) == len(set(ids)), "two things have one id"


def test_the_data_is_one_click_away_and_in_files(report: Path) -> None:
    page = (report / "index.html").read_text()
    found = re.findall(r'href="data:text/csv;base64,([^"]+)" download="([^"]+)"', page)
    links = {name: coded for coded, name in found}
    assert {"coins.csv", "coins-again.csv", "coins-table.csv"} <= set(links)
    text = base64.b64decode(links["coins.csv"]).decode()
    assert text == (report / "data" / "coins.csv").read_text()
    assert [row["seed"] for row in csv.DictReader(text.splitlines())] == ["0", "1", "2"]
    claims = list(csv.DictReader((report / "data" / "claims.csv").read_text().splitlines()))
    assert [claim["verdict"] for claim in claims] == ["holds", "holds"]
    assert (report / "figures" / "coins.svg").read_text().startswith("<svg")


def test_a_claim_that_points_nowhere_is_an_error(report: Path) -> None:
    class Lost(Coins):
        def exhibits(self, rows):  # type: ignore[no-untyped-def]
            return super().exhibits(rows)[1:]

    with pytest.raises(ValueError, match="a claim of coins points to 'coins'"):
        write_report(Reproduction([Lost()], quick(report)), "")


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog, "EXPERIMENTS", (Coins(), Missing()))
    out = tmp_path / "report"
    result = CliRunner().invoke(app, ["reproduce", "--out", str(out), "--workers", "1"])
    assert result.exit_code == 1, result.output  # something was not run
    assert "Half show heads." in result.output
    assert "missing was not run" in result.output
    assert "zooadmm reproduce --quick --seed 0 --workers 1" in (out / "index.html").read_text()
    wrong = CliRunner().invoke(app, ["reproduce", "fig7"])
    assert wrong.exit_code == 2
    assert "no experiment 'fig7'; there are coins, missing" in wrong.stderr
