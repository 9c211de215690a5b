"""Gaussian data from a random sparse DAG, as in the simulations of Agrawal, Broderick & Uhler (2018).

The variables are put into a uniformly random order; each pair is joined independently, with the same
probability, and its edge directed along the order. The coefficient of an edge has an absolute value uniform
on an interval away from zero, and a random sign. Every variable is the weighted sum of its parents plus
standard normal noise: with the matrix B of coefficients, a row of the data is x = x B + e, so that
x = e (I - B)^-1.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from edgewise.arguments import check_whole, is_number, make_generator
from edgewise.arithmetic import one_order_of_sums
from edgewise.data.moments import FloatArray
from edgewise.data.naming import default_names
from edgewise.errors import ArgumentError

NEIGHBOURS = 3.0
"""Mean number of neighbours of a variable in the paper's simulations."""


@dataclass(frozen=True, eq=False)
class Simulation:
    """Simulated data and the truth behind them.

    Attributes
    ----------
    data
        The (n, p) table, with columns X0, X1, ...
    dag
        Boolean (p, p) array; `dag[i, j]` means i -> j.
    weights
        The (p, p) coefficients; `weights[i, j]` is that of i in the equation of j, 0 without an edge.
    order
        The order along which the edges were directed, shape (p,): parents come before their children.
    """

    data: pd.DataFrame
    dag: npt.NDArray[np.bool_]
    weights: FloatArray
    order: npt.NDArray[np.intp]

    @property
    def covariance(self) -> FloatArray:
        """The exact (p, p) covariance matrix of the distribution that the rows were drawn from."""
        total = np.empty_like(self.weights)
        total[np.ix_(self.order, self.order)] = _total_effects(self.weights[np.ix_(self.order, self.order)])
        return total.T @ total


def simulate(
    p: int,
    n: int,
    *,
    neighbours: float = NEIGHBOURS,
    weights: Sequence[float] = (0.25, 1.0),
    seed: int | np.random.Generator | None = None,
) -> Simulation:
    """Draw a random DAG and Gaussian data from it.

    Parameters
    ----------
    p
        Number of variables, at least 2.
    n
        Number of rows.
    neighbours
        Mean number of neighbours (parents and children) of a variable, between 0 and p - 1. The default is 3, or fewer
        where p allows no more.
    weights
        Smallest and largest absolute value of an edge's coefficient.
    seed
        A whole number or a NumPy generator makes the result reproducible.

    Returns
    -------
    Simulation
        The data, which are not standardised, and the DAG, coefficients and order behind them.

    Examples
    --------
    >>> simulation = simulate(5, 100, neighbours=2, seed=1)
    >>> simulation.data.shape
    (100, 5)
    >>> bool((simulation.dag == (simulation.weights != 0)).all())
    True
    """
    p, n = check_whole("p", p, least=2), check_whole("n", n)
    if neighbours == NEIGHBOURS:
        neighbours = min(neighbours, p - 1)
    if not (is_number(neighbours) and 0 <= neighbours <= p - 1):
        raise ArgumentError(f"neighbours must be between 0 and p - 1 = {p - 1}, but it is {neighbours}.")
    low, high = _weight_range(weights)
    rng = make_generator(seed)

    order = rng.permutation(p)
    joined = np.triu(rng.random((p, p)) < neighbours / (p - 1), 1)
    size = rng.uniform(low, high, (p, p))
    coefficients = np.where(joined, size * rng.choice([-1.0, 1.0], (p, p)), 0.0)
    values = np.empty((n, p))
    effects = _total_effects(coefficients)
    with one_order_of_sums():
        values[:, order] = rng.standard_normal((n, p)) @ effects

    dag = np.zeros((p, p), dtype=np.bool_)
    dag[np.ix_(order, order)] = joined
    by_variable = np.zeros((p, p))
    by_variable[np.ix_(order, order)] = coefficients
    return Simulation(pd.DataFrame(values, columns=list(default_names(p))), dag, by_variable, order)


def _total_effects(coefficients: FloatArray) -> FloatArray:
    """(I - B)^-1 for the strictly upper triangular B of variables in order."""
    from scipy.linalg import solve_triangular

    identity = np.eye(coefficients.shape[0])
    with one_order_of_sums():
        effects: FloatArray = solve_triangular(identity - coefficients, identity, unit_diagonal=True)
    return effects


def _weight_range(weights: Sequence[float]) -> tuple[float, float]:
    try:
        low, high = (float(weight) for weight in weights)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"weights must be two numbers, (smallest, largest), but it is {weights!r}.") from error
    if not 0 <= low <= high < float("inf"):
        raise ArgumentError(
            "weights must be two absolute values, (smallest, largest), with 0 <= smallest <= largest, but "
            f"it is ({low}, {high})."
        )
    return low, high
