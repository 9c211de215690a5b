"""Posteriors on disk: one NetCDF file, which any NetCDF or HDF5 tool can open.

Nothing in the file is code, and nothing in it is executed. A checksum over all that matters tells a damaged
file.
"""

import hashlib
import json
import os
from pathlib import Path

import numpy as np
import xarray as xr

from edgewise.data.wording import quote
from edgewise.errors import StorageError

from .draws import DrawTable
from .posterior import Posterior

FORMAT = 1
"""Version of the file's layout. A reader refuses a version it does not know."""

DIMENSIONS = {
    "family": ("chain", "draw", "node"),
    "order": ("chain", "draw", "position"),
    "log_score": ("chain", "draw"),
    "log_prior": ("chain", "draw"),
    "family_node": ("distinct_family",),
    "family_parents": ("distinct_family", "byte"),
}
"""The variables of the file: the fields of a :class:`DrawTable`."""


def save(posterior: Posterior, path: str | os.PathLike[str]) -> None:
    """Write a posterior; the file appears under its name only when it is complete."""
    arrays = {name: getattr(posterior.draws, name) for name in DIMENSIONS}
    about = {"nodes": posterior.nodes, "moves": posterior.moves, "info": posterior.info}
    text = json.dumps(about, ensure_ascii=True, sort_keys=True)
    dataset = xr.Dataset(
        {name: (DIMENSIONS[name], array) for name, array in arrays.items()},
        attrs={"edgewise_format": FORMAT, "about": text, "sha256": _checksum(text, arrays)},
    )
    path = Path(path)
    shown = quote(str(path))
    if path.is_dir():
        raise StorageError(
            f"The posterior cannot be written to {shown}, which is a directory: give the name of a file."
        )
    if not path.parent.is_dir():
        raise StorageError(f"The posterior cannot be written to {shown}: make the directory first.")
    unfinished = path.with_name(path.name + ".part")
    try:
        dataset.to_netcdf(
            unfinished, engine="h5netcdf", encoding={name: {"zlib": True, "complevel": 1} for name in arrays}
        )
        unfinished.replace(path)
    except OSError as error:
        reason = str(error) if error.errno is None else os.strerror(error.errno)
        raise StorageError(f"The posterior cannot be written to {shown} ({' '.join(reason.split())}).") from error
    finally:
        unfinished.unlink(missing_ok=True)


def load(path: str | os.PathLike[str]) -> Posterior:
    """Read a posterior that :meth:`Posterior.save` wrote.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    Posterior
        Equal to the one that was saved.

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
        with xr.open_dataset(path, engine="h5netcdf", decode_cf=False) as dataset:
            if dataset.attrs.get("edgewise_format", FORMAT) != FORMAT:
                raise StorageError(
                    f"The file {shown} has layout {dataset.attrs['edgewise_format']}, but this version of "
                    f"Edgewise reads layout {FORMAT}; install a newer Edgewise to read it."
                )
            text = dataset.attrs["about"]
            arrays = {name: np.asarray(dataset[name].values) for name in DIMENSIONS}
            intact = dataset.attrs["sha256"] == _checksum(text, arrays)
    except StorageError:
        raise
    except (OSError, KeyError, ValueError, TypeError, RuntimeError, AttributeError) as error:
        raise StorageError(
            f"The file {shown} is not an Edgewise posterior, or it is cut off: save or copy it again."
        ) from error
    if not intact:
        raise StorageError(
            f"The file {shown} is damaged, since its content does not match its checksum: copy it again, or "
            f"repeat the run."
        )
    about = json.loads(text)
    return Posterior(
        nodes=tuple(about["nodes"]),
        draws=DrawTable(**arrays),
        moves=tuple({kind: (n, k) for kind, (n, k) in chain.items()} for chain in about["moves"]),
        info=about["info"],
    )


def _checksum(text: str, arrays: dict[str, np.ndarray]) -> str:
    digest = hashlib.sha256(text.encode())
    for name, array in arrays.items():
        digest.update(f"{name} {array.dtype.newbyteorder('<').str} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array, array.dtype.newbyteorder("<")).data)
    return digest.hexdigest()
