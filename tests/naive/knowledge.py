"""Hard knowledge the slow way: whether a DAG agrees with it, and the map from orders to DAGs that respects it."""

import numpy as np

from naive.graphs import ancestors


def faults(dag, constraints, names):
    """Return the statements of ``constraints`` that a DAG breaks, in words."""
    number = {name: i for i, name in enumerate(names)} | {i: i for i in range(len(names))}
    path = ancestors(dag)
    found = [f"{a} -> {b} is missing" for a, b in constraints.required if not dag[number[a], number[b]]]
    found += [f"{a} -> {b} is there" for a, b in constraints.forbidden if dag[number[a], number[b]]]
    found += [f"{r} has parents" for r in constraints.roots if dag[:, number[r]].any()]
    found += [f"{v} has children" for v in constraints.leaves if dag[number[v]].any()]
    found += [f"no path {a} to {b}" for a, b in constraints.ancestors if not path[number[a], number[b]]]
    found += [f"path {a} to {b}" for a, b in constraints.not_ancestors if path[number[a], number[b]]]
    for t, later in enumerate(constraints.tiers):
        for earlier in constraints.tiers[:t]:
            found += [f"path {b} to {a} against tiers" for a in earlier for b in later if path[number[b], number[a]]]
    return found


def constrained_dag(imap, order, knowledge):
    """Return the DAG of an order that agrees with ``knowledge.before``, or None if ancestor rules exclude the order.

    Parents are found one variable after the other. Each has those that a test or a rule for edges gives it, less those
    that bring it an excluded ancestor; then a missing ancestor becomes a parent itself or, where that is forbidden, the
    first predecessor in column order below it does.
    """
    p = len(order)
    dag = np.zeros((p, p), bool)
    for j, node in enumerate(order):
        before = list(order[:j])
        path = ancestors(dag)
        brings = {parent: {parent} | {a for a in range(p) if path[a, parent]} for parent in before}
        excluded = {x for x in range(p) if knowledge.not_ancestors[x, node]}
        tested = imap.parents(node, frozenset(before))
        parents = {
            u for u in before if knowledge.required[u, node] or (u in tested and not knowledge.forbidden[u, node])
        }
        parents = {u for u in parents if not brings[u] & excluded}
        for ancestor in range(p):
            if knowledge.ancestors[ancestor, node] and not any(ancestor in brings[u] for u in parents):
                links = [ancestor] if not knowledge.forbidden[ancestor, node] else []
                links += [
                    u
                    for u in sorted(before)
                    if not knowledge.forbidden[u, node] and ancestor in brings[u] and not brings[u] & excluded
                ]
                if not links:
                    return None
                parents.add(links[0])
        dag[list(parents), node] = True
    return dag
