"""Edge probabilities by independent draws from the sum over all orders: no chain, so nothing that could be caught.

Orders and DAGs are drawn from the dynamic programme that the default chain jumps by, and weighed so that each DAG
counts once. For up to 20 variables, all parent sets are in its tables.
"""

import numpy as np

import edgewise as ew
from edgewise._kernels.basics.bits import pack, unpack
from edgewise._kernels.compiling import in_place
from edgewise._kernels.dags.jumps import draw_all, log_choice
from edgewise._kernels.dags.pairs import new_pair, new_pair_room
from edgewise._kernels.graphs.equivalence import compelled_weighted_sum

AT_ONCE = 20_000


@in_place
def draw_many(pair, target, room, rng, parents, log_weight):
    for i in range(len(log_weight)):
        draw_all(pair, target, room, rng)
        log_weight[i] = log_choice(pair, target, room)
        for v in range(pair.order.shape[0]):
            parents[i, v] = pair.parents[v, 0]


def find_probabilities(table, number, *, seed=1):
    """Return the probabilities of directed, joined and compelled edges, and how many equal draws the weights leave."""
    dataset = ew.load_data(table, transform="ranks")
    target = ew.DagMCMC().prepare(dataset, ew.BGe(), ew.Sparsity("auto")).target
    p = dataset.p
    if (target.sets.number < p - 1).any():
        raise ValueError(f"with {p} variables, not all parent sets are in the tables")
    none = pack(np.zeros((p, p), bool))
    pair, room, rng = new_pair(none, 9), new_pair_room(target.score, none), np.random.default_rng(seed)
    parents, log_weight = np.zeros((number, p, 1), np.uint64), np.zeros(number)
    draw_many(pair, target, room, rng, parents[..., 0], log_weight)
    weights = np.exp(log_weight - log_weight.max())
    weights /= weights.sum()
    directed, compelled = np.zeros((2, p, p))
    for first in range(0, number, AT_ONCE):
        some = slice(first, first + AT_ONCE)
        dags = unpack(parents[some].reshape(-1, 1), p).reshape(-1, p, p).swapaxes(1, 2).copy()
        directed += np.tensordot(weights[some], dags, axes=1)
        compelled += compelled_weighted_sum(dags, weights[some])
    found = {"directed": directed, "undirected": directed + directed.T, "compelled": compelled}
    return found, float(1 / (weights**2).sum())
