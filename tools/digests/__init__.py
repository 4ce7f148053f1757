"""SHA-256 digests of short runs that cover the library: whether a change of code changes a bit.

python -m tools.digests --compare            runs them all and compares with tools/digests.json
python -m tools.digests --compare --only 'paper/*'
python -m tools.digests --write              records them anew

`library` is the only file here that imports the library. Bits depend on numpy, scipy and the
kernels of BLAS too, so these are recorded beside the digests; kernels of AVX-512 are switched off,
so that machines with and without it agree.
"""

import os
import sys

for _threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_threads] = "1"  # here, before numpy is loaded: sums keep their order
if "numpy" not in sys.modules:  # kernels that every machine with AVX2 has
    os.environ["OPENBLAS_CORETYPE"] = "Haswell"
    os.environ["NPY_DISABLE_CPU_FEATURES"] = "X86_V4 AVX512_ICL AVX512_SPR"
