"""Survival and gene expression of kidney cancer patients, for the Cox regression."""

from __future__ import annotations

import csv
import gzip
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zooadmm.datasets.folder import RELEASE, Remote, Variables, at_hand, released, variable

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
    patients: their barcodes, or None from the authors' archive.
    """

    covariates: NDArray[np.float64]
    genes: tuple[str, ...]
    time: NDArray[np.float64]
    event: NDArray[np.bool_]
    time_corrected: NDArray[np.float64] | None
    event_corrected: NDArray[np.bool_] | None
    train: NDArray[np.bool_]
    patients: tuple[str, ...] | None

    def standardized(self) -> NDArray[np.floating[Any]]:
        """The covariates, each column with mean 0 and mean square 1 over all patients.

        All of them, the test patients too: where a test error is to be honest, take means and
        squares over `train` alone.
        """
        centered = self.covariates - self.covariates.mean(axis=0)
        scaled: NDArray[np.floating[Any]] = centered / np.sqrt(np.mean(centered**2, axis=0))
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
    cohort = KidneyCohort(
        covariates=np.ascontiguousarray(numbers[:, first_gene - split - 1 :]),
        genes=tuple(names[first_gene:]),
        time=column["time"],
        event=_happened(column["event"], path.name),
        time_corrected=column["time_gdac"],
        event_corrected=_happened(column["event_gdac"], path.name),
        train=np.array([row[split] == "train" for row in rows]),
        patients=tuple(row[names.index("patient")] for row in rows),
    )
    return _checked(cohort, path.name)


def from_release(release: Remote = RELEASE, cache: Path | None = None) -> KidneyCohort:
    """The cohort from the archive: the patients of the training file, then those of the test."""
    train, test = (
        _patients(file, count, released(file, release, cache))
        for file, count in (("train_data_cox.mat", NUM_TRAIN), ("test_data_cox.mat", NUM_TEST))
    )
    covariates, time, delta = (np.concatenate(parts) for parts in zip(train, test, strict=True))
    cohort = KidneyCohort(
        covariates=covariates,
        genes=tuple(f"gene {i}" for i in range(1, NUM_GENES + 1)),
        time=time,
        event=_happened(delta, release.name),
        time_corrected=None,
        event_corrected=None,
        train=np.arange(len(time)) < NUM_TRAIN,
        patients=None,
    )
    return _checked(cohort, release.name)


def _happened(labels: NDArray[np.float64], source: str) -> NDArray[np.bool_]:
    if not np.isin(labels, (0.0, 1.0)).all():
        raise ValueError(f"{source} has events other than 0 (censored) and 1 (death).")
    return labels.astype(np.bool_)


def _checked(cohort: KidneyCohort, source: str) -> KidneyCohort:
    """The same cohort, if it has the sizes that are known and holds numbers only."""
    shape, expected = cohort.covariates.shape, (NUM_TRAIN + NUM_TEST, NUM_GENES)
    if shape != expected:
        raise ValueError(f"{source} has covariates of shape {shape} where {expected} is known.")
    times = (cohort.time, cohort.time if cohort.time_corrected is None else cohort.time_corrected)
    if not all(np.isfinite(numbers).all() for numbers in (cohort.covariates, *times)):
        raise ValueError(f"{source} holds NaN or infinite numbers.")
    for noun, found, known in (
        ("deaths", cohort.event.sum(), NUM_EVENTS),
        ("patients to train on", cohort.train.sum(), NUM_TRAIN),
    ):
        if found != known:
            raise ValueError(f"{source} has {found} {noun} where {known} are known.")
    return cohort


def _patients(file: str, count: int, content: Variables) -> tuple[NDArray[np.float64], ...]:
    """Covariates, times and event indicators; the file has a gene a row, a patient a column."""
    return (
        variable(content, "data_rna", (NUM_GENES, count), file).T.astype(np.float64, order="C"),
        variable(content, "daysurv", (count,), file).astype(np.float64),
        variable(content, "delta_censoring", (count,), file).astype(np.float64),
    )
