"""Checkpoints: one of the files of a run is changed, with checksums that fit or without."""

import json
import tempfile
import warnings
from functools import cache, partial
from pathlib import Path

import numpy as np

import edgewise as ew
from edgewise.cli.results import CHECKPOINT
from edgewise.running.checkpoints import ABOUT, LOCK, REQUEST
from edgewise.running.frames import Frame, encode, read_frames
from edgewise.running.requests import LENGTHS

from .damage import NOT_NUMBERS, NUMBERS, choose, places, strange_value
from .tables import measurements
from .using import QUICK, use_posterior


@cache
def examples():
    """Return the files of good checkpoints by name: of the default, of the paper's chain, and of the prior alone.

    Each was extended once, so that every chain has several frames.
    """
    numbers = measurements().drop(columns="sex")
    known = ew.Constraints(tiers=[["Raf"], ["Mek", "Erk"]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return (
            _kept(numbers),
            _kept(numbers, constraints=known, sampler=ew.MinimalIMAP(temperatures=2)),
            _kept(numbers, sampler=ew.MinimalIMAP(parents="full")),
            _kept(numbers, sampler=ew.PartitionMCMC()),
            _kept(measurements()),
            _kept(None, nodes=["Raf", "Mek", "Erk"]),
        )


def _kept(data, **settings):
    with tempfile.TemporaryDirectory() as directory:
        ew.sample(data, checkpoint=directory, **QUICK, **settings)
        ew.extend(directory, iterations=2 * QUICK["iterations"], progress=False)
        return {path.name: path.read_bytes() for path in Path(directory).iterdir() if path.name != LOCK}


def good_checkpoint(rng):
    """Return one of the files of a checkpoint; the number in its name says of which."""
    number = int(rng.integers(len(examples())))
    name = choose(rng, (REQUEST, ABOUT, "chain-1", "chain-1", "chain-2"))
    return f"{number} {name}", examples()[number][name]


def forge_checkpoint(file, rng):
    """Return a file of which some content was changed, with the checksums that fit."""
    name, content = file
    change = partial(choose(rng, CHANGES), rng=rng)
    if name.endswith(ABOUT):
        return name, _rewrite(content, rng)
    frames = frames_of(content)
    if not frames:
        return name, content
    place = int(rng.integers(len(frames)))
    with np.errstate(all="ignore"):
        frames[place] = change(frames[place])
    return name, b"".join(map(encode, frames))


def _rewrite(content, rng):
    """Put something else into a text."""
    try:
        about = json.loads(content)
    except ValueError:
        return content
    return json.dumps(_put(about, rng)).encode()


def frames_of(content):
    """Return the frames of a file."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "frames"
        path.write_bytes(content)
        return read_frames(path)[0]


def _put(value, rng):
    """Put something else somewhere into a value."""
    if isinstance(value, dict | list) and value:
        place, key = choose(rng, list(places(value)))
        if rng.random() < 0.2:
            del place[key]
        else:
            place[key] = strange_value(rng)
    return value


def change_numbers(frame, *, rng):
    """Put something else into what is no array, but for the length of a run: anybody may ask for a long one."""
    lengths = {name: frame.numbers[name] for name in LENGTHS if name in frame.numbers}
    return Frame(frame.arrays, _put(json.loads(json.dumps(frame.numbers)), rng) | lengths)


def change_array(frame, *, rng):
    """Put other numbers into an array, or give it another type or shape, or leave it out."""
    arrays = dict(frame.arrays)
    if not arrays:
        return frame
    name = choose(rng, list(arrays))
    values = arrays[name].copy()
    ways = (_set_entries, _set_entries, _set_entries, _mix, _retype, _reshape)
    if rng.random() < 0.1:
        del arrays[name]
    elif values.size and values.dtype.names is None and values.dtype.kind in "biuf":
        arrays[name] = np.ascontiguousarray(choose(rng, ways)(values, rng))
    return Frame(arrays, frame.numbers)


def _set_entries(values, rng):
    flat = values.reshape(-1)
    for place in rng.integers(flat.size, size=int(rng.integers(1, 4))):
        number = choose(rng, (*NUMBERS, *NOT_NUMBERS) if values.dtype.kind == "f" else NUMBERS)
        if values.dtype.kind in "iu":
            bounds = np.iinfo(values.dtype)
            number = min(max(int(number), bounds.min), bounds.max)
        flat[place] = number if rng.random() < 0.6 else flat[int(rng.integers(flat.size))]
    return values


def _mix(values, rng):
    return rng.permuted(values, axis=int(rng.integers(values.ndim))) if values.ndim else values


def _retype(values, rng):
    return values.astype(choose(rng, ("i1", "i4", "i8", "u8", "f4", "f8", ">f8", "S3", "?", "c16")))


def _reshape(values, rng):
    ways = (
        lambda: values.T,
        lambda: values.ravel(),
        lambda: values[None],
        lambda: values[..., None],
        lambda: values.reshape(-1)[:-1],
        lambda: np.concatenate([values, values]) if values.ndim else values,
    )
    return choose(rng, ways)()


CHANGES = (change_numbers, change_numbers, change_array, change_array, change_array)


def restore(path):
    """Put a file into the place of its like in a good checkpoint; return the directory of results that this is in."""
    number, _, name = path.name.partition(" ")
    directory = path.parent / "results" / CHECKPOINT
    directory.mkdir(parents=True)
    for other, content in examples()[int(number)].items():
        (directory / other).write_bytes(path.read_bytes() if other == name else content)
    return directory.parent


def use_checkpoint(path):
    """Go on with a run, and make all that is made of a posterior."""
    use_posterior(ew.resume(restore(path) / CHECKPOINT, progress=False))


def resume_checkpoint(path, out):
    """Return the command that does the same."""
    return ["resume", restore(path), "--quiet"]
