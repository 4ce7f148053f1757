"""What a descent knows as dictionaries and tuples, for a checkpoint, and back."""

from __future__ import annotations

from typing import Any

from zooadmm.methods.auto.model import state
from zooadmm.methods.auto.model.state import Model
from zooadmm.methods.auto.working_set import state as working_set
from zooadmm.methods.auto.working_set.state import Working


def to_plain(known: Model | Working) -> dict[str, Any]:
    """The fields of a model, or of a working set with the model within."""
    return state.to_plain(known) if isinstance(known, Model) else working_set.to_plain(known)


def from_plain(fields: dict[str, Any]) -> Model | Working:
    """What `to_plain` gave."""
    return working_set.from_plain(fields) if "chosen" in fields else state.from_plain(fields)
