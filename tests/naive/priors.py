"""Priors as their definitions read: functions of a DAG and an order."""

import itertools

from naive import graphs


def sparsity(dag, gamma=1.0):
    return -gamma * sum(bool(dag[i, j]) for i in range(len(dag)) for j in range(len(dag)))


def edge_beliefs(dag, log_odds):
    return sum(log_odds[i, j] for i, j in itertools.product(range(len(dag)), repeat=2) if dag[i, j])


def tier_order(order, tiers, strength=1.0):
    """The paper's f_L and f_R: before all of later tiers and after all of earlier ones; the last tier has none."""
    order = list(order)
    in_place = 0
    for t, tier in enumerate(tiers[:-1]):
        earlier = [v for other in tiers[:t] for v in other]
        later = [v for other in tiers[t + 1 :] for v in other]
        for v in tier:
            after_earlier = all(order.index(u) < order.index(v) for u in earlier)
            before_later = all(order.index(v) < order.index(u) for u in later)
            in_place += after_earlier and before_later
    return strength * in_place


def tier_layers(dag, tiers, strength=1.0):
    """The same for the layers of a DAG: none of a later tier in a higher layer, none of an earlier one in a lower."""
    layer = [0] * len(dag)
    for _ in dag:
        layer = [max([0, *(layer[i] + 1 for i in range(len(dag)) if dag[i, j])]) for j in range(len(dag))]
    in_place = 0
    for t, tier in enumerate(tiers[:-1]):
        earlier = [v for other in tiers[:t] for v in other]
        later = [v for other in tiers[t + 1 :] for v in other]
        for v in tier:
            in_place += all(layer[u] <= layer[v] for u in earlier) and all(layer[v] <= layer[u] for u in later)
    return strength * in_place


def paths(dag, sources, targets, strength=1.0):
    """The paper's h_L and h_R: the sources with a path to at least one target."""
    path = graphs.ancestors(dag)
    return strength * sum(any(path[s, t] for t in targets) for s in sources)


def ancestors(dag, pairs, strength=1.0):
    path = graphs.ancestors(dag)
    return strength * sum(bool(path[a, b]) for a, b in pairs)
