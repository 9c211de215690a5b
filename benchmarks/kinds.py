"""Data as people have them: how well structures are found in discrete, mixed, skewed, incomplete and experimental data.

    python benchmarks/kinds.py networks mixed ranks gaps interventions sachs

Each section prints a table. ``networks``: samples of networks that come with pgmpy. ``mixed``: 30 variables, a third of
them with 2 to 4 levels. ``ranks``: heavy tails and monotone changes of Gaussian data. ``gaps``: a tenth of the cells
missing. ``interventions``: half of the rows with one of five targets set. ``sachs``: the protein data with and without
their conditions; EDGEWISE_DATA must say where they are.
"""

import os
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import rankdata

import edgewise as ew
from edgewise.graphs import ancestors

SETS = 10


def auroc(score, truth):
    """Return the area under the ROC curve."""
    rank, positives = rankdata(score), truth.sum()
    return (rank[truth].sum() - positives * (positives + 1) / 2) / (positives * (len(truth) - positives))


def joined_auroc(posterior, dag):
    """Return the area for pairs that are joined."""
    upper = np.triu_indices(len(dag), 1)
    return auroc(posterior.edge_probabilities("undirected").to_numpy()[upper], (dag | dag.T)[upper])


def directed_auroc(posterior, dag):
    """Return the area for directed edges."""
    off = ~np.eye(len(dag), dtype=bool)
    return auroc(posterior.edge_probabilities().to_numpy()[off], dag[off])


def summarise(rows, columns):
    """Return means over sets, with their standard errors."""
    table = pd.DataFrame(rows, columns=columns)
    return pd.DataFrame({"mean": table.mean(), "standard error": table.std() / np.sqrt(len(table))})


def networks(samples=5):
    """Compare with hill climbing and MMHC, ours and pgmpy's, on networks whose truth is known."""
    from pgmpy.estimators import BDeu, HillClimbSearch
    from pgmpy.sampling import BayesianModelSampling
    from pgmpy.utils import get_example_model

    rows = []
    for name in ("asia", "sachs", "child", "insurance", "alarm"):
        model = get_example_model(name)
        nodes = sorted(model.nodes())
        truth = np.array([[(a, b) in set(model.edges()) for b in nodes] for a in nodes])
        for n in (500, 2000):
            found = []
            for seed in range(samples):
                data = BayesianModelSampling(model).forward_sample(n, seed=seed, show_progress=False)[nodes]
                varying = [node for node in nodes if len(set(data[node])) > 1]
                kept = np.isin(nodes, varying)
                data, dag = data[varying].astype("category"), truth[np.ix_(kept, kept)]

                def miss(other, dag=dag):
                    return ew.structural_hamming_distance(ew.cpdag(np.asarray(other, bool)), ew.cpdag(dag))

                began = time.monotonic()
                posterior = ew.sample(data, seed=seed, progress=False)
                seconds = time.monotonic() - began
                likeliest = posterior.top_cpdags(1)[0].graph
                found.append(
                    [
                        seconds,
                        posterior.silent_diagnostics.is_converged,
                        joined_auroc(posterior, dag),
                        ew.structural_hamming_distance(likeliest, ew.cpdag(dag)),
                        *(miss(learn(data)) for learn in (ew.hill_climb, ew.mmhc)),
                        miss(_with_pgmpy(data, HillClimbSearch, BDeu)),
                    ]
                )
            rows.append([name, n, *np.mean(np.array(found, float), axis=0)])
            print(rows[-1], flush=True)
    columns = ["network", "rows", "seconds", "good", "AUROC joined", "SHD", "hill_climb", "mmhc", "pgmpy"]
    return pd.DataFrame(rows, columns=columns)


def _with_pgmpy(data, search, score):
    """Return the DAG that pgmpy's hill climbing finds."""
    learned = search(data).estimate(
        scoring_method=score(data, equivalent_sample_size=1), max_indegree=4, show_progress=False
    )
    names = list(data.columns)
    dag = np.zeros((len(names), len(names)), bool)
    for a, b in learned.edges():
        dag[names.index(a), names.index(b)] = True
    return dag


def make_mixed(p, n, rng):
    """Return a DAG and mixed data: every third variable has 2 to 4 levels, which act on others by their means."""
    sim = ew.simulate(p, 10, seed=int(rng.integers(2**31)))
    dag = np.asarray(sim.dag)
    columns, effect = {}, {}
    for node in np.argsort(ancestors(dag).sum(axis=0), kind="stable"):
        value = rng.normal(size=n) + sum(
            (effect[parent] * sim.weights[parent, node] for parent in np.flatnonzero(dag[:, node])), np.zeros(n)
        )
        if node % 3:
            columns[node] = effect[node] = value
            continue
        levels = int(rng.integers(2, 5))
        codes = np.digitize(value, np.quantile(value, np.arange(1, levels) / levels))
        means = rng.permutation(np.linspace(-1.2, 1.2, levels))
        effect[node], columns[node] = means[codes], codes
    data = pd.DataFrame({f"X{node}": columns[node] for node in range(p)})
    kinds = {f"X{node}": "categorical" for node in range(0, p, 3)}
    return dag, data, kinds


def mixed():
    """Compare the degenerate Gaussian with codes taken as numbers."""
    rng = np.random.default_rng(3)
    rows = []
    for seed in range(SETS):
        dag, data, kinds = make_mixed(30, 1000, rng)
        with_levels = ew.sample(data, kinds=kinds, seed=seed, progress=False)
        as_numbers = ew.sample(data, seed=seed, progress=False)
        rows.append([joined_auroc(with_levels, dag), joined_auroc(as_numbers, dag)])
        rows[-1].append(rows[-1][0] - rows[-1][1])
    return summarise(rows, ["levels", "codes as numbers", "difference"])


def ranks():
    """Compare ranks with the untransformed run, where columns were changed monotonely or have heavy tails."""
    rng = np.random.default_rng(4)
    rows = []
    for seed in range(SETS):
        sim = ew.simulate(30, 1000, seed=2000 + seed)
        dag, values = np.asarray(sim.dag), sim.data.to_numpy()
        changed = np.sinh(3 * values / values.std(axis=0))
        heavy = values / np.sqrt(rng.chisquare(3, (1000, 1)) / 3)
        runs = [
            ew.sample(table, transform=transform, seed=seed, progress=False)
            for table, transform in (
                (values, None), (values, "ranks"), (changed, None), (changed, "ranks"), (heavy, None), (heavy, "ranks"),
            )
        ]  # fmt: skip
        rows.append([joined_auroc(run, dag) for run in runs])
    return summarise(
        rows, ["Gaussian", "Gaussian, ranks", "changed", "changed, ranks", "heavy tails", "heavy tails, ranks"]
    )


def gaps():
    """Compare EM with rows left out and with complete data."""
    rng = np.random.default_rng(5)
    rows = []
    for seed in range(SETS):
        sim = ew.simulate(30, 1000, seed=3000 + seed)
        dag = np.asarray(sim.dag)
        holes = sim.data.mask(rng.random(sim.data.shape) < 0.1)
        runs = [
            ew.sample(sim.data, seed=seed, progress=False),
            ew.sample(holes, missing="em", seed=seed, progress=False),
            ew.sample(holes, missing="drop", seed=seed, progress=False),
        ]
        rows.append([joined_auroc(run, dag) for run in runs] + [holes.notna().all(axis=1).sum()])
    return summarise(rows, ["complete", "em", "drop", "rows left by drop"])


def simulate_interventions(p, n, targets, rng):
    """Return a DAG, data, which cells were set, and the data had nothing been set.

    Half of the rows have one of some targets set, to a value drawn from those that it has by itself.
    """
    sim = ew.simulate(p, 10, neighbours=2.0, seed=int(rng.integers(2**31)))
    dag, weights, noise = np.asarray(sim.dag), np.asarray(sim.weights), rng.normal(size=(n, p))
    is_set = np.zeros((n, p), bool)
    is_set[np.arange(n // 2, n), np.resize(rng.choice(p, targets, replace=False), n - n // 2)] = True
    observed, values = np.zeros((2, n, p))
    for node in np.argsort(ancestors(dag).sum(axis=0), kind="stable"):
        observed[:, node] = observed @ weights[:, node] + noise[:, node]
        free = values @ weights[:, node] + noise[:, node]
        values[:, node] = np.where(is_set[:, node], rng.permutation(observed[:, node]), free)
    return dag, values, is_set, observed


def interventions(sets=20):
    """Compare 500 rows, half of them interventional, with 500 observational rows."""
    rng = np.random.default_rng(6)
    rows = []
    for seed in range(sets):
        dag, values, is_set, observed = simulate_interventions(20, 500, 5, rng)
        set_apart = ew.sample(values, interventions=is_set, seed=seed, progress=False)
        pooled = ew.sample(values, seed=seed, progress=False)
        plain = ew.sample(observed, seed=seed, progress=False)
        rows.append([directed_auroc(run, dag) for run in (set_apart, plain, pooled)])
        rows[-1].append(rows[-1][0] - rows[-1][1])
    return summarise(rows, ["interventional", "observational", "pooled as if observational", "difference"])


SACHS_TARGETS = {
    "cd3_cd28": [],
    "cd3_cd28+icam2": [],
    "cd3_cd28+aktinhib": ["Akt"],
    "cd3_cd28+g0076": ["PKC"],
    "cd3_cd28+psitect": ["PIP2"],
    "cd3_cd28+u0126": ["Mek"],
    "cd3_cd28+ly": ["PIP3"],
    "pma": ["PKC"],
    "b2camp": ["PKA"],
}
"""The proteins that each reagent acts on (Sachs et al. 2005, table 1; LY294002 acts on PI3K, which makes PIP3)."""


def sachs():
    """Compare 853 observational rows with all 7466, pooled and with their conditions."""
    folder = Path(os.environ["EDGEWISE_DATA"]) / "sachs"
    whole = pd.read_csv(folder / "sachs_7466x11_with_condition.csv")
    truth = pd.read_csv(folder / "network_bnlearn_17edges.csv")
    names = [name for name in whole.columns if name != "condition"]
    dag = np.zeros((11, 11), bool)
    for source, target in truth.to_numpy():
        dag[names.index(source), names.index(target)] = True
    logs = np.log(whole[names]).assign(condition=whole["condition"])
    found = sorted(set(whole["condition"]))
    targets = {condition: SACHS_TARGETS[condition] for condition in found}
    single = np.log(pd.read_csv(folder / "sachs_observational_853x11.csv"))[names]
    rows = []
    for label, data, settings in (
        ("853 observational rows", single, {}),
        ("7466 rows pooled", logs[names], {}),
        ("7466 rows with conditions", logs, {"interventions": "condition", "targets": targets}),
        ("the same, ranks", logs, {"interventions": "condition", "targets": targets, "transform": "ranks"}),
    ):
        posterior = ew.sample(data, seed=1, progress=False, **settings)
        pairs = posterior.pairs(threshold=0.5)
        true = dag | dag.T
        right = sum(true[names.index(a), names.index(b)] for a, b in zip(pairs["a"], pairs["b"], strict=True))
        told = pairs[pairs["direction"].isin(["->", "<-"])]
        turned = [(a, b) if way == "->" else (b, a) for a, b, way in told[["a", "b", "direction"]].to_numpy()]
        hits = sum(dag[names.index(a), names.index(b)] for a, b in turned)
        rows.append(
            [label, joined_auroc(posterior, dag), directed_auroc(posterior, dag), len(pairs), right, len(told), hits]
        )
    columns = ["data", "AUROC joined", "directed", "pairs above .5", "true", "directions told", "as in the consensus"]
    return pd.DataFrame(rows, columns=columns)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for section in sys.argv[1:] or ("networks", "mixed", "ranks", "gaps", "interventions", "sachs"):
        began = time.monotonic()
        table = globals()[section]()
        print(f"\n{section} ({time.monotonic() - began:.0f} s)\n{table.round(4).to_string()}", flush=True)
