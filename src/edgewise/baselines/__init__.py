"""Other ways to learn DAGs, to compare with; and exact posteriors, where there are few variables."""

from .bootstrapping import bootstrap
from .exact import exact_posterior
from .exact_results import ExactEdges, ExactPosterior
from .hill_climbing import hill_climb
from .max_min import mmhc
from .sparsest_permutation import greedy_sp

__all__ = ["ExactEdges", "ExactPosterior", "bootstrap", "exact_posterior", "greedy_sp", "hill_climb", "mmhc"]
