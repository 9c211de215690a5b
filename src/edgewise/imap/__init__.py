"""From an order of the variables to its minimal I-MAP."""

from .full import SINGULAR_MESSAGE, factorize, minimal_imap

__all__ = ["SINGULAR_MESSAGE", "factorize", "minimal_imap"]
