"""Figure 3: the time of an iteration against the number of variables, relative to p = 25, and the memory.

Minimal I-MAP MCMC as it is here, with one rotation of a factor for each exchange of neighbours; the same chain as the
paper prints it, with a matrix inverted for each test; and order MCMC with up to k = 2, 3 and 4 parents, for as many
variables as its tables fit into memory. As in the paper, what is done once before the first iteration is not counted.
"""

import math
import time
import tracemalloc
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri

import edgewise as ew
from edgewise.data import load_data
from edgewise.samplers import Chain, Sampler, Schedule
from edgewise.samplers.parent_sets import GIGABYTE, count_sets, estimate_memory

from .experiment import COLOURS, Check, Experiment, Section, make_figure, save_figure
from .pieces import Piece

SMALLEST = 25
"""The number of variables that the paper relates all times to."""

METHODS = {
    "ours": "minimal I-MAP, ours",
    "algorithm2": "minimal I-MAP, Algorithm 2 as printed",
    "order-k2": "order MCMC, k = 2",
    "order-k3": "order MCMC, k = 3",
    "order-k4": "order MCMC, k = 4",
}

SIZES = {
    "ours": (25, 35, 50, 70, 100, 200, 400),
    "algorithm2": (25, 35, 50, 70, 100),
    "order-k2": (25, 35, 50, 70, 100, 200),
    "order-k3": (25, 35, 50, 70, 100),
    "order-k4": (25, 35, 50, 70),
}
QUICK_SIZES = {"ours": (25, 50, 100), "algorithm2": (25, 50), "order-k3": (25, 40, 60)}
"""Numbers of variables; those at which the tables of order MCMC exceed the limit are left out."""

LIMIT = 1.0
"""Gigabytes that the tables of order MCMC may take here: what a laptop can spare."""

PUBLISHED = {
    "ours": "about 3",
    "algorithm2": "about 3",
    "order-k2": "about 3",
    "order-k3": "about 4",
    "order-k4": "about 5",
}
"""Exponents of the time in p, from Section 4.4 of the paper; the slopes in its Figure 3 are not in the text."""

PUBLISHED_MEMORY = {"minimal I-MAP": "around 1 MB", "order MCMC": "over 40 GB"}
"""For 80 variables and up to 5 parents, from the same section."""

REPEATS, QUICK_REPEATS = 15, 5
"""Times of which the median is taken."""

WARM_UP = 0.5
"""Seconds of iterations before the first that counts, so that scores that recur are in the table."""

SHORTEST = 0.05
"""Seconds of a measurement: long against the clock's resolution and the call from Python."""

PLACES = 6
"""Positions of an exchange that Algorithm 2 is timed at, evenly spread: its time depends on the position."""

LARGE, MOST_PARENTS = 80, 5
"""The paper's example of memory."""


def time_iterations(*, method: str, p: int, repeats: int) -> dict[str, Any]:
    """Return the median seconds of an iteration."""
    simulation = ew.simulate(p, max(1000, 2 * p), seed=1)
    if method == "algorithm2":
        seconds = _time_algorithm_2(simulation.data.to_numpy(), simulation.order, repeats)
    else:
        chain = _start(_sampler(method), simulation.data, simulation.order)
        seconds = _time_chain(chain, repeats)
    return {"method": method, "p": p, "seconds": seconds}


def measure_memory(*, p: int, max_parents: int) -> dict[str, Any]:
    """Return the most bytes of a chain of 100,000 iterations with its draws, and those of order MCMC's tables."""
    simulation = ew.simulate(p, 1000, seed=1)
    _start(_sampler("ours"), simulation.data, simulation.order).advance(1)  # so that no code is loaded meanwhile
    tracemalloc.start()
    _start(_sampler("ours"), simulation.data, simulation.order).advance(100_000)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return {"minimal I-MAP": most, "order MCMC": table_memory(p, max_parents)}


def table_memory(p: int, max_parents: int) -> int:
    """Return the bytes of the tables of order MCMC, by the estimate that it makes before it begins."""
    none = np.zeros((p, p), bool)
    return estimate_memory(count_sets(~np.eye(p, dtype=bool), none, max_parents), p)


def _sampler(method: str) -> Sampler:
    if method == "ours":
        return ew.MinimalIMAP(parents="full", moves="adjacent")
    return ew.OrderMCMC(max_parents=_parents_of(method), memory_limit=LIMIT)


def _parents_of(method: str) -> int:
    return int(method[-1])


def _start(sampler: Sampler, data: pd.DataFrame, order: np.ndarray) -> Chain:
    """Return a chain at its start, which draws after every hundredth iteration."""
    model = sampler.prepare(load_data(data), ew.BGe(), ew.Sparsity(1.0), None)
    chain: Chain = model.start(order, np.random.default_rng(1), Schedule(10**12, 20_000, 100))
    return chain


def _time_chain(chain: Chain, repeats: int) -> float:
    steps = 100
    chain.advance(steps)  # what is compiled, or loaded, at first would count as slow steps
    while (seconds := _clock(partial(chain.advance, steps))) < SHORTEST:
        steps *= 2
    chain.advance(round(WARM_UP / seconds) * steps)
    return median(_clock(partial(chain.advance, steps)) for _ in range(repeats)) / steps


def _clock(work: Callable[[], object]) -> float:
    """Return the seconds of the processor that something takes, which other programs disturb least."""
    began = time.process_time()
    work()
    return time.process_time() - began


class Algorithm2:
    """The paper's update of a minimal I-MAP after an exchange of neighbours, as printed: a test for each pair.

    Parameters
    ----------
    values
        The data.
    alpha
        Level of Fisher's z test.
    """

    def __init__(self, values: np.ndarray, alpha: float = 0.01) -> None:
        self.correlation = np.corrcoef(values.T)
        self.rows = len(values)
        self.critical = -ndtri(alpha / 2)

    def is_dependent(self, x: int, y: int, given: list[int]) -> bool:
        """Test whether two variables depend on each other given others, by inverting their correlation matrix."""
        columns = [x, y, *given]
        precision = np.linalg.inv(self.correlation[np.ix_(columns, columns)])
        rho = -precision[0, 1] / math.sqrt(precision[0, 0] * precision[1, 1])
        return bool(math.sqrt(self.rows - len(given) - 3) * abs(math.atanh(rho)) > self.critical)

    def retest(self, dag: np.ndarray, order: list[int], position: int) -> None:
        """Find the parents of the variable at a position anew."""
        node, before = order[position], order[:position]
        dag[:, node] = False
        for other in before:
            dag[other, node] = self.is_dependent(node, other, [v for v in before if v != other])

    def update(self, dag: np.ndarray, order: list[int], place: int) -> np.ndarray:
        """Return the minimal I-MAP of an order, given that of the order before ``place`` and the next were exchanged.

        The last place stands for the exchange of first and last, after which everything is tested.
        """
        dag = dag.copy()
        last = place == len(order) - 1
        for position in range(len(order)) if last else (place, place + 1):
            self.retest(dag, order, position)
        return dag


def _time_algorithm_2(values: np.ndarray, order: np.ndarray, repeats: int) -> float:
    """Return the seconds of an iteration, on average over the places of an exchange.

    They are those of the tests: the scores of two families can be looked up.
    """
    algorithm = Algorithm2(values)
    p = len(order)
    variables = order.tolist()
    dag = algorithm.update(np.zeros((p, p), bool), variables, p - 1)

    def seconds(place: int, times: int) -> float:
        other = (place + 1) % p
        exchanged = list(variables)
        exchanged[place], exchanged[other] = exchanged[other], exchanged[place]
        return _clock(lambda: [algorithm.update(dag, exchanged, place) for _ in range(times)]) / times

    of_neighbours = median(
        float(np.mean([seconds(place, 2) for place in np.linspace(0, p - 2, PLACES).astype(int).tolist()]))
        for _ in range(repeats)
    )
    # The exchange of first and last takes p / 4 times as long, so that it is timed once.
    return ((p - 1) * of_neighbours + seconds(p - 1, 1)) / p


def plan(quick: bool, data: Path | None) -> list[Piece]:
    """Return a piece for each method and number of variables, and one for memory."""
    repeats = QUICK_REPEATS if quick else REPEATS
    pieces = [
        Piece(f"{method}-p{p}", time_iterations, {"method": method, "p": p, "repeats": repeats}, alone=True)
        for method, sizes in (QUICK_SIZES if quick else SIZES).items()
        for p in sizes
        if not method.startswith("order") or table_memory(p, _parents_of(method)) <= LIMIT * GIGABYTE
    ]
    return [*pieces, Piece("memory", measure_memory, {"p": LARGE, "max_parents": MOST_PARENTS})]


def conclude(results: Mapping[str, dict[str, Any]], directory: Path) -> Section:
    """Return times relative to p = 25, their exponents, and the memory."""
    times = pd.DataFrame([result for name, result in results.items() if name != "memory"])
    times["relative"] = times["seconds"] / times.groupby("method")["seconds"].transform("first")
    exponents = {
        str(method): float(np.polyfit(np.log(lines["p"]), np.log(lines["seconds"]), 1)[0])
        for method, lines in times.groupby("method", sort=False)
    }
    path = save_figure(_draw(times, exponents), directory / "figure3.svg")
    largest = times.groupby("method", sort=False)["p"].max()
    memory = results["memory"]
    tables = {
        f"Seconds of an iteration, and relative to p = {SMALLEST}": times.replace({"method": METHODS}),
        "Exponents of the time in p": pd.DataFrame(
            {
                "method": [METHODS[method] for method in exponents],
                "largest p": [int(largest[method]) for method in exponents],
                "ours": list(exponents.values()),
                "published": [PUBLISHED[method] for method in exponents],
            }
        ),
        f"Memory with {LARGE} variables and up to {MOST_PARENTS} parents": pd.DataFrame(
            {
                "method": list(memory),
                "megabytes": [size / 1e6 for size in memory.values()],
                "published": [PUBLISHED_MEMORY[method] for method in memory],
            }
        ),
    }
    faster = _seconds(times, "algorithm2") / _seconds(times, "ours")
    orders = ", ".join(f"{exponents[key]:.2f} at k = {key[-1]}" for key in exponents if key.startswith("order"))
    text = (
        "Median processor times of an iteration, for simulated data with 1000 rows or more, relative to those for "
        f"p = {SMALLEST}. Order MCMC ends where its tables would take more than {LIMIT:g} GB.",
        "The paper bounds an iteration of minimal I-MAP MCMC by p^4 and observes about p^3. Here, where an exchange of "
        f"neighbours is one rotation, the exponent is {exponents['ours']:.2f}; with the tests of the paper's Algorithm "
        f"2, each by inverting a matrix in NumPy, it is {exponents['algorithm2']:.2f}, and at p = {SMALLEST} an "
        f"iteration takes {faster:,.0f} times as long. Over these sizes, an inversion itself takes less than p^3.",
        f"For order MCMC the paper observes about p^(k + 1). Here the exponents are {orders}, over the sizes in the "
        "second table.",
        f"With {LARGE} variables and up to {MOST_PARENTS} parents, the tables of order MCMC would take "
        f"{memory['order MCMC'] / GIGABYTE:,.0f} GB by its own estimate. Minimal I-MAP MCMC was measured, with the "
        "draws of 100,000 iterations.",
    )
    below = exponents["ours"] < exponents["order-k3"]
    check = Check("The time of minimal I-MAP MCMC grows with a lower power of p than order MCMC's at k = 3.", below)
    return Section("figure3", EXPERIMENT.title, text, tables, (path,), (check,))


def _seconds(times: pd.DataFrame, method: str) -> float:
    """Return the seconds of an iteration for the smallest number of variables."""
    return float(times.loc[times["method"] == method, "seconds"].iloc[0])


def _draw(times: pd.DataFrame, exponents: dict[str, float]) -> Any:
    figure = make_figure(6.5, 4.5)
    axes = figure.subplots()
    for (method, exponent), colour, marker in zip(exponents.items(), COLOURS, "osv^D", strict=False):
        lines = times[times["method"] == method]
        label = f"{METHODS[method]}: c = {exponent:.2f}"
        axes.loglog(lines["p"], lines["relative"], marker, color=colour, label=label)
        fitted = np.exp(np.mean(np.log(lines["relative"]) - exponent * np.log(lines["p"])))
        axes.loglog(lines["p"], fitted * lines["p"] ** exponent, ":", color=colour)
    ticks = sorted(set(times["p"]))
    axes.set_xticks(ticks, [str(p) for p in ticks])
    axes.minorticks_off()
    axes.set(xlabel="number of variables p", ylabel=f"time of an iteration, relative to p = {SMALLEST}")
    axes.grid(alpha=0.3)
    figure.legend(loc="outside lower center", ncols=2, fontsize=9)
    return figure


EXPERIMENT = Experiment("figure3", "Time and memory", plan, conclude)
