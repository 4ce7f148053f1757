"""The command line: `zooadmm --help`. Commands only; what they do is in the library."""

from zooadmm.cli.app import app

__all__ = ["app"]
