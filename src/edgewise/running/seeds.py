"""Seeds: the one that is given, the one of a checkpoint, a new one, and one for each of many data sets."""

import hashlib
import secrets
from dataclasses import replace
from pathlib import Path

import numpy as np

from edgewise.arguments import check_whole
from edgewise.errors import ArgumentError, StorageError
from edgewise.wording import quote

from .checkpoints import ABOUT, read_about
from .requests import Request

BITS = 53
"""Bits of a seed that is chosen here, so that programs which read run.json with numbers in double precision get the
same one."""


def choose_seed(seed: int | None) -> int:
    """Return a seed, or a new one."""
    return secrets.randbits(BITS) if seed is None else check_whole("seed", seed, least=0)


def find_seed(about: object) -> int | None:
    """Return the seed in what a file says of a run, None if there is none."""
    seed = about.get("seed") if isinstance(about, dict) else None
    try:
        return None if seed is None else choose_seed(seed)
    except ArgumentError:
        return None


def choose_seed_of(name: str, seed: int) -> int:
    """Return the seed of a set, which depends on its name and on the seed of all, and on nothing else."""
    words = np.frombuffer(hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest(), "<u4")
    state = np.random.SeedSequence([seed, *(int(word) for word in words)]).generate_state(1, np.uint64)
    return int(state[0]) >> (64 - BITS)


def agree_on_seed(request: Request, directory: Path, *, is_given: bool) -> Request:
    """Return the request with the seed of the checkpoint in a directory, unless a seed is given or there is none."""
    if is_given or not (directory / ABOUT).exists():
        return request
    seed = find_seed(read_about(directory / ABOUT))
    if seed is None:
        raise StorageError(f"The checkpoint in {quote(str(directory))} has no seed: begin the run anew.")
    return replace(request, seed=seed)
