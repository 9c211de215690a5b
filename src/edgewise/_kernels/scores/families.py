"""The scores of all families of a DAG."""

import numpy as np

from ..compiling import kernel
from .interface import local_score


@kernel
def score_families(score, dag, room, scores):
    """Set the local score of every variable in a DAG, with ``dag[i, j]`` true for i -> j."""
    p = dag.shape[0]
    members = np.empty(p, np.int64)
    for node in range(p):
        size = 0
        for i in range(p):
            if dag[i, node]:
                members[size] = i
                size += 1
        members[size] = node
        scores[node] = local_score(score, members, size, room)
