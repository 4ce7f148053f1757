"""The yardstick: this library beside what its users would otherwise pick."""

import os

for _threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_threads, "1")  # here, before numpy is loaded: a run has one core
