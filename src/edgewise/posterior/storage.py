"""Posteriors on disk: one NetCDF file, which any NetCDF or HDF5 tool can open.

Draws are written in blocks and read in parts, so that neither needs memory for all of them. Nothing in the file is
code, and nothing in it is executed. A checksum over all that matters tells a damaged file, and since anybody can make a
checksum, what is read is also checked to be a posterior (``variables.py``, ``checking.py``, ``record.py``).
"""

import hashlib
import io
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import h5netcdf
import h5py
import numpy as np

from edgewise._kernels.basics.recorder import Draws
from edgewise.data import Moments
from edgewise.data.blocks import Blocks
from edgewise.errors import ArgumentError, StorageError
from edgewise.files import part_of, writing
from edgewise.wording import printable, quote, shorten

from .checking import check_content, pieces
from .collecting import Families
from .draws import DrawTable
from .posterior import Posterior
from .variables import DRAWN, EXTRAS, FAMILIES, GROUPED, MOMENTS, UnfitError, find_variables, read_text, type_of

SUFFIX = ".nc"
"""What names of NetCDF files end in."""

FORMAT = 1
"""Version of the file's layout. A reader refuses a version it does not know."""

LONGEST_VERSION = 40
"""Characters of a version that are shown."""

ENTRIES_PER_CHUNK = 2**18
"""Family numbers in a chunk of the file: what is compressed, written and read together. A chunk that is written in
pieces is compressed anew for each, which costs more than sampling does, so draws wait until they fill one."""

LARGE = ("family", "order")
MOST_IN_MEMORY = 2**26
"""Bytes from which the large variables are left in the file."""


class _Draft(io.FileIO):
    """A file that HDF5 writes to, and that never fails as far as HDF5 can see.

    HDF5 cannot close a file that it cannot write to, because the disk is full: the process ends with a crash. So it is
    told that all is well, and ``check`` says what is not.
    """

    _failure: OSError | None = None

    def __init__(self, path: Path) -> None:
        super().__init__(path, "w+")

    def write(self, data: Any) -> int:
        """Write all of the data, unless that has failed before."""
        view = memoryview(data).cast("B")
        size = len(view)
        try:
            while len(view) and self._failure is None:
                view = view[super().write(view) or 0 :]
        except OSError as error:
            self._failure = error
        return size

    def truncate(self, size: int | None = None) -> int:
        """Let the file have a size, unless something has failed before."""
        try:
            if self._failure is None:
                return super().truncate(size)
        except OSError as error:
            self._failure = error
        return size or 0

    def check(self) -> None:
        """Raise what has failed."""
        if self._failure is not None:
            raise self._failure


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
            self._draft = _Draft(self._part)
            # Through h5netcdf, which looks up all dimensions each time, it takes longer to read and write draws.
            self._arrays = h5py.File(self._draft, "w", track_order=True)
            self._file = h5netcdf.File(self._arrays, "w")
            self._file.dimensions = {"chain": chains, "draw": None, "node": p, "position": p}
            for name, dimensions in DRAWN.items():
                chunks = (1, self._chunk, p)[: len(dimensions)]
                self._file.create_variable(
                    name,
                    dimensions,
                    type_of(name, p),
                    chunks=chunks,
                    compression="gzip",
                    compression_opts=1,
                    shuffle=True,
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
            if stop > self._arrays["log_score"].shape[1]:
                self._file.resize_dimension("draw", stop)
            for name, array in waiting._asdict().items():
                self._arrays[name][chain, start:stop] = array[:number]
            self._draft.check()

    def gather(self, draws: int, families: Families) -> DrawTable:
        """Cut every chain to ``draws`` draws, and return them; if they are many, they stay in the file."""
        for chain, written in enumerate(self._written):
            if written < draws:
                self._write(chain, draws - written)
        with writing(self.path):
            self._file.resize_dimension("draw", draws)
            drawn = {name: _unless_large(name, self._arrays[name]) for name in DRAWN}
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
        if posterior.grouped is not None:
            extras |= _describe_groups(posterior.grouped)
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
            self._close()
            self._draft.check()
            self._draft.close()
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
        self._close()
        self._draft.close()
        self._part.unlink(missing_ok=True)

    def _close(self) -> None:
        self._file.close()
        self._arrays.close()


def save(posterior: Posterior, path: str | os.PathLike[str]) -> None:
    """Write a posterior."""
    if Path(path).suffix.lower() not in ("", SUFFIX) and not Path(path).is_dir():
        raise ArgumentError(
            f"A posterior is saved as NetCDF, which many programs can read, but {quote(str(path))} is the name of "
            f"another kind of file: let it end in {SUFFIX}."
        )
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
        _check_version(file, shown)
        text, checksum = read_text(file, "about"), read_text(file, "sha256")
        variables = find_variables(file, path.stat().st_size)
        arrays = {name: _unless_large(name, variable) for name, variable in variables.items()}
        intact = checksum == _checksum(text, arrays)
        about = json.loads(text) if intact else {}
        if intact:
            check_content(arrays, about)
    except UnfitError as error:
        raise StorageError(
            f"The file {shown} is not an Edgewise posterior, since {error}: ask for it to be saved or copied again."
        ) from error
    except StorageError:
        raise
    except (OSError, LookupError, ValueError, ArithmeticError, TypeError, RuntimeError, AttributeError) as error:
        raise StorageError(
            f"The file {shown} is not an Edgewise posterior, or it is cut off: save or copy it again."
        ) from error
    if not intact:
        raise StorageError(
            f"The file {shown} is damaged, since its content does not match its checksum: copy it again, or repeat the "
            f"run."
        )
    moments, grouped = ({name: arrays.pop(name) for name in names if name in arrays} for names in (MOMENTS, GROUPED))
    return Posterior(
        nodes=tuple(about["nodes"]),
        moments=Moments(about["rows"], **moments) if moments else None,
        grouped=_read_groups(grouped) if grouped else None,
        conditionals=arrays.pop("conditionals", None),
        conditional_errors=arrays.pop("conditional_errors", None),
        draws=DrawTable(**arrays),
        moves=tuple({kind: (n, k) for kind, (n, k) in chain.items()} for chain in about["moves"]),
        info=about["info"],
    )


def _describe_groups(blocks: Blocks) -> dict[str, np.ndarray]:
    """Return the statistics of groups of rows as the file has them."""
    arrays = (blocks.group, blocks.n, blocks.mean, blocks.scale, blocks.scatter)
    return {name: array.astype(type_of(name, len(blocks.group))) for name, array in zip(GROUPED, arrays, strict=True)}


def _read_groups(arrays: dict[str, np.ndarray]) -> Blocks:
    by, rows, mean, scale, scatter = (arrays[name] for name in GROUPED)
    p = len(by)
    return Blocks(np.arange(p), np.ones(p, np.int64), by.astype(np.int64), rows, mean, scatter, scale)


def _check_version(file: h5py.File, shown: str) -> None:
    """Refuse a file of another layout."""
    version = np.ravel(file.attrs.get("edgewise_format", FORMAT)).tolist()
    if version != [FORMAT]:
        found = shorten(printable(", ".join(map(str, version))), LONGEST_VERSION)
        raise StorageError(
            f"The file {shown} has layout {found}, but this version of Edgewise reads layout {FORMAT}; install a newer "
            f"Edgewise to read it."
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
        for piece in pieces(array) if name in DRAWN else [np.asarray(array[...])]:
            digest.update(np.ascontiguousarray(piece, piece.dtype.newbyteorder("<")).data)
    return digest.hexdigest()
