"""The BDeu score: the marginal likelihood of discrete data under uniform Dirichlet priors.

The prior of the distribution of a variable with r levels, given one of the q configurations of its parents, is
Dirichlet with all parameters s / (q r), where s is the *equivalent sample size* (Buntine 1991; Heckerman, Geiger &
Chickering 1995). Markov-equivalent DAGs get the same score.

Where values are missing, a family is judged by the rows in which all its members are known, and its log marginal
likelihood is scaled to the effective number of rows, which is the same for all families: the mean log likelihood of a
row is what is compared (Balov 2013; Bodewes & Scutari 2021). This is right for values missing completely at random.
Nothing is scaled where nothing is missing.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from edgewise._kernels.scores.counts import CountScore
from edgewise.arguments import is_number
from edgewise.data import Dataset
from edgewise.errors import ArgumentError

from .scoring import Score

SMALLEST_LOG = -690.0
"""The logarithm of the smallest parameter of a Dirichlet prior, near that of the smallest double."""


@dataclass(frozen=True)
class BDeu(Score):
    """The Bayesian Dirichlet equivalent uniform score, for discrete data.

    Parameters
    ----------
    equivalent_sample_size
        How many imaginary rows, spread evenly over all combinations of values, the prior is worth; from 1e-6 to 1e6.
        With more of them, more edges are found.

    Examples
    --------
    >>> BDeu()
    BDeu(equivalent_sample_size=1.0)
    >>> BDeu(0)
    Traceback (most recent call last):
    ...
    edgewise.errors.ArgumentError: equivalent_sample_size of BDeu must be a number from 1e-6 to 1e6, but 0 was given.
    """

    takes: ClassVar[str] = "counts"
    uses_interventions: ClassVar[bool] = True

    equivalent_sample_size: float = 1.0

    def __post_init__(self) -> None:
        # Beyond these, sums of log gamma functions lose the digits that matter.
        if not (is_number(self.equivalent_sample_size) and 1e-6 <= self.equivalent_sample_size <= 1e6):
            raise ArgumentError(
                "equivalent_sample_size of BDeu must be a number from 1e-6 to 1e6, but "
                f"{self.equivalent_sample_size!r} was given."
            )

    def prepare(self, dataset: Dataset) -> CountScore:
        """Return the score's tables for a data set."""
        counts = dataset.counts
        # The more parents, the smaller the parameters; a family that would have none at all is never chosen.
        logs = np.sort(np.log(counts.levels))[::-1]
        room = np.log(self.equivalent_sample_size) - SMALLEST_LOG - logs[0]
        most_parents = min(dataset.p - 1, int((logs.cumsum() <= room).sum()))
        return CountScore(
            np.array(counts.codes),
            counts.weight.astype(np.int64),
            np.array(counts.group),
            np.array(counts.levels),
            np.array(counts.effective),
            float(self.equivalent_sample_size),
            most_parents,
        )
