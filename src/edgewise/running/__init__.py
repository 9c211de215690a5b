"""Running chains."""

from .sampling import sample
from .searching import map_search

__all__ = ["map_search", "sample"]
