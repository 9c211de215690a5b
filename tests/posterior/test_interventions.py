"""Directions that interventions tell, in what is derived from a posterior: against brute force over its draws."""

from collections import defaultdict

import numpy as np
import pytest

import edgewise as ew
from edgewise.posterior.exports import export
from edgewise.posterior.summaries import headline
from naive.graphs import all_dags, equivalence_class, skeletons_where_set
from naive.knowledge import faults
from records import make_posterior

TARGETS = [["X1"], ["X0", "X2"], ["X1", "X2", "X3"]]
NUMBERS = [[1], [0, 2], [1, 2, 3]]
NAMES = [f"X{i}" for i in range(4)]
CONSTRAINTS = ew.Constraints(tiers=[[0], [3]], forbidden=[(2, 0)])


def made(targets, constraints=None):
    rng = np.random.default_rng(7)
    dags = all_dags(4)
    if constraints is not None:
        dags = np.array([dag for dag in dags if not faults(dag, constraints, NAMES)])
    info = {"data": {"targets": targets}}
    if constraints is not None:
        info["constraints"] = {"tiers": constraints.tiers, "forbidden": constraints.forbidden}
    return make_posterior(dags[rng.integers(len(dags), size=(2, 40))], info=info)


def class_of(dag, numbers, constraints=None):
    """Return the equivalent DAGs that interventions cannot tell from one, and that agree with constraints."""
    return np.array(
        [
            member
            for member in equivalence_class(dag)
            if skeletons_where_set(member, numbers) == skeletons_where_set(dag, numbers)
            and (constraints is None or not faults(member, constraints, NAMES))
        ]
    )


def compelled_mean(posterior, numbers, constraints=None):
    dags = posterior.dags().reshape(-1, 4, 4)
    return np.mean([class_of(dag, numbers, constraints).all(axis=0) for dag in dags], axis=0)


@pytest.mark.parametrize("constraints", [None, CONSTRAINTS])
def test_compelled_edges_and_pairs_follow_the_interventional_class(constraints):
    posterior = made(TARGETS, constraints)
    expected = compelled_mean(posterior, NUMBERS, constraints)
    assert (expected - compelled_mean(posterior, [], constraints)).max() > 0.1
    np.testing.assert_allclose(posterior.edge_probabilities("compelled"), expected, rtol=0, atol=1e-9)
    np.testing.assert_allclose(np.mean(posterior.compelled_by_chain, axis=0), expected, rtol=0, atol=1e-9)
    pairs = posterior.numbered_pairs
    np.testing.assert_allclose(pairs["told_forward"], expected[pairs["a"], pairs["b"]], rtol=0, atol=1e-9)
    np.testing.assert_allclose(pairs["told_backward"], expected[pairs["b"], pairs["a"]], rtol=0, atol=1e-9)


def test_the_most_probable_classes_are_interventional():
    posterior = made(TARGETS[:1])
    weight = defaultdict(float)
    for dag in posterior.dags().reshape(-1, 4, 4):
        weight[class_of(dag, NUMBERS[:1]).any(axis=0).tobytes()] += 1 / 80
    ranked = posterior.top_cpdags(1000, as_array=True)
    assert {one.graph.tobytes(): one.probability for one in ranked} == pytest.approx(weight)
    assert len(made(None).top_cpdags(1000)) < len(ranked)


@pytest.mark.parametrize(
    "info", [{}, {"data": None}, {"data": {"n": 3}}, {"data": {"targets": None}}, {"data": {"targets": []}}], ids=str
)
def test_without_interventions_nothing_is_told(info):
    posterior = make_posterior(made(None).dags(), info=info)
    assert not posterior.told.any()
    np.testing.assert_allclose(posterior.edge_probabilities("compelled"), compelled_mean(posterior, []), atol=1e-9)


def test_two_classes_of_one_edge():
    """An edge that is drawn either way is open where nothing was set, and of two minds where something was."""
    dags = np.zeros((1, 4, 2, 2), bool)
    dags[0, :3, 0, 1] = dags[0, 3, 1, 0] = True
    nothing, something = (make_posterior(dags, info={"data": {"targets": targets}}) for targets in ([], [["X1"]]))
    assert nothing.map_cpdag(as_array=True).tolist() == [[False, True], [True, False]]
    assert something.map_cpdag(as_array=True).tolist() == [[False, True], [False, False]]
    assert nothing.pairs().loc[0, ["told_forward", "told_backward", "direction"]].tolist() == [0, 0, "-"]
    assert something.pairs().loc[0, ["told_forward", "told_backward", "direction"]].tolist() == [0.75, 0.25, "->"]
    assert headline(nothing.numbered_pairs).endswith("its direction cannot be told.")
    assert headline(something.numbered_pairs).endswith("its direction can be told.")


def test_a_report_says_so_too(tmp_path):
    dags = np.zeros((2, 50, 3, 3), bool)
    dags[:, :, 0, 1] = dags[:, :, 1, 2] = True
    info = {"data": {"targets": [["X1"]]}}
    make_posterior(dags, info=info).report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "the direction can be told in all of them" in page
    assert "in all DAGs that the data cannot tell apart" in page


def test_files_keep_what_interventions_told(tmp_path):
    posterior = made(TARGETS)
    posterior.save(tmp_path / "posterior.nc")
    stored = ew.load(tmp_path / "posterior.nc")
    np.testing.assert_array_equal(stored.told, posterior.told)
    np.testing.assert_array_equal(stored.edge_probabilities("compelled"), posterior.edge_probabilities("compelled"))


@pytest.mark.parametrize("ending", [".dot", ".graphml"])
def test_names_that_are_replaced_are_still_those_of_the_targets(tmp_path, ending):
    dags = np.zeros((1, 3, 2, 2), bool)
    dags[0, :, 0, 1] = True
    posterior = make_posterior(dags, nodes=["a\x1b", "b"], info={"data": {"targets": [["a\x1b"]]}})
    export(posterior, tmp_path / f"graph{ending}")
    text = (tmp_path / f"graph{ending}").read_text(encoding="utf-8")
    assert "a\ufffd" in text
    assert "dir=none" not in text
