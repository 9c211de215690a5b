import numpy as np
import pytest
from scipy.integrate import trapezoid

from edgewise.experiments import auroc, measure_accuracy
from edgewise.experiments.experiment import make_figure
from edgewise.experiments.roc import RATES, draw_curves, rate, rate_posterior, roc_curve
from edgewise.experiments.simulations import DataSet
from edgewise.graphs import compelled_edges
from records import make_posterior


@pytest.mark.parametrize("seed", range(10))
def test_the_area_under_the_curve_is_the_auroc(seed):
    rng = np.random.default_rng(seed)
    score = rng.integers(5, size=40) / 4 if seed % 2 else rng.random(40)
    truth = rng.random(40) < 0.3
    truth[:2] = True, False
    false, true = roc_curve(score, truth)
    assert trapezoid(true, false) == pytest.approx(auroc(score, truth), abs=1e-12)
    assert (np.diff(false) >= 0).all()
    assert (np.diff(true) >= 0).all()


def test_a_curve_is_kept_at_fixed_rates():
    # Two of the four true ones come first, then ties of one true and one false one, then the rest.
    score = np.array([0.9, 0.8, 0.5, 0.5, 0.2, 0.1])
    truth = np.array([True, True, True, False, False, True])
    found = rate(score, truth)
    curve = dict(zip(RATES.round(2).tolist(), found["curve"], strict=True))
    assert found["auroc"] == pytest.approx(auroc(score, truth))
    assert (curve[0.0], curve[0.25], curve[0.5], curve[0.99], curve[1.0]) == (0.5, 0.625, 0.75, 0.75, 1.0)


def test_without_two_kinds_there_is_no_curve():
    found = rate(np.array([0.1, 0.2]), np.array([False, False]))
    assert np.isnan(found["auroc"])
    assert np.isnan(found["curve"]).all()
    assert len(found["curve"]) == len(RATES)


def test_the_rates_of_a_posterior():
    # a -> c <- b in three draws of four; in the other c -> b, and b is compelled there to nothing.
    dags = np.zeros((1, 4, 3, 3), dtype=bool)
    dags[..., 0, 2] = True
    dags[:, :3, 1, 2] = True
    dags[:, 3, 2, 1] = True
    posterior = make_posterior(dags, nodes=["a", "b", "c"])
    truth = np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]], dtype=bool)
    found = rate_posterior(posterior, DataSet(None, truth, compelled_edges(truth), [0, 1, 2]))
    expected = measure_accuracy(posterior, truth)
    assert found["undirected"]["auroc"] == expected.undirected == 1
    assert found["compelled"]["auroc"] == expected.compelled == 1
    assert found["directed"]["auroc"] == expected.directed == 1
    assert found["compelled among joined"]["auroc"] == 1
    # If c -> b were true, and compelled with a -> b, the joined pairs had ab 0, ba 0, cb 0 and bc .75.
    truth = np.array([[0, 1, 0], [0, 0, 0], [0, 1, 0]], dtype=bool)
    found = rate_posterior(posterior, DataSet(None, truth, compelled_edges(truth), [0, 2, 1]))
    assert found["compelled among joined"]["auroc"] == pytest.approx((0.5 + 0.5 + 0 + 0) / 4)


def test_a_line_for_each_method():
    axes = make_figure(3, 3).subplots()
    rising = RATES.tolist()
    draw_curves(axes, {"one": [rising, [1.0] * len(RATES)], "other": [rising]}, "title")
    _, one, other = axes.get_lines()
    assert one.get_ydata()[1:] == pytest.approx((RATES + 1) / 2)
    assert (one.get_color(), one.get_linestyle()) != (other.get_color(), other.get_linestyle())
    assert axes.get_title() == "title"
