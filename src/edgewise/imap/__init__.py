"""From an order of the variables to its minimal I-MAP."""

from .full import factorize
from .grow_shrink import Criterion, check_criterion, prepare_grow_shrink, resolve_criterion
from .minimal import minimal_imap

__all__ = ["Criterion", "check_criterion", "factorize", "minimal_imap", "prepare_grow_shrink", "resolve_criterion"]
