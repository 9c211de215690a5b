"""A posterior in ArviZ's form, and what ArviZ makes of it."""

import os
from importlib.util import find_spec

import numpy as np
import pytest

import edgewise as ew
from edgewise.posterior import arviz as arviz_module
from naive.graphs import random_dag
from records import make_posterior, plain
from sentences import check_sentence

NAMES = ["Raf", "Mek", "edge", "chain", "p 38"]


def made(p=5, shape=(3, 40)):
    rng = np.random.default_rng(p)
    dags = np.array([[random_dag(p, rng) for _ in range(shape[1])] for _ in range(shape[0])])
    return make_posterior(dags, nodes=NAMES[:p])


@pytest.fixture(params=[lambda: made(), lambda: made(2), lambda: made(1), lambda: made(4, (1, 1))])
def posterior(request):
    return request.param()


def test_the_tree_holds_the_draws(posterior):
    tree = posterior.to_arviz()
    assert set(tree.children) == {"posterior", "sample_stats"}
    assert set(tree["posterior"].data_vars) == {"edge", "order"}
    assert set(tree["sample_stats"].data_vars) == {"lp"}
    edge, order, lp = tree["posterior/edge"], tree["posterior/order"], tree["sample_stats/lp"]
    assert edge.dims == ("chain", "draw", "source", "target")
    assert order.dims == ("chain", "draw", "position")
    assert lp.dims == ("chain", "draw")
    assert edge.dtype == np.int8, "ArviZ takes differences, which booleans do not have"
    np.testing.assert_array_equal(edge, posterior.dags())
    np.testing.assert_array_equal(order, posterior.orders())
    np.testing.assert_array_equal(lp, posterior.log_posterior)
    assert tree.attrs["creation_library"] == "edgewise"


def test_the_coordinates_are_the_names(posterior):
    tree = posterior.to_arviz()
    chains, draws = posterior.log_posterior.shape
    group = tree["posterior"]
    assert group.coords["source"].values.tolist() == list(posterior.nodes)
    assert group.coords["target"].values.tolist() == list(posterior.nodes)
    assert group.coords["position"].values.tolist() == list(range(len(posterior.nodes)))
    for name in ("posterior", "sample_stats"):
        assert tree[name].coords["chain"].values.tolist() == list(range(chains))
        assert tree[name].coords["draw"].values.tolist() == list(range(draws))


def test_means_of_the_indicators_are_the_edge_probabilities():
    posterior = made()
    edge = posterior.to_arviz()["posterior/edge"]
    directed = posterior.edge_probabilities()
    np.testing.assert_allclose(edge.mean(("chain", "draw")), directed, rtol=0, atol=1e-12)
    one = float(edge.sel(source="Raf", target="Mek").mean())
    assert one == pytest.approx(directed.loc["Raf", "Mek"], rel=0, abs=1e-12)
    assert one != pytest.approx(directed.loc["Mek", "Raf"], abs=0.01)


def test_a_tree_too_large_for_memory_is_refused(monkeypatch):
    posterior = made()
    monkeypatch.setattr(arviz_module, "MOST_BYTES", 3 * 40 * 5 * 5)
    posterior.to_arviz()
    monkeypatch.setattr(arviz_module, "MOST_BYTES", 3 * 40 * 5 * 5 - 1)
    with pytest.raises(ew.ArgumentError) as caught:
        posterior.to_arviz()
    message = check_sentence(str(caught.value))
    assert "5 x 5 edges in 120 draws would take 0.0 GB" in message
    assert "larger thin" in message


def test_the_bound_is_a_gigabyte():
    """Draws that only pretend to be many: nothing may be made of them before the size is known."""

    class Many:
        nodes = tuple(f"X{node}" for node in range(100))
        log_posterior = np.broadcast_to(0.0, (4, 25_001))

    with pytest.raises(ew.ArgumentError, match=r"100 x 100 edges in 100,004 draws would take 1\.0 GB"):
        arviz_module.to_arviz(Many())


@pytest.fixture
def arviz_stats():
    """ArviZ's functions of whole trees, which need an optional part of it; CI has promised it."""
    if not find_spec("xarray_einstats") and not os.environ.get("CI"):
        pytest.skip("xarray-einstats is not installed: arviz-stats has only its functions of arrays")
    import arviz_stats

    return arviz_stats


@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")  # R-hat of edges that are never drawn
def test_arviz_summarises_the_tree(arviz_stats):
    data = ew.simulate(4, 60, seed=4).data
    posterior = plain(ew.sample(data, iterations=10_000, thin=10, chains=3, seed=2, progress=False))
    tree = posterior.to_arviz()
    summary = arviz_stats.summary(tree, var_names=["edge"], round_to="none")
    expected = posterior.edge_probabilities()
    for source in posterior.nodes:
        for target in posterior.nodes:
            assert summary.loc[f"edge[{source}, {target}]", "mean"] == pytest.approx(expected.loc[source, target])
    diagnostics = posterior.diagnostics()
    lp = {"group": "sample_stats", "var_names": ["lp"]}
    assert float(arviz_stats.rhat(tree, **lp)["lp"]) == pytest.approx(diagnostics.r_hat, rel=1e-12)
    assert float(arviz_stats.ess(tree, **lp)["lp"]) == pytest.approx(diagnostics.ess, rel=1e-12)
    r_hat = arviz_stats.rhat(tree, var_names=["edge"])["edge"]
    ess = arviz_stats.ess(tree, var_names=["edge"])["edge"]
    assert len(diagnostics.edges)
    for row in diagnostics.edges.itertuples():
        where = {"source": row.source, "target": row.target}
        assert float(r_hat.sel(where)) == pytest.approx(row.r_hat, rel=1e-12)
        assert float(ess.sel(where)) == pytest.approx(row.ess, rel=1e-12)
