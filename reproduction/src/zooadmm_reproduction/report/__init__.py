"""The report: one page of HTML that needs nothing else, with figures and data beside it."""

from zooadmm_reproduction.report.page import write_report

__all__ = ["write_report"]
