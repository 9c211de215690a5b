"""Chains over orders and DAGs."""

from .minimal_imap import MinimalIMAP, MinimalIMAPChain
from .prior_only import prepare_prior
from .sampler import Chain, Model, Sampler
from .schedule import Schedule, make_schedule

__all__ = ["Chain", "MinimalIMAP", "MinimalIMAPChain", "Model", "Sampler", "Schedule", "make_schedule", "prepare_prior"]
