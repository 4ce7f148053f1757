"""Survival and gene expression of kidney cancer patients, for the Cox regression."""

from __future__ import annotations

import csv
import gzip
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from zooadmm.arrays import Matrix
from zooadmm.datasets.folder import Remote, at_hand
from zooadmm.datasets.release import RELEASE, Variables, released, variable

TABLE = "kirc_160genes.csv.gz"
NUM_GENES, NUM_TRAIN, NUM_TEST, NUM_EVENTS = 160, 372, 160, 160


@dataclass(frozen=True, eq=False, repr=False)
class KidneyCohort:
    """532 patients with kidney renal clear cell carcinoma (TCGA, open access).

    covariates: (532, 160), expression z-scores as released, a gene a column.
    genes: their names; "gene 1", "gene 2", ... where the source does not tell.
    time: days until death or the last news; event: whether it was death. Both are the labels that
    the authors of ZOO-ADMM released (160 deaths).
    time_corrected, event_corrected: the same from the clinical release of 2016-01-28, by which 15
    deaths among the authors' labels were taken for censored (175 deaths); None where the data comes
    from the authors' archive, which does not have them.
    train: which 372 patients the authors trained on.
    """

    covariates: NDArray[np.float64]
    genes: tuple[str, ...]
    time: NDArray[np.float64]
    event: NDArray[np.bool_]
    time_corrected: NDArray[np.float64] | None
    event_corrected: NDArray[np.bool_] | None
    train: NDArray[np.bool_]

    def standardized(self) -> Matrix:
        """The covariates, each column with mean 0 and mean square 1 over all patients."""
        centered = self.covariates - self.covariates.mean(axis=0)
        scaled: Matrix = centered / np.sqrt(np.mean(centered**2, axis=0))
        return scaled

    def __repr__(self) -> str:
        patients, genes = self.covariates.shape
        deaths, train = int(self.event.sum()), int(self.train.sum())
        return f"KidneyCohort({patients} patients, {genes} genes, {deaths} deaths, {train} train)"


def load_kirc() -> KidneyCohort:
    """The kidney cohort, from `kirc_160genes.csv.gz` or from the authors' archive.

    The table is taken where the folder named by ZOOADMM_DATA or the user's cache has it. Otherwise
    the authors' archive is taken from there or downloaded, which needs pooch (pip install
    zooadmm[data]); it has neither gene names nor corrected labels.

    >>> cohort = load_kirc()  # doctest: +SKIP
    >>> cohort  # doctest: +SKIP
    KidneyCohort(532 patients, 160 genes, 160 deaths, 372 train)
    """
    table = at_hand(TABLE)
    return from_release() if table is None else from_table(table)


def from_table(path: Path) -> KidneyCohort:
    """The cohort from the table of both sets of labels."""
    with gzip.open(path, "rt", newline="") as file:
        names, *rows = list(csv.reader(file))
    split, first_gene = names.index("split"), names.index("event_gdac") + 1
    numbers = np.array([row[split + 1 :] for row in rows], dtype=np.float64)
    column = {name: numbers[:, i] for i, name in enumerate(names[split + 1 :])}
    return KidneyCohort(
        covariates=np.ascontiguousarray(numbers[:, first_gene - split - 1 :]),
        genes=tuple(names[first_gene:]),
        time=column["time"],
        event=column["event"] == 1.0,
        time_corrected=column["time_gdac"],
        event_corrected=column["event_gdac"] == 1.0,
        train=np.array([row[split] == "train" for row in rows]),
    )


def from_release(release: Remote = RELEASE, cache: Path | None = None) -> KidneyCohort:
    """The cohort from the archive: the patients of the training file, then those of the test."""
    train, test = (
        _patients(file, count, released(file, release, cache))
        for file, count in (("train_data_cox.mat", NUM_TRAIN), ("test_data_cox.mat", NUM_TEST))
    )
    covariates, time, delta = (np.concatenate(parts) for parts in zip(train, test, strict=True))
    if delta.sum() != NUM_EVENTS:
        raise ValueError(
            f"the archive's labels have {delta.sum():g} deaths where {NUM_EVENTS} are known."
        )
    return KidneyCohort(
        covariates=covariates,
        genes=tuple(f"gene {i}" for i in range(1, NUM_GENES + 1)),
        time=time,
        event=delta == 1.0,
        time_corrected=None,
        event_corrected=None,
        train=np.arange(len(time)) < NUM_TRAIN,
    )


def _patients(file: str, count: int, content: Variables) -> tuple[NDArray[np.float64], ...]:
    """Covariates, times and event indicators; the file has a gene a row, a patient a column."""
    return (
        variable(content, "data_rna", (NUM_GENES, count), file).T.astype(np.float64, order="C"),
        variable(content, "daysurv", (count,), file).astype(np.float64),
        variable(content, "delta_censoring", (count,), file).astype(np.float64),
    )
