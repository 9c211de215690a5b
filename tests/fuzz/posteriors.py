"""Posteriors: files whose checksum is right, whatever they hold."""

import io
import json
import tempfile
import warnings
from contextlib import suppress
from functools import cache, partial
from pathlib import Path

import h5py
import numpy as np

import edgewise as ew
from edgewise.posterior import storage

from .damage import NOT_NUMBERS, NUMBERS, WORDS, choose, nested, places, strange_value
from .tables import measurements
from .using import QUICK, use_posterior

VARIABLES = (*storage.DRAWN, *storage.FAMILIES, *storage.EXTRAS)

MOST_SUMMED = 2**20
"""Bytes of a variable up to which a checksum is made of it: one that is larger must be refused before that."""


@cache
def examples():
    """Return good files: of each way to sample, with and without data, constraints, weights and interventions."""
    numbers, mixed = measurements().drop(columns="sex"), measurements()
    known = ew.Constraints(tiers=[["Raf"], ["Mek", "Erk"]], ancestors=[("Raf", "Erk")])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        posteriors = [
            ew.sample(numbers, **QUICK),
            ew.sample(numbers, constraints=known, **QUICK),
            ew.sample(numbers, sampler=ew.MinimalIMAP(target="dags"), **QUICK),
            ew.sample(numbers, sampler=ew.StructureMCMC(max_parents=1), **QUICK),
            ew.sample(mixed, **QUICK),
            ew.sample(mixed, interventions="sex", targets={"f": [], "m": ["Mek"]}, **QUICK),
            ew.sample(None, nodes=[f"v{number}" for number in range(10)], **QUICK),
            ew.bootstrap(ew.mmhc, numbers, replicates=12, seed=1),
        ]
    return tuple(_saved(posterior) for posterior in posteriors)


def _saved(posterior):
    with tempfile.TemporaryDirectory() as directory:
        posterior.save(Path(directory) / "posterior.nc")
        return (Path(directory) / "posterior.nc").read_bytes()


def good_posterior(rng):
    """Return the file of a posterior."""
    return "posterior.nc", choose(rng, examples())


def forge_posterior(file, rng):
    """Return a file of which some content was changed, with the checksum that fits."""
    name, content = file
    try:
        return name, forged(content, partial(choose(rng, CHANGES), rng=rng))
    except (OSError, LookupError, ValueError, TypeError, RuntimeError, AttributeError, ArithmeticError):
        return name, content  # a former change left nothing to change


def forged(content, change):
    """Return a file after a change of its content, with the checksum that fits."""
    stream = io.BytesIO(content)
    with h5py.File(stream, "r+") as file:
        change(file)
        sum_up(file)
    return stream.getvalue()


def sum_up(file):
    """Write the checksum that fits, if there is something to sum up."""
    with suppress(LookupError, ValueError, TypeError, AttributeError, RuntimeError):  # where a reader stops as well
        arrays = {name: file[name] for name in VARIABLES if isinstance(file.get(name), h5py.Dataset)}
        if all(array.shape is not None and array.nbytes <= MOST_SUMMED for array in arrays.values()):
            file.attrs["sha256"] = storage._checksum(file.attrs["about"], arrays)


def replace(file, name, values, **options):
    """Put other values in place of a variable, stored as it was."""
    del file[name]
    options = {"compression": "gzip", "chunks": True} | options if np.ndim(values) else {}
    file.create_dataset(name, data=values, **options)


def change_about(file, change):
    """Change the text that says what else a posterior holds."""
    about = json.loads(file.attrs["about"])
    change(about)
    file.attrs["about"] = json.dumps(about)


def _present(file, rng):
    return choose(rng, [name for name in VARIABLES if name in file])


def _values(file, name):
    """Return the values of a variable, unless a former change made it huge."""
    if file[name].nbytes > MOST_SUMMED:
        raise ValueError(name)
    return file[name][...]


def set_entries(file, *, rng):
    name = _present(file, rng)
    values = _values(file, name)
    flat = values.reshape(-1)
    for place in rng.integers(flat.size, size=int(rng.integers(1, 4))):
        number = choose(rng, (*NUMBERS, *NOT_NUMBERS) if values.dtype.kind == "f" else NUMBERS)
        if values.dtype.kind != "f":
            bounds = np.iinfo(values.dtype)
            number = min(max(int(number), bounds.min), bounds.max)
        with np.errstate(over="ignore"):
            flat[place] = number if rng.random() < 0.6 else flat[int(rng.integers(flat.size))]
    file[name][...] = values


def set_parents(file, *, rng):
    values = _values(file, "family_parents")
    for _ in range(int(rng.integers(1, 6))):
        values.reshape(-1)[int(rng.integers(values.size))] ^= 1 << int(rng.integers(8))
    file["family_parents"][...] = values


def mix_draws(file, *, rng):
    """Take the family of each variable from another draw, which makes cycles."""
    family = _values(file, "family")
    chains, draws, p = family.shape
    for chain in range(chains):
        family[chain] = family[chain, rng.integers(draws, size=(draws, p)), np.arange(p)]
    file["family"][...] = family


def mix_orders(file, *, rng):
    orders = _values(file, "order")
    file["order"][...] = rng.permuted(orders, axis=int(rng.integers(3)))


def change_type(file, *, rng):
    name = _present(file, rng)
    dtype = choose(rng, ("i1", "i4", "i8", "u8", "f2", "f4", "f8", ">f8", ">i4", "S3", "?", "c16", "O", "i4,f8"))
    values = _values(file, name)
    replace(file, name, np.array(["x"] * values.size, object) if dtype == "O" else values.astype(dtype))


def change_shape(file, *, rng):
    name = _present(file, rng)
    values = _values(file, name)
    ways = (
        lambda: values.T,
        lambda: values.ravel(),
        lambda: values[:0],
        lambda: values[:1],
        lambda: values[None],
        lambda: values[..., None],
        lambda: values[..., :-1],
        lambda: np.concatenate([values, values]),
        lambda: np.concatenate([values, values], axis=-1),
        lambda: values.reshape(-1)[0],
        lambda: h5py.Empty(values.dtype),
    )
    replace(file, name, choose(rng, ways)())


def make_huge(file, *, rng):
    """Give a variable a dimension that no memory holds, of which nothing is in the file."""
    name = _present(file, rng)
    shape, dtype = list(file[name].shape), file[name].dtype
    shape[int(rng.integers(len(shape)))] = choose(rng, (2**20, 2**28, 2**34, 2**40))
    chunks = choose(rng, (True, tuple(1 for _ in shape), tuple(min(n, 2**9) for n in shape)))
    del file[name]
    file.create_dataset(name, shape, dtype, chunks=chunks)


def make_huge_alike(file, *, rng):
    """Give all variables with draws the same huge number of them."""
    chains, _, p = file["family"].shape
    draws = choose(rng, (2**20, 2**26, 2**34))
    for name, dimensions in storage.DRAWN.items():
        dtype = file[name].dtype
        del file[name]
        file.create_dataset(name, (chains, draws, p)[: len(dimensions)], dtype, chunks=True, compression="gzip")


def make_huge_chunks(file, *, rng):
    """Store a variable in a chunk that no memory holds."""
    name = _present(file, rng)
    shape, dtype = file[name].shape, file[name].dtype
    chunks = (2**28 // dtype.itemsize, *[1] * (len(shape) - 1))
    del file[name]
    file.create_dataset(name, shape, dtype, chunks=chunks, maxshape=(None,) * len(shape), compression="gzip")


def change_settings(file, *, rng):
    """Put something else somewhere into what the text says."""

    def change(about):
        place, key = choose(rng, list(places(about)))
        if rng.random() < 0.2:
            del place[key]
        else:
            place[key] = choose(rng, (strange_value(rng), strange_value(rng), nested(30)))

    change_about(file, change)


def change_names(file, *, rng):
    def change(about):
        about["nodes"][int(rng.integers(len(about["nodes"])))] = choose(rng, (*WORDS, about["nodes"][0]))

    change_about(file, change)


def change_attribute(file, *, rng):
    name = choose(rng, ("about", "sha256", "edgewise_format"))
    text = file.attrs["about"]
    values = (
        1,
        2,
        -1,
        1.0,
        np.nan,
        "",
        "x",
        "\n" * 300,
        b"x",
        np.arange(3),
        h5py.Empty("f"),
        [text] * 3,
        text.encode(),
        "[]",
    )
    file.attrs[name] = choose(rng, values)


def change_object(file, *, rng):
    name = _present(file, rng)
    del file[name]
    way = int(rng.integers(5))
    if way == 0:
        file.create_group(name)
    elif way == 1:
        file[name] = h5py.SoftLink(f"/{_present(file, rng)}")
    elif way == 2:
        file[name] = h5py.SoftLink(f"/{name}")
    elif way == 3:
        file[name] = h5py.ExternalLink("/dev/zero", name)


def swap_variables(file, *, rng):
    one, other = _present(file, rng), _present(file, rng)
    first, second = _values(file, one), _values(file, other)
    replace(file, one, second)
    if one != other:
        replace(file, other, first)


CHANGES = (
    set_entries,
    set_entries,
    set_parents,
    mix_draws,
    mix_orders,
    change_type,
    change_shape,
    make_huge,
    make_huge_alike,
    make_huge_chunks,
    change_settings,
    change_settings,
    change_settings,
    change_names,
    change_attribute,
    change_object,
    swap_variables,
)


def use_file(path):
    """Load a posterior, and make all that is made of it."""
    use_posterior(ew.load(path))


def report_file(path, out):
    """Return the command that does the same."""
    path.rename(path.with_name("posterior.nc"))
    return ["report", path.parent]
