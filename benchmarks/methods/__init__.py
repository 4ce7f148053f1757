"""Every method of the benchmark by its name: this library first, then its peers."""

from benchmarks.methods.fista import FISTA
from benchmarks.methods.method import Method
from benchmarks.methods.nevergrad_ import NEVERGRAD
from benchmarks.methods.nlopt_ import NLOPT
from benchmarks.methods.ours import OURS
from benchmarks.methods.pycma import PYCMA
from benchmarks.methods.scipy_cobyqa import COBYQA
from benchmarks.methods.scipy_lbfgsb import LBFGSB
from benchmarks.methods.scipy_slsqp import SLSQP
from benchmarks.methods.spsa import SPSA
from benchmarks.methods.zo_prox_sgd import ZO_PROX_SGD

PEERS = [
    *ZO_PROX_SGD,
    *FISTA,
    *SPSA,
    *LBFGSB,
    *SLSQP,
    *COBYQA,
    *NLOPT,
    *PYCMA,
    *NEVERGRAD,
]

METHODS: dict[str, Method] = {method.name: method for method in [*OURS, *PEERS]}

__all__ = ["METHODS", "PEERS", "Method"]
