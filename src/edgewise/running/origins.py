"""Where a posterior comes from, so that its run can be extended."""

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple
from weakref import WeakKeyDictionary

from edgewise.arguments import is_whole
from edgewise.errors import StorageError
from edgewise.posterior import Posterior
from edgewise.samplers import Chain
from edgewise.samplers.snapshots import Snapshot
from edgewise.wording import quote

from .checkpoints import ABOUT, Checkpoint, read_about
from .requests import Request


class Origin(NamedTuple):
    """What was asked for, where the chains are now, and the directory of the checkpoint, if there is one."""

    request: Request
    snapshots: list[Snapshot]
    directory: Path | None


_ORIGINS: "WeakKeyDictionary[Posterior, Origin]" = WeakKeyDictionary()
"""The origins of the posteriors of this session, for as long as they are used."""


def remember(posterior: Posterior, request: Request, chains: list[Chain], checkpoint: Checkpoint | None) -> None:
    """Note where a posterior comes from."""
    snapshots = [chain.snapshot() for chain in chains]
    # The user may go to another directory meanwhile.
    directory = None if checkpoint is None else checkpoint.directory.absolute()
    _ORIGINS[posterior] = Origin(request, snapshots, directory)


def recall(posterior: Posterior) -> Origin | None:
    """Return where a posterior comes from, if that is known."""
    return _ORIGINS.get(posterior)


def agree_on_seed(request: Request, directory: Path, *, is_given: bool) -> Request:
    """Return the request with the seed of the checkpoint in a directory, unless a seed is given or there is none."""
    if is_given or not (directory / ABOUT).exists():
        return request
    seed = read_about(directory / ABOUT).get("seed")
    if seed is None or not is_whole(seed):
        raise StorageError(f"The checkpoint in {quote(str(directory))} has no seed: begin the run anew.")
    return replace(request, seed=int(seed))
