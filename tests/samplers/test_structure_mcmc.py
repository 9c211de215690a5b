"""Structure MCMC against its slow twin, against enumeration, and against what users were promised."""

import math
import pickle
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import norm

import edgewise as ew
from compiled import altered
from edgewise._kernels.basics.bits import unpack
from edgewise._kernels.rivals import edge_reversal, structure_mcmc
from edgewise.data import load_data
from edgewise.priors import Ancestors, Constraints, EdgeBeliefs, LogPrior, Paths, Prior, Sparsity, TierOrder
from edgewise.samplers import Schedule, reversal_sets
from edgewise.samplers import structure_mcmc as sampler
from edgewise.samplers.structure_mcmc import StructureMCMC
from edgewise.scores import BGe, GaussianBIC
from exact.intervals import Ends
from marks import with_few_rows
from naive import scores
from naive.features import paths
from naive.graphs import all_dags
from naive.stepping import ALWAYS, Scripted
from naive.structure import NaiveStructureChain, exact_probabilities, respects
from sentences import check_sentence


class Case(NamedTuple):
    """A prior, in the sampler's terms and as a function of the DAG beyond single edges, and constraints."""

    prior: Prior = Sparsity(0.5)
    beyond: Any = None
    constraints: Constraints | None = None
    max_parents: int = 3


def reaches_last(dag):
    """Paths([0, 1], [2]) with strength 0.7, by hand."""
    return 0.7 * paths(dag)[:2, 2].sum()


def even_edges(dag):
    return -1.1 * (dag.sum() % 2)


BELIEFS = EdgeBeliefs(
    log_odds=np.array([[0.0, 0.3, -0.5, 0.1], [-0.2, 0.0, 0.8, 0.4], [0.6, -0.9, 0.0, -0.3], [0.2, 0.1, 0.5, 0.0]])
)

CASES = {
    "sparsity": Case(),
    "one parent at most": Case(max_parents=1),
    "paths": Case(Sparsity(0.5) + Paths([0, 1], [2], 0.7), reaches_last),
    "a function": Case(Sparsity(0.5) + LogPrior(even_edges), even_edges),
    "required and forbidden": Case(constraints=Constraints(required=[(2, 0)], forbidden=[(1, 2)])),
    "ancestors": Case(constraints=Constraints(ancestors=[(0, 2)], not_ancestors=[(1, 0)])),
    "tiers": Case(constraints=Constraints(tiers=[[1], [0]])),
}


def few_values(p):
    return ew.simulate(p, 30, neighbours=min(p - 1, 2.0), seed=4).data.to_numpy()


def make_model(data, case=CASES["sparsity"], *, reversal=0.3, score=None):
    dataset = load_data(data)
    knowledge = None if case.constraints is None else case.constraints.resolve(dataset.names)
    return StructureMCMC(max_parents=case.max_parents, reversal=reversal).prepare(
        dataset, BGe() if score is None else score, case.prior, knowledge
    )


def make_chain(data, case=CASES["sparsity"], *, schedule=ALWAYS, seed=0, **settings):
    model = make_model(data, case, **settings)
    rng = np.random.default_rng(seed)
    return model.start(rng.permutation(model.p), rng, schedule)


def make_twin(values, case, *, reversal=0.3):
    names = tuple(f"X{node}" for node in range(values.shape[1]))
    knowledge = None if case.constraints is None else case.constraints.resolve(names)
    return NaiveStructureChain(
        values,
        edge=case.prior.terms(names).edge,
        beyond=case.beyond,
        knowledge=knowledge,
        max_parents=case.max_parents,
        reversal=reversal,
    )


def draws_of(chain, blocks):
    """Return the draws as DAGs, orders and log posteriors."""
    family, order, log_score, log_prior = (np.concatenate(arrays) for arrays in zip(*blocks, strict=True))
    node, parents = chain.families()
    bits = np.unpackbits(parents.astype("<u8").view(np.uint8), axis=1, bitorder="little", count=chain.model.p)
    assert (node[family] == np.arange(chain.model.p)).all()
    return bits.astype(bool)[family].swapaxes(1, 2), order, log_score + log_prior


# -- the target, from the compiled code


class Probe:
    """Asks a chain where it goes from a DAG, one step at a time, with random numbers of one's choice."""

    def __init__(self, chain):
        self.chain = chain
        self._ends = Ends()

    def __call__(self, dag, choice, uniform, *for_parents):
        self.chain.begin(dag)
        self.chain.rng = Scripted([[choice, uniform, *for_parents]])
        self.chain.advance(1)
        return self.chain.dag

    def acceptance(self, dag, choice, *for_parents):
        """Return the proposal and how probably it is accepted: up to which random number the chain moves."""
        proposed = self(dag, choice, 0.0, *for_parents)
        if (proposed == dag).all():
            return dag, 0.0
        return proposed, self._find_end(lambda uniform: (self(dag, choice, uniform, *for_parents) == dag).all())

    def pieces(self, dag, choice, first=None):
        """Cut [0, 1) where the parents change that are proposed for the first variable or, given it, for the second.

        Yields a number inside of each piece, and the piece's length. Parents never come back: they are tried one set
        after the other.
        """

        def proposal(number):
            self(dag, choice, 0.0, *((number, 0.5) if first is None else (first, number)))
            return self.chain.state.new_parents.tobytes()

        low = 0.0
        while low < 1.0:
            present = proposal(low)
            high = self._find_end(lambda number, present=present: proposal(number) != present, low)
            yield (low + high) / 2, high - low
            low = high

    def _find_end(self, is_beyond, low=0.0):
        """Return where a condition that holds from some number up to 1 begins to hold; 1 if it never does."""
        last = np.nextafter(1.0, 0.0)
        return self._ends.narrow_down(is_beyond, low, last)[1] if is_beyond(last) else 1.0

    def transition_matrix(self, dags):
        p, reversal = self.chain.model.p, self.chain.model.reversal
        number = {dag.tobytes(): n for n, dag in enumerate(dags)}
        matrix = np.zeros((len(dags), len(dags)))
        pairs = p * (p - 1)
        for n, dag in enumerate(dags):
            for pair in range(pairs):
                new, accepted = self.acceptance(dag, reversal + (1 - reversal) * (pair + 0.5) / pairs, 0.5, 0.5)
                matrix[n, number[new.tobytes()]] += (1 - reversal) / pairs * accepted
            edges = dag.sum()
            for edge in range(edges):
                choice = reversal * (edge + 0.5) / edges
                for first, share in self.pieces(dag, choice):
                    for second, part in self.pieces(dag, choice, first):
                        new, accepted = self.acceptance(dag, choice, first, second)
                        matrix[n, number[new.tobytes()]] += reversal / edges * share * part * accepted
        return matrix + np.diag(1 - matrix.sum(axis=1))


def imbalance(values, case, **settings):
    """Return by how much one step of the compiled chain changes the exact posterior probabilities of DAGs, at most."""
    twin = make_twin(values, case)
    dags, probability = exact_probabilities(twin, all_dags(values.shape[1]))
    matrix = Probe(make_chain(values, case, **settings)).transition_matrix(dags)
    assert len(dags) > 1
    assert (matrix >= -1e-12).all()
    return np.abs(probability @ matrix - probability).max()


@pytest.mark.parametrize("name", CASES)
def test_a_step_leaves_the_posterior_of_all_dags_unchanged(name):
    """All 25 DAGs of three variables that are allowed; the probabilities of all moves are taken from the code."""
    assert imbalance(few_values(3), CASES[name]) < 1e-10


def test_a_step_with_few_candidates_leaves_the_posterior_unchanged(monkeypatch):
    """With room for two sets, each variable has one candidate only: some edges are never reversed."""
    monkeypatch.setattr(reversal_sets, "MOST_SETS", 6)
    values = few_values(3)
    assert [number.bit_count() for number in make_model(values).candidates.ravel().tolist()] == [1, 1, 1]
    assert imbalance(values, CASES["sparsity"]) < 1e-10


@pytest.mark.slow
def test_a_step_leaves_the_posterior_of_543_dags_unchanged():
    assert imbalance(few_values(4), FOUR["beliefs"]) < 1e-10


@pytest.fixture(scope="module")
def broken_run():
    """The compiled loop with a wrong ratio of acceptance for edge reversals: the numbers of edges are left out."""
    kernels = [edge_reversal.reverse_edge, structure_mcmc.run]
    return altered(kernels, right=" + np.log(edges / new_edges)", wrong="")["run"]


@pytest.mark.slow
def test_a_wrong_ratio_of_acceptance_is_caught(broken_run, monkeypatch):
    monkeypatch.setattr(sampler, "run", broken_run)
    assert imbalance(few_values(3), CASES["sparsity"]) > 1e-3


# -- the target, from the slow twin

FOUR = {
    "beliefs": Case(Sparsity(0.2) + BELIEFS, max_parents=2),
    "paths": Case(Sparsity(0.5) + Paths([0, 1], [2], 0.7), reaches_last),
    "required ancestors": Case(
        constraints=Constraints(required=[(3, 0)], forbidden=[(1, 2)], ancestors=[(1, 2)]), max_parents=2
    ),
    "excluded ancestors": Case(BELIEFS, constraints=Constraints(tiers=[[2, 3], [0]], not_ancestors=[(2, 1)])),
}
"""Cases for four variables or more."""


@pytest.mark.parametrize("name", FOUR)
def test_the_twin_leaves_the_posterior_of_all_dags_unchanged(name):
    """All 543 DAGs of four variables that are allowed, without a ratio ever simplified."""
    twin = make_twin(few_values(4), FOUR[name])
    dags, probability = exact_probabilities(twin, all_dags(4))
    matrix = twin.transition_matrix(dags)
    assert len(dags) > 10
    np.testing.assert_allclose(probability @ matrix, probability, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", FOUR)
def test_the_chain_equals_its_twin(name, rng):
    """The same random numbers give the same DAGs and log posteriors."""
    case = FOUR[name]
    values = few_values(4)
    chain, twin = make_chain(values, case), make_twin(values, case)
    dag = chain.dag
    rows = rng.random((750, 4))
    chain.rng = Scripted(rows)
    dags, orders, log_posterior = draws_of(chain, chain.advance(len(rows)))
    for new, order, total, row in zip(dags, orders, log_posterior, rows, strict=True):
        dag = twin.step(dag, *row)
        np.testing.assert_array_equal(new, dag)
        np.testing.assert_allclose(total, twin.log_posterior(dag), rtol=1e-10)
        assert not np.tril(new[np.ix_(order, order)]).any()
    assert all(0 < accepted < made for made, accepted in chain.moves().values())
    assert sum(made for made, _ in chain.moves().values()) == len(rows)


def test_the_chain_equals_its_twin_with_more_variables(rng):
    values = ew.simulate(7, 50, seed=2).data.to_numpy()
    case = Case(Sparsity(0.3) + Ancestors([(0, 3), (4, 3)], -0.4), lambda dag: -0.4 * paths(dag)[[0, 4], 3].sum())
    chain, twin = make_chain(values, case), make_twin(values, case)
    dag = chain.dag
    rows = rng.random((100, 4))
    chain.rng = Scripted(rows)
    for new, row in zip(draws_of(chain, chain.advance(len(rows)))[0], rows, strict=True):
        dag = twin.step(dag, *row)
        np.testing.assert_array_equal(new, dag)


# -- sampling

BOUND = norm.isf(1e-4 / 20 / 2)
"""For 20 edges together the false-alarm rate of a z-score above this is 1e-4."""


def largest_z_score(values, exact, *, seed, **settings):
    posterior = ew.sample(
        values,
        sampler=StructureMCMC(max_parents=4, **settings),
        prior=Sparsity(1.0),
        iterations=400_000,
        thin=20,
        seed=seed,
        progress=False,
    )
    observed = posterior.edge_probabilities().to_numpy()
    # An edge that is drawn a few times in a run, or never, has no useful error of its own: allow it one in a thousand.
    error = np.maximum(posterior._monte_carlo_error, 1e-3)
    return np.abs((observed - exact) / error).max()


@pytest.fixture(scope="module")
def five_variables():
    """Data of five variables, and the exact probabilities of edges from all 29,281 DAGs."""
    values = ew.simulate(5, 100, seed=3).data.to_numpy()
    dags = all_dags(5)
    log_posterior = np.zeros(len(dags))
    for node in range(5):
        number = dags[:, :, node] @ (1 << np.arange(5))
        local = {n: scores.bge(values, node, [v for v in range(5) if n >> v & 1]) for n in np.unique(number).tolist()}
        log_posterior += np.array([local[n] for n in number.tolist()]) - dags[:, :, node].sum(axis=1)
    probability = np.exp(log_posterior - logsumexp(log_posterior))
    return values, np.tensordot(probability, dags, axes=1)


@pytest.mark.parametrize("reversal", [0.0, 1 / 15, 0.8])
def test_edge_probabilities_agree_with_enumeration(five_variables, reversal):
    assert largest_z_score(*five_variables, seed=1, reversal=reversal) < BOUND


@pytest.mark.slow
def test_a_wrong_ratio_of_acceptance_is_caught_by_sampling(five_variables, broken_run, monkeypatch):
    monkeypatch.setattr(sampler, "run", broken_run)
    assert largest_z_score(*five_variables, seed=1, reversal=0.8) > BOUND


# -- candidates


def test_candidates_are_those_that_add_most_while_parents_grow(monkeypatch):
    """With room for 22 sets of up to three parents, five of six free variables would have 26, and four have 15."""
    monkeypatch.setattr(reversal_sets, "MOST_SETS", 22 * 9)
    values = ew.simulate(9, 100, seed=1).data.to_numpy()
    constraints = Constraints(required=[(2, 0)], forbidden=[(1, 0)])
    candidates = unpack(make_model(values, Case(constraints=constraints)).candidates, 9)
    largest = dict.fromkeys(range(3, 9), -math.inf)
    parents = [2]
    for _ in range(3):
        now = scores.bge(values, 0, parents)
        gain = {u: scores.bge(values, 0, [*parents, u]) - 0.5 - now for u in largest if u not in parents}
        largest |= {u: max(largest[u], gain[u]) for u in gain}
        best = max(gain, key=gain.get)
        if gain[best] <= 0:
            break
        parents.append(best)
    assert len(parents) > 1
    # One parent is required, so that up to two more are drawn: six of them make 22 sets.
    assert np.flatnonzero(candidates[0]).tolist() == [2, 3, 4, 5, 6, 7, 8]
    monkeypatch.setattr(reversal_sets, "MOST_SETS", 11 * 9)
    candidates = unpack(make_model(values, Case(constraints=constraints)).candidates, 9)
    chosen = sorted(largest, key=largest.get)[-4:]
    assert np.flatnonzero(candidates[0]).tolist() == sorted([2, *chosen])


# -- what users were promised


def test_every_draw_satisfies_the_constraints():
    constraints = Constraints(
        required=[(0, 1)],
        forbidden=[(2, 3)],
        tiers=[[4, 5], [6]],
        roots=[7],
        ancestors=[(2, 3), (8, 9)],
        not_ancestors=[(0, 8)],
    )
    sim = ew.simulate(12, 60, seed=5)
    posterior = ew.sample(
        sim.data, sampler=StructureMCMC(reversal=0.2), constraints=constraints,
        iterations=40_000, thin=20, burn_in=0, chains=2, seed=1, progress=False,
    )  # fmt: skip
    knowledge = constraints.resolve(sim.data.columns)
    dags = np.unique(posterior.dags().reshape(-1, 12, 12), axis=0)
    assert len(dags) > 500
    assert all(respects(dag, knowledge) for dag in dags)


def test_more_than_64_variables(rng):
    """Sets in two words; constraints, paths and the bound on parents hold; log posteriors are those of the DAGs."""
    sim = ew.simulate(70, 100, seed=1)
    constraints = Constraints(ancestors=[(0, 69), (66, 1)], not_ancestors=[(2, 68)])
    prior = Sparsity(0.5) + Paths([3, 67], [65, 4], 2.0)
    chain = make_chain(sim.data, Case(prior, constraints=constraints, max_parents=2), seed=3)
    dags, orders, log_posterior = draws_of(chain, chain.advance(5000))
    knowledge = constraints.resolve(sim.data.columns)
    values = sim.data.to_numpy()
    assert all(accepted > 0 for _, accepted in chain.moves().values())
    for n in rng.integers(len(dags), size=10):
        dag, order = dags[n], orders[n]
        assert dag.sum(axis=0).max() <= 2
        assert sorted(order) == list(range(70))
        assert not np.tril(dag[np.ix_(order, order)]).any()
        assert respects(dag, knowledge)
        total = scores.total(scores.bge, values, dag) - 0.5 * dag.sum()
        total += 2.0 * paths(dag)[np.ix_([3, 67], [65, 4])].any(axis=1).sum()
        np.testing.assert_allclose(log_posterior[n], total, rtol=1e-10)
    np.testing.assert_allclose(chain.log_posterior, log_posterior[-1], rtol=1e-12)


@with_few_rows
def test_the_same_prior_built_in_and_as_a_function_gives_the_same_draws():
    sim = ew.simulate(8, 40, seed=6)
    names = sim.data.columns

    def by_hand(dag):
        return 1.5 * paths(dag)[:3, 6:].any(axis=1).sum()

    results = [
        ew.sample(
            sim.data, sampler=StructureMCMC(), prior=Sparsity(0.5) + prior,
            iterations=4000, thin=1, burn_in=0, chains=2, seed=3, progress=False,
        )
        for prior in (Paths(names[:3], names[6:], 1.5), LogPrior(by_hand))
    ]  # fmt: skip
    np.testing.assert_array_equal(*(posterior.dags() for posterior in results))
    np.testing.assert_allclose(*(posterior.log_posterior for posterior in results), rtol=1e-12)
    assert results[0].moves == results[1].moves
    assert results[0].moves[0]["reversal"][1] > 10


def test_blocks_of_any_size_and_pickling_give_the_same_draws():
    schedule = Schedule(iterations=5000, burn_in=333, thin=7)
    case = Case(Sparsity(0.5) + Paths([0], [1]))

    def draws(*steps, pickled=False):
        chain = make_chain(ew.simulate(10, 100, seed=1).data, case, schedule=schedule)
        blocks = []
        for number in steps:
            chain = pickle.loads(pickle.dumps(chain)) if pickled else chain  # noqa: S301
            blocks += chain.advance(number)
        return draws_of(chain, blocks)

    whole = draws(5000)
    assert len(whole[0]) == schedule.draws(after=5000) == 666
    for other in (draws(*[1] * 400, 4600), draws(333, 7, 6, 1, 4653), draws(*[500] * 10, pickled=True)):
        for one, two in zip(whole, other, strict=True):
            np.testing.assert_array_equal(one, two)


def test_two_variables(rng):
    chain = make_chain(rng.standard_normal((30, 2)))
    dags, _, _ = draws_of(chain, chain.advance(2000))
    assert len(np.unique(dags, axis=0)) == 3


def test_parents_that_leave_no_rows_are_never_chosen(rng):
    """BIC gives no weight to families with as many parameters as rows."""
    chain = make_chain(rng.standard_normal((4, 6)), Case(max_parents=5), score=GaussianBIC())
    dags, _, log_posterior = draws_of(chain, chain.advance(5000))
    assert dags.sum(axis=1).max() == 2
    assert np.isfinite(log_posterior).all()


def test_columns_that_determine_each_other_are_named(rng):
    values = rng.standard_normal((8, 9))
    values[:, 4] = values[:, 1] - values[:, 7]
    with pytest.raises(ew.DataError, match=r"'X[147]' is an exact linear combination"):
        make_chain(values, score=GaussianBIC())
    chain = make_chain(values, score=GaussianBIC(), reversal=0.0)
    assert np.isfinite(draws_of(chain, chain.advance(2000))[2]).all()


# -- starts


def test_a_chain_starts_with_the_best_parents_along_its_order(rng):
    values = few_values(6)
    model = make_model(values)
    order = rng.permutation(6)
    dag = model.start(order, rng, ALWAYS).dag
    assert not np.tril(dag[np.ix_(order, order)]).any()
    for position, node in enumerate(order):
        parents = []
        while len(parents) < 3:
            now = scores.bge(values, node, parents)
            gain = {
                u: scores.bge(values, node, [*parents, u]) - now - 0.5 for u in order[:position] if u not in parents
            }
            best = max(gain, key=gain.get, default=None)
            if best is None or gain[best] <= 0:
                break
            parents.append(best)
        assert np.flatnonzero(dag[:, node]).tolist() == sorted(parents)


def test_a_start_has_more_required_ancestors_than_parents():
    """Five ancestors of a variable with two parents at most, one of them by a way round."""
    constraints = Constraints(ancestors=[(v, 5) for v in range(5)], forbidden=[(0, 5)])
    for seed in range(5):
        chain = make_chain(few_values(7), Case(constraints=constraints, max_parents=2), seed=seed)
        assert respects(chain.dag, constraints.resolve([f"X{v}" for v in range(7)]))


def test_a_start_that_the_prior_excludes_is_not_taken():
    prior = LogPrior(lambda dag: 0.0 if dag.sum() <= 2 else -math.inf)
    chain = make_chain(few_values(6), Case(prior))
    assert draws_of(chain, chain.advance(3000))[0].sum(axis=(1, 2)).max() == 2


def test_a_start_may_have_the_required_edges_only():
    """Along every order, X0 has more parents or children, which the prior excludes."""
    values = few_values(4)
    prior = LogPrior(lambda dag: 0.0 if dag.sum() <= 1 else -math.inf)
    chain = make_chain(values + values[:, :1], Case(prior, constraints=Constraints(required=[(0, 1)])))
    np.testing.assert_array_equal(np.argwhere(chain.dag), [[0, 1]])


def test_ancestors_that_cannot_be_had_are_refused(monkeypatch):
    """One parent at most, but two ancestors of which none may descend from the other."""
    monkeypatch.setattr(sampler, "SEARCH_STEPS", 20_000)
    constraints = Constraints(ancestors=[(0, 2), (1, 2)], not_ancestors=[(0, 1), (1, 0)])
    with pytest.raises(ew.ArgumentError, match="has all ancestors which the constraints require") as caught:
        make_chain(few_values(3), Case(constraints=constraints, max_parents=1))
    check_sentence(str(caught.value))


@pytest.mark.parametrize(
    ("case", "message"),
    [
        (Case(TierOrder([[0], [1]])), "cannot use a prior on orders"),
        (Case(LogPrior(lambda dag, order: 0.0)), "cannot use a function of the order"),
        (Case(LogPrior(lambda dag: -math.inf)), "No start was found"),
        (
            Case(constraints=Constraints(required=[(0, 2), (1, 2)]), max_parents=1),
            "require 2 parents of 'X2', but max_parents is 1",
        ),
    ],
)
def test_what_cannot_be_sampled_is_refused(case, message):
    with pytest.raises(ew.ArgumentError, match=message) as caught:
        make_chain(few_values(4), case)
    check_sentence(str(caught.value))


@pytest.mark.parametrize(
    "settings", [{"max_parents": 0}, {"max_parents": 1.5}, {"reversal": 1.0}, {"reversal": -0.1}, {"reversal": "no"}]
)
def test_wrong_settings_are_refused(settings):
    with pytest.raises(ew.ArgumentError, match=next(iter(settings))) as caught:
        StructureMCMC(**settings)
    check_sentence(str(caught.value))


def test_a_record_with_a_whole_number_of_parents_is_read_again(tmp_path):
    settings = StructureMCMC(max_parents=2.0, reversal=0)
    data = ew.simulate(3, 100, seed=4).data
    posterior = ew.sample(data, sampler=settings, iterations=50, thin=1, seed=1, progress=False)
    posterior.save(tmp_path / "posterior.nc")
    assert repr(ew.load(tmp_path / "posterior.nc").info["sampler"]["max_parents"]) == "2"
