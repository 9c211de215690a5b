"""Names everywhere: graphs that are learned have the names of the data, whatever the data were."""

import numpy as np
import pandas as pd
import pytest

import edgewise as ew

LEARNERS = {
    "map_search": lambda data, **settings: ew.map_search(data, restarts=1, seed=1, **settings),
    "mmhc": ew.mmhc,
    "hill_climb": ew.hill_climb,
    "greedy_sp": lambda data, **settings: ew.greedy_sp(data, restarts=1, seed=1, **settings),
    "minimal_imap": lambda data, **settings: ew.minimal_imap(data, range(4), **settings),
    "grow-shrink": lambda data, **settings: ew.minimal_imap(data, range(4), parents="grow-shrink", **settings),
    "exact map_dag": lambda data, **settings: ew.exact_posterior(data).map_dag(**settings),
    "exact consensus_dag": lambda data, **settings: ew.exact_posterior(data).consensus_dag(**settings),
}
NAMES = ["dose", "weight", "Raf 1", "7"]
ROWS = ew.simulate(4, 200, seed=3).data.to_numpy()


@pytest.mark.parametrize("learner", LEARNERS)
def test_learned_graphs_have_the_names_of_the_data(learner):
    learn = LEARNERS[learner]
    dag = learn(pd.DataFrame(ROWS, columns=NAMES))
    assert list(dag.index) == list(dag.columns) == NAMES
    assert dag.to_numpy().any()
    array = learn(pd.DataFrame(ROWS, columns=NAMES), as_array=True)
    assert isinstance(array, np.ndarray)
    assert array.dtype == dag.to_numpy().dtype == bool
    np.testing.assert_array_equal(dag.to_numpy(), array)


@pytest.mark.parametrize("learner", LEARNERS)
def test_columns_without_names_are_numbered(learner):
    assert list(LEARNERS[learner](ROWS).columns) == ["X0", "X1", "X2", "X3"]


def test_a_graph_with_names_is_taken_wherever_an_array_is():
    """All functions of graphs give the same for a DataFrame, also one with rows and columns in another order."""
    data = pd.DataFrame(ROWS, columns=NAMES)
    dag, array = ew.hill_climb(data), ew.hill_climb(data, as_array=True)
    mixed = dag.sample(frac=1, random_state=1).sample(frac=1, axis=1, random_state=2)
    for graph in (dag, mixed):
        assert ew.score(graph, data) == pytest.approx(ew.score(array, data))
        assert ew.count_linear_extensions(graph) == ew.count_linear_extensions(array)
        assert ew.structural_hamming_distance(graph, dag) == 0
        assert set(ew.to_networkx(graph).edges) == set(ew.to_networkx(array, NAMES).edges)
        pd.testing.assert_frame_equal(ew.cpdag(graph).loc[NAMES, NAMES], ew.cpdag(dag))
        np.testing.assert_array_equal(ew.cpdag(dag).to_numpy(), ew.cpdag(array))
    assert ew.structural_hamming_distance(dag, array) == 0
