r"""A posterior in the formats of other programs.

============================  =================================================================================
:func:`to_networkx`           the probable edges as a networkx graph
:func:`edge_list`             an acyclic list of pairs, as pgmpy and causal-inference packages take it
:func:`export`                the probable edges as a file: a CSV table, GraphML (Cytoscape, Gephi, igraph) or DOT
                              (Graphviz)
:func:`write_pairs`           the pairs of variables as a CSV table
:func:`write_trajectory`      one chain, draw by draw, as Benchpress reads it
============================  =================================================================================

Names of variables are the user's, and may hold anything. Each format has its own way to quote them, which is
followed, so that no name can break a file or be taken for markup. What no XML file can hold, control characters other
than tab and line breaks, is written as U+FFFD, the replacement character; CSV tables hold it as it is. Files are UTF-8.
"""

import csv
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from edgewise.arguments import is_whole
from edgewise.errors import ArgumentError
from edgewise.files import new_file
from edgewise.graphs import BoolMatrix
from edgewise.wording import enumerate_items, enumerate_names, quote, writable

from .posterior import Posterior
from .summaries import PROBABLE, TOLD, orient_pairs

if TYPE_CHECKING:
    import networkx as nx

ENTITY = re.compile(r"&(?=#?\w+;)")
"""What Graphviz would take for the beginning of an HTML entity, also in an ordinary label."""

PEN_WIDTH = 0.5, 2.5
"""Width in points of a line in DOT at probability 0, and what probability 1 adds: a hairline that can still be
seen, up to three times Graphviz's ordinary line."""

NOT_IN_TRAJECTORY = (";", "->", "\n", "\r")
"""What separates edges, nodes and rows in a trajectory, and cannot be escaped there."""


def to_networkx(posterior: Posterior, threshold: float = 0.0) -> "nx.DiGraph[str]":
    """Return the probable edges as a networkx graph.

    Parameters
    ----------
    posterior
        The posterior.
    threshold
        Leave out edges less probable than this, and always those below .0005, as :meth:`Posterior.edges` does.

    Returns
    -------
    networkx.DiGraph
        All variables, in their order, and the edges, each with the attributes ``probability``, ``undirected`` (that the
        two are joined at all), ``compelled`` (that the edge is compelled), ``told``: whether the direction can be told,
        and an arrowhead is due, and ``disagreed``: whether chains disagree on the pair. It can have cycles, since it
        sums up many DAGs: a pair may well be joined in both directions.

    Examples
    --------
    >>> import edgewise as ew
    >>> sim = ew.simulate(4, 1000, seed=1)
    >>> posterior = ew.sample(sim.data, iterations=2000, thin=10, seed=1, progress=False)
    >>> graph = to_networkx(posterior, threshold=0.1)
    >>> len(graph), min(probability for _, _, probability in graph.edges(data="probability")) >= 0.1
    (4, True)
    """
    return _graph(posterior.nodes, posterior.edges(threshold), posterior.disagreement)


def edge_list(posterior: Posterior, threshold: float = 0.5) -> list[tuple[str, str]]:
    """Return the edges of a DAG on which the draws agree, as pairs of source and target.

    They are the edges of :meth:`Posterior.consensus_dag`, in the form from which ``pgmpy.base.DAG`` and pgmpy's models
    are made. Variables without any edge are not in the list: add them with ``DAG.add_nodes_from(posterior.nodes)``.

    Parameters
    ----------
    posterior
        The posterior.
    threshold
        Leave out edges less probable than this.

    Returns
    -------
    list of (source, target)
        The most probable first.

    Examples
    --------
    >>> import edgewise as ew
    >>> sim = ew.simulate(4, 1000, seed=1)
    >>> posterior = ew.sample(sim.data, iterations=2000, thin=10, seed=1, progress=False)
    >>> set(edge_list(posterior, 0.9)) <= set(edge_list(posterior))
    True
    """
    dag = posterior.consensus_dag(threshold, as_array=True)
    table = posterior.edges(threshold)
    number = {name: i for i, name in enumerate(posterior.nodes)}
    pairs = zip(table["source"], table["target"], strict=True)
    return [(source, target) for source, target in pairs if dag[number[source], number[target]]]


def export(posterior: Posterior, path: str | os.PathLike[str], threshold: float | None = None) -> None:
    r"""Write the probable edges to a file, in the format that its name asks for.

    ``.csv``
        The table of :meth:`Posterior.edges`; text is quoted, numbers are not.
    ``.graphml``
        The pairs of :meth:`Posterior.pairs`, one edge for each, in its more probable direction. It has the attributes
        ``joined`` (the probability of either direction), ``probability`` and ``compelled`` of this direction,
        ``reverse`` and ``compelled_reverse`` of the other, ``told``: whether the direction can be told, and an
        arrowhead is due, and ``disagreed``: whether chains disagree on the pair. (The format has undirected edges too,
        but most programs do not read both kinds from one file.) :func:`to_networkx` has every direction as an edge of
        its own.
    ``.dot`` or ``.gv``
        The same pairs for Graphviz. Each line is labelled with the probability that the two are
        joined, and the wider, the more probable that is. It has an arrowhead only where the direction can be told, and
        is dotted where chains disagree.
        Nodes are named and shown as the variables, in Graphviz's spelling: ``\"``, ``\\`` and ``\n`` for quotes,
        backslashes and line breaks, ``&amp;`` where an HTML entity would be seen otherwise.

    Parameters
    ----------
    posterior
        The posterior.
    path
        The file; one that exists is replaced once the new one is complete.
    threshold
        Leave out edges, or in a graph pairs, less probable than this. By default a table has all edges, and a graph the
        pairs that are more probably joined than not, as the report shows them; 0 for all. Those below .0005 are always
        left out.

    Raises
    ------
    ArgumentError
        If the name ends in something else, the threshold is not a probability, or two names differ only in
        characters that cannot be written (see the top of this module).
    StorageError
        If the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> import edgewise as ew
    >>> sim = ew.simulate(4, 1000, seed=1)
    >>> posterior = ew.sample(sim.data, iterations=2000, thin=10, seed=1, progress=False)
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     export(posterior, f"{directory}/edges.graphml", threshold=0.5)
    """
    path = Path(path)
    if path.suffix.lower() not in WRITERS:
        raise ArgumentError(
            f"The name of the file must end in {enumerate_items(list(WRITERS)).replace(' and ', ' or ')}, which says "
            f"what is to be written, but {quote(path.name)} was given."
        )
    tabulate, write = WRITERS[path.suffix.lower()]
    if threshold is None:
        threshold = 0.0 if write is write_csv else PROBABLE
    if write is not write_csv:
        posterior = _with_writable_names(posterior)
    table = tabulate(posterior, threshold)
    with new_file(path) as unfinished:
        write(unfinished, posterior.nodes, table)


def write_pairs(posterior: Posterior, path: str | os.PathLike[str], threshold: float = 0.0) -> None:
    """Write the table of :meth:`Posterior.pairs` as a CSV file; text is quoted, numbers are not.

    Parameters
    ----------
    posterior
        The posterior.
    path
        The file; one that exists is replaced once the new one is complete.
    threshold
        Leave out pairs that are joined with a lower probability than this, and always those below .0005.

    Raises
    ------
    StorageError
        If the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> import edgewise as ew
    >>> sim = ew.simulate(4, 1000, seed=1)
    >>> posterior = ew.sample(sim.data, iterations=2000, thin=10, seed=1, progress=False)
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     write_pairs(posterior, f"{directory}/pairs.csv")
    ...     with open(f"{directory}/pairs.csv") as file:
    ...         print(next(file), end="")
    "a","b","joined","mcse","forward","backward","told_forward","told_backward","direction"
    """
    table = posterior.pairs(threshold)
    with new_file(Path(path)) as unfinished:
        write_csv(unfinished, posterior.nodes, table)


def write_trajectory(posterior: Posterior, path: str | os.PathLike[str], chain: int = 0) -> None:
    """Write one chain, draw by draw, as the CSV file that Benchpress keeps of an MCMC run.

    The format is the one of Benchpress's documentation ("File formats: MCMC trajectory"), as its scripts write it
    for BiDAG and read it for plots. Columns are ``index,score,added,removed``. The rows -2 and -1 only name the
    variables, by edges from the first to all others that come and go. Row 0 holds the first draw, and each later
    row a draw that differs from the one before: the edges that came and went, as ``[a->b;c->d]``. A last row
    without changes says how long the chain stayed where it was, so that the file tells the number of draws.

    Draws are counted from 0 after burn-in and thinning, so that neither is to be applied again. The score is the
    log posterior, up to a constant. Weights of draws have no place in the format.

    Parameters
    ----------
    posterior
        The posterior.
    path
        The file; one that exists is replaced once the new one is complete.
    chain
        Which chain, counted from 0.

    Raises
    ------
    ArgumentError
        If there is no such chain, or the format cannot hold the name of a variable: it has no escape for
        semicolons, arrows ``->`` and line breaks.
    StorageError
        If the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> import edgewise as ew
    >>> sim = ew.simulate(3, 1000, neighbours=1, seed=1)
    >>> posterior = ew.sample(sim.data, iterations=2000, thin=10, seed=1, progress=False)
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     write_trajectory(posterior, f"{directory}/trajectory.csv")
    ...     with open(f"{directory}/trajectory.csv") as file:
    ...         print(*(next(file) for _ in range(3)), sep="", end="")
    index,score,added,removed
    -2,0.0,[X0->X1;X0->X2],[]
    -1,0.0,[],[X0->X1;X0->X2]
    """
    chains = len(posterior.moves)
    if not (is_whole(chain) and 0 <= chain < chains):
        raise ArgumentError(
            f"chain must be a whole number from 0 to {chains - 1}, since the posterior's chains are counted from 0, "
            f"but {quote(chain)} was given."
        )
    posterior = _with_writable_names(posterior)
    refused = [name for name in posterior.nodes if any(mark in name for mark in NOT_IN_TRAJECTORY)]
    if refused:
        raise ArgumentError(
            f"A trajectory cannot hold the name {enumerate_names(refused)}, since semicolons, arrows '->' and line "
            f"breaks separate its entries: rename the columns of the data, or save the posterior instead."
        )
    with new_file(Path(path)) as unfinished, unfinished.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["index", "score", "added", "removed"])
        rows.writerows(_trajectory(posterior, int(chain)))


def _trajectory(posterior: Posterior, chain: int) -> Iterator[tuple[int, float, str, str]]:
    """Yield the rows of a trajectory."""
    names = posterior.nodes
    to_all = _edge_text((names[0], name) for name in names[1:])
    yield -2, 0.0, to_all, "[]"
    yield -1, 0.0, "[]", to_all
    draws, score = posterior.draws, posterior.log_posterior[chain]
    family = np.concatenate([rows for _, rows in draws.rows(chain)])
    before = np.zeros((len(names), len(names)), dtype=bool)  # the row of a variable marks its parents
    changed = np.flatnonzero((family[1:] != family[:-1]).any(axis=1)) + 1
    for draw in sorted({0, *changed.tolist(), len(family) - 1}):
        children = np.flatnonzero(family[draw] != family[draw - 1]) if draw else np.arange(len(names))
        old, new = before[children], draws.parents(family[draw, children])
        before[children] = new
        added, removed = (
            _edge_text((names[parent], names[children[child]]) for child, parent in np.argwhere(edges).tolist())
            for edges in (new & ~old, old & ~new)
        )
        yield draw, float(score[draw]), added, removed


def _edge_text(edges: Iterator[tuple[str, str]]) -> str:
    return f"[{';'.join(f'{source}->{target}' for source, target in edges)}]"


def _graph(names: Sequence[str], edges: pd.DataFrame, disagreement: BoolMatrix) -> "nx.DiGraph[str]":
    import networkx as nx

    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(names)
    source, target = (pd.Index(names).get_indexer(pd.Index(edges[end])) for end in ("source", "target"))
    disagreed = disagreement[source, target]
    told = (edges["compelled"] >= TOLD * edges["undirected"]) & ~disagreed
    about = edges[["probability", "undirected", "compelled"]].assign(told=told, disagreed=disagreed)
    for i, j, of_edge in zip(source.tolist(), target.tolist(), about.to_dict("records"), strict=True):
        graph.add_edge(names[i], names[j], **{str(name): value for name, value in of_edge.items()})
    return graph


def write_csv(path: Path, names: Sequence[str], table: pd.DataFrame) -> None:
    """Write a table; the names of all variables are not needed, since all that are in it are in its cells."""
    # Text is quoted throughout, because csv leaves a name with a carriage return unquoted, which ends the row.
    table.to_csv(path, index=False, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")


def _write_graphml(path: Path, names: Sequence[str], pairs: pd.DataFrame) -> None:
    import networkx as nx

    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(names)
    compelled = pairs["told_forward"], pairs["told_backward"]
    is_forward = pairs["forward"] >= pairs["backward"]
    edges = orient_pairs(pairs).rename(columns={"is_told": "told", "is_disagreed": "disagreed"})
    edges["compelled"] = compelled[0].where(is_forward, compelled[1])
    edges["compelled_reverse"] = compelled[1].where(is_forward, compelled[0])
    for edge in edges.to_dict("records"):
        about = {str(name): value for name, value in edge.items() if name not in ("source", "target")}
        graph.add_edge(edge["source"], edge["target"], **about)
    nx.write_graphml(graph, path)


def _write_dot(path: Path, names: Sequence[str], pairs: pd.DataFrame) -> None:
    thinnest, more = PEN_WIDTH
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write("digraph edgewise {\n")
        file.writelines(f"  {_dot_quoted(name)};\n" for name in names)
        file.writelines(
            f"  {_dot_quoted(pair['source'])} -> {_dot_quoted(pair['target'])} "
            f'[label="{pair["joined"]:.2f}", penwidth={thinnest + more * pair["joined"]:.2f}'
            f"{'' if pair['is_told'] else ', dir=none'}{', style=dotted' if pair['is_disagreed'] else ''}];\n"
            for pair in orient_pairs(pairs).to_dict("records")
        )
        file.write("}\n")


def _dot_quoted(name: str) -> str:
    r"""Quote a name for DOT so that Graphviz shows it letter by letter.

    In quotes, DOT itself knows only the escape ``\"``, but a node is labelled with its name, and labels know
    ``\\``, ``\n`` and HTML entities. Quoted text is never an HTML label.
    """
    escaped = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{ENTITY.sub("&amp;", escaped)}"'


Tabulate = Callable[[Posterior, float], pd.DataFrame]
Write = Callable[[Path, Sequence[str], pd.DataFrame], None]

WRITERS: dict[str, tuple[Tabulate, Write]] = {
    ".csv": (Posterior.edges, write_csv),
    ".graphml": (Posterior.pairs, _write_graphml),
    ".dot": (Posterior.pairs, _write_dot),
    ".gv": (Posterior.pairs, _write_dot),
}
"""For each ending of a file, what makes the table for it, and what writes it, given also the names of all variables."""


def _with_writable_names(posterior: Posterior) -> Posterior:
    """Replace what no file may hold, unless different names would become the same."""
    nodes = posterior.nodes
    names = tuple(writable(name) for name in nodes)
    if names == nodes:
        return posterior
    times = Counter(names)
    same = [node for node, name in zip(nodes, names, strict=True) if times[name] > 1]
    if same:
        raise ArgumentError(
            f"The names {enumerate_names(same)} differ only in control characters, which files of this kind cannot "
            f"hold: rename the columns of the data, or save the posterior instead."
        )
    renamed = replace(posterior, nodes=names)
    # Constraints and interventions have the old names; what follows from them has none.
    vars(renamed).update(knowledge=posterior.knowledge, told=posterior.told)
    return renamed
