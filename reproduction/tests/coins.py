"""An experiment for the tests of the frame: heads among tosses of coins."""

from __future__ import annotations

import os

import numpy as np

from zooadmm_reproduction import Claim, Experiment, Piece, Size, Verdict
from zooadmm_reproduction.claims import Remark
from zooadmm_reproduction.exhibits import Exhibit, Picture, Table, blank
from zooadmm_reproduction.intervals import mean_of
from zooadmm_reproduction.rows import Row, column


def tossed(seed: int, bias: float) -> list[Row]:
    heads = np.random.default_rng(seed).random(1000) < bias
    threads = os.environ.get("OMP_NUM_THREADS", "")
    return [{"seed": seed, "heads": float(heads.mean()), "threads": threads}]


def refused() -> list[Row]:
    raise ArithmeticError("the coin rolled away")


class Coins(Experiment):
    name = "coins"
    title = "Coins & <tosses>"
    paper = "Half of them show heads."
    bias = 0.5

    def pieces(self, size: Size, seed: int) -> list[Piece]:
        count = 3 if size is Size.QUICK else 30
        return [Piece(f"coins-{i}", tossed, (seed + i, self.bias)) for i in range(count)]

    def exhibits(self, rows: list[Row]) -> list[Exhibit]:
        figure, (axis,) = blank()
        axis.plot(column(rows, "seed"), column(rows, "heads"), "o", label="heads")
        axis.set(xlabel="seed", ylabel="heads")
        again, axes = blank(columns=2)
        for axis in axes:
            axis.plot(column(rows, "seed"), column(rows, "heads"), "o")
        return [
            Picture(self.name, "Heads of <each> coin.", figure, rows),
            Picture(f"{self.name}-again", "The same.", again, rows),
            Table(f"{self.name}-table", "The same again.", rows),
        ]

    def claims(self, rows: list[Row]) -> list[Claim]:
        heads = mean_of(column(rows, "heads"))
        verdict = Verdict.HOLDS if 0.5 in heads else Verdict.FAILS
        return [
            Claim("Half show heads.", "Sec. 1", str(heads), verdict, self.name, (4, 5),
                  finding="fair", conclusion="The coins are fair."),
            Claim("Half show tails.", "Sec. 2", str(heads), Verdict.IRREPRODUCIBLE, self.name,
                  finding="fair"),
            Claim("Coins are round.", "Sec. 3", "They are.", verdict, self.name),
        ]  # fmt: skip

    def remarks(self, rows: list[Row]) -> list[Remark]:
        return [Remark("Coins ring.", "440 Hz.", f"{self.name}-table")]


class Missing(Coins):
    name = "missing"

    def pieces(self, size: Size, seed: int) -> list[Piece]:
        raise FileNotFoundError("coins.csv could not be found; put it there.")


class Timed(Coins):
    name = "timed"
    timed = True

    def pieces(self, size: Size, seed: int) -> list[Piece]:
        return [*super().pieces(size, seed), Piece("timed-1", tossed, (99, self.bias))]


class Broken(Coins):
    name = "broken"

    def pieces(self, size: Size, seed: int) -> list[Piece]:
        return [Piece("broken-1", refused)]
