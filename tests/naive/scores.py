"""Scores the slow way: BGe as a ratio of normal-Wishart evidences, BIC by least squares."""

import hashlib
from functools import wraps

import numpy as np
from scipy.special import multigammaln


def remembered(local):
    """Have a local score computed once for each family of a table: slow twins ask for the same again and again."""
    known = {}

    @wraps(local)
    def recall(values, node, parents, **settings):
        if settings:
            return local(values, node, parents, **settings)
        values = np.asarray(values, dtype=float)
        table = values.shape, hashlib.sha256(np.ascontiguousarray(values)).digest()
        family = *table, int(node), frozenset(map(int, parents))
        if family not in known:
            known[family] = local(values, node, parents)
        return known[family]

    return recall


def log_evidence(scatter, mean, n, columns, *, p, alpha_mu, alpha_w, nu):
    """Return the log marginal likelihood of some columns under the prior of all p (Geiger & Heckerman 2002, eq. 18)."""
    size = len(columns)
    if size == 0:
        return 0.0
    t = alpha_mu * (alpha_w - p - 1) / (alpha_mu + 1)
    shift = (nu - mean)[columns]
    prior = t * np.eye(size)
    posterior = prior + scatter[np.ix_(columns, columns)] + n * alpha_mu / (n + alpha_mu) * np.outer(shift, shift)
    free = alpha_w - p + size
    return (
        -n * size / 2 * np.log(np.pi)
        + size / 2 * np.log(alpha_mu / (n + alpha_mu))
        + multigammaln((n + free) / 2, size)
        - multigammaln(free / 2, size)
        + free / 2 * np.linalg.slogdet(prior)[1]
        - (n + free) / 2 * np.linalg.slogdet(posterior)[1]
    )


@remembered
def bge(values, node, parents, *, alpha_mu=1.0, alpha_w=None, nu=None, standardize=True):
    """Return the local score as the evidence of the family less the evidence of the parents."""
    values = np.asarray(values, dtype=float)
    n, p = values.shape
    if standardize:
        values = values / values.std(axis=0, ddof=1)
    mean = values.mean(axis=0)
    settings = {
        "p": p,
        "alpha_mu": alpha_mu,
        "alpha_w": p + 2 if alpha_w is None else alpha_w,
        "nu": mean if nu is None else np.asarray(nu),
    }
    centred = values - mean
    scatter = centred.T @ centred
    parents = sorted(parents)
    return log_evidence(scatter, mean, n, [*parents, node], **settings) - log_evidence(
        scatter, mean, n, parents, **settings
    )


@remembered
def bic(values, node, parents):
    """Return the Gaussian BIC of one regression."""
    values = np.asarray(values, dtype=float)
    n = len(values)
    design = np.column_stack([np.ones(n), values[:, sorted(parents)]])
    coefficients, *_ = np.linalg.lstsq(design, values[:, node])
    residual = values[:, node] - design @ coefficients
    variance = residual @ residual / (n - design.shape[1])
    log_likelihood = -n / 2 * np.log(2 * np.pi * variance) - residual @ residual / (2 * variance)
    return log_likelihood - np.log(n) / 2 * (design.shape[1] + 1)


def total(local, values, dag, **settings):
    return sum(local(values, node, np.flatnonzero(dag[:, node]), **settings) for node in range(len(dag)))
