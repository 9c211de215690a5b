"""From an order of the variables to its minimal I-MAP."""

from .full import SINGULAR_MESSAGE, Factor, factorize, imap_of_factor, minimal_imap

__all__ = ["SINGULAR_MESSAGE", "Factor", "factorize", "imap_of_factor", "minimal_imap"]
