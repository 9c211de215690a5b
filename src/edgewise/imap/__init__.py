"""From an order of the variables to its minimal I-MAP."""

from .full import factorize, minimal_imap

__all__ = ["factorize", "minimal_imap"]
