"""What priors cost, as ratios measured in one run.

    python benchmarks/priors.py

Prints the time of a step at p = 100 (n = 1000, three neighbours, one thread) with the sparsity prior alone, with order
and path priors on three groups of variables as in the paper's protein network, and with edge constraints; each is timed
in turns with the first, and the figure is the least of many. Then the time that a trivial prior written in Python adds
for each DAG it is asked about.
"""

import time

import numpy as np

import edgewise as ew
from edgewise.data import load_data
from edgewise.samplers import MinimalIMAP, Schedule

P, STEPS, REPEATS = 100, 60_000, 25


def start(data, prior, constraints=None):
    dataset = load_data(data)
    knowledge = None if constraints is None else constraints.resolve(dataset.names)
    model = MinimalIMAP(parents="full", moves="adjacent").prepare(dataset, ew.BGe(), prior, knowledge)
    rng = np.random.default_rng(1)
    chain = model.start(rng.permutation(dataset.p), rng, Schedule(10**12, 0, 100))
    chain.advance(5 * STEPS)
    return chain


def seconds(chain, steps=STEPS):
    began = time.perf_counter()
    chain.advance(steps)
    return (time.perf_counter() - began) / steps


def time_python(p):
    """Return the seconds that a trivial function adds, how often it is called, and how often the chain's DAG changes.

    All for 20,000 steps of a chain that has run for a while.
    """
    asked = 0

    def nothing(dag):
        nonlocal asked
        asked += 1
        return 0.0

    data = ew.simulate(p, 1000, seed=1).data
    without = start(data, ew.Sparsity(1.0))
    chain = start(data, ew.Sparsity(1.0) + ew.LogPrior(nothing))
    steps = 20_000
    base = min(seconds(without, steps) for _ in range(10)) * steps
    asked = 0
    taken = seconds(chain, steps) * steps
    calls = asked
    chain.schedule = Schedule(10**12, 0, 1)
    family = np.concatenate([block.family for block in chain.advance(steps)])
    return taken - base, calls, int((family[1:] != family[:-1]).any(axis=1).sum())


def main() -> None:
    data = ew.simulate(P, 1000, seed=1).data
    first, second, third = range(30), range(30, 60), range(60, P)
    beyond = ew.TierOrder([first, second, third]) + ew.Paths(first, second) + ew.Paths(second, third)
    known = ew.Constraints(tiers=[first, third], forbidden=[(i, i + 1) for i in range(30, 50)])
    chains = {
        "sparsity": start(data, ew.Sparsity(1.0)),
        "sparsity, order and paths": start(data, ew.Sparsity(1.0) + beyond),
        "sparsity, tiers and forbidden edges for certain": start(data, ew.Sparsity(1.0), known),
    }
    best = dict.fromkeys(chains, np.inf)
    for _ in range(REPEATS):
        for name, chain in chains.items():
            best[name] = min(best[name], seconds(chain))
    for name, value in best.items():
        print(f"p = {P}, {name}: {value * 1e9:.0f} ns a step, {value / best['sparsity']:.2f} times sparsity alone")
    for p in (30, P):
        added, calls, changes = time_python(p)
        print(
            f"p = {p}, a Python function, 20,000 steps: {added / changes * 1e6:.1f} microseconds more for each of "
            f"{changes} changes of the DAG, {added / calls * 1e6:.1f} for each of {calls} calls"
        )


if __name__ == "__main__":
    main()
