"""Do chains from random starts agree, and with the truth: 30 to 1000 variables, and fewer rows than variables.

    python benchmarks/mixing.py [--only 1 2 ...] [--sets 5]

Data are simulated as in the paper, with 3 neighbours on average unless said otherwise; all settings are the defaults.
Agreement is the correlation of directed edge probabilities between chains, AUROC the area under the ROC curve
of edge probabilities. Seconds are those of whole calls, once everything is compiled.

1  p = 30, n = 1000: a chain from a random order against one from the true order, 10^5 iterations, 50 sets
2  p = 100, n = 1000    3  p = 200, n = 1000    4  p = 400, n = 1000, and p = 1000, n = 2000
5  fewer rows than variables, 2 neighbours, Rao-Blackwellised
7  the MAP search: structural Hamming distance (SHD) of CPDAGs, on one core, beside Tetrad's BOSS
8  p = 30: log loss of directed edges per variable, plain and Rao-Blackwellised, 12 sets
9  two modes: a single chain and a tempered one
10 moves: microseconds of an exchange and of a relocation, and agreement in equal time with each mixture

Writes results/mixing.json.
"""

import argparse
import json
import resource
import sys
import time
import warnings
from pathlib import Path

import numpy as np

import edgewise as ew
from edgewise.data import load_data
from edgewise.experiments import auroc, measure_accuracy
from edgewise.samplers import Schedule

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

RESULTS = Path(__file__).parent / "results"
BOSS = {(100, 1000): (6, 1.8), (100, 100): (69, 0.8), (200, 1000): (17, 5.4), (200, 100): (189, 3.0)}
"""SHD and seconds of Tetrad's BOSS on the same simulation, measured elsewhere."""


def correlation(one, other):
    off_diagonal = ~np.eye(len(one), dtype=bool)
    return float(np.corrcoef(one[off_diagonal], other[off_diagonal])[0, 1])


def least_agreement(posterior):
    return float(posterior.chain_agreement().to_numpy().min())


def log_loss(probability, dag):
    clipped = np.clip(probability, 1e-4, 1 - 1e-4)
    off_diagonal = ~np.eye(len(dag), dtype=bool)
    return float(-np.log(np.where(dag, clipped, 1 - clipped))[off_diagonal].sum() / len(dag))


def mean_and_error(values):
    return f"{np.mean(values):.4f} ± {np.std(values, ddof=1) / np.sqrt(len(values)):.4f}"


def compile_first():
    small = ew.simulate(6, 100, seed=1)
    ew.sample(small.data, sampler=ew.MinimalIMAP(), iterations=1000, seed=1, progress=False)
    ew.map_search(small.data, seed=1)


def starts_agree(sets):
    """Line 1."""
    found = []
    for seed in range(10 * sets):
        simulation = ew.simulate(30, 1000, seed=seed)
        runs = [
            ew.sample(
                simulation.data, sampler=ew.MinimalIMAP(), start=start, chains=1, seed=1000 + seed, progress=False
            )
            for start in ("random", simulation.order)
        ]
        found.append(correlation(*(run.edge_probabilities(rao_blackwell=False).to_numpy() for run in runs)))
    print(f"1  p = 30, n = 1000: random against true start {mean_and_error(found)}, least {min(found):.4f} (>= .995)")
    return found


def many_variables(line, p, n, sets, *, asked, chains=4):
    """Lines 2 to 4."""
    rows = []
    for seed in range(sets):
        simulation = ew.simulate(p, n, seed=seed)
        began = time.perf_counter()
        posterior = ew.sample(
            simulation.data, sampler=ew.MinimalIMAP(), chains=chains, seed=1000 + seed, progress=False
        )
        seconds = time.perf_counter() - began
        accuracy = measure_accuracy(posterior, simulation.dag)
        rows.append((least_agreement(posterior), accuracy.undirected, accuracy.compelled, accuracy.directed, seconds))
    agreement, undirected, compelled, directed, seconds = np.mean(rows, axis=0)
    print(
        f"{line}  p = {p}, n = {n}: {seconds:.1f} s a run, least agreement of {chains} chains {agreement:.4f}, AUROC "
        f"undirected {undirected:.4f}, compelled {compelled:.4f}, directed {directed:.4f} ({asked})"
    )
    return rows


def a_thousand():
    """Line 4, second half."""
    simulation = ew.simulate(1000, 2000, seed=0)
    began = time.perf_counter()
    dag = ew.map_search(simulation.data, seed=1, as_array=True)
    searched = time.perf_counter() - began
    posterior = ew.sample(simulation.data, sampler=ew.MinimalIMAP(), chains=2, seed=2, progress=False)
    seconds = time.perf_counter() - began
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    accuracy = measure_accuracy(posterior, simulation.dag)
    true_start = ew.sample(
        simulation.data, sampler=ew.MinimalIMAP(), start=simulation.order, chains=1, seed=3, progress=False
    )
    penalty = ew.Sparsity("auto").penalty(1000)
    best = max(float(posterior.log_posterior.max()), ew.score(dag, simulation.data) - penalty * dag.sum())
    behind = best - float(true_start.log_posterior.max())
    distance = ew.structural_hamming_distance(ew.cpdag(dag), ew.cpdag(simulation.dag))
    print(
        f"4  p = 1000, n = 2000: {seconds:.0f} s, of which the MAP search {searched:.0f} s (SHD {distance}); peak "
        f"{megabytes:.0f} MB; AUROC undirected {accuracy.undirected:.4f}, directed {accuracy.directed:.4f}; best log "
        f"posterior {behind:+.1f} from that of a chain that starts at the truth; agreement "
        f"{least_agreement(posterior):.4f} (< 600 s, < 1000 MB, >= .999, >= .97, >= -100)"
    )
    return [seconds, searched, megabytes, accuracy.undirected, accuracy.directed, behind, distance]


def few_rows(sets):
    """Line 5."""
    results = {}
    for p, n, asked in ((100, 50, ".955 / .93"), (100, 100, ".99 / .985"), (200, 100, ".985 / .97")):
        rows = []
        for seed in range(sets):
            simulation = ew.simulate(p, n, neighbours=2, seed=seed)
            posterior = ew.sample(simulation.data, sampler=ew.MinimalIMAP(), seed=1000 + seed, progress=False)
            dag, pairs = simulation.dag, np.triu_indices(p, 1)
            better = measure_accuracy(posterior, dag, rao_blackwell=True)
            plain = measure_accuracy(posterior, dag)
            marginal = auroc(np.abs(np.corrcoef(simulation.data.T))[pairs], (dag | dag.T)[pairs])
            rows.append((better.undirected, better.compelled, plain.undirected, plain.compelled, marginal))
        mean = np.mean(rows, axis=0)
        print(
            f"5  p = {p}, n = {n}: AUROC undirected {mean[0]:.4f}, compelled {mean[1]:.4f} (>= {asked}); plain "
            f"{mean[2]:.4f} / {mean[3]:.4f}; |correlation| {mean[4]:.4f}"
        )
        results[f"{p} {n}"] = rows
    return results


def search(sets):
    """Line 7."""
    results = {}
    for (p, n), most in zip(BOSS, (5, 55, 10, 110), strict=True):
        rows = []
        for seed in range(sets):
            simulation = ew.simulate(p, n, seed=seed)
            began = time.perf_counter()
            dag = ew.map_search(simulation.data, seed=1000 + seed)
            seconds = time.perf_counter() - began
            rows.append((ew.structural_hamming_distance(ew.cpdag(dag), ew.cpdag(simulation.dag)), seconds))
        (distance, seconds), (boss, boss_seconds) = np.mean(rows, axis=0), BOSS[p, n]
        print(
            f"7  p = {p}, n = {n}: SHD {distance:.1f} (<= {most}) in {seconds:.2f} s; BOSS {boss} in {boss_seconds} s"
        )
        results[f"{p} {n}"] = rows
    return results


def losses():
    """Line 8."""
    results = {}
    for n, most in ((100, 1.55), (1000, 0.52)):
        rows = []
        for seed in range(12):
            simulation = ew.simulate(30, n, seed=seed)
            posterior = ew.sample(simulation.data, sampler=ew.MinimalIMAP(), seed=1000 + seed, progress=False)
            rows.append(
                [
                    log_loss(posterior.edge_probabilities(rao_blackwell=better).to_numpy(), simulation.dag)
                    for better in (True, False)
                ]
            )
        conditional, plain = zip(*rows, strict=True)
        print(
            f"8  n = {n}: log loss Rao-Blackwellised {mean_and_error(conditional)} (<= {most}), plain "
            f"{mean_and_error(plain)}"
        )
        results[str(n)] = rows
    return results


def time_moves():
    """Line 10."""
    results = {}
    for p, n in ((10, 1000), (30, 1000), (100, 1000), (100, 100), (400, 1000), (1000, 2000)):
        dataset = load_data(ew.simulate(p, n, seed=0).data)
        cost, means = {}, {}
        for moves in ("adjacent", "auto", "relocate"):
            model = ew.MinimalIMAP(moves=moves).prepare(dataset, ew.BGe(), ew.Sparsity("auto"))
            rngs = np.random.default_rng(1).spawn(2)
            chains = [model.start(rng.permutation(p), rng, Schedule(10**12, 0, 100)) for rng in rngs]
            for chain in chains:
                chain.seek()
                chain.advance(10 * p)
            steps, best = 4000 if moves == "adjacent" else 400, np.inf
            for _ in range(5):
                began = time.perf_counter()
                chains[0].advance(steps)
                best = min(best, (time.perf_counter() - began) / steps)
            cost[moves] = 1e6 * best
            # A millisecond for each variable.
            posterior = ew.sample(
                dataset, sampler=ew.MinimalIMAP(moves=moves), iterations=int(p * 1e-3 / best) + 200,
                thin=max(int(p * 1e-3 / best) // 400, 1), chains=2, seed=1, progress=False,
            )  # fmt: skip
            means[moves] = least_agreement(posterior)
        print(
            f"10 p = {p}, n = {n}: microseconds of an exchange {cost['adjacent']:.2f}, of a relocation "
            f"{cost['relocate']:.2f}, of a mean move {cost['auto']:.2f}; agreement after {p} ms: "
            + ", ".join(f"{moves} {value:.4f}" for moves, value in means.items())
        )
        results[f"{p} {n}"] = [cost, means]
    return results


def two_modes():
    """Line 9."""
    from naive.bimodal import compare_tempering

    result = compare_tempering()
    print(
        f"9  two modes, share of the first: exact {result['exact']:.3f}, a single chain {result['single']:.3f}, "
        f"tempered {result['tempered']:.3f}"
    )
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", type=int, nargs="*")
    parser.add_argument("--sets", type=int, default=5)
    arguments = parser.parse_args()
    sets = arguments.sets
    warnings.simplefilter("ignore", ew.ConvergenceWarning)
    lines = {
        1: lambda: starts_agree(sets),
        2: lambda: many_variables(2, 100, 1000, sets, asked="<= 10 s, >= .99, .999 / .998"),
        3: lambda: many_variables(3, 200, 1000, sets, asked="<= 30 s, >= .98, .999 / .995"),
        4: lambda: [many_variables(4, 400, 1000, sets, asked="<= 60 s, .999 / directed .985"), a_thousand()],
        5: lambda: few_rows(sets),
        7: lambda: search(sets),
        8: losses,
        9: two_modes,
        10: time_moves,
    }
    compile_first()
    results = {}
    for line, measure in lines.items():
        if not arguments.only or line in arguments.only:
            results[line] = measure()
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "mixing.json").write_text(json.dumps({"settings": vars(arguments), "lines": results}, indent=2))


if __name__ == "__main__":
    main()
