"""From an order of the variables to its minimal I-MAP."""

from .full import Factor, factorize, imap_of_factor, minimal_imap

__all__ = ["Factor", "factorize", "imap_of_factor", "minimal_imap"]
