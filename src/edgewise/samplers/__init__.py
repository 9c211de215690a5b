"""Samplers: what they are, and the chains they run."""

from .minimal_imap import MinimalIMAP, MinimalIMAPChain, MinimalIMAPModel
from .record import ChainRecord
from .schedule import Schedule, make_schedule

__all__ = ["ChainRecord", "MinimalIMAP", "MinimalIMAPChain", "MinimalIMAPModel", "Schedule", "make_schedule"]
