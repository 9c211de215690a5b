"""What is believed, or known, about DAGs before the data."""

from .constraints import Constraints, Knowledge
from .edge_beliefs import EdgeBeliefs
from .log_prior import LogPrior
from .paths import Ancestors, Paths
from .prior import Prior, PriorSum, Terms
from .sparsity import Sparsity
from .tier_order import TierOrder

__all__ = [
    "Ancestors",
    "Constraints",
    "EdgeBeliefs",
    "Knowledge",
    "LogPrior",
    "Paths",
    "Prior",
    "PriorSum",
    "Sparsity",
    "Terms",
    "TierOrder",
]
