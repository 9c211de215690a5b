"""A compiled prior on the whole DAG, as a stranger would write one: on the number of variables without parents."""

from dataclasses import dataclass
from typing import NamedTuple

from edgewise import Prior
from edgewise._kernels.basics.bits import is_empty
from edgewise._kernels.beliefs.terms import register
from edgewise._kernels.compiling import inner
from edgewise.priors import DagTerm


class RootTables(NamedTuple):
    strength: float


@inner
def log_prior(term, parents):
    roots = 0
    for node in range(parents.shape[0]):
        roots += is_empty(parents, node)
    return term.strength * roots


register(RootTables, log_prior=log_prior)


@dataclass(frozen=True)
class Roots(Prior):
    strength: float

    def _add_to(self, terms, names):
        terms.beyond.append(DagTerm(RootTables(float(self.strength))))
