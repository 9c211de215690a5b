"""Running chains."""

from .many import sample_many
from .resuming import extend, resume
from .sampling import sample
from .searching import map_search

__all__ = ["extend", "map_search", "resume", "sample", "sample_many"]
