"""Graphs: the one DAG convention, Markov equivalence, separation and distance.

``dag[i, j]`` true means i -> j, see :mod:`edgewise.graphs.dag`. Functions take boolean arrays, DataFrames and
networkx graphs alike; those that return a graph return a DataFrame for a DataFrame and an array otherwise.
"""

from edgewise.graphs.adjacency import BoolMatrix, Graph, label, label_like, label_unless
from edgewise.graphs.dag import ancestors, ancestors_of_many, as_dag, is_acyclic, to_networkx, topological_order
from edgewise.graphs.distance import structural_hamming_distance
from edgewise.graphs.equivalence import compelled_edges, cpdag, is_markov_equivalent
from edgewise.graphs.interchange import from_model_string, to_causal_learn, to_model_string, to_pgmpy
from edgewise.graphs.linear_extensions import (
    LogCount,
    count_linear_extensions,
    estimate_linear_extensions,
    hook_estimate,
    log_linear_extensions,
    sample_linear_extensions,
)
from edgewise.graphs.separation import is_d_separated

__all__ = [
    "BoolMatrix",
    "Graph",
    "LogCount",
    "ancestors",
    "ancestors_of_many",
    "as_dag",
    "compelled_edges",
    "count_linear_extensions",
    "cpdag",
    "estimate_linear_extensions",
    "from_model_string",
    "hook_estimate",
    "is_acyclic",
    "is_d_separated",
    "is_markov_equivalent",
    "label",
    "label_like",
    "label_unless",
    "log_linear_extensions",
    "sample_linear_extensions",
    "structural_hamming_distance",
    "to_causal_learn",
    "to_model_string",
    "to_networkx",
    "to_pgmpy",
    "topological_order",
]
