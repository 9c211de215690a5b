"""Do order and path priors help? The paper's protein network, as reconstructed, over many simulated data sets.

    EDGEWISE_DATA=... python benchmarks/egfr_priors.py [--seeds 50] [--iterations 100000]

For each seed, weights and n = 100 rows are simulated from a linear Gaussian model on the 14 ligands, receptors and
cytosolic proteins (weights uniform on +-[0.25, 1], unit noise variances), and DAGs are sampled with no prior but
sparsity, with the order prior, and with path and order priors (all strengths 1, as in the paper's appendix). Prints the
mean AUROC of directed edges for each, the mean differences with their standard errors, and the p-values of paired
one-sided tests (Wilcoxon, and t). The network is a reconstruction: ten edges are named in the text of the article it is
from, seven complete the known pathway, so the figures have the shape of the paper's Table 2 but are not that table.
"""

import argparse
import os
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import ttest_rel, wilcoxon

import edgewise as ew
from edgewise.experiments import measure_accuracy
from edgewise.graphs import topological_order

PAPER = ew.MinimalIMAP(parents="full", moves="adjacent")


def read_network(directory):
    nodes = pd.read_csv(directory / "egfr" / "nodes.csv")
    edges = pd.read_csv(directory / "egfr" / "edges.csv")
    names = nodes["node"].tolist()
    dag = np.zeros((len(names), len(names)), bool)
    for source, target in zip(edges["source"], edges["target"], strict=True):
        dag[names.index(source), names.index(target)] = True
    groups = [nodes.loc[nodes["class"] == kind, "node"].tolist() for kind in ("ligand", "receptor", "cytosolic")]
    return names, dag, groups


def simulate(dag, names, n, rng):
    weights = dag * rng.uniform(0.25, 1.0, dag.shape) * rng.choice([-1.0, 1.0], dag.shape)
    values = np.zeros((n, len(dag)))
    for node in topological_order(dag):
        values[:, node] = values @ weights[:, node] + rng.standard_normal(n)
    return pd.DataFrame(values, columns=names)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--iterations", type=int, default=100_000)
    parser.add_argument("--n", type=int, default=100)
    parser.add_argument("--start", choices=["random", "truth"], default="random")
    arguments = parser.parse_args()
    names, dag, groups = read_network(Path(os.environ["EDGEWISE_DATA"]))
    ligands, receptors, cytosolic = groups
    order = ew.TierOrder(groups)
    priors = {
        "none": ew.Sparsity(1.0),
        "order": ew.Sparsity(1.0) + order,
        "path and order": ew.Sparsity(1.0) + order + ew.Paths(ligands, receptors) + ew.Paths(receptors, cytosolic),
    }
    auroc = {name: [] for name in priors}
    for seed in range(arguments.seeds):
        data = simulate(dag, names, arguments.n, np.random.default_rng(seed))
        for name, prior in priors.items():
            posterior = ew.sample(
                data, sampler=PAPER, prior=prior, iterations=arguments.iterations, seed=seed, progress=False,
                start="random" if arguments.start == "random" else topological_order(dag),
            )  # fmt: skip
            auroc[name].append(measure_accuracy(posterior, dag).directed)
    for name, values in auroc.items():
        error = np.std(values, ddof=1) / np.sqrt(len(values))
        print(f"{name:>15}: AUROC of directed edges {np.mean(values):.4f} (standard error {error:.4f})")
    for better, worse in (("order", "none"), ("path and order", "order")):
        difference = np.subtract(auroc[better], auroc[worse])
        error = difference.std(ddof=1) / np.sqrt(len(difference))
        by_ranks = wilcoxon(difference, alternative="greater").pvalue
        by_means = ttest_rel(auroc[better], auroc[worse], alternative="greater").pvalue
        print(
            f"{better} against {worse}: {difference.mean():+.4f} (standard error {error:.4f}), better in "
            f"{(difference > 0).sum()} of {len(difference)}; p = {by_ranks:.2g} (Wilcoxon), {by_means:.2g} (t)"
        )


if __name__ == "__main__":
    main()
