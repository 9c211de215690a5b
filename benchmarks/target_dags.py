"""How near each target comes to the exact posterior over DAGs, and what the weights of target "dags" cost.

    python benchmarks/target_dags.py

First, 20 simulated data sets of 5 variables (2 neighbours on average) for n = 100 and n = 1000: the mean absolute error
of the probabilities of directed edges against the exact posterior over all 29,281 DAGs, for Minimal I-MAP MCMC with
both targets, both ways of finding parents, plain and Rao-Blackwellised, and, by its exact dynamic programme, for order
MCMC. Then, for 30 variables, the effective sample size of the weights as a share of the draws. The prior is Sparsity(1)
throughout.
"""

import warnings

import numpy as np

import edgewise as ew

SETS = 20
OFF_DIAGONAL = ~np.eye(5, dtype=bool)


def mean_error(found, exact, **kind):
    return np.abs(found.edge_probabilities(**kind).to_numpy() - exact)[OFF_DIAGONAL].mean()


def main() -> None:
    warnings.simplefilter("ignore", ew.ConvergenceWarning)
    prior = ew.Sparsity(1.0)
    for n in (100, 1000):
        errors = {"order MCMC": []}
        for seed in range(SETS):
            data = ew.simulate(5, n, neighbours=2.0, seed=seed).data
            exact = ew.exact_posterior(data, prior=prior, over="dags").edge_probabilities().to_numpy()
            errors["order MCMC"].append(mean_error(ew.exact_posterior(data, prior=prior, over="orders"), exact))
            for parents in ("full", "grow-shrink"):
                for target in ("orders", "dags"):
                    posterior = ew.sample(
                        data, sampler=ew.MinimalIMAP(parents=parents, target=target), prior=prior,
                        iterations=200_000, thin=20, seed=seed, progress=False,
                    )  # fmt: skip
                    name = f"{parents}, {target}"
                    errors.setdefault(name, []).append(mean_error(posterior, exact, rao_blackwell=False))
                    better = mean_error(posterior, exact, rao_blackwell=True)
                    errors.setdefault(f"{name}, Rao-Blackwellised", []).append(better)
        for name, values in errors.items():
            error = np.std(values, ddof=1) / np.sqrt(SETS)
            print(f"p = 5, n = {n}, {name}: mean absolute error {np.mean(values):.4f} (standard error {error:.4f})")
    for n in (100, 1000):
        shares = []
        for seed in range(5):
            data = ew.simulate(30, n, seed=seed).data
            posterior = ew.sample(
                data, sampler=ew.MinimalIMAP(target="dags"), prior=prior, iterations=1_000_000, thin=1000, seed=1,
                progress=False,
            )  # fmt: skip
            shares.append(posterior.diagnostics().weight_ess / posterior.weights.size)
        print(f"p = 30, n = {n}: effective share of the draws {min(shares):.2f} to {max(shares):.2f} in 5 data sets")


if __name__ == "__main__":
    main()
