"""What the workers of a study agree on, beside the arguments that a snapshot has."""

from __future__ import annotations

import hashlib
from typing import Any

import optuna

ARGUMENTS = "zooadmm:arguments"
"""The system attribute of a study that has the arguments of its first worker"""


def agreed_seed(study: optuna.Study, seed: int | None, others: dict[str, Any]) -> int:
    """The seed of a study: that of its first worker, or one from its name.

    others: arguments that change the run and are in no snapshot. One that differs from the first
        worker's is refused by its name, as another seed is.
    """
    stored = study._storage.get_study_system_attrs(study._study_id).get(ARGUMENTS)
    if stored is None:
        if seed is None:
            digest = hashlib.sha256(study.study_name.encode()).digest()
            seed = int.from_bytes(digest[:6], "big")
        study._storage.set_study_system_attr(
            study._study_id, ARGUMENTS, others | {"seed": int(seed)}
        )
        return int(seed)
    given = others if seed is None else others | {"seed": int(seed)}
    for name, value in given.items():
        if stored[name] != value:
            raise ValueError(
                f"The study was created with another {name}: {_short(stored[name])} there, "
                f"{_short(value)} here. Give every worker the same arguments, or start a new study."
            )
    return int(stored["seed"])


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:60]}..."
