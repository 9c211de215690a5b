"""Whether the experiments that are proposed next find the DAG sooner, and how long it takes to rank them.

    python benchmarks/experiments.py [--graphs 40] [--out docs/experiments]
    python benchmarks/experiments.py --speed

The loop: DAGs of 20 variables are simulated, with 200 rows in which nobody set anything. Then come five rounds: each
sets one variable in 100 more rows, to values drawn from a normal distribution with the mean and spread that it has
where it is free, and all rows so far are sampled from again. Three ways to choose the variable are compared: the best
of ``posterior.next_experiments()``, any at random, and the one that is joined to the most others. Every way sees the
same first rows, and the rows of a round are simulated with the same noise. After each round it is measured how far the
posterior is from the true DAG: the structural Hamming distance of the consensus DAG and of the most probable class, the
log loss of directed edges, in bits, and how many edges of the true DAG have their direction more probably wrong than
right. Results are written to CSV files after each graph, and what is there is not computed again.

The speed: processor seconds to rank all experiments for 200 variables and 4,000 draws.
"""

import argparse
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import edgewise as ew

P, FIRST, ROWS, ROUNDS = 20, 200, 100, 5
WAYS = ("next", "random", "degree")
NAMES = {"next": "next_experiments", "random": "random", "degree": "highest degree"}
MEASURES = {"shd": "Hamming distance of the consensus DAG", "log_loss": "log loss of directed edges, bits"}


def simulate_rows(sim, noise, target=None, values=None):
    """Rows of the simulated DAG with some noise, a target set to some values."""
    rows = np.zeros_like(noise)
    for v in sim.order:
        rows[:, v] = rows @ sim.weights[:, v] + noise[:, v]
        if v == target:
            rows[:, v] = values
    return rows


def choose(way, posterior, past, rng):
    left = [name for name in posterior.nodes if name not in past]
    if way == "random":
        return str(rng.choice(left))
    if way == "degree":
        degree = posterior.edge_probabilities("undirected").sum(axis=1)
        return str(degree[left].idxmax())
    return posterior.next_experiments(exclude=past)["target"].iloc[0]


def measure(posterior, sim):
    directed = posterior.edge_probabilities().to_numpy()
    # No draw is no proof: probabilities are kept within what 4,000 draws can tell.
    sure = directed.clip(1 / 4000, 1 - 1 / 4000)
    off = ~np.eye(P, dtype=bool)
    is_wrong = sim.dag & (directed < directed.T)
    return {
        "shd": ew.structural_hamming_distance(posterior.consensus_dag(), sim.dag),
        "shd_class": ew.structural_hamming_distance(posterior.map_cpdag(), sim.dag),
        "log_loss": float(-np.log2(np.where(sim.dag, sure, 1 - sure))[off].sum()),
        "turned": int(is_wrong.sum()),
        "open_directions": posterior.next_experiments().attrs["open_directions"],
    }


def sample(rows, is_set, seed, iterations):
    data = pd.DataFrame(rows, columns=[f"X{v}" for v in range(P)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ew.sample(
            data,
            interventions=is_set if is_set.any() else None,
            iterations=iterations,
            chains=2,
            seed=seed,
            progress=False,
        )


def run_graph(graph, iterations):
    sim = ew.simulate(P, 1, seed=graph)
    noise = np.random.default_rng([graph, 1]).standard_normal((ROUNDS + 1, max(FIRST, ROWS), P))
    first = simulate_rows(sim, noise[0, :FIRST])
    start = sample(first, np.zeros(first.shape, bool), graph, iterations)
    found = []
    for way in WAYS:
        rng = np.random.default_rng([graph, 2])
        rows, is_set, posterior, past = first, np.zeros(first.shape, bool), start, []
        found.append({"graph": graph, "way": way, "round": 0, "target": "", **measure(posterior, sim)})
        for number in range(1, ROUNDS + 1):
            target = choose(way, posterior, past, rng)
            past.append(target)
            column = int(target[1:])
            values = first[:, column].mean() + first[:, column].std() * noise[number, :ROWS, column]
            rows = np.vstack([rows, simulate_rows(sim, noise[number, :ROWS], column, values)])
            more = np.zeros((ROWS, P), bool)
            more[:, column] = True
            is_set = np.vstack([is_set, more])
            posterior = sample(rows, is_set, graph, iterations)
            found.append({"graph": graph, "way": way, "round": number, "target": target, **measure(posterior, sim)})
    return pd.DataFrame(found)


def compare(table, measure):
    """The mean advantage over each other way after each round, with its standard error, over graphs."""
    wide = table.pivot_table(index="graph", columns=["way", "round"], values=measure)
    rows = []
    for other in WAYS[1:]:
        gain = wide[other] - wide["next"]
        for number in range(1, ROUNDS + 1):
            error = gain[number].std(ddof=1) / np.sqrt(len(gain))
            rows.append({"measure": measure, "against": NAMES[other], "round": number, "graphs": len(gain),
                         "advantage": gain[number].mean(), "standard_error": error})  # fmt: skip
    return pd.DataFrame(rows)


def draw(table, path):
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(MEASURES), figsize=(9, 3.6), layout="constrained")
    for axis, (name, title) in zip(axes, MEASURES.items(), strict=True):
        for way, colour, mark in zip(WAYS, ("#0072B2", "#E69F00", "#009E73"), "osv", strict=True):
            part = table[table["way"] == way].groupby("round")[name]
            error = part.std(ddof=1) / np.sqrt(part.size())
            axis.errorbar(part.mean().index, part.mean(), error, color=colour, marker=mark, capsize=3, label=NAMES[way])
        axis.set(xlabel="experiments done", ylabel=title)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].legend(frameon=False)
    figure.savefig(path, dpi=150)


def loop(graphs, out, iterations):
    out.mkdir(parents=True, exist_ok=True)
    file = out / "rounds.csv"
    table = pd.read_csv(file, keep_default_na=False) if file.exists() else pd.DataFrame(columns=["graph"])
    for graph in range(1, graphs + 1):
        if graph in set(table["graph"]):
            continue
        began = time.process_time()
        table = pd.concat([table, run_graph(graph, iterations)]) if len(table) else run_graph(graph, iterations)
        table.to_csv(file, index=False, float_format="%.4f")
        print(f"graph {graph}: {time.process_time() - began:.1f} s", flush=True)
    table = table[table["graph"] <= graphs]
    compared = pd.concat([compare(table, name) for name in ("shd", "shd_class", "log_loss", "turned")])
    compared.to_csv(out / "advantage.csv", index=False, float_format="%.3f")
    print(compared.round(2).to_string(index=False))
    draw(table, out / "experiments.png")


def speed():
    posterior = ew.sample(
        ew.simulate(200, 1000, seed=1).data, iterations=20_000, thin=16, chains=4, seed=1, progress=False
    )
    function = lambda dag: int(dag[:, 0].sum())  # noqa: E731
    posterior.next_experiments(exclude=["X0"])
    print(f"p = 200, {posterior.weights.size} draws; processor seconds")
    for what, arguments in {
        "the DAG": {},
        "directed edges": {"about": "directed edges"},
        "a path": {"about": ("path", "X47", "X135")},
        "a function": {"about": function},
        "a batch of 10": {"batch": 10},
    }.items():
        began = time.process_time()
        posterior.next_experiments(**arguments)
        print(f"{what:16s} {time.process_time() - began:6.2f}")
    began = time.process_time()
    print(posterior.advice)
    print(f"{'the advice':16s} {time.process_time() - began:6.2f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--graphs", type=int, default=40)
    parser.add_argument("--iterations", type=int, default=20_000)
    parser.add_argument("--out", type=Path, default=Path("docs/experiments"))
    parser.add_argument("--speed", action="store_true")
    given = parser.parse_args()
    if given.speed:
        speed()
    else:
        loop(given.graphs, given.out, given.iterations)


if __name__ == "__main__":
    main()
