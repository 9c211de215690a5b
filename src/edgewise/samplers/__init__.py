"""Chains over orders, partitions and DAGs."""

from .dag_mcmc import DagMCMC
from .minimal_imap import MinimalIMAP
from .order_mcmc import OrderMCMC
from .partition_mcmc import PartitionMCMC
from .prior_only import prepare_prior
from .sampler import Chain, Model, Sampler
from .schedule import Schedule, make_schedule
from .structure_mcmc import StructureMCMC

__all__ = [
    "Chain",
    "DagMCMC",
    "MinimalIMAP",
    "Model",
    "OrderMCMC",
    "PartitionMCMC",
    "Sampler",
    "Schedule",
    "StructureMCMC",
    "make_schedule",
    "prepare_prior",
]
