"""All kernels at work on small data, compiled or not: what they draw, learn and sum up, as numbers to compare.

    NUMBA_DISABLE_JIT=1 python tests/uncompiled.py results.npz

runs them as Python and, if coverage is installed, prints which share of their lines and branches ran.
"""

import sys
import warnings
from pathlib import Path

import numpy as np

RUN = {"iterations": 300, "thin": 3, "chains": 1, "seed": 1, "progress": False}


def make_kinds(numbers):
    """Return data of all kinds, made of a table of six numbers: with levels, interventions and gaps."""
    import edgewise as ew

    is_set = np.zeros(numbers.shape, bool)
    is_set[100:130, 1] = True
    is_set[130:150, 2:4] = True
    levels = numbers.copy()
    for name, number in zip(numbers.columns, [2, 3, 2, 4, 2, 3], strict=True):
        levels[name] = np.searchsorted(np.linspace(-0.8, 0.8, number - 1), numbers[name])
    gaps = levels.astype(float).mask(np.random.default_rng(1).random(levels.shape) < 0.05)
    mixed = numbers.copy()
    few = list(numbers.columns[1::2])
    mixed[few] = levels[few]
    every = dict.fromkeys(numbers.columns, "categorical")
    return {
        "levels": ew.load_data(levels, kinds=every),
        "levels, gaps": ew.load_data(gaps, kinds=every, missing="em"),
        "levels, interventions": ew.load_data(levels, kinds=every, interventions=is_set),
        "mixed": ew.load_data(mixed, kinds=dict.fromkeys(few, "categorical")),
        "mixed, interventions": ew.load_data(mixed, kinds=dict.fromkeys(few, "categorical"), interventions=is_set),
        "interventions": ew.load_data(numbers, interventions=is_set),
    }


def shorten_pilots():
    """Make the chains that look for candidates and starts short: as Python they would take most of the time."""
    from edgewise.samplers import candidates

    candidates.PILOTS, candidates.PILOT_STEPS, candidates.PILOT_THIN, candidates.MOST_STEPS = 1, 100, 10, 100


def collect_kinds(numbers, samplers):
    """Return results of data of all kinds."""
    import edgewise as ew

    found = {}
    for kind, data in make_kinds(numbers).items():
        for name in ("default", "two candidates", "score", "test", "order", "partition", "structure"):
            try:
                posterior = ew.sample(data, sampler=samplers[name], **RUN)
            except ew.EdgewiseError:
                continue
            found |= describe(f"{name}, {kind}", posterior)
            if name == "default":
                for feature in ("directed", "compelled"):
                    probability = posterior.edge_probabilities(feature, rao_blackwell=True)
                    found[f"sums, {feature}, {kind}"] = probability.to_numpy()
        found[f"hill climbing, {kind}"] = ew.hill_climb(data, as_array=True)
        found[f"exact, {kind}"] = ew.exact_posterior(data, over="dags").directed
        # Equivalent DAGs differ in rounding errors only.
        found[f"search, {kind}"] = ew.cpdag(ew.map_search(data, restarts=2, seed=1, as_array=True))
        if kind in ("levels", "levels, gaps"):
            found[f"mmhc, {kind}"] = ew.mmhc(data, as_array=True)
            tests = [ew.g_squared_test(data, 0, 5, given) for given in ([], [1], [1, 3])]
            found[f"G squared, {kind}"] = np.array([test.p_value for test in tests])
    return found


def describe(name, posterior):
    """Return what was drawn, by name."""
    return {f"{name}: dags": posterior.dags(), f"{name}: log posterior": posterior.log_posterior}


def collect():
    """Return results by name."""
    import edgewise as ew
    from compiled import compile_once
    from extensions.agreements import AgreementScore
    from extensions.oracle import Oracle
    from extensions.roots import Roots

    compile_once()
    shorten_pilots()
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
        "default": ew.DagMCMC(),
        "two candidates": ew.DagMCMC(candidates=2),
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
        found.update(describe(name, posterior))

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
    found |= collect_kinds(sim.data, samplers)
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
    found["mmhc"] = ew.mmhc(sim.data, as_array=True)
    found["hill climbing"] = ew.hill_climb(sim.data, as_array=True)
    found["greedy SP"] = ew.greedy_sp(sim.data, seed=1, as_array=True)
    found["search"] = ew.map_search(sim.data, restarts=2, seed=1, as_array=True)
    found["exact, dags"] = ew.exact_posterior(sim.data.iloc[:, :4], over="dags").directed
    found["exact, more dags"] = ew.exact_posterior(sim.data, over="dags").directed
    found["exact, paths"] = ew.exact_posterior(sim.data, over="dags").path_probabilities().to_numpy()
    found["exact, orders"] = ew.exact_posterior(sim.data, over="orders").directed
    found["grow-shrink"] = ew.minimal_imap(sim.data, sim.order, parents="grow-shrink", as_array=True)
    found["extensions"] = np.array(ew.count_linear_extensions(sim.dag))
    found["linear extensions"] = ew.sample_linear_extensions(sim.dag, 5, seed=1)
    larger = ew.simulate(14, 20, neighbours=3, seed=5).dag
    for most in (1, 1000):
        estimate = ew.estimate_linear_extensions(larger, particles=400, max_states=most, seed=1)
        found[f"estimated extensions, {most}"] = np.array([estimate.log_count, estimate.standard_error])
        found[f"more linear extensions, {most}"] = ew.sample_linear_extensions(larger, 5, max_states=most, seed=1)
    many = ew.simulate(66, 100, neighbours=1, seed=1)
    rare = {**RUN, "iterations": 30}
    keep("many variables", ew.sample(many.data, sampler=ew.PartitionMCMC(max_parents=1, candidates=many.dag), **rare))
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
