"""The weakest dependence of a variable on others, over many sets to condition on.

Residuals given a set are built up one member of the set at a time. ``basis[d]`` holds the covariances of all variables
with the residual of member d given the members before it, in units of that residual's standard deviation, so that

    cov(x, y | set) = correlation[x, y] - sum over d of basis[d, x] * basis[d, y]

Each set extends one that was visited before by one member: a set of size d costs O(d p), for all variables together.
"""

import numpy as np

from ..compiling import in_place, kernel
from ..full_conditioning.factor import SINGULAR


@in_place
def covariance_given(correlation, basis, size, x, y):
    """Return the covariance of x and y given the first ``size`` members of the set."""
    covariance = correlation[x, y]
    for d in range(size):
        covariance -= basis[d, x] * basis[d, y]
    return covariance


@in_place
def extend(correlation, basis, variance, size, member):
    """Make ``member`` the next of a set of ``size``. One that the set determines already adds nothing."""
    scale = 1.0 / np.sqrt(variance[size, member]) if variance[size, member] > SINGULAR else 0.0
    for x in range(correlation.shape[0]):
        basis[size, x] = covariance_given(correlation, basis, size, member, x) * scale
        variance[size + 1, x] = variance[size, x] - basis[size, x] * basis[size, x]


@in_place
def lower(correlation, basis, variance, size, target, root, weakest):
    """Lower ``weakest`` to Fisher's z given this set, where that is less; ``root`` is sqrt(n - |S| - 3).

    What the set determines depends on nothing further.
    """
    for x in range(correlation.shape[0]):
        scale = variance[size, x] * variance[size, target]
        z = 0.0
        if min(variance[size, x], variance[size, target]) > SINGULAR:
            rho = abs(covariance_given(correlation, basis, size, target, x)) / np.sqrt(scale)
            z = root * np.arctanh(min(rho, 1.0))
        weakest[x] = min(weakest[x], z)


@kernel
def weakest_z(correlation, n, target, always, optional, largest):
    """Return the least absolute Fisher z of ``target`` with each variable, given any set; shape (p,).

    The sets hold all of ``always`` and any of ``optional``, at most ``largest`` variables, and are small enough for the
    test not to be void, n - |S| - 3 > 0. Where there is no such set, the result is infinite. Entries of the target, and
    of the members of a set, have no meaning.
    """
    p = correlation.shape[0]
    fixed = always.shape[0]
    most = min(largest, fixed + optional.shape[0], n - 4)
    weakest = np.full(p, np.inf)
    if fixed > most:
        return weakest
    basis = np.empty((most, p))
    variance = np.ones((most + 1, p))
    for size in range(fixed):
        extend(correlation, basis, variance, size, always[size])
    lower(correlation, basis, variance, fixed, target, np.sqrt(n - fixed - 3.0), weakest)

    chosen = np.empty(most, np.int64)
    size = fixed
    candidate = 0
    while True:
        if size < most and candidate < optional.shape[0]:
            chosen[size] = candidate
            extend(correlation, basis, variance, size, optional[candidate])
            size += 1
            lower(correlation, basis, variance, size, target, np.sqrt(n - size - 3.0), weakest)
            candidate += 1
        elif size > fixed:
            size -= 1
            candidate = chosen[size] + 1
        else:
            return weakest
