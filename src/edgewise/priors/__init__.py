"""What is believed, or known, about DAGs before the data."""

from .constraints import Constraints, Knowledge
from .edge_beliefs import EdgeBeliefs
from .log_prior import LogPrior
from .paths import Ancestors, Paths
from .prior import (
    DagTerm,
    FunctionTerm,
    OrderFunctionTerm,
    PathTerm,
    Prior,
    PriorSum,
    Term,
    Terms,
    TierTerm,
    usable_terms,
)
from .prior_files import read_prior
from .sparsity import Sparsity, default_prior
from .tier_order import TierOrder

__all__ = [
    "Ancestors",
    "Constraints",
    "DagTerm",
    "EdgeBeliefs",
    "FunctionTerm",
    "Knowledge",
    "LogPrior",
    "OrderFunctionTerm",
    "PathTerm",
    "Paths",
    "Prior",
    "PriorSum",
    "Sparsity",
    "Term",
    "Terms",
    "TierOrder",
    "TierTerm",
    "default_prior",
    "read_prior",
    "usable_terms",
]
