"""A loss that another process can import and evaluate."""

from __future__ import annotations

import pickle

import numpy as np

import zooadmm as zoo
from zooadmm.evaluation import InProcess
from zooadmm.oracle.queries import Query


def value(x: np.ndarray, w: np.ndarray) -> float:
    return float(np.square(x - w).sum())


def gradient(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    return 2 * (x - w)


def evaluated(query: Query) -> np.ndarray:
    return InProcess(zoo.Loss(value, gradient=gradient))(query)


def evaluated_with_pickle(sent: bytes) -> bytes:
    return evaluated(pickle.loads(sent)).tobytes()
