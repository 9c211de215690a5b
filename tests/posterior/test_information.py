"""Which experiment to do next, against sums over all DAGs."""

import pickle
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest

import edgewise as ew
from edgewise.posterior import classes
from edgewise.posterior.classes import WeighedDags, find_classes
from edgewise.posterior.information import find_way, next_experiments
from naive.graphs import equivalence_class, random_dag, skeletons_where_set
from naive.information import entropy, information, told_directions
from records import make_posterior
from reports import data_of, sample
from sentences import check_sentence

CHAIN = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], bool)

ABOUTS = {
    "the DAG": None,
    "edges": "directed edges",
    "parents": ("parents", 1),
    "path": ("path", 0, 2),
    "function": lambda dag: int(dag[0].sum()) - int(dag[2].sum()),
}


def named(about):
    """A question with names in place of numbers."""
    return (
        about
        if about is None or isinstance(about, str) or callable(about)
        else (about[0], *map("X{}".format, about[1:]))
    )


def by_number(table):
    return table.assign(target=[int(name[1:]) for name in table["target"]]).sort_values("target")


def posterior_of(dags, **info):
    """A posterior of one chain that has each of some DAGs once."""
    return make_posterior(np.asarray(dags)[None], info=info)


@cache
def exact(p, n, seed, targets=()):
    rng = np.random.default_rng(seed)
    data = ew.simulate(p, n, seed=seed).data
    if not targets:
        return ew.exact_posterior(data, prior=ew.Sparsity(0.5))
    is_set = np.zeros(data.shape, bool)
    for number, together in enumerate(targets):
        is_set[n // 2 + number :: len(targets), list(together)] = True
    return ew.exact_posterior(
        data.mask(is_set, rng.normal(size=data.shape)), prior=ew.Sparsity(0.5), interventions=is_set
    )


def test_the_middle_of_a_chain_tells_all_and_an_end_less():
    """By hand: setting Y tells the three members apart; setting X tells whether X is the source."""
    posterior = replace(posterior_of(equivalence_class(CHAIN)), nodes=("X", "Y", "Z"))
    table = posterior.next_experiments()
    end = np.log2(3) - 2 / 3
    assert table["target"].tolist() == ["Y", "X", "Z"]
    np.testing.assert_allclose(table["bits"], [np.log2(3), end, end], atol=1e-12)
    np.testing.assert_allclose(table["bits_beyond"], table["bits"], atol=1e-12)
    np.testing.assert_allclose(table["directions"], [2, 4 / 3, 4 / 3], atol=1e-12)
    assert table.attrs["open_directions"] == pytest.approx(2)


def test_a_sampled_chain_has_the_same_answer():
    posterior = sample(data_of([(0, 1), (1, 2)], 3, n=5000), prior=ew.Sparsity(8.0))
    table = posterior.next_experiments()
    assert posterior.info["sampler"]["name"] == "DagMCMC"
    assert table["target"].tolist() == ["X2", "X1", "X3"]
    np.testing.assert_allclose(table["bits_beyond"], [1.585, 0.918, 0.918], atol=0.01)


@pytest.mark.parametrize("targets", [(), ((0,),), ((1, 3), (2,))], ids=["observed", "one set", "two sets"])
@pytest.mark.parametrize("about", ABOUTS.values(), ids=ABOUTS)
def test_information_is_that_of_all_dags_of_four_variables(about, targets):
    posterior = exact(4, 60, seed=3, targets=targets)
    assert posterior.targets == targets
    table = by_number(posterior.next_experiments(named(about)))
    without = information(posterior.dags, posterior.probabilities, about, targets)
    for row in table.itertuples():
        more = information(posterior.dags, posterior.probabilities, about, [*targets, (row.target,)])
        np.testing.assert_allclose(row.bits, more, atol=1e-10)
        np.testing.assert_allclose(row.bits_beyond, more - without, atol=1e-10)
    assert table.attrs["known_bits"] == pytest.approx(without, abs=1e-10)
    for column in (column for together in targets if len(together) == 1 for column in together):
        assert table.set_index("target").loc[column, "bits_beyond"] == pytest.approx(0, abs=1e-10)


@pytest.mark.parametrize("about", ABOUTS.values(), ids=ABOUTS)
def test_information_is_that_of_all_dags_of_five_variables(about):
    posterior = exact(5, 40, seed=5)
    few = posterior.probabilities > 1e-7  # the 5,000 DAGs that have all but a millionth
    dags, probabilities = posterior.dags[few], posterior.probabilities[few] / posterior.probabilities[few].sum()
    table = by_number(replace(posterior, dags=dags, probabilities=probabilities).next_experiments(named(about)))
    for row in table.head(2).itertuples():
        more = information(dags, probabilities, about, [(row.target,)])
        np.testing.assert_allclose(row.bits, more, atol=1e-10)


@pytest.mark.parametrize("about", ABOUTS.values(), ids=ABOUTS)
def test_a_batch_is_chosen_one_by_one(about):
    posterior = exact(4, 60, seed=3)
    table = posterior.next_experiments(named(about), batch=3)
    chosen, before = [], information(posterior.dags, posterior.probabilities, about, [])
    for row in table.itertuples():
        gains = {
            column: information(posterior.dags, posterior.probabilities, about, [*chosen, (column,)]) - before
            for column in range(4)
            if (column,) not in chosen
        }
        column = int(row.target[1:])
        assert gains[column] == pytest.approx(max(gains.values()), abs=1e-10)
        assert row.marginal_bits == pytest.approx(gains[column], abs=1e-10)
        chosen.append((column,))
        before += gains[column]
        assert row.bits == pytest.approx(before, abs=1e-10)
    assert len(table) == 3


def test_directions_are_counted():
    posterior = exact(4, 60, seed=3, targets=((2,),))
    batch = posterior.next_experiments(batch=2)
    for row in by_number(posterior.next_experiments()).itertuples():
        told = told_directions(posterior.dags, posterior.probabilities, ((2,),), [(row.target,)])
        assert row.directions == pytest.approx(told, abs=1e-10)
    both = [(int(name[1:]),) for name in batch["target"]]
    told = told_directions(posterior.dags, posterior.probabilities, ((2,),), both)
    assert batch["directions"].iloc[1] == pytest.approx(told, abs=1e-10)


@pytest.mark.parametrize("targets", [(), ((0,),), ((1, 2),)], ids=["observed", "one set", "two together"])
@pytest.mark.parametrize("p", [4, 5, 6])
def test_components_say_the_same_as_all_members_of_classes(p, targets):
    """One DAG of each class, with components, against all members with equal weights, without."""
    rng = np.random.default_rng(p)
    told = ew.graphs.equivalence.told_by(targets, p)
    dags, members, weight = [], [], []
    for mass in rng.dirichlet(np.ones(4)):
        dag = random_dag(p, rng, density=0.5)
        same = [
            one
            for one in equivalence_class(dag)
            if skeletons_where_set(one, targets) == skeletons_where_set(dag, targets)
        ]
        dags.append(dag)
        members += same
        weight.append((mass, [mass / len(same)] * len(same)))
    one = WeighedDags(p, np.array([mass for mass, _ in weight]), np.array(dags).__getitem__, told, None, "uniform")
    every = WeighedDags(
        p, np.concatenate([each for _, each in weight]), np.array(members).__getitem__, told, None, "listed"
    )
    nodes = tuple(f"X{v}" for v in range(p))
    for about in ABOUTS.values():
        for batch in (1, 3):
            found, expected = (next_experiments(which, nodes, named(about), batch=batch) for which in (one, every))
            pd.testing.assert_frame_equal(found, expected, rtol=0, atol=1e-10)


def test_constraints_leave_fewer_members():
    """Required, forbidden and unreached are about single edges: of each class, all that agree count alike."""
    rng = np.random.default_rng(1)
    constraints = ew.Constraints(required=[("X0", "X1")], forbidden=[("X3", "X2")], not_ancestors=[("X4", "X2")])
    nodes = tuple(f"X{v}" for v in range(5))
    knowledge = constraints.resolve(nodes)
    dags = [dag for dag in (random_dag(5, rng, 0.5) for _ in range(2000)) if agrees(dag, knowledge)][:6]
    members = [[one for one in equivalence_class(dag) if agrees(one, knowledge)] for dag in dags]
    told = np.zeros((5, 5), bool)
    one = WeighedDags(5, np.ones(6) / 6, np.array(dags).__getitem__, told, knowledge, "uniform")
    weight = np.concatenate([np.full(len(some), 1 / len(some) / 6) for some in members])
    every = WeighedDags(5, weight, np.concatenate(members).__getitem__, told, None, "listed")
    assert any(len(some) < len(equivalence_class(dag)) for some, dag in zip(members, dags, strict=True))
    pd.testing.assert_frame_equal(next_experiments(one, nodes), next_experiments(every, nodes), rtol=0, atol=1e-10)


def agrees(dag, knowledge):
    paths = ew.graphs.ancestors(dag)
    return not ((knowledge.required & ~dag) | (knowledge.forbidden & dag) | (knowledge.unreached & paths)).any()


def test_draws_tell_how_probable_members_are_where_the_prior_does():
    """A single class whose members have weights .5, .3 and .2: setting the middle tells all."""
    posterior = posterior_of(equivalence_class(CHAIN), sampler={"name": "DagMCMC"}, prior={"name": "Paths"})
    weighed = posterior.reweighted(np.log([[0.5, 0.3, 0.2]]))
    assert find_way(posterior) == "drawn"
    table = weighed.next_experiments().set_index("target")
    assert table.loc["X1", "bits"] == pytest.approx(entropy(range(3), [0.5, 0.3, 0.2]), abs=1e-12)


def test_components_that_are_too_large_are_taken_as_they_were_drawn(monkeypatch):
    dags = equivalence_class(CHAIN)
    monkeypatch.setattr(classes, "list_members", lambda edges: None)
    every = WeighedDags(3, np.array([0.5, 0.5]), dags[:2].__getitem__, np.zeros((3, 3), bool), None, "uniform")
    (factor,) = find_classes(every).factors
    assert len(factor.share) == 2


@pytest.mark.parametrize(
    ("info", "way"),
    [
        ({}, "listed"),
        ({"method": "bootstrap"}, "uniform"),
        ({"sampler": {"name": "DagMCMC"}, "prior": {"name": "Sparsity"}, "score": {"name": "BGe"}}, "uniform"),
        ({"sampler": {"name": "DagMCMC"}, "prior": {"name": "Sparsity"}, "score": {"name": "Mine"}}, "drawn"),
        ({"sampler": {"name": "OrderMCMC"}, "prior": {"name": "Sparsity"}, "score": {"name": "BGe"}}, "drawn"),
        ({"sampler": {"name": "prior only"}, "prior": {"name": "Sparsity"}, "score": None}, "uniform"),
        ({"sampler": {"name": "prior only"}, "prior": None, "score": None}, "drawn"),
        (
            {"sampler": {"name": "StructureMCMC", "max_parents": 3}, "prior": {"name": "Sparsity"}, "score": None},
            "drawn",
        ),
        (
            {
                "sampler": {"name": "DagMCMC"},
                "prior": {"name": "sum", "parts": [{"name": "Sparsity"}, {"name": "Sparsity"}]},
                "score": {"name": "BDeu"},
                "constraints": {"roots": ["X0"]},
            },
            "uniform",
        ),
        (
            {
                "sampler": {"name": "DagMCMC"},
                "prior": {"name": "Sparsity"},
                "score": {"name": "BGe"},
                "constraints": {"ancestors": [["X0", "X1"]]},
            },
            "drawn",
        ),
    ],
)
def test_members_count_alike_only_where_nothing_tells_them_apart(info, way):
    assert find_way(posterior_of([CHAIN], **info)) == way


def test_costs_and_exclusions():
    posterior = posterior_of(equivalence_class(CHAIN))
    table = posterior.next_experiments(costs={"X0": 1, "X1": 2, "X2": 0.5})
    assert table["target"].tolist() == ["X2", "X0", "X1"]
    np.testing.assert_allclose(table["bits_per_cost"], table["bits_beyond"] / table["cost"])
    assert posterior.next_experiments(exclude=["X1"])["target"].tolist() == ["X0", "X2"]
    assert posterior.next_experiments(exclude=["X1"], costs={"X0": 1.0, "X2": 2.0})["cost"].tolist() == [1.0, 2.0]
    assert posterior.next_experiments(costs={"X1": 3.0}).set_index("target")["cost"].to_dict() == {
        "X0": 1,
        "X1": 3,
        "X2": 1,
    }
    both = posterior.next_experiments(batch=2, costs={"X0": 1, "X1": 2, "X2": 0.5})
    assert both["target"].tolist()[0] == "X2"
    np.testing.assert_allclose(both["bits_per_cost"], both["marginal_bits"] / both["cost"])


def test_a_variable_that_was_set_alone_adds_nothing():
    info = {"data": {"targets": [["X1"]]}}
    table = posterior_of([CHAIN], **info).next_experiments()
    assert (table["bits_beyond"] == 0).all()
    both = posterior_of(equivalence_class(CHAIN), data={"targets": [["X0", "X1"]]}).next_experiments()
    assert both.set_index("target")["bits_beyond"].to_dict() == pytest.approx({"X0": 2 / 3, "X1": 2 / 3, "X2": 0.0})


def test_where_nothing_is_open_nothing_is_gained():
    collider = np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]], bool)
    for dag in (collider, np.zeros((3, 3), bool), np.zeros((1, 1), bool)):
        posterior = posterior_of([dag])
        for about in (None, "directed edges", ("parents", "X0"), lambda dag: int(dag.sum())):
            table = posterior.next_experiments(about)
            assert (table[["bits", "bits_beyond"]] == 0).all(axis=None)
            assert len(posterior.next_experiments(about, batch=len(dag))) == len(dag)


def test_many_draws_and_members_are_sampled(monkeypatch):
    """Of a chain of nine variables beside others, a sample says nearly the same as all."""
    posterior = sample(data_of([(v, v + 1) for v in range(8)], 9), iterations=8000)
    function = lambda dag: int(dag[0].sum() + dag[3].sum())  # noqa: E731
    every = [posterior.next_experiments(about).set_index("target") for about in (None, function)]
    monkeypatch.setattr("edgewise.posterior.questions.MOST_CLASSES", 60)
    monkeypatch.setattr("edgewise.posterior.questions.MOST_MEMBERS", 8)
    monkeypatch.setattr("edgewise.posterior.information.MOST_DAGS", 100)
    few = [posterior.next_experiments(about).set_index("target") for about in (None, function)]
    for one, other in zip(every, few, strict=True):
        np.testing.assert_allclose(one["bits_beyond"], other.loc[one.index, "bits_beyond"], atol=0.1)


def test_members_of_classes_with_many_open_parts_are_sampled():
    """Two chains of twelve have 144 members, of which 128 are taken; those of one chain alone are all looked at."""
    dag = np.zeros((24, 24), bool)
    dag[range(11), range(1, 12)] = dag[range(12, 23), range(13, 24)] = True
    posterior = posterior_of([dag], method="bootstrap")
    exact = posterior.next_experiments(("parents", "X3")).set_index("target")
    sampled = posterior.next_experiments(lambda dag: dag[:, 3].tobytes()).set_index("target")
    assert exact["bits"].max() > 0.5
    np.testing.assert_allclose(sampled["bits"], exact.loc[sampled.index, "bits"], rtol=0, atol=0.05)


def test_advice_names_the_best_experiment():
    chain = replace(posterior_of(equivalence_class(CHAIN)), nodes=("X", "Y", "Z"))
    assert (
        chain.advice
        == "2 of 2 directions stay open; setting Y would tell most about them (1.6 bits that more rows would not tell)."
    )
    pair = posterior_of([[[0, 1], [0, 0]], [[0, 0], [1, 0]]])
    assert pair.advice == "The direction stays open; setting X0 would tell it (1.0 bits that more rows would not tell)."
    star = np.zeros((2, 5, 5), bool)
    star[:, [0, 1], 2] = True
    star[0, 3, 4] = star[1, 4, 3] = True
    assert (
        posterior_of(star).advice
        == "1 of 3 directions stays open; setting X3 would tell it (1.0 bits that more rows would not tell)."
    )


def test_a_posterior_that_has_given_advice_can_be_sent_to_another_process():
    posterior = posterior_of(equivalence_class(CHAIN))
    sent = [posterior.advice, posterior.quick_experiments.to_dict()]
    back = pickle.loads(pickle.dumps(posterior))  # noqa: S301
    assert [back.advice, back.quick_experiments.to_dict()] == sent


def test_advice_is_about_the_directions_that_it_counts():
    """X0 - X1 is joined in 6 of 10 draws, X2 to three others in 4. Setting X2 tells most, but nothing of X0 - X1."""
    star = np.zeros((6, 6), bool)
    star[2, 3:] = True
    stars = [*equivalence_class(star), *np.zeros((6, 6, 6), bool)]
    forward = np.zeros((6, 6), bool)
    forward[0, 1] = True
    pair = [forward, forward.T] * 3 + [np.zeros_like(forward)] * 4
    posterior = posterior_of([one | other for one in stars for other in pair])
    assert posterior.next_experiments()["target"].iloc[0] == "X2"
    assert (
        posterior.advice
        == "The direction stays open; setting X0 would tell it (0.6 bits that more rows would not tell)."
    )


@pytest.mark.parametrize("edges", [[(0, 1), (1, 2), (2, 3)], [(0, 1), (0, 2), (0, 3), (1, 2)], [(0, 1), (2, 3)]])
def test_advice_has_the_bits_of_these_directions_together(edges):
    posterior = sample(data_of(edges, 4), iterations=4000)
    pairs = posterior.numbered_pairs
    still_open = pairs[(pairs["joined"] >= 0.5) & (pairs["direction"] == "-")]
    about = lambda dag: dag[still_open["a"], still_open["b"]].tobytes()  # noqa: E731
    best = posterior.next_experiments(about).iloc[0]
    assert f"setting {best['target']} would tell" in posterior.advice
    assert f"({best['bits_beyond']:.1f} bits that more rows would not tell)" in posterior.advice


def test_where_nothing_helps_nothing_is_advised():
    assert posterior_of(equivalence_class(CHAIN), data={"targets": [["X1"]]}).advice is None
    assert posterior_of(equivalence_class(CHAIN), data=None).advice is None
    assert posterior_of([np.zeros((2, 2), bool)]).advice is None
    # The direction of a pair that is drawn one way only is not told, but members that are not drawn have no weight.
    assert posterior_of([[[0, 1], [0, 0]]]).advice is None


def test_bootstraps_and_priors_have_experiments():
    data = ew.simulate(4, 200, seed=1).data
    found = ew.bootstrap(ew.hill_climb, data, 20, seed=1).next_experiments()
    before = sample(None, nodes=["a", "b", "c"]).next_experiments()
    assert len(found) == 4
    assert (found["bits_beyond"].iloc[0], before["bits_beyond"].iloc[0]) > (0, 0)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"about": "edges"}, "about must be None, 'directed edges'"),
        ({"about": ("parents", "X9")}, "no variable 'X9'"),
        ({"about": ("parents",)}, "about must be None"),
        ({"about": ("path", "X0", "X9")}, "no variable 'X9'"),
        ({"about": ("path", "X0", "X0")}, "from one variable to another"),
        ({"about": ("paths", "X0", "X1")}, "about must be None"),
        ({"about": 3}, "about must be None"),
        ({"about": lambda dag: dag.nonsense}, "failed on a DAG with 2 edges (AttributeError"),
        ({"about": lambda dag: dag}, "but it returned a ndarray"),
        ({"about": lambda dag: None}, "but it returned None"),
        ({"about": lambda dag: float("nan")}, "but it returned nan"),
        ({"batch": 0}, "batch must be a whole number"),
        ({"batch": 1.5}, "batch must be a whole number"),
        ({"batch": "all"}, "batch must be a whole number"),
        ({"batch": 4}, "batch is 4, but 3 variables can be set"),
        ({"batch": 2, "exclude": ["X0", "X1"]}, "batch is 2, but 1 variable can be set"),
        ({"exclude": ["X0", "X1", "X2"]}, "batch is 1, but 0 variables can be set"),
        ({"exclude": ["Raf"]}, "no variable 'Raf'"),
        ({"exclude": "X0"}, "exclude must be a list"),
        ({"exclude": 3}, "exclude must be a list"),
        ({"costs": {"Raf": 1.0}}, "no variable 'Raf'"),
        ({"costs": [1.0, 2.0, 3.0]}, "costs must give a cost for each variable"),
        ({"costs": {"X0": 1.0, "X1": 0.0, "X2": 1.0}}, "cost of 'X1' must be a positive number, but it is 0.0"),
        ({"costs": {"X0": -1.0, "X1": 1.0, "X2": 1.0}}, "cost of 'X0' must be a positive number"),
        ({"costs": {"X0": float("nan"), "X1": 1.0, "X2": 1.0}}, "cost of 'X0' must be a positive number"),
        ({"costs": {"X0": float("inf"), "X1": 1.0, "X2": 1.0}}, "cost of 'X0' must be a positive number"),
        ({"costs": {"X0": "1", "X1": 1.0, "X2": 1.0}}, "cost of 'X0' must be a positive number"),
    ],
)
def test_bad_questions_are_refused(arguments, words):
    posterior = posterior_of(equivalence_class(CHAIN))
    with pytest.raises(ew.errors.ArgumentError) as error:
        posterior.next_experiments(**arguments)
    assert words in check_sentence(str(error.value))
