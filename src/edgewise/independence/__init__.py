"""Tests of conditional independence."""

from .fisher_z import (
    PartialCorrelationTest,
    check_alpha,
    partial_correlation_test,
    threshold_table,
    warn_of_void_tests,
)

__all__ = [
    "PartialCorrelationTest",
    "check_alpha",
    "partial_correlation_test",
    "threshold_table",
    "warn_of_void_tests",
]
