"""Hill climbing the slow way: every neighbouring DAG is built, checked and scored as a whole."""

import numpy as np

from naive.graphs import are_acyclic


def neighbours(dag, allowed, required):
    """Yield the DAGs that one change leads to, in the order in which ties are broken."""
    p = len(dag)
    for i in range(p):
        for j in range(p):
            if i == j:
                continue
            changed = dag.copy()
            changed[i, j] = not dag[i, j]
            if dag[i, j] and not required[i, j]:
                yield changed.copy()
            if not dag[i, j] and allowed[i, j]:
                yield changed.copy()
            if dag[i, j] and not required[i, j] and allowed[j, i]:
                changed[j, i] = True
                yield changed


def climb(log_posterior, allowed, required, *, memory=100, patience=15, noise=1e-9):
    """Return the best DAG met, from the one with the required edges; ``log_posterior`` is a function of the DAG."""
    dag = required.copy()
    best, highest = dag, log_posterior(dag)
    recent = [dag.tobytes()]
    idle = 0
    while idle < patience:
        chosen, height = None, -np.inf
        for other in neighbours(dag, allowed, required):
            if other.tobytes() in recent or not are_acyclic(other[None])[0]:
                continue
            if log_posterior(other) > height + noise:
                chosen, height = other, log_posterior(other)
        if chosen is None:
            break
        dag = chosen
        recent = [*recent, dag.tobytes()][-memory:]
        idle += 1
        if height > highest + noise:
            best, highest = dag, height
            idle = 0
    return best
