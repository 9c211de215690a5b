"""Edgewise: posterior probabilities for the edges of causal DAGs.

    import edgewise as ew

    posterior = ew.sample("measurements.csv")
    posterior.edges(threshold=0.5)

Names are imported when they are first used, so that ``import edgewise`` and the command line's help are
quick.
"""

import importlib

TYPE_CHECKING = False  # as type checkers know it; to import typing would take longer than all else here

_HOME = {
    "Ancestors": "priors",
    "ArgumentError": "errors",
    "BDeu": "scores",
    "BGe": "scores",
    "Comparison": "posterior",
    "Constraints": "priors",
    "ConvergenceWarning": "errors",
    "Covariance": "data",
    "DataError": "errors",
    "DataWarning": "errors",
    "Dataset": "data",
    "DegenerateGaussian": "scores",
    "EdgeBeliefs": "priors",
    "EdgewiseError": "errors",
    "EdgewiseWarning": "errors",
    "FisherZ": "independence",
    "GSquared": "independence",
    "GaussianBIC": "scores",
    "GraphError": "errors",
    "IndependenceTest": "independence",
    "LogPrior": "priors",
    "DagMCMC": "samplers",
    "MinimalIMAP": "samplers",
    "OrderMCMC": "samplers",
    "PartitionMCMC": "samplers",
    "Paths": "priors",
    "Posterior": "posterior",
    "Prior": "priors",
    "Score": "scores",
    "Sparsity": "priors",
    "StoppedEarlyWarning": "errors",
    "StorageError": "errors",
    "StructureLearner": "estimators",
    "StructureMCMC": "samplers",
    "TierOrder": "priors",
    "VoidTestWarning": "errors",
    "bootstrap": "baselines",
    "compare": "posterior",
    "compelled_edges": "graphs",
    "count_linear_extensions": "graphs",
    "cpdag": "graphs",
    "estimate_linear_extensions": "graphs",
    "exact_posterior": "baselines",
    "extend": "running",
    "from_model_string": "graphs",
    "g_squared_test": "independence",
    "greedy_sp": "baselines",
    "hill_climb": "baselines",
    "is_d_separated": "graphs",
    "load": "posterior",
    "load_data": "data",
    "map_search": "running",
    "minimal_imap": "imap",
    "mmhc": "baselines",
    "partial_correlation_test": "independence",
    "read_prior": "priors",
    "resume": "running",
    "sample": "running",
    "sample_linear_extensions": "graphs",
    "sample_many": "running",
    "score": "scores",
    "simulate": "data",
    "structural_hamming_distance": "graphs",
    "to_causal_learn": "graphs",
    "to_model_string": "graphs",
    "to_networkx": "graphs",
    "to_pgmpy": "graphs",
}

__all__ = [
    "Ancestors",
    "ArgumentError",
    "BDeu",
    "BGe",
    "Comparison",
    "Constraints",
    "ConvergenceWarning",
    "Covariance",
    "DagMCMC",
    "DataError",
    "DataWarning",
    "Dataset",
    "DegenerateGaussian",
    "EdgeBeliefs",
    "EdgewiseError",
    "EdgewiseWarning",
    "FisherZ",
    "GSquared",
    "GaussianBIC",
    "GraphError",
    "IndependenceTest",
    "LogPrior",
    "MinimalIMAP",
    "OrderMCMC",
    "PartitionMCMC",
    "Paths",
    "Posterior",
    "Prior",
    "Score",
    "Sparsity",
    "StoppedEarlyWarning",
    "StorageError",
    "StructureLearner",
    "StructureMCMC",
    "TierOrder",
    "VoidTestWarning",
    "bootstrap",
    "compare",
    "compelled_edges",
    "count_linear_extensions",
    "cpdag",
    "estimate_linear_extensions",
    "exact_posterior",
    "extend",
    "from_model_string",
    "g_squared_test",
    "greedy_sp",
    "hill_climb",
    "is_d_separated",
    "load",
    "load_data",
    "map_search",
    "minimal_imap",
    "mmhc",
    "partial_correlation_test",
    "read_prior",
    "resume",
    "sample",
    "sample_linear_extensions",
    "sample_many",
    "score",
    "simulate",
    "structural_hamming_distance",
    "to_causal_learn",
    "to_model_string",
    "to_networkx",
    "to_pgmpy",
]

if TYPE_CHECKING:
    from edgewise.baselines import bootstrap, exact_posterior, greedy_sp, hill_climb, mmhc
    from edgewise.data import Covariance, Dataset, load_data, simulate
    from edgewise.errors import (
        ArgumentError,
        ConvergenceWarning,
        DataError,
        DataWarning,
        EdgewiseError,
        EdgewiseWarning,
        GraphError,
        StoppedEarlyWarning,
        StorageError,
        VoidTestWarning,
    )
    from edgewise.estimators import StructureLearner
    from edgewise.graphs import (
        compelled_edges,
        count_linear_extensions,
        cpdag,
        estimate_linear_extensions,
        from_model_string,
        is_d_separated,
        sample_linear_extensions,
        structural_hamming_distance,
        to_causal_learn,
        to_model_string,
        to_networkx,
        to_pgmpy,
    )
    from edgewise.imap import minimal_imap
    from edgewise.independence import FisherZ, GSquared, IndependenceTest, g_squared_test, partial_correlation_test
    from edgewise.posterior import Comparison, Posterior, compare, load
    from edgewise.priors import (
        Ancestors,
        Constraints,
        EdgeBeliefs,
        LogPrior,
        Paths,
        Prior,
        Sparsity,
        TierOrder,
        read_prior,
    )
    from edgewise.running import extend, map_search, resume, sample, sample_many
    from edgewise.samplers import DagMCMC, MinimalIMAP, OrderMCMC, PartitionMCMC, StructureMCMC
    from edgewise.scores import BDeu, BGe, DegenerateGaussian, GaussianBIC, Score, score


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
