"""One thread for every process that tests: several of them share the cores already.

Threads of BLAS that wait for a busy core spin, and take many times as long as one thread.
"""

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # before numpy is loaded
