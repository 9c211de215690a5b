"""Effects the slow way: paths one by one, weights by solving the normal equations, regressions of sampled matrices."""

from itertools import pairwise

import numpy as np


def paths(dag, start, end):
    """Yield every directed path as the list of its nodes; from a node to itself there is one, without edges."""
    if start == end:
        yield [start]
        return
    for child in np.flatnonzero(dag[start]):
        for rest in paths(dag, child, end):
            yield [start, *rest]


def sum_paths(weights):
    """Return the (p, p) sums over paths of the products of the weights along them."""
    p = len(weights)
    effects = np.zeros((p, p))
    for i in range(p):
        for j in range(p):
            for path in paths(weights != 0, i, j):
                effects[i, j] += np.prod([weights[a, b] for a, b in pairwise(path)])
    return effects


def draw_weights(dag, matrices, noise, spread):
    """Return the weights of one DAG, each family's location plus its scaled noise, and the residual deviations.

    There is a matrix for the family of each variable; see the kernel of this name.
    """
    weights, deviation = np.zeros(dag.shape), np.zeros(len(dag))
    noise = iter(noise)
    for child, matrix in enumerate(matrices):
        parents = np.flatnonzero(dag[:, child])
        block = matrix[np.ix_(parents, parents)]
        location = np.linalg.solve(block, matrix[parents, child])
        deviation[child] = spread[child] * np.sqrt(matrix[child, child] - matrix[child, parents] @ location)
        z = np.array([next(noise) for _ in parents])
        root = np.linalg.inv(np.linalg.cholesky(block)).T  # root @ root.T is the inverse of the block
        weights[parents, child] = location + deviation[child] * root @ z
    return weights, deviation


def posterior_matrix(values, *, alpha_mu, alpha_w, nu, standardize):
    """Return R of the BGe score, and the scale of the columns that it is for."""
    n, p = values.shape
    scale = values.std(axis=0, ddof=1) if standardize else np.ones(p)
    shift = (np.mean(values, axis=0) if nu is None else np.asarray(nu)) - values.mean(axis=0)
    t = alpha_mu * (alpha_w - p - 1) / (alpha_mu + 1)
    scatter = np.cov(values.T) * (n - 1) + n * alpha_mu / (n + alpha_mu) * np.outer(shift, shift)
    return t * np.eye(p) + scatter / np.outer(scale, scale), scale


def sample_covariances(values, draws, rng, **prior):
    """Draw covariance matrices, in the units of the data, by inverting precision matrices of the Wishart posterior.

    Bartlett (1933): the root of a standard Wishart matrix has normal numbers below its diagonal, and on it roots of
    chi^2, with one degree of freedom less in each row.
    """
    matrix, scale = posterior_matrix(values, **prior)
    p = len(scale)
    roots = np.tril(rng.standard_normal((draws, p, p)), -1)
    freedom = len(values) + prior["alpha_w"] - np.arange(p)
    roots[:, np.arange(p), np.arange(p)] = np.sqrt(rng.chisquare(freedom, size=(draws, p)))
    roots = np.linalg.cholesky(np.linalg.inv(matrix)) @ roots
    return np.linalg.inv(roots @ roots.swapaxes(1, 2)) * np.outer(scale, scale)


def regress(covariances, child, parents):
    """Return the coefficients of the regression of a child on its parents, for each of many covariance matrices."""
    blocks = covariances[:, parents][:, :, parents]
    return np.linalg.solve(blocks, covariances[:, parents, child][..., None])[..., 0]
