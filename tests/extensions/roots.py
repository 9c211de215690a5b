"""A compiled prior on the whole DAG, as a stranger would write one: on the number of variables without parents."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from edgewise import Prior
from edgewise._kernels.basics.bits import is_empty
from edgewise._kernels.beliefs.terms import register
from edgewise._kernels.compiling import inner
from edgewise.priors import DagTerm


class RootTables(NamedTuple):
    """The log prior with 1, 2, ... variables without parents; every DAG has one."""

    by_number: np.ndarray


@inner
def log_prior(term, parents):
    roots = 0
    for node in range(parents.shape[0]):
        roots += is_empty(parents, node)
    return term.by_number[roots - 1]


register(RootTables, log_prior=log_prior)


@dataclass(frozen=True)
class Roots(Prior):
    strength: float

    def _add_to(self, terms, names):
        terms.beyond.append(DagTerm(RootTables(self.strength * np.arange(1.0, len(names) + 1))))
