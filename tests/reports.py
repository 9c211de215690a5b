"""Posteriors to make reports of."""

import numpy as np
import pandas as pd

import edgewise as ew

HOSTILE = (
    "<script>window.hacked = true</script>",
    "\"quoted\" & 'quoted' <b>bold</b> &amp;",
    "Ünïcödé 蛋白质 🧬",
    "long " * 40,
    "back\\slash %{x} $x^2$ ${7*7} {{ 7*7 }}",
    "\u202eright to left",
    "]]></script><img src=x onerror=window.hacked=true>",
)


def sample(data, **settings):
    return ew.sample(data, **{"iterations": 4000, "thin": 10, "seed": 1, "progress": False, **settings})


def count_pairs(edges):
    """Return how many pairs a table of edges joins with probability 0.5 or more, and in how many a direction is told.

    Told is a direction that is compelled with three quarters of the probability.
    """
    found = edges[edges["undirected"] >= 0.5]
    pairs = {frozenset(pair) for pair in zip(found["source"], found["target"], strict=True)}
    return len(pairs), int((found["compelled"] >= 0.75 * found["undirected"]).sum())


def data_of(edges, p, n=500):
    """Return n rows whose correlations are exactly those of a linear DAG with weights of 0.8."""
    noise = np.random.default_rng(p).normal(size=(n, p))
    white = np.linalg.qr(noise - noise.mean(axis=0))[0] * np.sqrt(n - 1)
    weights = np.zeros((p, p))
    for i, j in edges:
        weights[i, j] = 0.8
    return pd.DataFrame(white @ np.linalg.inv(np.eye(p) - weights), columns=[f"X{v + 1}" for v in range(p)])
