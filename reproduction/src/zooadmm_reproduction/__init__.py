"""The experiments of the paper's Section 6 and the claims of its theory: `zooadmm-reproduce`.

    experiments = chosen(["fig2a"])
    reproduction = Reproduction(experiments, Folder(Path("report"), Size.QUICK, seed=0))
    for piece in reproduction.run(workers=2): ...
    claims = write_report(reproduction, "the command that made it")

A new experiment is an `Experiment` in a folder of its own, and a line in `catalog`.
"""

from zooadmm_reproduction.catalog import EXPERIMENTS, chosen
from zooadmm_reproduction.claims import Claim, Verdict
from zooadmm_reproduction.experiment import Experiment, Piece, Size
from zooadmm_reproduction.folder import Folder
from zooadmm_reproduction.report import write_report
from zooadmm_reproduction.reproduction import Reproduction

__all__ = [
    "EXPERIMENTS",
    "Claim",
    "Experiment",
    "Folder",
    "Piece",
    "Reproduction",
    "Size",
    "Verdict",
    "chosen",
    "write_report",
]
