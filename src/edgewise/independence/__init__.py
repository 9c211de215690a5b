"""Tests of conditional independence."""

from .fisher_z import FisherZ, PartialCorrelationTest, check_test, partial_correlation_test, warn_of_void_tests
from .g_squared import GSquared, GSquaredTest, g_squared_test
from .tests import IndependenceTest, check_alpha, critical_strength, prepare_test

__all__ = [
    "FisherZ",
    "GSquared",
    "GSquaredTest",
    "IndependenceTest",
    "PartialCorrelationTest",
    "check_alpha",
    "check_test",
    "critical_strength",
    "g_squared_test",
    "partial_correlation_test",
    "prepare_test",
    "warn_of_void_tests",
]
