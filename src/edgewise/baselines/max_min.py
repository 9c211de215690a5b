"""Max-min hill climbing: first who may be joined to whom, then in which direction.

Tsamardinos, Brown & Aliferis (2006), "The max-min hill-climbing Bayesian network structure learning algorithm",
Machine Learning 65.

1. *Max-min parents and children.* Two variables are joined in a DAG exactly when no set of others makes them
   independent. For a target variable, the association with a candidate is therefore the weakest one given any subset
   of the neighbours found so far; the candidate whose weakest association is strongest joins them, as long as it is
   significant. Afterwards those that a subset of the others makes independent of the target are removed again.
2. *Symmetry.* A pair is kept where each has found the other.
3. *Hill climbing* from the DAG without edges, adding edges only between pairs that were kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Unpack, overload

import numpy as np
import pandas as pd

from edgewise._kernels.independence.interface import new_room
from edgewise._kernels.learners.max_min import weakest_strengths
from edgewise.arguments import check_whole
from edgewise.data import Data, Reading, load_data
from edgewise.graphs import BoolMatrix, label_unless
from edgewise.independence import IndependenceTest, check_alpha, choose_test, critical_strength, prepare_test
from edgewise.priors import Constraints, Prior
from edgewise.scores import Score, prepare_score

from .edges import edge_weights, know_edges
from .hill_climbing import climb_hill


@dataclass(frozen=True, eq=False)
class Association:
    """How strongly variables depend on each other given others.

    Attributes
    ----------
    test
        The tables of a test of conditional independence. Sets so large that it is not defined are passed over.
    p
        Number of variables.
    largest
        Most variables to condition on.
    """

    test: Any
    p: int
    largest: int

    def weakest(self, target: int, always: Sequence[int], optional: Sequence[int]) -> np.ndarray:
        """Return the weakest association of ``target`` with every variable, shape (p,).

        It is the least strength given any set that holds all of ``always`` and any of ``optional``. Entries of the
        target, and of members of the sets, have no meaning.
        """
        given = (np.array(columns, dtype=np.int64) for columns in (always, optional))
        room = new_room(self.test, self.p)
        return np.asarray(weakest_strengths(self.test, self.p, target, *given, self.largest, room))


def find_parents_and_children(association: Association, target: int, alpha: float) -> list[int]:
    """Return the candidates for the parents and children of a variable, by the max-min heuristic."""
    significant = critical_strength(alpha)
    weakest = association.weakest(target, [], [])
    weakest[target] = -np.inf
    found: list[int] = []
    while weakest.max() > significant:
        newest = int(weakest.argmax())
        # Sets without the newest were asked in earlier rounds.
        weakest = np.minimum(weakest, association.weakest(target, [newest], found))
        weakest[newest] = -np.inf
        found.append(newest)
    for candidate in found.copy():
        others = [other for other in found if other != candidate]
        if association.weakest(target, [], others)[candidate] <= significant:
            found = others
    return found


def find_neighbours(association: Association, alpha: float) -> np.ndarray:
    """Return which pairs may be joined, a symmetric boolean matrix: each has found the other."""
    neighbours = np.zeros((association.p, association.p), dtype=np.bool_)
    for target in range(association.p):
        neighbours[target, find_parents_and_children(association, target, alpha)] = True
    return neighbours & neighbours.T


@overload
def mmhc(
    data: Data,
    *,
    alpha: float = 0.05,
    max_given: int = 3,
    test: IndependenceTest | None = None,
    score: Score | None = None,
    prior: Prior | None = None,
    constraints: Constraints | None = None,
    as_array: Literal[False] = False,
    **reading: Unpack[Reading],
) -> pd.DataFrame: ...
@overload
def mmhc(
    data: Data,
    *,
    alpha: float = 0.05,
    max_given: int = 3,
    test: IndependenceTest | None = None,
    score: Score | None = None,
    prior: Prior | None = None,
    constraints: Constraints | None = None,
    as_array: Literal[True],
    **reading: Unpack[Reading],
) -> BoolMatrix: ...
def mmhc(
    data: Data,
    *,
    alpha: float = 0.05,
    max_given: int = 3,
    test: IndependenceTest | None = None,
    score: Score | None = None,
    prior: Prior | None = None,
    constraints: Constraints | None = None,
    as_array: bool = False,
    **reading: Unpack[Reading],
) -> BoolMatrix | pd.DataFrame:
    """Learn one DAG by max-min hill climbing (Tsamardinos, Brown & Aliferis 2006).

    Tests of conditional independence decide which pairs may be joined; hill climbing on the score decides which are,
    and in which direction.

    Parameters
    ----------
    data
        Whatever :func:`edgewise.sample` takes.
    alpha
        Significance level of the tests.
    max_given
        Most variables to condition on in a test: the number of tests grows with this power of the number of neighbours.
        With fewer than there are neighbours, some pairs too many stay for the score to decide on.
    test
        The test of conditional independence. Default: ``FisherZ()`` for numbers, ``GSquared()`` for levels.
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
    hill_climb : The same search among all pairs.
    bootstrap : How sure such a DAG is.

    Examples
    --------
    >>> import edgewise as ew
    >>> sim = ew.simulate(5, 10_000, seed=4)
    >>> dag = mmhc(sim.data)
    >>> bool((ew.cpdag(dag) == ew.cpdag(sim.dag)).all(axis=None))
    True
    """
    alpha = check_alpha(alpha)
    max_given = check_whole("max_given", max_given, least=0)
    dataset = load_data(data, **reading)
    tables = prepare_score(score, dataset)
    association = Association(prepare_test(choose_test(test, dataset), dataset), dataset.p, max_given)
    knowledge = know_edges(constraints, dataset.names)
    dag = climb_hill(
        tables,
        edge_weights(prior, dataset.names, by="mmhc"),
        allowed=find_neighbours(association, alpha) & ~knowledge.forbidden,
        required=knowledge.required,
        names=dataset.names,
    )
    return label_unless(as_array, dag, dataset.names)
