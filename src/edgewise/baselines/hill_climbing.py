"""Hill climbing: the DAG with the best score that is found by changing one edge at a time."""

from collections.abc import Sequence
from typing import Any, Literal, Unpack, overload

import numpy as np
import pandas as pd

from edgewise._kernels.learners.hill_climbing import Landscape, climb
from edgewise._kernels.scores.interface import new_room
from edgewise.data import Data, Reading, load_data
from edgewise.graphs import BoolMatrix, label_unless
from edgewise.priors import Constraints, Prior
from edgewise.scores import Score, prepare_score
from edgewise.scores.refusals import refuse_edge, refuse_family

from .edges import edge_weights, know_edges, name_edges

MEMORY = 100
"""How many DAGs the search remembers so as not to go back to them (Tsamardinos, Brown & Aliferis 2006)."""

PATIENCE = 15
"""Changes without a better DAG than all before after which the search ends (the same)."""


def climb_hill(
    tables: Any,
    edge_log_prior: np.ndarray,
    *,
    allowed: np.ndarray,
    required: np.ndarray,
    names: Sequence[str],
) -> np.ndarray:
    """Return the best DAG found from the one that has the required edges only.

    Parameters
    ----------
    tables
        The score's tables.
    edge_log_prior : (p, p)
        What each edge adds to the log prior.
    allowed, required : bool, (p, p)
        Which edges may be added, and which are there from the start and stay. The latter must be acyclic.
    names
        Of the variables, for the refusal of a score that is no number.
    """
    p = len(required)
    dag, fault = np.array(required, dtype=np.bool_), np.empty(2, np.int64)
    landscape = Landscape(tables, edge_log_prior, allowed, required)
    found = climb(landscape, dag, name_edges(p), MEMORY, PATIENCE, new_room(tables, p), fault)
    parent, child = fault.tolist()
    if parent == child >= 0:
        refuse_family(found, child, np.flatnonzero(dag[:, child]).tolist(), names)
    if parent >= 0:
        refuse_edge(found, parent, child, names)
    return dag


@overload
def hill_climb(
    data: Data,
    *,
    score: Score | None = None,
    prior: Prior | None = None,
    constraints: Constraints | None = None,
    as_array: Literal[False] = False,
    **reading: Unpack[Reading],
) -> pd.DataFrame: ...
@overload
def hill_climb(
    data: Data,
    *,
    score: Score | None = None,
    prior: Prior | None = None,
    constraints: Constraints | None = None,
    as_array: Literal[True],
    **reading: Unpack[Reading],
) -> BoolMatrix: ...
def hill_climb(
    data: Data,
    *,
    score: Score | None = None,
    prior: Prior | None = None,
    constraints: Constraints | None = None,
    as_array: bool = False,
    **reading: Unpack[Reading],
) -> BoolMatrix | pd.DataFrame:
    """Search for the DAG with the highest posterior by adding, deleting and turning single edges.

    From the DAG without edges, the best change is made again and again. To leave local maxima, this goes on where the
    best change is for the worse, but not back to any of the last 100 DAGs, and ends after 15 changes without a new best
    DAG.

    Parameters
    ----------
    data
        Whatever :func:`edgewise.sample` takes.
    score
        Default: the one that fits the kinds of the columns, ``BGe()`` for numbers.
    prior
        Default: ``Sparsity("auto")``. It must be a sum over edges.
    constraints
        What is known for certain about edges, tiers, roots and leaves.
    as_array
        Return a boolean array of shape (p, p), without names, in place of a DataFrame.
    **reading
        How to read the table, as in :func:`edgewise.load_data`.

    Returns
    -------
    DataFrame of bool, or ndarray
        ``dag.loc["Raf", "Mek"]`` is true when Raf -> Mek. Rows and columns are in the order of the data's columns, and
        have their names: X0, X1, ... where there are none.

    See Also
    --------
    mmhc : The same search among pairs that no other variables make independent.

    Examples
    --------
    >>> import edgewise as ew
    >>> sim = ew.simulate(5, 10_000, seed=4)
    >>> dag = hill_climb(sim.data)
    >>> bool((ew.cpdag(dag) == ew.cpdag(sim.dag)).all(axis=None))
    True
    """
    dataset = load_data(data, **reading)
    tables = prepare_score(score, dataset)
    knowledge = know_edges(constraints, dataset.names)
    weights = edge_weights(prior, dataset.names, by="hill_climb")
    dag = climb_hill(tables, weights, allowed=~knowledge.forbidden, required=knowledge.required, names=dataset.names)
    return label_unless(as_array, dag, dataset.names)
