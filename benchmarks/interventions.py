"""How often intervals of means after an intervention cover the truth.

    python benchmarks/interventions.py observed few experiments

Simulated sets of ten variables, with means that are not zero, sampled with the default settings. Each variable in turn
is set to its mean plus two standard deviations, and the 90 % interval of each other variable's mean after that is
compared with the true one. Counted are the pairs of a target and a variable that it truly acts on. Where data cannot
tell the direction of an edge, an interval spreads over both, and part of it is at the mean without intervention. So the
same is counted by what the posterior says itself: the share that it expects to be covered, where each draw in turn
stands for the truth; and among pairs whose path has a probability above .95.

``observed``: 1000 rows of which nothing was set. ``few``: 100 rows. ``experiments``: 1000 rows, 500 of them of five
experiments that each set one variable.
"""

import sys
import warnings

import numpy as np
import pandas as pd

import edgewise as ew
from edgewise.posterior.interventions import draw_means

P, SETS, AWAY = 10, 40, 2.0
TOLD = 0.95
"""Probability of a path from which on it counts as told."""


class Truth:
    """A linear Gaussian DAG with means that are not zero, and what interventions do to them."""

    def __init__(self, seed):
        sim = ew.simulate(P, 20, neighbours=2.0, seed=seed)
        rng = np.random.default_rng(1000 + seed)
        self.weights, self.order, self.rng = sim.weights, sim.order, rng
        self.constants = rng.uniform(-5, 5, P)
        whole = np.linalg.inv(np.eye(P) - self.weights)
        self.mean, self.deviation = self.constants @ whole, np.sqrt((whole**2).sum(axis=0))

    def measure(self, n, target=None):
        """Return n rows, in which one variable may be set to its mean plus two standard deviations, give or take."""
        weights, noise = self.weights.copy(), self.rng.standard_normal((n, P)) + self.constants
        if target is not None:
            weights[:, target] = 0
            noise[:, target] = self.mean[target] + self.deviation[target] * (AWAY + self.rng.standard_normal(n) / 2)
        return noise @ np.linalg.inv(np.eye(P) - weights)

    def after(self, target, value):
        """Return all means where one variable is set."""
        weights, constants = self.weights.copy(), self.constants.copy()
        weights[:, target], constants[target] = 0, value
        return constants @ np.linalg.inv(np.eye(P) - weights)


def compare(truth, posterior, seed):
    """Return a row for each pair of a target and another variable."""
    rows = []
    for target in range(P):
        value = truth.mean[target] + AWAY * truth.deviation[target]
        after = truth.after(target, value)
        setting = {posterior.nodes[target]: value}
        drawn = draw_means(posterior, setting, seed=seed)
        table = drawn.tabulate(posterior.nodes, 0.9)
        observed, unit = (array[drawn.others] for array in (drawn.parameters.observed, drawn.parameters.unit))
        means, is_moved = observed + unit * (drawn.before + drawn.change), drawn.change != 0
        for number, column in enumerate(drawn.others):
            row = table.loc[posterior.nodes[column]]
            inside = (row["lower"] <= means[:, number]) & (means[:, number] <= row["upper"])
            rows.append(
                {
                    "affected": abs(after[column] - truth.mean[column]) > 1e-9 * truth.deviation[column],
                    "covered": row["lower"] <= after[column] <= row["upper"],
                    "path": is_moved[:, number].mean(),
                    "expected": (inside & is_moved[:, number]).mean(),
                    "width": (row["upper"] - row["lower"]) / truth.deviation[column],
                }
            )
    return rows


def report(name, make):
    """Print the coverage over all sets that a function makes."""
    pieces = []
    for seed in range(SETS):
        truth = Truth(seed)
        posterior = make(truth, seed)
        pieces.append(pd.DataFrame(compare(truth, posterior, seed)).assign(set=seed))
    table = pd.concat(pieces)
    affected = table[table["affected"]]
    told = affected[affected["path"] > TOLD]
    by_set = affected.groupby("set")["covered"].agg(["sum", "size"])
    # Pairs of one set are dependent: the error is that of a ratio over sets.
    share = by_set["sum"].sum() / by_set["size"].sum()
    error = np.sqrt(((by_set["sum"] - share * by_set["size"]) ** 2).sum()) / by_set["size"].sum()
    print(f"{name}: {SETS} sets of {P} variables")
    for what, part in (
        ("truly affected", affected),
        ("of these, path told", told),
        ("not affected", table[~table["affected"]]),
    ):
        print(f"  {what}: {part['covered'].sum()} of {len(part)} covered, {part['covered'].mean():.3f}")
    print(
        f"  standard error of the first {error:.3f}; expected by the posterior "
        f"{table['expected'].sum() / table['path'].sum():.3f}; median width {affected['width'].median():.3f} deviations"
    )


def sample(data, seed, **reading):
    """Sample with the default settings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ew.sample(data, seed=seed, progress=False, **reading)


def observed():
    """1000 rows, nothing set."""
    report("n = 1000", lambda truth, seed: sample(truth.measure(1000), seed))


def few():
    """100 rows, nothing set."""
    report("n = 100", lambda truth, seed: sample(truth.measure(100), seed))


def experiments():
    """500 rows of which nothing was set, and 100 of each of five experiments."""

    def make(truth, seed):
        targets = truth.rng.choice(P, 5, replace=False)
        parts = [truth.measure(500), *(truth.measure(100, target) for target in targets)]
        is_set = np.zeros((1000, P), bool)
        for number, target in enumerate(targets):
            is_set[500 + 100 * number : 600 + 100 * number, target] = True
        return sample(np.concatenate(parts), seed, interventions=is_set)

    report("n = 1000, half of them from five experiments", make)


if __name__ == "__main__":
    for section in sys.argv[1:] or ("observed", "few", "experiments"):
        {"observed": observed, "few": few, "experiments": experiments}[section]()
