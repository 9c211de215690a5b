"""A posterior in ArviZ's form."""

from typing import TYPE_CHECKING

import numpy as np
from arviz_base import from_dict

from edgewise.errors import ArgumentError

if TYPE_CHECKING:
    from xarray import DataTree

    from .posterior import Posterior

MOST_BYTES = 10**9
"""Size of the edge indicators, a byte each, up to which they are made: 1 GB."""


def to_arviz(posterior: "Posterior") -> "DataTree":
    """Return the draws as ArviZ takes them.

    Parameters
    ----------
    posterior
        The posterior.

    Returns
    -------
    DataTree
        The group ``posterior`` holds ``edge``, 1 where a draw has an edge and 0 where not, and ``order``; the group
        ``sample_stats`` holds the log posterior as ``lp``.
    """
    chains, draws = posterior.log_posterior.shape
    p = len(posterior.nodes)
    if chains * draws * p * p > MOST_BYTES:
        raise ArgumentError(
            f"The indicators of {p} x {p} edges in {chains * draws:,} draws would take "
            f"{chains * draws * p * p / 1e9:.1f} GB; sample with a larger thin, or use posterior.diagnostics()."
        )
    nodes = list(posterior.nodes)
    edge = posterior.dags().view(np.int8)  # ArviZ takes differences, which booleans do not have
    return from_dict(
        {
            "posterior": {"edge": edge, "order": posterior.orders()},
            "sample_stats": {"lp": posterior.log_posterior},
        },
        coords={"source": nodes, "target": nodes},
        dims={"edge": ["source", "target"], "order": ["position"]},
        attrs={"/": {"creation_library": "edgewise"}},
    )
