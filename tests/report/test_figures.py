import json
import warnings

import numpy as np
import plotly.graph_objects as go
import pytest
from markupsafe import escape

import edgewise as ew
from edgewise.posterior.content import monte_carlo_interval
from edgewise.posterior.pictures import drawn_pairs
from reports import HOSTILE, sample
from sentences import check_sentence


def test_charts_are_plotly_figures(simulated):
    for figure in (simulated.plot_trace(), simulated.plot_edges(), simulated.plot_agreement()):
        assert isinstance(figure, go.Figure)
        assert len(json.loads(figure.to_json())["data"]) > 0


def test_bars_are_as_long_as_what_experiments_tell(simulated):
    for about in (None, ("parents", simulated.nodes[0])):
        figure = simulated.plot_next_experiments(about, number=4)
        best = simulated.next_experiments(about).head(4)
        (bars,) = figure.data
        assert list(figure.layout.yaxis.ticktext) == best["target"].tolist()
        np.testing.assert_allclose(bars.x, best["bits_beyond"], atol=1e-4)
    with pytest.raises(ew.ArgumentError, match="number must be a whole number"):
        simulated.plot_next_experiments(number=0)


def test_intervals_hold_what_the_draws_leave_open():
    """Of 2000 runs of 50 independent draws each, about 95 % should have the true probability in their interval."""
    rng = np.random.default_rng(1)
    for truth in (0.02, 0.3, 0.99):
        found = rng.binomial(50, truth, size=2000) / 50
        error = np.sqrt(found * (1 - found) / 50)
        lower, upper = monte_carlo_interval(found, error, 50.0)
        assert ((lower <= truth) & (truth <= upper)).mean() > 0.9
        plain = (np.abs(found - truth) <= 1.96 * error).mean()
        assert truth == 0.3 or plain < 0.7


def test_the_trace_shows_every_chain(simulated):
    figure = simulated.plot_trace()
    assert [line.name for line in figure.data] == ["chain 1", "chain 2", "chain 3", "chain 4"]
    for line, chain in zip(figure.data, simulated.log_posterior, strict=True):
        np.testing.assert_allclose(line.y, chain, rtol=0, atol=1e-3)
        assert (line.x[0], line.x[-1]) == (810, 4000)


def test_a_long_trace_is_thinned():
    posterior = sample(ew.simulate(3, 50, seed=1).data, iterations=5000, thin=1)
    line = posterior.plot_trace().data[0]
    assert len(line.x) == 1000
    assert (line.x[0], line.x[-1]) == (1001, 5000)


@pytest.mark.parametrize("kind", ["directed", "undirected", "compelled"])
def test_the_heat_map_has_every_pair_causes_first(simulated, kind):
    figure = simulated.plot_edges(kind)
    names = list(figure.layout.xaxis.ticktext)
    expected = 100 * simulated.edge_probabilities(kind).loc[names, names].to_numpy()
    np.testing.assert_allclose(figure.data[0].z, expected, rtol=0, atol=1)
    np.testing.assert_array_equal(np.equal(figure.data[0].z, 100), expected == 100)
    place = [names.index(name) for name in simulated.nodes]
    told = drawn_pairs(simulated).query("joined >= 0.5 and is_told")
    assert all(place[i] < place[j] for i, j in zip(told["source"], told["target"], strict=True))


def test_the_scatter_shows_the_two_chains_that_agree_least(simulated):
    agreement = simulated.chain_agreement().to_numpy()
    figure = simulated.plot_agreement()
    first, second = (int(axis.title.text.split()[-1]) - 1 for axis in (figure.layout.xaxis, figure.layout.yaxis))
    assert agreement[first, second] == agreement.min()
    dots = figure.data[1]
    nodes = list(simulated.nodes)
    for x, y, text in zip(dots.x, dots.y, dots.text, strict=True):
        i, j = map(nodes.index, text.split(" → "))
        assert (x, y) == pytest.approx(tuple(simulated.directed_by_chain[[first, second], i, j]), abs=1e-4)
    largest = simulated.directed_by_chain[[first, second]].max(axis=0)
    assert len(dots.x) == (largest >= 0.01).sum()


def test_the_chains_of_the_scatter_can_be_chosen(simulated):
    figure = simulated.plot_agreement(2, 0)
    assert figure.layout.xaxis.title.text.endswith("chain 3")
    assert figure.layout.yaxis.title.text == "in chain 1"


@pytest.mark.parametrize(("first", "second"), [(0, 4), (-1, 0), (0, None), (None, 1), (0.5, 1), ("0", 1)])
def test_chains_that_are_not_there(simulated, first, second):
    with pytest.raises(ew.ArgumentError) as caught:
        simulated.plot_agreement(first, second)
    assert "from 0 to 3" in check_sentence(str(caught.value))


def test_a_single_chain_agrees_with_nobody():
    with pytest.raises(ew.ArgumentError) as caught:
        sample(ew.simulate(3, 50, seed=1).data, chains=1).plot_agreement()
    assert "single chain" in check_sentence(str(caught.value))


def test_names_are_no_markup(hostile):
    for figure in (hostile.plot_edges(), hostile.plot_agreement()):
        text = json.dumps(json.loads(figure.to_json())["data"]) + json.dumps(json.loads(figure.to_json())["layout"])
        assert "<script" not in text
        assert "<b>" not in text


def test_a_summary_shows_the_graph(simulated):
    assert simulated.plot_graph().svg in simulated._repr_html_()


def test_a_notebook_shows_a_summary(hostile, simulated):
    page = hostile._repr_html_()
    for name in HOSTILE:
        if "<" in name:
            assert name not in page
    assert str(escape(hostile.silent_diagnostics.verdict)) in page
    shown = simulated._repr_html_()
    for pair in simulated.pairs().head(10).itertuples():
        arrow = {"->": "→", "<-": "←", "-": "–"}[pair.direction]
        names = f"<td><bdi>{pair.a}</bdi></td><td>{arrow}</td><td><bdi>{pair.b}</bdi></td>"
        assert f"{names}<td>{pair.joined:.3f}</td>" in shown


def test_a_summary_does_not_warn():
    posterior = sample(ew.simulate(8, 100, seed=1).data, iterations=20, thin=1)
    with pytest.warns(ew.ConvergenceWarning):
        posterior.diagnostics()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "Do not trust this run yet" in posterior._repr_html_()
