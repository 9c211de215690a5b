"""Running chains."""

from .resuming import extend, resume
from .sampling import sample
from .searching import map_search

__all__ = ["extend", "map_search", "resume", "sample"]
