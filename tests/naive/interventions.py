"""Means after an intervention the slow way: from sampled covariance matrices and means, and by regressions."""

import numpy as np

from .effects import sample_covariances


def sample_means(values, covariances, rng, *, alpha_mu, nu, **_):
    """Draw a mean vector for each covariance matrix, in the units of the data."""
    n, p = values.shape
    location = values.mean(axis=0)
    if nu is not None:
        location = (alpha_mu * np.asarray(nu) + n * location) / (alpha_mu + n)
    roots = np.linalg.cholesky(covariances / (alpha_mu + n))
    return location + np.einsum("dij,dj->di", roots, rng.standard_normal((len(covariances), p)))


def complete_means(values, order, setting, draws, rng, **prior):
    """Draw all means under a complete DAG: each variable in turn is regressed on all that come before it.

    ``setting`` has values by column number. This needs no weights of DAGs: only whole matrices from the posterior.
    """
    covariances = sample_covariances(values, draws, rng, **prior)
    means = sample_means(values, covariances, rng, **prior)
    after = np.empty_like(means)
    for position, v in enumerate(order):
        if v in setting:
            after[:, v] = setting[v]
            continue
        before = list(order[:position])
        blocks = covariances[:, before][:, :, before]
        slopes = np.linalg.solve(blocks, covariances[:, before, v][..., None])[..., 0]
        after[:, v] = means[:, v] + (slopes * (after - means)[:, before]).sum(axis=1)
    return after


def draw_family(values, v, parents, draws, rng, *, alpha_mu, alpha_w, nu):
    """Draw the constant and the slopes of a regression under its conjugate prior, with the constant as a column.

    Given the residual variance s^2 the prior is slopes ~ Normal(0, s^2 / t) and, given these too, constant + slopes' nu
    ~ Normal(nu_v, s^2 / alpha_mu); and s^2 ~ t / chi^2 with alpha_w - p + l + 1 degrees of freedom.
    """
    p = values.shape[1]
    t = alpha_mu * (alpha_w - p - 1) / (alpha_mu + 1)
    nu = values.mean(axis=0) if nu is None else np.asarray(nu)
    design = np.column_stack([np.ones(len(values)), values[:, parents]])
    at_nu = np.array([1.0, *nu[parents]])
    precision = alpha_mu * np.outer(at_nu, at_nu) + np.diag([0.0, *[t] * len(parents)]) + design.T @ design
    toward = alpha_mu * nu[v] * at_nu + design.T @ values[:, v]
    location = np.linalg.solve(precision, toward)
    squares = t + alpha_mu * nu[v] ** 2 + values[:, v] @ values[:, v] - location @ toward
    variance = squares / rng.chisquare(alpha_w - p + len(parents) + 1 + len(values), size=draws)
    noise = rng.multivariate_normal(np.zeros(len(at_nu)), np.linalg.inv(precision), size=draws)
    drawn = location + np.sqrt(variance)[:, None] * noise
    return drawn[:, 0], drawn[:, 1:]


def regressed_means(values, dag, setting, draws, rng, *, standardize, nu, is_set=None, **prior):
    """Draw all means under a DAG, without and with an intervention, from one regression for each family.

    The family of a variable is judged by the rows in which it was not set, and where columns are standardised, it is by
    these rows. Two arrays of shape (draws, p).
    """
    n, p = values.shape
    is_set = np.zeros((n, p), bool) if is_set is None else is_set
    scale = np.array([values[~is_set[:, v], v].std(ddof=1) for v in range(p)]) if standardize else np.ones(p)
    nu = None if nu is None else np.asarray(nu) / scale
    weights, constants = np.zeros((draws, p, p)), np.zeros((draws, p))
    for v in range(p):
        parents = np.flatnonzero(dag[:, v])
        rows = values[~is_set[:, v]] / scale
        constants[:, v], weights[:, parents, v] = draw_family(rows, v, parents, draws, rng, nu=nu, **prior)
    before = _solve(weights, constants)
    for v, value in setting.items():
        weights[:, :, v], constants[:, v] = 0, value / scale[v]
    return before * scale, _solve(weights, constants) * scale


def _solve(weights, constants):
    """Return the means mu with mu = mu B + c."""
    return (constants[:, None] @ np.linalg.inv(np.eye(weights.shape[1]) - weights))[:, 0]
