"""The Metropolis rule."""

import numpy as np

from ..compiling import inner

REJECTED, ACCEPTED, PROPOSED, SINGULAR_PREFIX, ASK = 0, 1, 2, -1, -2
"""What becomes of a proposal. PROPOSED is still to be decided, SINGULAR_PREFIX brings together variables that determine
each other, and ASK could not get the value of a prior written in Python."""


@inner
def is_rejected(log_ratio, uniform):
    """Return whether uniform >= exp(log_ratio).

    As 1 + x <= exp(x), one comparison settles most acceptances. The other is in logarithms, and by log1p, because LLVM
    would evaluate exp and log, which it knows, before the first comparison and so in every step.
    """
    return uniform >= 1.0 + log_ratio and np.log1p(uniform - 1.0) >= log_ratio
