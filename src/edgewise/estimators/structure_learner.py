"""The sampler as an estimator: settings first, then ``fit``, then attributes that end in an underscore.

This is the only module that imports scikit-learn, which need not be installed for anything else.
"""

from typing import Any, Self

import numpy as np
import pandas as pd

from edgewise.priors import Constraints, Prior
from edgewise.running import sample
from edgewise.samplers import Sampler
from edgewise.scores import Score

try:
    from sklearn.base import BaseEstimator
    from sklearn.utils import check_random_state
    from sklearn.utils.validation import validate_data
except ImportError as error:
    raise ImportError(
        "StructureLearner needs scikit-learn 1.6 or later: install it with pip install 'edgewise[sklearn]'."
    ) from error

FEWEST_ROWS, FEWEST_COLUMNS = 4, 2
"""What a table must have, as in :mod:`edgewise.data.validation`."""

SEEDS = 2**31 - 1
"""From how many seeds one is drawn, as in scikit-learn."""


class StructureLearner(BaseEstimator):
    """The posterior probabilities of edges, found by :func:`edgewise.sample`, as scikit-learn has its estimators.

    Parameters
    ----------
    sampler, prior, constraints, iterations, chains
        As in :func:`edgewise.sample`.
    dag_score
        The ``score`` of :func:`edgewise.sample`; an estimator's ``score`` would be a method.
    threshold
        Edges less probable than this are not in ``dag_``.
    random_state
        A whole number makes the result repeatable; a NumPy ``RandomState`` gives a new seed each time.
    progress
        Whether to show how far the chains are.

    Attributes
    ----------
    posterior_ : edgewise.Posterior
        The draws, and all that follows from them.
    edge_probabilities_ : DataFrame
        The probability of every edge; rows are sources, columns are targets.
    dag_ : DataFrame of bool
        The edges with a probability of at least ``threshold``, without those that would close a cycle.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of str
        Their names, where these are text; the columns of an array are called X0, X1, ...

    Examples
    --------
    >>> import edgewise as ew
    >>> sim = ew.simulate(4, 500, seed=1)
    >>> learner = StructureLearner(iterations=2000, random_state=1).fit(sim.data)
    >>> learner.edge_probabilities_.shape, list(learner.feature_names_in_)
    ((4, 4), ['X0', 'X1', 'X2', 'X3'])
    """

    def __init__(
        self,
        *,
        sampler: Sampler | None = None,
        dag_score: Score | None = None,
        prior: Prior | None = None,
        constraints: Constraints | None = None,
        iterations: int | None = None,
        chains: int = 4,
        threshold: float = 0.5,
        random_state: int | np.random.RandomState | None = None,
        progress: bool = False,
    ) -> None:
        self.sampler = sampler
        self.dag_score = dag_score
        self.prior = prior
        self.constraints = constraints
        self.iterations = iterations
        self.chains = chains
        self.threshold = threshold
        self.random_state = random_state
        self.progress = progress

    def fit(self, X: Any, y: object = None) -> Self:
        """Sample DAGs given a table.

        Parameters
        ----------
        X
            A DataFrame, whose columns may be numbers or levels, or what NumPy makes an array of numbers of.
        y
            Not used; it is there because pipelines pass it.

        Returns
        -------
        StructureLearner
            This object.
        """
        if isinstance(X, pd.DataFrame):
            # Its columns may be text and categories, which an array of numbers could not hold.
            validate_data(self, X, skip_check_array=True)
            data: Any = X
        else:
            data = validate_data(
                self, X, dtype=np.float64, ensure_min_samples=FEWEST_ROWS, ensure_min_features=FEWEST_COLUMNS
            )
        self.posterior_ = sample(
            data,
            sampler=self.sampler,
            score=self.dag_score,
            prior=self.prior,
            constraints=self.constraints,
            iterations=self.iterations,
            chains=self.chains,
            seed=self._choose_seed(),
            progress=self.progress,
        )
        self.edge_probabilities_ = self.posterior_.edge_probabilities()
        self.dag_ = self.posterior_.consensus_dag(self.threshold)
        return self

    def _choose_seed(self) -> int | None:
        if self.random_state is None or isinstance(self.random_state, int | np.integer):
            return None if self.random_state is None else int(self.random_state)
        return int(check_random_state(self.random_state).randint(SEEDS))
