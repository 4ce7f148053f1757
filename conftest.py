"""What every process that tests has in common: one thread, files in memory, nobody to ask outside.

Threads of BLAS that wait for a busy core spin, and several processes share the cores already. A
checkpoint waits for the disk twice, and thousands are written: folders of tests are in memory where
there is room. A download that is tried for want of data ends at once, at a proxy that is not there,
on any network.
"""

import os
import shutil
from importlib.util import find_spec
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # before numpy is loaded
for variable in ("https_proxy", "HTTPS_PROXY"):
    os.environ[variable] = "http://127.0.0.1:9"
MEMORY = Path("/dev/shm")
if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > 2**30:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))

ADAPTERS = {
    "art": "art",
    "gest": "gest_api",
    "optimagic": "optimagic",
    "pennylane": "pennylane",
    "qiskit": "qiskit_algorithms",
    "tune": "tensorboardX",  # Ray without it has no Tune
}
"""A package that each adapter needs; make test-NAME has it."""
PROGRAMS = {"gest": "gest_ensemble", "tune": "tune_experiment"}
"""Beside the tests: a program that some of them start."""
ABSENT = [adapter for adapter, package in ADAPTERS.items() if find_spec(package) is None]
collect_ignore = [
    *(f"src/zooadmm/integrations/{adapter}.py" for adapter in ABSENT),
    *(f"tests/integrations/{PROGRAMS[adapter]}.py" for adapter in ABSENT if adapter in PROGRAMS),
]
