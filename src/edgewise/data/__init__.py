"""From a file, a table or a covariance matrix to a checked :class:`Dataset`; a look at it; and simulated data."""

from edgewise.data.dataset import Covariance, Dataset, Moments, find_columns, find_order
from edgewise.data.dependence import refuse_dependent
from edgewise.data.finding import Finding
from edgewise.data.loading import Data, load_data
from edgewise.data.looking import look
from edgewise.data.simulation import Simulation, simulate

__all__ = [
    "Covariance",
    "Data",
    "Dataset",
    "Finding",
    "Moments",
    "Simulation",
    "find_columns",
    "find_order",
    "load_data",
    "look",
    "refuse_dependent",
    "simulate",
]
