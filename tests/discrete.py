"""Discrete data for tests: of random networks, and of networks of the literature that come with pgmpy."""

import gzip
from importlib.resources import files
from types import SimpleNamespace

import numpy as np

from edgewise.data.counts import count_rows
from edgewise.data.groups import group_rows


def as_dataset(codes, levels, is_set=None):
    """What scores and tests want to know of discrete data, given as codes (n, p) with -1 for what is not known."""
    n, p = codes.shape
    groups = group_rows(np.zeros((n, p), bool) if is_set is None else is_set)
    names = tuple(f"X{v}" for v in range(p))
    return SimpleNamespace(counts=count_rows(codes, levels, groups), n=n, p=p, names=names)


def draw_codes(rng, n, levels, *, missing=0.0):
    """Rows of dependent variables with these numbers of levels, some values missing."""
    p = len(levels)
    hidden = rng.standard_normal((n, 2)) @ rng.standard_normal((2, p)) + 0.5 * rng.standard_normal((n, p))
    codes = np.empty((n, p), np.int64)
    for v, number in enumerate(levels):
        codes[:, v] = np.searchsorted(np.sort(rng.standard_normal(number - 1)), hidden[:, v])
    codes[rng.random((n, p)) < missing] = -1
    return codes


class Network:
    """A network that comes with pgmpy, by its name: ``dag``, ``levels``, ``names``, and rows drawn from it."""

    def __init__(self, name):
        # It takes a second to import, and only some tests need it.
        from pgmpy.readwrite import BIFReader

        text = gzip.decompress((files("pgmpy") / "utils" / "example_models" / f"{name}.bif.gz").read_bytes()).decode()
        model = BIFReader(string=text).get_model()
        self.names = sorted(model.nodes())
        self.states = {v: model.get_cpds(v).state_names[v] for v in self.names}
        self.levels = [len(self.states[v]) for v in self.names]
        number = {v: i for i, v in enumerate(self.names)}
        self.dag = np.zeros((len(number),) * 2, bool)
        self._tables = {}
        for v in self.names:
            table = model.get_cpds(v)
            parents = [number[u] for u in table.variables[1:]]
            self.dag[parents, number[v]] = True
            self._tables[number[v]] = parents, np.moveaxis(table.values, 0, -1)

    def draw(self, n, rng):
        """Return the codes of n rows, (n, p)."""
        codes = np.full((n, len(self.names)), -1)
        while (codes < 0).any():
            for v, (parents, table) in self._tables.items():
                if (codes[:, parents] >= 0).all() and (codes[:, v] < 0).all():
                    limits = table[tuple(codes[:, parents].T)].cumsum(axis=-1)
                    codes[:, v] = (rng.random((n, 1)) > limits[..., :-1]).sum(axis=-1)
        return codes
