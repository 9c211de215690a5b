"""What people use today, beside Edgewise: accuracy and CPU time on the same data, in one run.

    python -m venv peers
    peers/bin/pip install --editable . matplotlib causal-learn pgmpy sumu dibs-lib
    peers/bin/python benchmarks/peers.py

sumu is compiled on the way, which takes a C++ compiler. A package that is not installed is passed over, and a line says
so. Results are written to ``docs/peers``: ``results.csv``, a row for each method and data set as soon as it is there,
and ``peers.svg``. What is in the file is not measured again: a run that was stopped goes on, and larger SETS add to it;
take the file away to begin anew. With ``--draw`` the picture, and the tables of ``docs/benchmarks.md``, are made from
what is there.

Data are those of ``ew.simulate``, with 3 neighbours on average and weights from .25 to 1 in absolute value; columns are
permuted, since they come in causal order and some methods begin with the order they find. All sets of one size are
given to a method in a process of its own, on one thread. CPU time is that of the process, children included, without
imports, and without compiling what is compiled once for all data: before its time is taken, a method is run on a small
set. DiBS is compiled for each data set anew, and that counts. Who needs more seconds of CPU time for a set than LIMITS
has "did not end", and is not asked about more variables. No further set is begun when a method has used that much for
those of one size, and the SLOW ones are given one set of each.

Each method has the settings that its makers have as defaults or use in their examples, with two exceptions. BOSS and
GRaSP also have, and GES has only, a penalty that was chosen on two sets of 30 variables, which are among those that are
measured, see PENALTY. sumu has fewer candidates and iterations than in its example, which takes minutes with 30
variables. What is compared:

- *distance*: the structural Hamming distance to the true equivalence class. Of a single DAG it is that of its class. Of
  a posterior it is that of the graph that has, for each pair, what is most probable: no edge, an edge that the class
  leaves open, or one of the two arrows. ``likeliest`` is the distance of the class that was drawn most often.
- *area*: under the ROC curve, of joined pairs. A single graph has zeros and ones, and so a curve with one corner.
- *joined*: F1 of the pairs joined, with probability above .5 in a posterior.
- *arrows*: F1 of the compelled edges, in the same way.
"""

import argparse
import json
import os
import re
import resource
import signal
import subprocess
import sys
import textwrap
import time
import warnings
from collections import Counter
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

import networkx as nx
import numpy as np
import pandas as pd
from scipy.stats import rankdata

import edgewise as ew

FOLDER = Path(__file__).parents[1] / "docs" / "peers"
SIZES = [(p, n) for p in (10, 30, 100, 200) for n in (100, 1000)]
FIRST = (30, 100, 10, 200)
SLOW = {"GES", "pgmpy hill climbing", "pgmpy GES", "sumu (Gadget)", "DiBS"}
"""Which numbers of variables come first, and which methods last for each: a run that is stopped has what matters."""

SETS = {10: 3, 30: 3, 100: 2, 200: 1}
"""How many sets a method is given; those in SLOW are given the first one."""

LIMITS = {10: 60, 30: 60, 100: 60, 200: 120}
"""Seconds of CPU time for a set, by the number of variables: at least twice what the default takes."""

WARM_UP = (5, 50)
"""Variables and rows of the set on which a method is run before its time is taken."""


class Found(NamedTuple):
    """What a method says of each pair: the probability of being joined, and of each arrow that is compelled.

    ``likeliest`` is the class that was drawn most often, None where there is but one graph.
    """

    joined: np.ndarray
    arrow: np.ndarray
    likeliest: np.ndarray | None

    @property
    def graph(self):
        """The most probable of what each pair may have; both entries of a pair are true where its direction is open."""
        ways = np.array([1 - self.joined, self.joined - self.arrow - self.arrow.T, self.arrow, self.arrow.T])
        way = ways.argmax(axis=0)
        return (way == 1) | (way == 2)


def of_graph(graph):
    """Return what a partially directed graph says, in which an open edge has both entries."""
    graph = np.asarray(graph, bool)
    return Found((graph | graph.T).astype(float), (graph & ~graph.T).astype(float), None)


def of_dags(dags):
    """Return what many DAGs say, one for each draw."""
    distinct, counts = np.unique(np.asarray(dags, bool), axis=0, return_counts=True)
    classes, which = np.unique([ew.cpdag(dag) for dag in distinct], axis=0, return_inverse=True)
    share = np.bincount(which.ravel(), counts) / counts.sum()
    joined = np.einsum("m,mij->ij", share, classes | classes.transpose(0, 2, 1))
    return Found(joined, np.einsum("m,mij->ij", share, classes & ~classes.transpose(0, 2, 1)), classes[share.argmax()])


# -- the methods


def edgewise_default(data, seed):
    return _of_posterior(ew.sample(data, seed=seed, progress=False))


def edgewise_minimal_imap(data, seed):
    return _of_posterior(ew.sample(data, sampler=ew.MinimalIMAP(), seed=seed, progress=False))


def _of_posterior(posterior):
    joined, arrow = (posterior.edge_probabilities(kind).to_numpy() for kind in ("undirected", "compelled"))
    return Found(joined, arrow, posterior.map_cpdag(as_array=True))


def edgewise_map_search(data, seed):
    return of_graph(ew.cpdag(ew.map_search(data, seed=seed, as_array=True)))


PENALTY = {"lambda_value": 1.0}
"""Twice that of BIC, the penalty discount of 2 that Tetrad has for BOSS and GRaSP.

In causal-learn 0.1.4 the default of BOSS and GRaSP is 2, four times BIC's, and that of GES .5, BIC's own. With 1 they
are nearer to the truth at 100 rows, and at 1000 now the one and now the other is, so BOSS and GRaSP are run with both.
Neither takes a seed: another run has other results, and ``--only`` with the number of a set several times has several.
"""


def boss(data, seed, parameters=PENALTY):
    from causallearn.search.PermutationBased.BOSS import boss

    return _of_marks(boss(data, parameters=parameters, verbose=False))


def boss_by_default(data, seed):
    return boss(data, seed, parameters=None)


def grasp(data, seed, parameters=PENALTY):
    from causallearn.search.PermutationBased.GRaSP import grasp

    return _of_marks(grasp(data, parameters=parameters, verbose=False))


def grasp_by_default(data, seed):
    return grasp(data, seed, parameters=None)


def ges(data, seed):
    from causallearn.search.ScoreBased.GES import ges

    return _of_marks(ges(data, score_func="local_score_BIC_from_cov", **PENALTY)["G"])


def pc(data, seed):
    from causallearn.search.ConstraintBased.PC import pc

    return _of_marks(pc(data, show_progress=False).G)


def _of_marks(graph):
    """Return what a graph of causal-learn says: -1 is a tail, 1 an arrowhead; arrowheads at both ends leave it open."""
    marks = graph.graph
    return of_graph((marks == -1) | ((marks == 1) & (marks.T == 1)))


def pgmpy_hill_climbing(data, seed):
    from pgmpy.causal_discovery import HillClimbSearch

    return _of_pgmpy(HillClimbSearch(scoring_method="bic-g", show_progress=False), data)


def pgmpy_ges(data, seed):
    from pgmpy.causal_discovery import GES

    return _of_pgmpy(GES(scoring_method="bic-g"), data)


def pgmpy_pc(data, seed):
    from pgmpy.causal_discovery import PC

    return _of_pgmpy(PC(ci_test="pearsonr", variant="stable", n_jobs=1, show_progress=False), data)


def _of_pgmpy(estimator, data):
    names = [f"X{v}" for v in range(data.shape[1])]
    graph = estimator.fit(pd.DataFrame(data, columns=names)).causal_graph_
    return of_graph(nx.to_numpy_array(graph, nodelist=names) > 0)


def gadget(data, seed):
    import sumu

    p = data.shape[1]
    steps = 5000 if p > WARM_UP[0] else 10
    np.random.seed(seed)  # noqa: NPY002
    found, _ = sumu.Gadget(
        data=sumu.Data(data, discrete=False), scoref="bge", max_id=-1, K=min(CANDIDATES, p - 1), d=PARENTS_BEYOND[p],
        cp_algo="greedy-lite", mc3_chains=16, burn_in=steps, iterations=steps, thinning=10, tolerance=2.0**-32,
    ).sample()  # fmt: skip
    return of_dags([sumu.bnet.family_sequence_to_adj_mat(families, row_parents=True) for families in found])


CANDIDATES = 10
"""How many each variable has in sumu: 15 in its example, but 2^15 parent sets take a minute with 30 variables."""

PARENTS_BEYOND = {5: 3, 10: 3, 30: 3, 100: 2, 200: 1}
"""How many parents sumu allows that are not all candidates: 3 in its example, fewer where p^d sets do not fit."""


def dibs(data, seed):
    import jax
    from dibs.inference import MarginalDiBS
    from dibs.models import BGe, ErdosReniDAGDistribution

    p = data.shape[1]
    search = MarginalDiBS(
        x=jax.numpy.asarray(data),
        likelihood_model=BGe(n_vars=p),
        graph_model=ErdosReniDAGDistribution(n_vars=p, n_edges_per_node=1.5),
    )
    found = np.asarray(search.sample(key=jax.random.PRNGKey(seed), n_particles=20, steps=1000)).astype(bool)
    is_acyclic = [nx.is_directed_acyclic_graph(nx.from_numpy_array(dag, create_using=nx.DiGraph)) for dag in found]
    return of_dags(found[is_acyclic] if any(is_acyclic) else np.zeros((1, p, p), bool))


METHODS = {
    "Edgewise": ("edgewise", edgewise_default),
    "Edgewise, MinimalIMAP": ("edgewise", edgewise_minimal_imap),
    "Edgewise, map_search": ("edgewise", edgewise_map_search),
    "BOSS": ("causal-learn", boss),
    "BOSS, default penalty": ("causal-learn", boss_by_default),
    "GRaSP": ("causal-learn", grasp),
    "GRaSP, default penalty": ("causal-learn", grasp_by_default),
    "GES": ("causal-learn", ges),
    "PC": ("causal-learn", pc),
    "pgmpy hill climbing": ("pgmpy", pgmpy_hill_climbing),
    "pgmpy GES": ("pgmpy", pgmpy_ges),
    "pgmpy PC": ("pgmpy", pgmpy_pc),
    "sumu (Gadget)": ("sumu", gadget),
    "DiBS": ("dibs-lib", dibs),
}


# -- one method, in a process of its own


def simulate(p, n, number):
    """Return data with permuted columns, and the true equivalence class."""
    rng = np.random.default_rng([p, n, number])
    simulation = ew.simulate(p, n, seed=rng)
    order = rng.permutation(p)
    return simulation.data.to_numpy()[:, order], ew.cpdag(np.asarray(simulation.dag)[np.ix_(order, order)])


def cpu_seconds():
    """Return the CPU time of this process and its children."""
    used = os.times()
    return time.process_time() + used.children_user + used.children_system


def measure(learn, p, n, numbers):
    """Run a method on some sets of a size, and print a line of JSON for each; be killed where one takes too long."""
    warnings.simplefilter("ignore")
    learn(simulate(*WARM_UP, 0)[0], 0)
    for number in numbers:
        data, truth = simulate(p, n, number)
        began = cpu_seconds()
        resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + LIMITS[p] + 1, resource.RLIM_INFINITY))
        found = learn(data, number)
        print(json.dumps({"cpu_seconds": cpu_seconds() - began, **judge(found, truth)}), flush=True)


def judge(found, truth):
    """Return what is compared, see above."""
    upper = np.triu_indices(len(truth), 1)
    joined = (truth | truth.T)[upper]
    rank = rankdata(found.joined[upper])
    ones = joined.sum()
    area = (rank[joined].sum() - ones * (ones + 1) / 2) / (ones * (len(joined) - ones))
    distance = ew.structural_hamming_distance
    return {
        "distance": distance(found.graph, truth),
        "likeliest": None if found.likeliest is None else distance(found.likeliest, truth),
        "area": float(area),
        "joined": f1(found.joined[upper] > 0.5, joined),
        "arrows": f1(found.arrow > 0.5, truth & ~truth.T),
    }


def f1(found, truth):
    """Return the harmonic mean of precision and recall."""
    return float(2 * (found & truth).sum() / max(found.sum() + truth.sum(), 1))


# -- all of them


def is_installed(package):
    try:
        version(package)
    except PackageNotFoundError:
        return False
    return True


def ask(name, p, n, numbers):
    """Yield a row for each set that a method was given; the last one has no results if it did not end."""
    threads = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
    xla = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    process = subprocess.Popen(  # noqa: S603
        [sys.executable, __file__, "--only", name, str(p), str(n), *map(str, numbers)],
        env={**os.environ, **threads, "XLA_FLAGS": xla}, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    left = list(numbers)
    total = 0.0
    for line in process.stdout:
        if line.startswith("{"):
            found = json.loads(line)
            yield {"set": left.pop(0), "outcome": "ended", **found}
            total += found["cpu_seconds"]
            if total > LIMITS[p]:
                process.kill()
                left = []
    process.wait()
    if left:
        yield {"set": left[0], "outcome": "did not end" if process.returncode == -signal.SIGXCPU else "failed"}


def run():
    """Ask every method about every size that is not in the results yet, and write each row as it comes."""
    for package in sorted({package for package, _ in METHODS.values()}):
        print(f"{package} {version(package)}" if is_installed(package) else f"{package} is not installed: left out")
    rows = pd.read_csv(FOLDER / "results.csv").to_dict("records") if (FOLDER / "results.csv").exists() else []
    runs = [(name, p, n) for p, n in SIZES for name, (package, _) in METHODS.items() if is_installed(package)]
    for name, p, n in sorted(runs, key=lambda run: (FIRST.index(run[1]), run[0] in SLOW)):
        before = [row for row in rows if (row["method"], row["n"]) == (name, n) and row["p"] <= p]
        here = [row for row in before if row["p"] == p]
        used = sum(row["cpu_seconds"] for row in here if row["outcome"] == "ended")
        has_given_up = any(row["outcome"] != "ended" for row in before)
        numbers = sorted(set(range(1 if name in SLOW else SETS[p])) - {row["set"] for row in here})
        if numbers and not has_given_up and used <= LIMITS[p]:
            for found in ask(name, p, n, numbers):
                rows.append({"method": name, "version": version(METHODS[name][0]), "p": p, "n": n, **found})
                print(pd.DataFrame(rows[-1:]).round(3).to_string(index=False, header=False), flush=True)
                pd.DataFrame(rows).round(4).to_csv(FOLDER / "results.csv", index=False)


# -- the tables and the picture


def summarise(results):
    """Return the means over the sets of each method and size, in the order of METHODS."""
    ended = results[results["outcome"] == "ended"]
    means = ended.groupby(["p", "n", "method"])[["cpu_seconds", "distance", "likeliest", "area", "joined", "arrows"]]
    table = means.mean().join(ended.groupby(["p", "n", "method"]).size().rename("sets"))
    places = {name: place for place, name in enumerate(METHODS)}
    return table.sort_index(key=lambda level: level.map(places) if level.name == "method" else level)


def explain_absence(results, name, p, n):
    """Say why there is no result of a method for a size."""
    failed = results[(results["outcome"] != "ended") & (results["method"] == name) & (results["n"] == n)]
    if (failed["p"] == p).any():
        return failed.loc[failed["p"] == p, "outcome"].iloc[0]
    return "not asked" if (failed["p"] < p).any() else "not measured"


def tabulate(results, variables):
    """Return a table in Markdown for some numbers of variables: distance, area and CPU seconds of each method."""
    means = summarise(results)
    sizes = [(p, n) for p, n in SIZES if p in variables]
    lines = ["| | " + " | ".join(f"{p}, {n}" for p, n in sizes) + " |", "|---" * (len(sizes) + 1) + "|"]
    for name in METHODS:
        cells = []
        for size in sizes:
            if (*size, name) in means.index:
                found = means.loc[(*size, name)]
                area = f"{found['area']:.3f}".removeprefix("0")
                fewer = f" ({found['sets']:.0f} set)" if found["sets"] < SETS[size[0]] else ""
                cells.append(f"{found['distance']:.1f}, {area}, {found['cpu_seconds']:.2g} s{fewer}")
            else:
                cells.append(explain_absence(results, name, *size))
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def write_tables(results):
    """Put the tables into the page of benchmarks, each between two comments, of which the first has its sizes."""
    page = FOLDER.parent / "benchmarks.md"

    def write(found):
        variables = [int(p) for p in found["sizes"].split()]
        return f"<!-- peers: {found['sizes']} -->\n{tabulate(results, variables)}\n<!-- end -->"

    text = re.sub(r"<!-- peers: (?P<sizes>[\d ]+) -->.*?<!-- end -->", write, page.read_text(), flags=re.DOTALL)
    page.write_text(text)


def draw(results):
    """Draw the distance against CPU time, a panel for each size; who did not end is named below its panel."""
    from matplotlib import pyplot as plt

    means = summarise(results).reset_index()
    styles = {name: STYLES[package][place] for name, package, place in _list_styles()}
    figure, panels = plt.subplots(2, 4, figsize=(13, 7), sharex=True, layout="constrained")
    for panel, (p, n) in zip(panels.T.ravel(), SIZES, strict=True):
        here = means[(means["p"] == p) & (means["n"] == n)]
        for row in here.itertuples():
            colour, marker = styles[row.method]
            size = 90 if row.method == "Edgewise" else 55
            panel.scatter(row.cpu_seconds, row.distance, size, color=colour, marker=marker, label=row.method, zorder=3)
        absent = {name: explain_absence(results, name, p, n) for name in METHODS if name not in set(here["method"])}
        top = 1.3 * max(here["distance"].max() if len(here) else 1, 1)  # leaves room for the words
        panel.set(xscale="log", title=f"{p} variables, {n} rows", ylim=(-0.06 * top, top))
        panel.grid(alpha=0.3)
        panel.spines[["top", "right"]].set_visible(False)
        lines = []
        for words, reasons in {
            "not in time": ("did not end", "failed", "not asked"),
            "not run": ("not measured",),
        }.items():
            names = [name for name, reason in absent.items() if reason in reasons]
            if names:
                lines.append(textwrap.fill(f"{words}: {'; '.join(names)}", 50))
        panel.text(
            0.98, 0.99, "\n".join(lines), transform=panel.transAxes, ha="right", va="top", fontsize=7, color="0.35"
        )
    for panel in panels[-1]:
        panel.set_xlabel("CPU seconds")
    for panel in panels[:, 0]:
        panel.set_ylabel("distance to the true class")
    handles = [
        plt.Line2D([], [], color=colour, marker=marker, linestyle="", markersize=9 if marker == "*" else 7, label=name)
        for name, (colour, marker) in styles.items()
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=6, frameon=False)
    figure.savefig(FOLDER / "peers.svg", metadata={"Date": None})
    plt.close(figure)


STYLES = {
    "edgewise": [("#c2410c", "*"), ("#c2410c", "o"), ("#c2410c", "^")],
    "causal-learn": [("#1d4ed8", marker) for marker in "opshDv"],
    "pgmpy": [("#15803d", marker) for marker in "osv"],
    "sumu": [("#7e22ce", "o")],
    "dibs-lib": [("#525252", "X")],
}
"""A colour for each package, and a marker for each of its methods."""


def _list_styles():
    used = Counter()
    for name, (package, _) in METHODS.items():
        yield name, package, used[package]
        used[package] += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--draw", action="store_true", help="only draw and tabulate the results that are there")
    parser.add_argument("--only", nargs="+", help="METHOD, P, N and numbers of sets: print their results as JSON")
    given = parser.parse_args()
    if given.only:
        name, p, n, *numbers = given.only
        measure(METHODS[name][1], int(p), int(n), [int(number) for number in numbers])
        return
    FOLDER.mkdir(exist_ok=True)
    if not given.draw:
        run()
    results = pd.read_csv(FOLDER / "results.csv")
    draw(results)
    print(summarise(results).round(3).to_string())
    write_tables(results)


if __name__ == "__main__":
    main()
