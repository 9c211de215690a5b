"""How often a comparison of two posteriors finds what is not there, and what is.

    python benchmarks/comparison.py seeds conditions

``seeds``: pairs of runs that differ in nothing but their seeds, ten data sets for each number of variables and of rows;
how many pairs of variables are said to differ, and how large the largest difference is in units of its error.
``conditions``: 20 networks of 20 variables in two conditions, 1000 rows each, where the second lacks three edges; how
many of these are found, and what else is. Beside it, the same network with no edge removed: what other rows of the same
population do.
"""

import sys
import warnings

import numpy as np
import pandas as pd

import edgewise as ew
from edgewise.posterior.differences import PLACES

ITERATIONS = 20_000
"""A fifth of the default, so that chains are not all too good."""


def sample(data, seed):
    """Return a run that is a little short."""
    return ew.sample(data, iterations=ITERATIONS, seed=seed, progress=False)


def largest_deviate(pairs):
    """Return the largest difference in units of its error, among those that would not be printed as zero."""
    deviates = [
        (pairs[f"{name}_difference"].abs() / pairs[f"{name}_mcse"])[pairs[f"{name}_difference"].abs() > 0.0005].max()
        for name in PLACES
    ]
    return float(np.nanmax([0.0, *deviates]))


def seeds():
    """Compare runs that differ in their seeds."""
    rows = []
    for p in (12, 20, 30):
        for n in (100, 1000):
            found = []
            for number in range(10):
                data = ew.simulate(p, n, seed=number).data
                comparison = ew.compare(sample(data, 100 + number), sample(data, 200 + number), names=("one", "other"))
                pairs = comparison.pairs
                found.append(
                    {
                        "bad verdicts": len(comparison.notes),
                        "false alarms": int(pairs["beyond_error"].any()),
                        "pairs marked": int(pairs["beyond_error"].sum()),
                        "agreement": comparison.agreement,
                        "largest difference": pairs["difference"].abs().max(),
                        "in errors": largest_deviate(pairs),
                    }
                )
            found = pd.DataFrame(found)
            sums = found[["bad verdicts", "false alarms", "pairs marked"]].sum()
            rows.append(
                {
                    "p": p,
                    "n": n,
                    "comparisons": len(found),
                    **sums,
                    "least agreement": found["agreement"].min(),
                    "largest difference": found["largest difference"].max(),
                    "largest in errors": found["in errors"].max(),
                    "allowed": comparison.critical,
                }
            )
    show("Runs that differ in their seeds", rows)


def draw_rows(weights, n, rng, names):
    """Return rows of a linear Gaussian network."""
    values = rng.normal(size=(n, len(weights))) @ np.linalg.inv(np.eye(len(weights)) - weights)
    return pd.DataFrame(values, columns=names)


def conditions(p=20, n=1000, repetitions=20):
    """Compare two conditions of a network, with and without three edges removed from the second."""
    rows = []
    for removed in (3, 0):
        found = []
        for number in range(repetitions):
            rng = np.random.default_rng([removed, number])
            network = ew.simulate(p, 10, seed=1000 + number)
            edges = np.argwhere(network.dag)
            gone = edges[rng.choice(len(edges), removed, replace=False)]
            after = network.weights.copy()
            after[gone[:, 0], gone[:, 1]] = 0.0
            data = [draw_rows(weights, n, rng, network.data.columns) for weights in (network.weights, after)]
            comparison = ew.compare(*(sample(table, number) for table in data), names=("before", "after"))
            found.append(judge(comparison, {tuple(sorted(edge)) for edge in gone.tolist()}, network.dag))
        rows.append({"removed": removed * repetitions, **pd.DataFrame(found).sum()})
    show(f"Two conditions, {repetitions} networks of {p} variables, {n} rows each", rows)


def judge(comparison, gone, dag):
    """Count the removed edges that were found, and the other pairs that are said to differ by more than .1."""
    pairs = comparison.numbered_pairs
    limit = np.maximum(0.1, comparison.critical * pairs["joined_mcse"])
    is_joined_otherwise = pairs["joined_difference"].abs() > limit
    is_gone = pd.Series([(a, b) in gone for a, b in zip(pairs["a"], pairs["b"], strict=True)], dtype=bool)
    others = pairs["is_large"] & ~is_gone
    parents_of_one = (dag @ dag.T) > 0
    near = np.array(
        [dag[a, b] or dag[b, a] or parents_of_one[a, b] for a, b in zip(pairs["a"], pairs["b"], strict=True)]
    )
    changes = (pairs["joined_first"] >= 0.5) != (pairs["joined_second"] >= 0.5)
    return {
        "found": int((is_gone & is_joined_otherwise & (pairs["joined_difference"] < 0)).sum()),
        "never joined": len(gone) - int((is_gone & (pairs["joined_first"] >= 0.5)).sum()),
        "other pairs": int(others.sum()),
        "by being joined": int((others & is_joined_otherwise).sum()),
        "and across .5": int((others & is_joined_otherwise & changes).sum()),
        "by direction only": int((others & ~is_joined_otherwise).sum()),
        "true edge or common child": int((others & near).sum()),
    }


def show(title, rows):
    """Print a table."""
    print(f"\n{title}\n")
    print(pd.DataFrame(rows).to_string(index=False, float_format=lambda value: f"{value:.3f}"), flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for section in sys.argv[1:] or ["seeds", "conditions"]:
        globals()[section]()
