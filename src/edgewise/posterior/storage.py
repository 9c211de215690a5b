"""Posteriors on disk: one NetCDF file, which any NetCDF or HDF5 tool can open.

Draws are written in blocks and read in parts, so that neither needs memory for all of them. Nothing in the file is
code, and nothing in it is executed. A checksum over all that matters tells a damaged file.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import h5netcdf
import h5py
import numpy as np

from edgewise._kernels.basics.recorder import Draws
from edgewise.data import Moments
from edgewise.errors import StorageError
from edgewise.files import part_of, writing
from edgewise.wording import quote

from .collecting import Families
from .draws import DrawTable, split
from .posterior import Posterior

FORMAT = 1
"""Version of the file's layout. A reader refuses a version it does not know."""

ENTRIES_PER_CHUNK = 2**18
"""Family numbers in a chunk of the file: what is compressed, written and read together. A chunk that is written in
pieces is compressed anew for each, which costs more than sampling does, so draws wait until they fill one."""

DRAWN = {
    "family": ("chain", "draw", "node"),
    "order": ("chain", "draw", "position"),
    "log_score": ("chain", "draw"),
    "log_prior": ("chain", "draw"),
}
"""The variables of the file that grow with the draws: the fields of :class:`Draws`, with their dimensions."""

MOMENTS = {"mean": ("node",), "scale": ("node",), "correlation": ("node", "node_to")}
"""The arrays of :class:`edgewise.data.Moments`; the number of rows is with the names, as ``rows``."""

EXTRAS = {
    "log_weight": ("chain", "draw"),
    "conditionals": ("chain", "kind", "node", "node_to"),
    "conditional_errors": ("measure", "node", "node_to"),
    **MOMENTS,
}
"""The variables that are there only in some posteriors: weights that differ, Rao-Blackwellised probabilities, and the
sufficient statistics of the data."""

LARGE = ("family", "order")
MOST_IN_MEMORY = 2**26
"""Bytes from which the large variables are left in the file."""

FAMILIES = {"family_node": ("distinct_family",), "family_parents": ("distinct_family", "byte")}
"""The variables that say what the family numbers mean."""


class DrawFile:
    """A file under way: takes draws, chain by chain and block by block.

    It has another name until :meth:`finish`, so that under the wanted name there is never half a file.
    """

    def __init__(self, path: str | os.PathLike[str], chains: int, p: int) -> None:
        self.path = Path(path)
        self._part = part_of(self.path)
        self._written = [0] * chains
        self._waiting: list[list[Draws]] = [[] for _ in range(chains)]
        self._chunk = max(ENTRIES_PER_CHUNK // p, 1)
        with writing(self.path):
            self._file = h5netcdf.File(self._part, "w")
            self._file.dimensions = {"chain": chains, "draw": None, "node": p, "position": p}
            types = {"family": "<i4", "order": np.min_scalar_type(p - 1), "log_score": "<f8", "log_prior": "<f8"}
            for name, dimensions in DRAWN.items():
                chunks = (1, self._chunk, p)[: len(dimensions)]
                self._file.create_variable(
                    name, dimensions, types[name], chunks=chunks, compression="gzip", compression_opts=1, shuffle=True
                )

    def append(self, chain: int, draws: Draws) -> None:
        """Take the next draws of a chain."""
        waiting = self._waiting[chain]
        waiting.append(draws)
        number = sum(len(block.log_score) for block in waiting)
        if number >= self._chunk:
            self._write(chain, number - number % self._chunk)

    def _write(self, chain: int, number: int) -> None:
        """Write the first ``number`` of the draws of a chain that wait."""
        waiting = Draws(*(np.concatenate(arrays) for arrays in zip(*self._waiting[chain], strict=True)))
        self._waiting[chain] = [Draws(*(array[number:] for array in waiting))]
        start = self._written[chain]
        stop = self._written[chain] = start + number
        with writing(self.path):
            if stop > self._file.dimensions["draw"].size:
                self._file.resize_dimension("draw", stop)
            for name, array in waiting._asdict().items():
                self._file.variables[name][chain, start:stop] = array[:number]

    def gather(self, draws: int, families: Families) -> DrawTable:
        """Cut every chain to ``draws`` draws, and return them; if they are many, they stay in the file."""
        for chain, written in enumerate(self._written):
            if written < draws:
                self._write(chain, draws - written)
        with writing(self.path):
            self._file.resize_dimension("draw", draws)
            drawn = {name: _unless_large(name, self._file.variables[name]) for name in DRAWN}
        return DrawTable(**drawn, **dict(zip(FAMILIES, families, strict=True)))

    def finish(self, posterior: Posterior) -> Posterior:
        """Add what else a posterior of the gathered draws holds, give the file its name, and return the posterior."""
        table, moments = posterior.draws, posterior.moments
        about: dict[str, Any] = {"nodes": posterior.nodes, "moves": posterior.moves, "info": posterior.info}
        extras = {"log_weight": table.log_weight}
        extras |= {name: getattr(posterior, name) for name in ("conditionals", "conditional_errors")}
        if moments is not None:
            extras |= {name: getattr(moments, name) for name in MOMENTS}
            about["rows"] = int(moments.n)
        arrays = {name: getattr(table, name) for name in FAMILIES}
        arrays |= {name: array for name, array in extras.items() if array is not None}
        drawn = {name: getattr(table, name) for name in DRAWN}
        text = json.dumps(about, ensure_ascii=True)
        with writing(self.path):
            for name, array in arrays.items():
                dimensions = (FAMILIES | EXTRAS)[name]
                for dimension, length in zip(dimensions, array.shape, strict=True):
                    if dimension not in self._file.dimensions:
                        self._file.dimensions[dimension] = length
                self._file.create_variable(name, dimensions, array.dtype, data=array, compression="gzip")
            self._file.attrs["edgewise_format"] = FORMAT
            self._file.attrs["about"] = text
            self._file.attrs["sha256"] = _checksum(text, drawn | arrays)
            self._file.close()
            self._part.replace(self.path)
            left = [name for name in LARGE if not isinstance(drawn[name], np.ndarray)]
            if not left:
                return posterior
            file = h5py.File(self.path, "r")
        return replace(posterior, draws=replace(table, **{name: file[name] for name in left}))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Leave nothing behind unless the file was finished."""
        self._file.close()
        self._part.unlink(missing_ok=True)


def save(posterior: Posterior, path: str | os.PathLike[str]) -> None:
    """Write a posterior."""
    table = posterior.draws
    chains, draws = table.log_score.shape
    with DrawFile(path, chains, table.p) as file:
        for chain in range(chains):
            for part, rows in table.rows(chain):
                orders = np.asarray(table.order[chain, part])
                file.append(chain, Draws(rows, orders, table.log_score[chain, part], table.log_prior[chain, part]))
        written = file.gather(draws, (table.family_node, table.family_parents))
        file.finish(replace(posterior, draws=replace(written, log_weight=table.log_weight)))


def load(path: str | os.PathLike[str]) -> Posterior:
    """Read a posterior that :meth:`Posterior.save` wrote.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    Posterior
        Equal to the one that was saved. Many draws are left in the file, and read when they are needed.

    Raises
    ------
    StorageError
        If there is no such file, it is not a posterior, it is damaged, or a later version of Edgewise wrote
        it.

    Examples
    --------
    >>> import tempfile
    >>> import edgewise as ew
    >>> sim = ew.simulate(4, 1000, seed=1)
    >>> posterior = ew.sample(sim.data, iterations=2000, thin=10, seed=1, progress=False)
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     posterior.save(f"{directory}/posterior.nc")
    ...     same = ew.load(f"{directory}/posterior.nc")
    >>> bool((same.dags() == posterior.dags()).all())
    True
    """
    path = Path(path)
    shown = quote(str(path))
    if path.is_dir():
        raise StorageError(f"{shown} is a directory: give the path of the file posterior.nc in it.")
    if not path.is_file():
        raise StorageError(f"There is no file {shown}: check the path.")
    try:
        # It stays open as long as anything refers to a variable in it.
        file = h5py.File(path, "r")
        version = file.attrs.get("edgewise_format", FORMAT)
        if version != FORMAT:
            raise StorageError(
                f"The file {shown} has layout {version}, but this version of Edgewise reads layout {FORMAT}; install a "
                f"newer Edgewise to read it."
            )
        text = file.attrs["about"]
        present = (*DRAWN, *FAMILIES, *(name for name in EXTRAS if name in file))
        variables = {name: file[name] for name in present}
        intact = file.attrs["sha256"] == _checksum(text, variables)
        about = json.loads(text) if intact else {}
        if intact and not _is_consistent(variables, about):
            raise ValueError("the parts do not belong together")
        arrays = {name: _unless_large(name, variable) for name, variable in variables.items()}
    except StorageError:
        raise
    except (OSError, KeyError, ValueError, TypeError, RuntimeError, AttributeError) as error:
        raise StorageError(
            f"The file {shown} is not an Edgewise posterior, or it is cut off: save or copy it again."
        ) from error
    if not intact:
        raise StorageError(
            f"The file {shown} is damaged, since its content does not match its checksum: copy it again, or repeat the "
            f"run."
        )
    moments = {name: arrays.pop(name) for name in MOMENTS if name in arrays}
    return Posterior(
        nodes=tuple(about["nodes"]),
        moments=Moments(about["rows"], **moments) if moments else None,
        conditionals=arrays.pop("conditionals", None),
        conditional_errors=arrays.pop("conditional_errors", None),
        draws=DrawTable(**arrays),
        moves=tuple({kind: (n, k) for kind, (n, k) in chain.items()} for chain in about["moves"]),
        info=about["info"],
    )


def _unless_large(name: str, variable: Any) -> Any:
    """Return a variable of a file as an array, unless it is one that is to be left there."""
    size = np.dtype(variable.dtype).itemsize * int(np.prod(variable.shape))
    return variable if name in LARGE and size > MOST_IN_MEMORY else np.asarray(variable[...])


def _checksum(text: str, variables: Any) -> str:
    """Return the SHA-256 of the text and of every array, read in parts."""
    digest = hashlib.sha256(text.encode())
    for name in (*DRAWN, *FAMILIES, *(name for name in EXTRAS if name in variables)):
        array = variables[name]
        digest.update(f"{name} {np.dtype(array.dtype).newbyteorder('<').str} {array.shape}".encode())
        pieces = _pieces(array) if name in DRAWN else [np.asarray(array[...])]
        for piece in pieces:
            digest.update(np.ascontiguousarray(piece, piece.dtype.newbyteorder("<")).data)
    return digest.hexdigest()


def _is_consistent(variables: Any, about: dict[str, Any]) -> bool:
    """Whether all parts have matching sizes, and every draw holds a family of each variable."""
    chains, draws, p = variables["family"].shape
    node, parents = (np.asarray(variables[name][...]) for name in FAMILIES)
    return (
        variables["order"].shape == (chains, draws, p)
        and all(variables[name].shape == (chains, draws) for name in variables if name.startswith("log_"))
        and all(
            name not in variables or variables[name].shape in shapes
            for name, shapes in (
                ("conditionals", ((chains, 1, p, p), (chains, 2, p, p))),
                ("conditional_errors", ((2, p, p),)),
            )
        )
        and _are_moments(variables, about.get("rows"), p)
        and len(about["nodes"]) == p
        and len(about["moves"]) == chains
        and isinstance(about["info"], dict)
        and parents.shape == (len(node), -(-p // 8))
        and all(
            piece.min(initial=0) >= 0 and piece.max(initial=0) < len(node) and bool((node[piece] == np.arange(p)).all())
            for piece in _pieces(variables["family"])
        )
    )


def _are_moments(variables: Any, rows: object, p: int) -> bool:
    """Whether the sufficient statistics are those of p columns of data, or not there at all."""
    arrays = {name: np.asarray(variables[name][...]) for name in MOMENTS if name in variables}
    if not arrays:
        return rows is None
    return (
        isinstance(rows, int)
        and rows >= 1
        and [array.shape for array in arrays.values()] == [(p,), (p,), (p, p)]
        and all(bool(np.isfinite(array).all()) for array in arrays.values())
        and bool((arrays["scale"] > 0).all())
    )


def _pieces(array: Any) -> Iterator[np.ndarray]:
    for chain in range(array.shape[0]):
        for part in split(0, array.shape[1], int(np.prod(array.shape[2:]))):
            yield np.asarray(array[chain, part])
