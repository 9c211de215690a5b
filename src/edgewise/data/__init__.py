"""From a file, a table or a covariance matrix to a checked :class:`Dataset`; a look at it; and simulated data."""

from edgewise.data.conditions import Condition
from edgewise.data.dataset import Covariance, Dataset, check_fits, find_columns, find_order
from edgewise.data.dependence import refuse_dependent
from edgewise.data.finding import Finding
from edgewise.data.loading import Data, Reading, load_data
from edgewise.data.looking import look, summarize_data
from edgewise.data.moments import Moments
from edgewise.data.simulation import Simulation, simulate

__all__ = [
    "Condition",
    "Covariance",
    "Data",
    "Dataset",
    "Finding",
    "Moments",
    "Reading",
    "Simulation",
    "check_fits",
    "find_columns",
    "find_order",
    "load_data",
    "look",
    "refuse_dependent",
    "simulate",
    "summarize_data",
]
