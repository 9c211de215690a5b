"""All kernels at work on small data, compiled or not: what they draw, learn and sum up, as numbers to compare.

    NUMBA_DISABLE_JIT=1 python tests/uncompiled.py results.npz

runs them as Python and, if coverage is installed, prints which share of their lines and branches ran.
"""

import sys
import warnings
from pathlib import Path

import numpy as np

RUN = {"iterations": 300, "thin": 10, "chains": 1, "seed": 1, "progress": False}


def collect():
    """Return results by name."""
    import edgewise as ew
    from extensions.agreements import AgreementScore
    from extensions.oracle import Oracle
    from extensions.roots import Roots

    sim = ew.simulate(6, 200, neighbours=2, seed=3)
    few = ew.simulate(9, 8, neighbours=2, seed=4).data
    beliefs = {
        "edges": ew.Sparsity(0.7),
        "tiers": ew.Sparsity(0.5) + ew.TierOrder([[0, 1], [2, 3], [4]], 1.0),
        "paths": ew.Sparsity(0.5) + ew.Paths([0, 1], [4, 5], 1.0),
        "function": ew.LogPrior(lambda dag: -0.5 * dag.sum()),
        "order": ew.LogPrior(lambda dag, order: -0.5 * dag.sum() + 0.1 * float(order[0])),
        "compiled": ew.Sparsity(0.5) + Roots(1.0),
    }
    known = {
        "rules": ew.Constraints(required=[(0, 1)], forbidden=[(2, 3)], tiers=[[0, 2], [5]]),
        "ancestors": ew.Constraints(ancestors=[(0, 5)], not_ancestors=[(3, 4)], forbidden=[(0, 5)]),
    }
    samplers = {
        "score": ew.MinimalIMAP(criterion="score"),
        "test": ew.MinimalIMAP(criterion="test", alpha=0.1),
        "full": ew.MinimalIMAP(parents="full", alpha=0.1),
        "dags": ew.MinimalIMAP(target="dags"),
        "tempered": ew.MinimalIMAP(temperatures=2),
        "order": ew.OrderMCMC(),
        "partition": ew.PartitionMCMC(),
        "structure": ew.StructureMCMC(),
    }
    found = {}

    def keep(name, posterior):
        found[f"{name}: dags"] = posterior.dags()
        found[f"{name}: log posterior"] = posterior.log_posterior

    for name, sampler in samplers.items():
        for kind, prior in beliefs.items():
            try:
                keep(f"{name}, {kind}", ew.sample(sim.data, sampler=sampler, prior=prior, **RUN))
            except ew.ArgumentError:
                continue
        for kind, constraints in known.items():
            try:
                keep(f"{name}, {kind}", ew.sample(sim.data, sampler=sampler, constraints=constraints, **RUN))
            except ew.ArgumentError:
                continue
        if name in ("score", "full"):
            keep(f"{name}, few rows", ew.sample(few, sampler=sampler, prior=beliefs["edges"], **RUN))
            keep(f"{name}, few rows, paths", ew.sample(few, sampler=sampler, prior=beliefs["paths"], **RUN))
    for kind, prior in beliefs.items():
        if kind != "order":
            keep(f"prior, {kind}", ew.sample(None, nodes=list("abcdef"), prior=prior, **RUN))
    binary = (sim.data.to_numpy() > 0).astype(float)
    keep("agreements", ew.sample(binary, score=AgreementScore(), **RUN))
    keep("oracle", ew.sample(sim.data, sampler=ew.MinimalIMAP(test=Oracle(sim.dag)), **RUN))

    posterior = ew.sample(sim.data, **RUN)
    for kind in ("directed", "undirected", "compelled"):
        found[f"sums, {kind}"] = posterior.edge_probabilities(kind, rao_blackwell=True).to_numpy()
    for kind, constraints in known.items():
        constrained = ew.sample(sim.data, constraints=constraints, **RUN)
        found[f"compelled, {kind}"] = constrained.edge_probabilities("compelled").to_numpy()
    found["paths"] = posterior.path_probabilities().to_numpy()
    found["blankets"] = posterior.markov_blanket_probabilities().to_numpy()
    found["v-structures"] = posterior.v_structures()["probability"].to_numpy()
    found["effects"] = posterior.total_effects(draws=20, seed=1)["mean"].to_numpy()
    found["mmhc"] = ew.mmhc(sim.data)
    found["hill climbing"] = ew.hill_climb(sim.data)
    found["greedy SP"] = ew.greedy_sp(sim.data, seed=1)
    found["search"] = ew.map_search(sim.data, restarts=2, seed=1)
    found["exact, dags"] = ew.exact_posterior(sim.data.iloc[:, :4], over="dags").directed
    found["exact, more dags"] = ew.exact_posterior(sim.data, over="dags").directed
    found["exact, paths"] = ew.exact_posterior(sim.data, over="dags").path_probabilities().to_numpy()
    found["exact, orders"] = ew.exact_posterior(sim.data, over="orders").directed
    found["grow-shrink"] = ew.minimal_imap(sim.data, sim.order, parents="grow-shrink")
    found["extensions"] = np.array(
        [ew.count_linear_extensions(sim.dag), ew.estimate_linear_extensions(sim.dag, seed=1)]
    )
    found["linear extensions"] = ew.sample_linear_extensions(sim.dag, 5, seed=1)
    return found


def main(path):
    try:
        import coverage
    except ImportError:
        coverage = None
    kernels = Path(__file__).parents[1] / "src" / "edgewise" / "_kernels"
    measured = None if coverage is None else coverage.Coverage(branch=True, include=[f"{kernels}/*"], data_file=None)
    if measured is not None:
        measured.start()
    # Names are 64-bit numbers that are meant to wrap around, and dead branches divide by zero.
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        found = collect()
    np.savez(path, **found)
    if measured is not None:
        measured.stop()
        measured.report(show_missing=True)


if __name__ == "__main__":
    main(sys.argv[1])
