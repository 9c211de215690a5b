"""Running chains."""

from .sampling import sample

__all__ = ["sample"]
