"""What a posterior can be turned into: files, pictures, and the objects of other libraries.

Each is imported when it is asked for, so that sampling does not wait for libraries that only some outputs need.
"""

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import networkx as nx
    from plotly.graph_objects import Figure
    from xarray import DataTree

    from edgewise.report import GraphFigure, Picture

    from .pictures import Variables
    from .posterior import Kind, Posterior


class Outputs:
    """The methods of :class:`edgewise.Posterior` that hand it on."""

    def to_networkx(self: "Posterior", threshold: float = 0.0) -> "nx.DiGraph[str]":
        """Return the probable edges as a networkx graph; see :func:`edgewise.posterior.exports.to_networkx`."""
        from .exports import to_networkx

        return to_networkx(self, threshold)

    def edge_list(self: "Posterior", threshold: float = 0.5) -> list[tuple[str, str]]:
        """Return the edges of the consensus DAG as pairs of names, as pgmpy takes them."""
        from .exports import edge_list

        return edge_list(self, threshold)

    def export(self: "Posterior", path: str | os.PathLike[str], threshold: float | None = None) -> None:
        """Write the probable edges in the format of another program.

        Parameters
        ----------
        path
            A file whose name ends in .csv, .graphml, .dot or .gv; see :func:`edgewise.posterior.exports.export`.
        threshold
            Leave out edges, or in a graph pairs, less probable than this. By default a table has all edges, and a graph
            the pairs that are joined with a probability of .5 or more, as the report shows them; 0 for all.
        """
        from .exports import export

        export(self, path, threshold)

    def write_pairs(self: "Posterior", path: str | os.PathLike[str], threshold: float = 0.0) -> None:
        """Write the table of :meth:`pairs` as a CSV file.

        Parameters
        ----------
        path
            The file; one that exists is replaced once the new one is complete.
        threshold
            Leave out pairs that are joined with a lower probability than this.
        """
        from .exports import write_pairs

        write_pairs(self, path, threshold)

    def write_trajectory(self: "Posterior", path: str | os.PathLike[str], chain: int = 0) -> None:
        """Write a chain, draw by draw, as Benchpress reads it.

        Parameters
        ----------
        path
            A CSV file; see :func:`edgewise.posterior.exports.write_trajectory`.
        chain
            Which chain, counted from 0.
        """
        from .exports import write_trajectory

        write_trajectory(self, path, chain)

    def to_arviz(self: "Posterior") -> "DataTree":
        """Return the draws as ArviZ takes them: edge indicators and orders, and the log posterior as ``lp``."""
        from .arviz import to_arviz

        return to_arviz(self)

    def save(self: "Posterior", path: str | os.PathLike[str]) -> None:
        """Write everything to a NetCDF file, to be read by :func:`edgewise.load`.

        Parameters
        ----------
        path
            The file, whose name ends in .nc; one that exists is replaced once the new one is complete.

        Raises
        ------
        ArgumentError
            If the name is that of another kind of file.
        StorageError
            If it cannot be written.
        """
        from .storage import save

        save(self, path)

    def report(self: "Posterior", path: str | os.PathLike[str]) -> None:
        """Write a report for the browser: one HTML file that needs nothing else.

        It shows the graph, to be explored, the table of pairs with intervals and effects, whether the run can be
        trusted, the most probable DAGs, and how all this was made.

        Parameters
        ----------
        path
            The file; one that exists is replaced once the new one is complete.

        Raises
        ------
        StorageError
            If it cannot be written.
        """
        from .content import write_report

        write_report(self, path)

    def plot_graph(
        self: "Posterior",
        threshold: float = 0.5,
        highlight: "Variables | None" = None,
        *,
        neighbourhood: bool = False,
        path: str | os.PathLike[str] | None = None,
    ) -> "GraphFigure":
        """Draw the pairs of variables that are probably joined, as the report does: a figure for a paper.

        Variables stand in layers, probable causes above effects, and lines run around them. The wider and darker a
        line, the more probable. It is solid and has an arrowhead where the direction can be told: where it is compelled
        with a probability of .75 or more, given that the pair is joined. It is dotted where chains disagree, and all
        others are dashed.

        Parameters
        ----------
        threshold
            Leave out pairs that are joined with a lower probability than this.
        highlight
            A variable that stands out, by name or column number, or several: lines to others are faded.
        neighbourhood
            Draw only the highlighted variables and their Markov blankets.
        path
            A file to write, whose name ends in .svg, .pdf or .png; the last two need matplotlib.

        Returns
        -------
        GraphFigure
            A notebook shows it; ``figure.svg`` is the picture as text, and ``figure.save(path)`` writes it.
        """
        from .pictures import draw_graph

        figure = draw_graph(self, threshold, highlight, neighbourhood=neighbourhood)
        if path is not None:
            figure.save(path)
        return figure

    def plot_trace(self: "Posterior") -> "Figure":
        """Draw the log posterior along each chain, as a plotly figure; of long chains, a thousand draws."""
        from .pictures import draw_trace

        return as_figure(draw_trace(self))

    def plot_edges(self: "Posterior", kind: "Kind" = "directed") -> "Figure":
        """Draw the probabilities of all edges as a heat map, the variables in the order of the consensus DAG.

        Parameters
        ----------
        kind
            As for :meth:`edge_probabilities`.

        Returns
        -------
        plotly Figure
        """
        from .pictures import draw_edges

        return as_figure(draw_edges(self, kind))

    def plot_agreement(self: "Posterior", first: int | None = None, second: int | None = None) -> "Figure":
        """Draw the edge probabilities of one chain against those of another.

        Parameters
        ----------
        first, second
            Two chains, counted from 0. Default: the two that agree least.

        Returns
        -------
        plotly Figure
        """
        from .pictures import draw_agreement

        return as_figure(draw_agreement(self, first, second))

    def _repr_html_(self: "Posterior") -> str:
        from .content import summarize_posterior

        return summarize_posterior(self)


def as_figure(picture: "Picture") -> "Figure":
    """Return a picture as a figure of plotly's."""
    from plotly.graph_objects import Figure

    # The pictures have their own style, and not that of plotly's default template.
    return Figure(picture).update_layout(template="none")
