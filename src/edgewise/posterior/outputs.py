"""What a posterior can be turned into: files, and the objects of other libraries.

Each is imported when it is asked for, so that sampling does not wait for libraries that only some outputs need.
"""

import os
from typing import TYPE_CHECKING

import networkx as nx

if TYPE_CHECKING:
    from xarray import DataTree

    from .posterior import Posterior


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

    def export(self: "Posterior", path: str | os.PathLike[str], threshold: float = 0.0) -> None:
        """Write the probable edges in the format of another program.

        Parameters
        ----------
        path
            A file whose name ends in .csv, .graphml, .dot or .gv; see :func:`edgewise.posterior.exports.export`.
        threshold
            Leave out edges less probable than this.
        """
        from .exports import export

        export(self, path, threshold)

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
            The file; one that exists is replaced once the new one is complete.

        Raises
        ------
        StorageError
            If it cannot be written.
        """
        from .storage import save

        save(self, path)
