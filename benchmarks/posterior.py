"""How near the default comes to the posterior over DAGs, how well calibrated it is, and what it costs.

    python benchmarks/posterior.py exact5 exact12 p30 prior30 hubs cost large

Each section prints a table. ``exact5``: all 29,281 DAGs of five variables, 20 data sets for each number of rows.
``exact12``: 12 variables and 100 rows, DAGs and weights drawn from the prior, 30 sets, against the exact sums. ``p30``:
30 variables, the paper's simulation, 20 sets, against the truth, and what its directions cost whoever counts each DAG
once. ``prior30``: the same with DAGs and weights drawn from the prior. ``hubs``: 100 variables and 100 rows, sparse
networks with hubs, ten sets, against absolute correlation. ``cost``: seconds, verdicts and effective draws; ``large``:
the same for 400 and 1000 variables.
"""

import math
import sys
import time
import warnings

import numpy as np
import pandas as pd
from scipy.optimize import minimize
from scipy.stats import rankdata

import edgewise as ew
from edgewise.graphs import ancestors

OTHERS = {
    "DagMCMC (default)": (ew.DagMCMC(), None),
    "MinimalIMAP, Rao-Blackwell": (ew.MinimalIMAP(), None),
    "MinimalIMAP, plain": (ew.MinimalIMAP(), False),
    "OrderMCMC": (ew.OrderMCMC(), None),
    "PartitionMCMC": (ew.PartitionMCMC(), None),
}
FLOOR = 1e-4
"""Probabilities are kept this far from 0 and 1 in log losses."""


def log_loss(probability, truth):
    """Return the sum of the negative log probabilities of what is true."""
    kept = np.clip(probability, FLOOR, 1 - FLOOR)
    return -np.where(truth, np.log(kept), np.log1p(-kept)).sum()


def auroc(score, truth):
    """Return the area under the ROC curve."""
    rank, positives = rankdata(score), truth.sum()
    return (rank[truth].sum() - positives * (positives + 1) / 2) / (positives * (len(truth) - positives))


def calibration_error(probability, truth):
    """Return the expected calibration error, in ten bins."""
    bins = np.minimum((probability * 10).astype(int), 9)
    return np.abs(np.bincount(bins, probability - truth)).sum() / len(truth)


def slope(probability, truth):
    """Return the slope of a logistic regression of the truth on the log odds: 1 is calibrated."""
    odds = np.log(np.clip(probability, FLOOR, 1 - FLOOR)) - np.log1p(-np.clip(probability, FLOOR, 1 - FLOOR))
    sign = np.where(truth, 1.0, -1.0)
    found = minimize(lambda beta: np.logaddexp(0, -sign * (beta[0] + beta[1] * odds)).sum(), [0.0, 1.0])
    return found.x[1]


def pairs(matrix):
    """Return the entries above the diagonal."""
    return matrix[np.triu_indices(len(matrix), 1)]


def ordered(matrix):
    """Return the entries off the diagonal."""
    return matrix[~np.eye(len(matrix), dtype=bool)]


def exact5():
    """Compare with all DAGs of five variables."""
    rows = []
    for n in (50, 100, 1000):
        errors = []
        for seed in range(20):
            data = ew.simulate(5, n, neighbours=2.0, seed=seed).data
            exact = ew.exact_posterior(data)
            found = ew.sample(data, seed=seed, progress=False)
            errors.append(
                [
                    np.abs(ordered((found.edge_probabilities(kind) - exact.edge_probabilities(kind)).to_numpy())).mean()
                    for kind in ("directed", "undirected", "compelled")
                ]
                + [np.abs(ordered((found.path_probabilities() - exact.path_probabilities()).to_numpy())).mean()]
            )
        rows.append([n, *np.mean(errors, axis=0), np.max(errors)])
    return pd.DataFrame(rows, columns=["rows", "directed", "joined", "compelled", "paths", "worst of a set"])


def draw_dag(p, rng, moves=20_000):
    """Return a DAG from the default prior, each DAG counted once: the end of a plain chain that toggles edges."""
    odds = np.exp(-ew.Sparsity("auto").penalty(p))
    dag = np.zeros((p, p), bool)
    for i, j, uniform in zip(*rng.integers(p, size=(2, moves)), rng.random(moves), strict=True):
        if dag[i, j]:
            dag[i, j] = uniform >= 1 / odds
        elif i != j and uniform < odds and not ancestors(dag)[j, i]:
            dag[i, j] = True
    return dag


def draw_from_prior(p, n, rng):
    """Return a DAG from the default prior, and data whose weights are from the model of BGe."""
    dag = draw_dag(p, rng)
    values = np.zeros((n, p))
    for node in np.argsort(ancestors(dag).sum(axis=0), kind="stable"):
        parents = np.flatnonzero(dag[:, node])
        variance = 0.25 / rng.gamma((3 + len(parents)) / 2)
        effect = rng.normal(0, np.sqrt(variance / 0.5), len(parents))
        values[:, node] = values[:, parents] @ effect + rng.normal(0, np.sqrt(variance), n)
    return dag, values


def exact12():
    """Compare with the exact posterior of 12 variables."""
    rng = np.random.default_rng(1)
    found, exact, truth, errors, missed = {name: [] for name in OTHERS}, [], [], {name: [] for name in OTHERS}, 0
    for seed in range(30):
        dag, values = draw_from_prior(12, 100, rng)
        # Not standardized, since the weights are those of the columns as they are.
        score = ew.BGe(standardize=False)
        yardstick = ordered(ew.exact_posterior(values, score=score).edge_probabilities().to_numpy())
        exact.append(yardstick)
        truth.append(ordered(dag))
        for name, (sampler, rao_blackwell) in OTHERS.items():
            posterior = ew.sample(values, sampler=sampler, score=score, seed=seed, progress=False)
            probability = ordered(posterior.edge_probabilities(rao_blackwell=rao_blackwell).to_numpy())
            found[name].append(probability)
            errors[name].append(np.abs(probability - yardstick).mean())
            if sampler is OTHERS["DagMCMC (default)"][0]:
                missed += int(((probability == 0) & (yardstick > 0.02)).sum())
    truth = np.concatenate(truth)
    rows = [["exact posterior", 0.0, log_loss(np.concatenate(exact), truth) / 360, slope(np.concatenate(exact), truth)]]
    for name, probability in found.items():
        joint = np.concatenate(probability)
        rows.append([name, np.mean(errors[name]), log_loss(joint, truth) / 360, slope(joint, truth)])
    print(f"edges above .02 that the default states as 0: {missed}")
    return pd.DataFrame(rows, columns=["estimator", "error", "log loss per variable", "calibration slope"])


def compare(draw, also=None, score=None, sets=20):
    """Compare all estimators with the truth of ``draw(n, seed)``; ``also`` makes more, of the truth and a default run.

    "beyond" is by how much the log loss of directed edges exceeds the default's on the same sets, with its standard
    error.
    """
    rows = []
    for n in (100, 1000):
        found = {}
        for seed in range(sets):
            dag, values = draw(n, seed)
            estimates, posteriors = {}, {}
            for name, (sampler, rao_blackwell) in OTHERS.items():
                if sampler not in posteriors:
                    posteriors[sampler] = ew.sample(values, sampler=sampler, score=score, seed=seed, progress=False)
                posterior = posteriors[sampler]
                estimates[name] = [
                    posterior.edge_probabilities(kind, rao_blackwell=rao_blackwell).to_numpy()
                    for kind in ("directed", "undirected", "compelled")
                ]
                if also is not None and isinstance(sampler, ew.DagMCMC):
                    estimates |= also(dag, posterior)
            for name, matrices in estimates.items():
                found.setdefault(name, []).append((dag, *matrices))
        default = np.array([loss for loss, *_ in map(measure, found["DagMCMC (default)"])])
        for name, results in found.items():
            measures = np.array([measure(result) for result in results])
            beyond = measures[:, 0] - default
            truth, directed = (np.concatenate([ordered(result[k]) for result in results]) for k in (0, 1))
            error = beyond.std(ddof=1) / np.sqrt(sets)
            together = slope(directed, truth), calibration_error(directed, truth)
            rows.append([n, name, *measures.mean(axis=0), beyond.mean(), error, *together])
    columns = ["rows", "estimator", "log loss", "joined", "ECE directed", "ECE joined", "AUROC joined", "compelled"]
    return pd.DataFrame(rows, columns=[*columns, "beyond", "its error", "slope", "ECE of all sets"])


def measure(result):
    """Return log losses per variable, calibration errors and areas, given the true DAG and probabilities."""
    dag, directed, joined, compelled = result
    told = np.asarray(ew.compelled_edges(dag), bool)
    return (
        log_loss(ordered(directed), ordered(dag)) / len(dag),
        log_loss(pairs(joined), pairs(dag | dag.T)) / len(dag),
        calibration_error(ordered(directed), ordered(dag)),
        calibration_error(pairs(joined), pairs(dag | dag.T)),
        auroc(pairs(joined), pairs(dag | dag.T)),
        auroc(ordered(compelled), ordered(told)),
    )


def p30():
    """Compare with the truth of the paper's simulation."""

    def draw(n, seed):
        sim = ew.simulate(30, n, seed=1000 + seed)
        return np.asarray(sim.dag, bool), sim.data

    return compare(draw, also=explain)


def explain(dag, posterior, draws=1000):
    """Return estimates that show what such simulations favour.

    They begin with an order, so that a DAG counts once for each of its orders: the draws of the default, weighed by
    these numbers; and, from all DAGs that are equivalent to the truth, what is left to lose for one who knows the
    class, be it that each counts once or by its number of orders. And no edge is weak: the default, rounded.
    """
    drawn = posterior.dags().reshape(-1, *dag.shape)
    drawn = drawn[:: max(len(drawn) // draws, 1)]
    members = np.array(list_class(dag))
    stated = [posterior.edge_probabilities(kind).to_numpy() for kind in ("directed", "undirected", "compelled")]
    return {
        "default, below .1 joined taken as 0": [np.where(stated[1] < 0.1, 0.0, matrix) for matrix in stated],
        "default, weighed by orders": average(drawn, weigh_by_orders(drawn)),
        "the true class, each DAG once": average(members, np.full(len(members), 1 / len(members))),
        "the true class, by orders": average(members, weigh_by_orders(members)),
    }


def weigh_by_orders(dags):
    """Return weights in proportion to numbers of linear extensions."""
    log_number = np.array([math.log(ew.count_linear_extensions(dag)) for dag in dags])
    weights = np.exp(log_number - log_number.max())
    return weights / weights.sum()


def average(dags, weights):
    """Return weighted means: directed, joined, compelled."""
    directed = np.tensordot(weights, dags, 1)
    return directed, directed + directed.T, np.tensordot(weights, [ew.compelled_edges(dag) for dag in dags], 1)


def list_class(dag):
    """Return all DAGs that are Markov equivalent to one: covered edges are turned until there is nothing new."""
    members, front = {dag.tobytes(): dag}, [dag]
    while front:
        one = front.pop()
        for i, j in zip(*np.nonzero(one), strict=True):
            other = one.copy()
            other[i, j] = False
            if (other[:, i] == other[:, j]).all():
                other[j, i] = True
                if members.setdefault(other.tobytes(), other) is other:
                    front.append(other)
    return list(members.values())


def prior30():
    """Compare with the truth where it is as the default assumes: DAGs each counted once, weights as BGe has them."""

    def draw(n, seed):
        return draw_from_prior(30, n, np.random.default_rng([3, n, seed]))

    # Not standardized, since the weights are those of the columns as they are.
    return compare(draw, score=ew.BGe(standardize=False))


def with_hubs(p, n, rng):
    """Return the DAG and data of a network that grows: a new variable has one or two parents, the more so with many."""
    dag = np.zeros((p, p), bool)
    for node in range(1, p):
        degree = dag[:node].sum(axis=1) + 1.0
        number = min(1 + int(rng.random() < 0.4), node)
        dag[rng.choice(node, number, replace=False, p=degree[:node] / degree[:node].sum()), node] = True
    weights = np.where(dag, rng.uniform(0.25, 1.0, (p, p)) * rng.choice([-1, 1], (p, p)), 0.0)
    values = rng.normal(size=(n, p))
    for node in range(p):
        values[:, node] += values @ weights[:, node]
    shuffled = rng.permutation(p)
    return dag[np.ix_(shuffled, shuffled)], values[:, shuffled]


def hubs():
    """Compare with plain correlation where there are as few rows as variables."""
    rng = np.random.default_rng(2)
    rows = []
    for seed in range(10):
        dag, values = with_hubs(100, 100, rng)
        truth = pairs(dag | dag.T)
        ours = ew.sample(values, seed=seed, progress=False).edge_probabilities("undirected").to_numpy()
        rows.append([seed, auroc(pairs(ours), truth), auroc(np.abs(pairs(np.corrcoef(values.T))), truth)])
    return pd.DataFrame(rows, columns=["set", "default", "absolute correlation"])


def cost(sizes=(30, 100, 200), most=100):
    """Time runs on simulated data of 1000 rows, compiled before; above ``most`` variables, not of all samplers."""
    rows = []
    for p in sizes:
        data = ew.simulate(p, 1000, seed=1).data
        for name, (sampler, rao_blackwell) in OTHERS.items():
            if rao_blackwell is False or (p > most and isinstance(sampler, ew.OrderMCMC | ew.PartitionMCMC)):
                continue
            ew.sample(data, sampler=sampler, iterations=200, seed=1, progress=False)
            began, used = time.monotonic(), time.process_time()
            posterior = ew.sample(data, sampler=sampler, seed=1, progress=False)
            seconds, used = time.monotonic() - began, time.process_time() - used
            found = posterior.silent_diagnostics
            draws = found.effective_draws
            rows.append([p, name, seconds, used, found.is_converged, found.difference, draws, draws / used])
            print(rows[-1], flush=True)
    columns = [
        "variables",
        "sampler",
        "seconds",
        "CPU seconds",
        "good",
        "largest difference",
        "effective draws",
        "effective draws a CPU second",
    ]
    return pd.DataFrame(rows, columns=columns)


def large():
    """Time runs with so many variables that it takes minutes."""
    return cost(sizes=(400, 1000), most=0)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for name in sys.argv[1:] or ("exact5", "exact12", "p30", "prior30", "hubs", "cost", "large"):
        began = time.monotonic()
        table = globals()[name]()
        print(f"\n{name} ({time.monotonic() - began:.0f} s)\n{table.round(4).to_string(index=False)}", flush=True)
        if name == "hubs":
            print(table.mean().round(4).to_string())
