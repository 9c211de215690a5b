"""Tests of conditional independence."""

from .fisher_z import FisherZ, PartialCorrelationTest, check_test, partial_correlation_test, warn_of_void_tests
from .tests import IndependenceTest, check_alpha, critical_strength, prepare_test

__all__ = [
    "FisherZ",
    "IndependenceTest",
    "PartialCorrelationTest",
    "check_alpha",
    "check_test",
    "critical_strength",
    "partial_correlation_test",
    "prepare_test",
    "warn_of_void_tests",
]
