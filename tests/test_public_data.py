"""Data sets that people use, read as they come."""

import numpy as np
import pandas as pd
import pytest

import edgewise as ew
from marks import with_few_rows
from naive.stepping import PAPER


def test_sachs(public_data):
    """853 cells, 11 proteins: the chains agree, and find PKC -> P38 and Raf - Mek, which every method finds."""
    cells = pd.read_csv(public_data / "sachs" / "sachs_observational_853x11.csv")
    with pytest.warns(ew.DataWarning, match="'Mek', 'Plcg', 'Akt' and 'PKA' hold 41 cells far from all others"):
        posterior = ew.sample(np.log(cells), iterations=50_000, chains=2, seed=1, progress=False)
    joined = posterior.edge_probabilities("undirected")
    names = {name.lower(): name for name in posterior.nodes}
    assert joined.loc[names["raf"], names["mek"]] > 0.9
    halves = [dags.mean(axis=0) for dags in posterior.dags()]
    assert np.corrcoef(halves[0].ravel(), halves[1].ravel())[0, 1] > 0.9


@with_few_rows
@pytest.mark.parametrize("network", range(1, 6))
def test_dream4_has_more_void_tests_than_rows(public_data, network):
    path = public_data / "dream4" / "size10" / f"insilico_size10_{network}_multifactorial.csv"
    with pytest.warns(ew.VoidTestWarning, match="With 10 rows and 10 variables, 17 of the 45"):
        posterior = ew.sample(
            path, sampler=ew.MinimalIMAP(**PAPER), iterations=20_000, chains=1, seed=1, progress=False
        )
    last = posterior.orders()[..., 8:]
    in_degree = posterior.dags().sum(axis=2)
    assert (np.take_along_axis(in_degree, last.astype(int), axis=2) == 0).all()
    assert in_degree.any()
