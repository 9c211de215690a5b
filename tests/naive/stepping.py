"""Chains driven by chosen random numbers, so that tests decide which swap is proposed and whether it is accepted."""

import numpy as np
import pytest

from edgewise.data import load_data
from edgewise.priors import Sparsity
from edgewise.samplers import MinimalIMAP, Schedule
from edgewise.scores import BGe, Score

ALWAYS = Schedule(iterations=10**9, burn_in=0, thin=1)
"""A draw after every iteration."""

by_swaps = pytest.mark.parametrize("number", [1000, pytest.param(10_000, marks=pytest.mark.slow)])
"""Swaps to be compared with a slow twin: some always, and many when there is time."""

PAPER = {"parents": "full", "moves": "adjacent"}
"""Settings of the chain that the paper describes."""


class Scripted:
    """Stands in for a random generator: hands out given rows of numbers."""

    def __init__(self, rows):
        self.rows = np.asarray(rows, dtype=float)

    def random(self, shape):
        assert shape[0] <= len(self.rows)
        rows, self.rows = self.rows[: shape[0]], self.rows[shape[0] :]
        return rows


class FlatScore(Score):
    """The same score for every DAG, so that with gamma = 0 every proposal is accepted."""

    takes = "moments"

    def prepare(self, dataset):
        tables = BGe().prepare(dataset)
        return tables._replace(
            constant=tables.constant * 0, on_parents=tables.on_parents * 0, on_family=tables.on_family * 0
        )


def make_chain(
    data,
    order,
    *,
    alpha=0.01,
    gamma=1.0,
    prior=None,
    constraints=None,
    score=None,
    laziness=0.01,
    target="orders",
    parents="full",
    criterion="score",
    moves="adjacent",
    schedule=ALWAYS,
):
    dataset = load_data(data)
    model = MinimalIMAP(
        alpha=alpha,
        laziness=laziness,
        target=target,
        parents=parents,
        criterion=criterion if parents != "full" else "auto",
        moves=moves,
    ).prepare(
        dataset,
        BGe() if score is None else score,
        Sparsity(gamma) if prior is None else prior,
        None if constraints is None else constraints.resolve(dataset.names),
    )
    return model.start(np.asarray(order), np.random.default_rng(0), schedule)


def choose(chain, k):
    """Return the random number that makes a chain propose to exchange position k with the next."""
    return _choose(chain, k, (1 + chain.model.relocations) / 2)


def choose_relocation(chain, k):
    """Return the random number that makes a chain relocate the variable at position k."""
    return _choose(chain, k, chain.model.relocations / 2)


def _choose(chain, k, share):
    return (np.asarray(k) + share) / chain.model.p * (1 - chain.model.laziness)


def drive(chain, rows):
    """Take one step per row of random numbers; return the draws as DAGs, orders and log posteriors."""
    chain.rng = Scripted(rows)
    blocks = chain.advance(len(rows))
    family, order, log_score, log_prior = (np.concatenate(arrays) for arrays in zip(*blocks, strict=True))
    node, parents = chain.families()
    p = chain.model.p
    bits = np.unpackbits(parents.astype("<u8").view(np.uint8), axis=1, bitorder="little", count=p).astype(bool)
    assert (node[family] == np.arange(p)).all()
    return bits[family].swapaxes(1, 2), order, log_score + log_prior
