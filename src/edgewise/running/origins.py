"""Where a posterior comes from, so that its run can be extended."""

from pathlib import Path
from typing import NamedTuple
from weakref import WeakKeyDictionary

from edgewise.posterior import Posterior
from edgewise.samplers import Chain
from edgewise.samplers.snapshots import Snapshot

from .checkpoints import Checkpoint
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
