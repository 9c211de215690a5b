"""What is believed about DAGs before the data."""

from .sparsity import Sparsity

__all__ = ["Sparsity"]
