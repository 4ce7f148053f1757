"""What a phase of an automatic run is: a query, and what is made of its answer."""

from __future__ import annotations

from abc import ABC, abstractmethod

from zooadmm.methods.auto.learned import Learned
from zooadmm.methods.auto.model import Normals
from zooadmm.methods.auto.setup import Setup
from zooadmm.methods.method import State, Step
from zooadmm.oracle.observations import Batch
from zooadmm.oracle.queries import Answer, Counted, Query
from zooadmm.oracle.randomness import Purpose, generator_at
from zooadmm.problem.arrays import Matrix


class Phase(ABC):
    """One kind of iteration."""

    def observations(self, setup: Setup, learned: Learned) -> int:
        """How many fresh observations the query is about, where the loss has any."""
        return 1

    @abstractmethod
    def cost(self, setup: Setup, learned: Learned) -> int:
        """How many evaluations the query asks for."""

    @abstractmethod
    def query(self, setup: Setup, state: State, batch: Batch | None) -> Query:
        """What is to be known."""

    @abstractmethod
    def read(
        self, setup: Setup, state: State, query: Query, answer: Answer, counted: Counted | None
    ) -> tuple[State, Step]:
        """What follows from the answer.

        counted: the cells that count, where some were dropped; None where all do.
        """


def normals_at(setup: Setup, t: int) -> Normals:
    """The random numbers of iteration t."""

    def normals(count: int, length: int = setup.problem.m) -> Matrix:
        generator = generator_at(setup.key, Purpose.DIRECTIONS, t)
        return generator.standard_normal((count, length))

    return normals
