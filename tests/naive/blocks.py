"""Gaussian scores of blocks of columns and groups of rows, the slow way: row by row, and column by column."""

from types import SimpleNamespace

import numpy as np
from scipy.stats import multivariate_t

from edgewise.data.blocks import make_blocks
from edgewise.data.groups import group_rows
from naive import scores


def stand_in(columns, is_set):
    """Return what a score asks of a data set."""
    groups = group_rows(is_set)
    names = tuple(f"X{i}" for i in range(len(columns)))
    return SimpleNamespace(names=names, p=len(columns), groups=groups, blocks=make_blocks(columns, groups))


def standardize(columns, is_set):
    """Give every block unit covariance over the rows in which its variable is free, by a Cholesky factor."""
    found = []
    for block, was_set in zip(columns, is_set.T, strict=True):
        factor = np.linalg.cholesky(np.atleast_2d(np.cov(block[~was_set].T)))
        found.append(block @ np.linalg.inv(factor).T)
    return found


def log_evidence(rows, *, columns, alpha_mu=1.0, alpha_w=None, nu=None):
    """Return the log probability of rows, each predicted from those before by a multivariate t distribution.

    The prior is that of a part of ``columns`` columns. The default prior mean is the rows' own.
    """
    size = rows.shape[1]
    if size == 0 or len(rows) == 0:
        return 0.0
    alpha_w = columns + 2 if alpha_w is None else alpha_w
    location = rows.mean(axis=0) if nu is None else np.asarray(nu, float)
    spread = alpha_mu * (alpha_w - columns - 1) / (alpha_mu + 1) * np.eye(size)
    freedom = alpha_w - columns + size
    total = 0.0
    for row in rows:
        left = freedom - size + 1
        shape = spread * (alpha_mu + 1) / (alpha_mu * left)
        total += multivariate_t.logpdf(row, loc=location, shape=shape, df=left)
        away = row - location
        spread = spread + alpha_mu / (alpha_mu + 1) * np.outer(away, away)
        location = location + away / (alpha_mu + 1)
        alpha_mu, freedom = alpha_mu + 1, freedom + 1
    return total


def join(columns, variables):
    return np.concatenate([columns[v] for v in variables] or [np.zeros((len(columns[0]), 0))], axis=1)


def bge(columns, is_set, node, parents, **settings):
    """Return the local score: the evidence of the family less that of the parents, where the child is free."""
    columns = standardize(columns, is_set)
    number = sum(block.shape[1] for block in columns)
    rows = ~is_set[:, node]
    return log_evidence(join(columns, [*parents, node])[rows], columns=number, **settings) - log_evidence(
        join(columns, parents)[rows], columns=number, **settings
    )


def bic(columns, is_set, node, parents):
    """Return the local score: each column of the child regressed on the parents and on its own columns before."""
    whitened = standardize(columns, is_set)
    columns = [whitened[v] if block.shape[1] > 1 else block for v, block in enumerate(columns)]
    values = join(columns, [*parents, node])[~is_set[:, node]]
    first = values.shape[1] - columns[node].shape[1]
    return sum(scores.bic(values, column, range(column)) for column in range(first, values.shape[1]))
