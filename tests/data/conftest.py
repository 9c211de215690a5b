import re

import numpy as np
import pandas as pd
import pytest

from edgewise.data import load_data
from edgewise.errors import DataError


@pytest.fixture
def table():
    """Forty rows of five unrelated columns."""
    values = np.random.default_rng(1).normal(size=(40, 5))
    return pd.DataFrame(values, columns=["Raf", "Mek", "Erk", "Akt", "Jnk"])


@pytest.fixture
def refusal():
    """Load bad data, check that the error is one sentence, and return it."""

    def refuse(data):
        with pytest.raises(DataError) as caught:
            load_data(data)
        message = str(caught.value)
        outside_quotes = re.sub(r"'[^']*'|\"[^\"]*\"", "", message)
        assert re.fullmatch(r"[A-Z' (].*\.", outside_quotes), message
        assert not re.search(r"[.!?]\s", outside_quotes), message
        assert "\n" not in message
        return message

    return refuse
