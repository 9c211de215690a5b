"""Where a chain is, as plain arrays and numbers, so that it can go on elsewhere: after a crash, or in another process.

A snapshot has the arrays of a chain by name, and the states of its random generators. What a chain remembers of the
past, but does not need, is left out: families met before, and the record of those it has drawn. A chain made by the
same model that is restored to a snapshot goes on to the same draws, to the last bit.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Protocol

import numpy as np

from edgewise.errors import StorageError

from .schedule import Schedule

REMEMBERED = ("cache", "tree", "memo")
"""Fields of states that hold what can be found again."""


@dataclass(frozen=True)
class Snapshot:
    """Where a chain is: ``arrays`` by name, the states of random ``generators`` by name, and how far it has come."""

    arrays: dict[str, np.ndarray]
    generators: dict[str, dict[str, Any]]
    iteration: int
    schedule: Schedule

    @property
    def numbers(self) -> dict[str, Any]:
        """What is no array, as JSON can hold it."""
        return {"generators": self.generators, "iteration": self.iteration, "schedule": asdict(self.schedule)}


class Kept(Protocol):
    """A chain as far as snapshots are concerned: ``KEPT`` are the attributes that tell where it is."""

    KEPT: tuple[str, ...]
    iteration: int
    schedule: Schedule


def take_snapshot(chain: Kept) -> Snapshot:
    """Return where a chain is."""
    arrays, generators = {}, {}
    for name, leaf in _leaves(chain):
        if isinstance(leaf, np.random.Generator):
            generators[name] = dict(leaf.bit_generator.state)
        else:
            arrays[name] = leaf.copy()
    return Snapshot(arrays, generators, chain.iteration, chain.schedule)


def restore(chain: Kept, snapshot: Snapshot) -> None:
    """Let a chain be where the one was of which the snapshot was taken.

    Raises
    ------
    StorageError
        If it is of another kind of chain.
    """
    leaves = dict(_leaves(chain))
    generators = {name for name, leaf in leaves.items() if isinstance(leaf, np.random.Generator)}
    shapes = {name: (leaf.shape, leaf.dtype) for name, leaf in leaves.items() if name not in generators}
    given = {name: (array.shape, array.dtype) for name, array in snapshot.arrays.items()}
    if shapes != given or generators != set(snapshot.generators):
        raise StorageError("The state of a chain in the checkpoint does not fit the run: begin it anew.")
    for name, array in snapshot.arrays.items():
        leaves[name][...] = array
    for name, state in snapshot.generators.items():
        leaves[name].bit_generator.state = state


def _leaves(part: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the arrays and the random generators of a chain or of a part of it, by name."""
    if isinstance(part, np.ndarray | np.random.Generator):
        yield name, part
    elif isinstance(part, tuple) and hasattr(part, "_fields"):
        for field in part._fields:
            if field not in REMEMBERED:
                yield from _leaves(getattr(part, field), f"{name}.{field}")
    elif isinstance(part, list):
        for number, item in enumerate(part):
            yield from _leaves(item, f"{name}[{number}]")
    else:
        for attribute in getattr(part, "KEPT", ()):
            yield from _leaves(getattr(part, attribute), f"{name}.{attribute}" if name else attribute)
