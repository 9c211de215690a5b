"""Marks that tests in several folders share."""

import pytest

with_few_rows = pytest.mark.filterwarnings("ignore:There are only .* rows:edgewise.DataWarning")
"""There are few rows on purpose: many DAGs are then probable, and tests are void."""
