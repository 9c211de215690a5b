"""The posterior and what is derived from it."""

from .posterior import Posterior
from .storage import load

__all__ = ["Posterior", "load"]
