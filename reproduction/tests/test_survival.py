"""Fig. 3 and Table 1: tiny pieces, the verdicts on both sides of the line, the exhibits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("sksurv")
pytest.importorskip("matplotlib")

from zooadmm.datasets import load_kirc
from zooadmm_reproduction.claims import Verdict
from zooadmm_reproduction.exhibits import AUTO, FIRST_ORDER, ZOO, Picture
from zooadmm_reproduction.experiment import Size, trial_seed
from zooadmm_reproduction.rows import Row, column, where
from zooadmm_reproduction.survival import Fig3, Table1
from zooadmm_reproduction.survival.chance import GENES, above_chance, common_by_chance
from zooadmm_reproduction.survival.overlap import ABOVE, NOTHING, SOME, WITHIN, beside_chance
from zooadmm_reproduction.survival.pieces import SCALES
from zooadmm_reproduction.survival.runs import (
    EXACT,
    RELEASED,
    automatic,
    exact,
    printed,
    released,
)

STRENGTHS = (1.5, 0.05, 0.001)
NOT_RANDOM = (FIRST_ORDER, "all events")


@pytest.fixture(scope="module")
def kidneys() -> None:
    try:
        load_kirc()
    except (FileNotFoundError, ImportError) as error:
        pytest.skip(f"the kidney cohort is not here: {error}")


def made_up(likelihoods: dict[tuple[str, str], Any], genes: Any, common: Any) -> list[Row]:
    """Rows of all methods; what is given for a method and batch is for the three strengths."""
    rows: list[Row] = []
    for (method, batch), values in likelihoods.items():
        for seed in range(1 if method == EXACT or (method, batch) == NOT_RANDOM else 2):
            for k, strength in enumerate(STRENGTHS):
                row: Row = {"batch": batch, "seed": seed, "method": method, "strength": strength}
                row |= {"genes": genes[k], "common": common[k], "likelihood": values[k]}
                row |= {"concordance": 0.7, "test concordance": 0.6 + 0.01 * k}
                if method == EXACT:
                    row |= {"patients": "train", "columns": "raw"}
                rows.append(row)
    return rows


def likelihoods(one: Any, whole: Any) -> dict[tuple[str, str], Any]:
    """The exact optimum and O-ADMM gain 1 in all; ZOO-ADMM has what is given."""
    same = (-2.0, -1.5, -1.0)
    return {
        (EXACT, "all events"): same,
        (AUTO, "all events"): same,
        (FIRST_ORDER, "one event"): same,
        (FIRST_ORDER, "all events"): same,
        (ZOO, "one event"): one,
        (ZOO, "all events"): whole,
        (ZOO, RELEASED): one,
    }


GENES_RISE, HALF = (10, 50, 100), (5, 25, 50)


@pytest.mark.parametrize(
    ("one", "whole", "verdict"),
    [
        ((-2.0, -1.52, -1.04), (-2.0, -1.5, -1.0), Verdict.HOLDS),
        ((-2.0, -1.52, -1.06), (-2.0, -1.5, -0.96), Verdict.RANGE),
        ((-2.0, -1.52, -1.06), (-2.0, -1.6, -1.0), Verdict.IRREPRODUCIBLE),
    ],
)
def test_near_to_first_order(one: Any, whole: Any, verdict: Verdict) -> None:
    near, _ = Fig3().claims(made_up(likelihoods(one, whole), GENES_RISE, HALF))
    assert near.verdict is verdict
    named = near.conclusion.endswith("sees all events, and not where it sees one event.")
    assert named == (verdict is Verdict.RANGE)


@pytest.mark.parametrize(
    ("one", "whole", "verdict"),
    [
        ((-2.0, -1.5, -1.0), (-2.0, -1.5, -1.0), Verdict.HOLDS),
        ((-2.0, -1.0, -1.5), (-2.0, -1.5, -1.0), Verdict.RANGE),
        ((-1.0, -1.5, -2.0), (-1.0, -1.5, -2.0), Verdict.IRREPRODUCIBLE),
    ],
)
def test_more_genes_more_likelihood(one: Any, whole: Any, verdict: Verdict) -> None:
    _, order = Fig3().claims(made_up(likelihoods(one, whole), GENES_RISE, HALF))
    assert order.verdict is verdict
    assert "0.620" in order.measured  # the test concordance of the most likely model


def test_likelihoods_are_compared_seed_by_seed() -> None:
    rows = made_up(likelihoods((-2.0, -1.5, -1.0), (-2.0, -1.5, -1.0)), GENES_RISE, HALF)
    for row in where(rows, batch="one event", seed=1):  # both methods, by the same events
        row["likelihood"] = float(row["likelihood"]) + 0.3
    near, _ = Fig3().claims(rows)
    assert near.verdict is Verdict.HOLDS
    for row in where(rows, batch="one event", method=FIRST_ORDER):
        row["seed"] = 1 - int(row["seed"])
    near, _ = Fig3().claims(rows)
    assert near.verdict is Verdict.RANGE  # 0.3 and -0.3: a mean of zero, of unknown width
    assert near.conclusion.endswith("; with one event these trials do not decide it.")


def test_one_strength_that_is_far_suffices() -> None:
    far = likelihoods((-2.0, -1.5, -1.5), (-2.0, -1.5, -1.5))
    rows = made_up(far, GENES_RISE, HALF)
    for row in where(rows, method=ZOO, strength=1.5):
        row["likelihood"] = -2.0 + 2.0 * (-1) ** int(row["seed"])
    near, _ = Fig3().claims(rows)
    assert near.verdict is Verdict.IRREPRODUCIBLE


def test_the_order_is_undecided_where_seeds_are_on_both_sides() -> None:
    rows = made_up(likelihoods((-2.0, -1.5, -1.0), (-2.0, -1.5, -1.0)), GENES_RISE, HALF)
    for row in where(rows, method=ZOO, batch="one event", seed=1, strength=0.001):
        row["likelihood"] = -1.8
    _, order = Fig3().claims(rows)
    assert order.verdict is Verdict.RANGE
    assert order.conclusion.endswith("; with one event these trials do not decide it.")
    for row in where(rows, method=ZOO, batch="all events", seed=1, strength=0.001):
        row["likelihood"] = -1.8
    _, order = Fig3().claims(rows)
    assert order.verdict is Verdict.UNDECIDED


def test_the_number_of_genes_is_told_beside_the_likelihood() -> None:
    same = likelihoods((-2.0, -1.5, -1.0), (-2.0, -1.5, -1.0))
    rows = made_up(same, GENES_RISE, HALF)
    for row in where(rows, method=ZOO, batch="one event", strength=0.05):
        row["genes"] = 83
    near, _ = Fig3().claims(rows)
    assert "by up to 33 and 0." in near.measured


def test_no_order_where_the_number_of_genes_is_always_the_same() -> None:
    same = likelihoods((-2.0, -1.5, -1.0), (-2.0, -1.5, -1.0))
    _, order = Fig3().claims(made_up(same, (160, 160, 160), (160, 160, 160)))
    assert order.verdict is Verdict.IRREPRODUCIBLE


IRREPRODUCIBLE = Verdict.IRREPRODUCIBLE.value


@pytest.mark.parametrize(
    ("genes", "common", "verdicts"),
    [
        ((19, 56, 93), (16, 49, 86), ("holds", "holds", "holds")),
        ((20, 55, 90), (15, 49, 86), ("holds", IRREPRODUCIBLE, "holds")),
        ((0, 51, 154), (0, 49, 150), (IRREPRODUCIBLE,) * 2 + ("holds with a correction",)),
        ((0, 51, 154), (0, 20, 148), (IRREPRODUCIBLE,) * 3),
        ((11, 155, 160), (9, 150, 160), (IRREPRODUCIBLE, "holds", IRREPRODUCIBLE)),
    ],
)
def test_verdicts_of_table_1(genes: Any, common: Any, verdicts: tuple[str, ...]) -> None:
    rows = made_up(likelihoods((0, 0, 0), (0, 0, 0)), genes, common)
    if verdicts[2] == "holds with a correction":
        for row in where(rows, method=EXACT, strength=0.001):
            row["common"] = 153
    claims = Table1().claims(rows)
    assert tuple(claim.verdict for claim in claims) == verdicts
    assert claims[0].finding == claims[1].finding != ""


def test_one_of_the_two_sets_of_constants_suffices_for_a_range() -> None:
    rows = made_up(likelihoods((0, 0, 0), (0, 0, 0)), (0, 51, 154), (0, 20, 148))
    assert Table1().claims(rows)[0].verdict is Verdict.IRREPRODUCIBLE
    for row in where(rows, method=ZOO, batch=RELEASED):
        genes, common = {1.5: (19, 16), 0.05: (56, 49), 0.001: (93, 86)}[float(row["strength"])]
        row |= {"genes": genes, "common": common}
    assert [claim.verdict for claim in Table1().claims(rows)] == [Verdict.RANGE] * 3


def test_percentages_are_called_impossible_for_one_run_with_these_denominators_only() -> None:
    rows = made_up(likelihoods((0, 0, 0), (0, 0, 0)), (19, 56, 93), (16, 49, 86))
    measured = Table1().claims(rows)[1].measured
    assert "impossible for one run with 19 and 93 as denominators" in measured
    assert "an average need not be whole" in measured


@pytest.mark.parametrize(
    ("which", "genes", "common"),
    [(0, (19, 20), (16, 17)), (1, (19, 19), (12, 19)), (2, (19, 19), (16, 3))],
)
def test_table_1_is_undecided_where_seeds_are_on_both_sides(
    which: int, genes: tuple[int, int], common: tuple[int, int]
) -> None:
    rows = made_up(likelihoods((0, 0, 0), (0, 0, 0)), (19, 56, 93), (16, 49, 86))
    assert Table1().claims(rows)[which].verdict is Verdict.HOLDS
    for batch in ("one event", RELEASED):
        for row in where(rows, method=ZOO, batch=batch, strength=1.5):
            seed = int(row["seed"])
            row |= {"genes": genes[seed], "common": common[seed]}
    assert Table1().claims(rows)[which].verdict is Verdict.UNDECIDED


def test_chance_is_what_drawing_gives() -> None:
    generator = np.random.default_rng(0)
    drawn = [len(set(generator.permutation(GENES)[:45]) & set(range(45))) for _ in range(4000)]
    chance = common_by_chance(45)
    assert np.mean(drawn) == pytest.approx(chance.mean, abs=0.2)
    inside = np.mean([(chance.low <= count) and (count <= chance.high) for count in drawn])
    assert 0.94 < inside < 0.99
    assert above_chance(45, chance.high + 1)
    assert not above_chance(45, chance.high)


def test_beside_chance_needs_every_seed_and_something_to_test() -> None:
    assert beside_chance([{"genes": 20, "common": 15}, {"genes": 19, "common": 12}]) == ABOVE
    assert beside_chance([{"genes": 20, "common": 15}, {"genes": 0, "common": 0}]) == SOME
    assert beside_chance([{"genes": 20, "common": 15}, {"genes": 20, "common": 2}]) == SOME
    assert beside_chance([{"genes": 20, "common": 3}, {"genes": 20, "common": 2}]) == WITHIN
    assert beside_chance([{"genes": 0, "common": 0}, {"genes": 160, "common": 160}]) == NOTHING


@pytest.mark.usefixtures("kidneys")
def test_the_optimum_is_one_and_has_the_genes_of_the_errata() -> None:
    rows = exact(STRENGTHS[:2], "everybody", "raw")
    assert column(rows, "genes") == [0.0, 51.0]
    assert max(column(rows, "optimality")) < 1e-4
    assert rows[0]["test concordance"] == 0.5
    rows = exact(STRENGTHS[:2], "everybody", "standardized")
    assert column(rows, "genes") == [0.0, 18.0]


@pytest.mark.usefixtures("kidneys")
def test_runs_have_their_rows() -> None:
    (zoo,) = printed(ZOO, "one event", (0.05,), 40, 3)
    assert zoo["evaluations"] == 40 * 31
    assert zoo == printed(ZOO, "one event", (0.05,), 40, 3)[0]
    (theirs,) = released((0.05,), 40, 3)
    assert theirs["evaluations"] == 40 * 71
    assert theirs == released((0.05,), 40, 3)[0]
    (first,) = printed(FIRST_ORDER, "all events", (0.05,), 100, 0)
    assert first["gradients"] == 100 * 112
    assert -1.57 < float(first["likelihood"]) < -1.38  # between no gene and the optimum
    (ours,) = automatic((0.5,), 1000, 0)
    (best,) = exact((0.5,), "train", "raw")
    assert ours["genes"] == best["genes"] == 2
    assert float(ours["objective"]) == pytest.approx(float(best["objective"]), abs=1e-8)


@pytest.mark.usefixtures("kidneys")
@pytest.mark.parametrize("size", list(Size))
def test_the_table_runs_with_the_pieces_of_the_figure(size: Size) -> None:
    figure, table = Fig3().pieces(size, 0), Table1().pieces(size, 0)
    assert len({piece.name for piece in figure}) == len(figure)
    shared = [piece for piece in table if piece in figure]
    assert {piece.name for piece in table} - {piece.name for piece in shared} == {
        "survival-exact-train-standardized",
        "survival-exact-everybody-raw",
        "survival-exact-everybody-standardized",
        *(f"survival-table-released-{k}" for k in range(SCALES[size].seeds)),
    }


@pytest.mark.usefixtures("kidneys")
def test_methods_have_their_seeds_in_common() -> None:
    pieces = Fig3().pieces(Size.FULL, 7)
    for random in ("zoo-one", "zoo-all", "first-order-one"):
        mine = [p for p in pieces if p.name.startswith(f"survival-table-{random}-")]
        assert [p.arguments[-1] for p in mine] == [trial_seed(7, trial) for trial in range(5)]


def test_captions_tell_how_far_the_default_settings_are_from_the_optimum() -> None:
    rows = made_up(likelihoods((-2, -1.5, -1), (-2, -1.5, -1)), GENES_RISE, HALF)
    for row in where(rows, method=AUTO, strength=0.05, seed=1):
        row |= {"likelihood": -1.53, "genes": 47}
    caption = Fig3().exhibits(rows)[0].caption
    assert "by at most 0.03 (at gamma = 0.05)" in caption
    assert "by at most 3 (at gamma = 0.05)" in caption


def test_exhibits() -> None:
    same = likelihoods((-2.0, -1.5, -1.0), (-2.0, -1.5, -1.0))
    rows = made_up(same, (0, 50, 160), (0, 30, 160))
    pictures = Fig3().exhibits(rows)
    table, chance = Table1().exhibits(rows)
    assert [each.name for each in (*pictures, table, chance)] == [
        "fig3",
        "fig3-concordance",
        "table1",
        "table1-chance",
    ]
    drawn = [svg for p in pictures if isinstance(p, Picture) for svg in p.svgs()]
    assert len(drawn) == 4
    assert all("O-ADMM, one" in svg and "exact optimum" in svg for svg in drawn[::2])
    (line,) = where(table.rows, by="exact optimum", gamma=0.05)
    assert (line["genes"], line["overlap"]) == ("50", "60.0%")
    (none,) = where(table.rows, by="exact optimum", gamma=1.5)
    assert (none["overlap"], none["chance"]) == ("none selected", "")
    assert len(where(table.rows, by="the paper")) == 3
