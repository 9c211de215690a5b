"""Samplers: what they are, and the chains they run."""

from .minimal_imap import MinimalIMAP, MinimalIMAPChain, MinimalIMAPModel
from .schedule import Schedule, make_schedule

__all__ = ["MinimalIMAP", "MinimalIMAPChain", "MinimalIMAPModel", "Schedule", "make_schedule"]
