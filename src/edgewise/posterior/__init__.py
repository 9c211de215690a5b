"""The posterior and what is derived from it."""

from .comparison import Comparison, compare
from .posterior import Posterior
from .storage import load

__all__ = ["Comparison", "Posterior", "compare", "load"]
