"""Where a chain is, as plain arrays and numbers, so that it can go on elsewhere: after a crash, or in another process.

A snapshot has the arrays of a chain by name, and the states of its random generators. What a chain remembers of the
past, but does not need, is left out: families met before, and the record of those it has drawn. A chain made by the
same model that is restored to a snapshot goes on to the same draws, to the last bit.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, Protocol

import numpy as np

from edgewise.errors import StorageError

from .schedule import Schedule

REMEMBERED = ("cache", "tree", "memo")
"""Fields of states that hold what can be found again."""

ROUNDING = 1e-6
"""How far numbers that are kept up from step to step may be from the same found anew, absolutely and relatively: more
than rounding errors ever are, and much less than a mistake."""

MISFIT = "The state of a chain in the checkpoint does not fit the run: begin it anew."


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
    generators = {name: leaf for name, leaf in leaves.items() if isinstance(leaf, np.random.Generator)}
    shapes = {name: (leaf.shape, leaf.dtype) for name, leaf in leaves.items() if name not in generators}
    given = {name: (array.shape, array.dtype) for name, array in snapshot.arrays.items()}
    if shapes != given or set(generators) != set(snapshot.generators):
        raise StorageError(MISFIT)
    try:
        for name, state in snapshot.generators.items():
            type(generators[name].bit_generator)(0).state = state
    except (ValueError, TypeError, KeyError, OverflowError) as error:
        raise StorageError(MISFIT) from error
    for name, array in snapshot.arrays.items():
        leaves[name][...] = array
    for name, state in snapshot.generators.items():
        generators[name].bit_generator.state = state


def check_renewed(chain: Kept, renew: Callable[[], bool], names: Iterable[str]) -> None:
    """Check that what a chain keeps up follows from where it is.

    Compiled code trusts its arrays, and so nothing that comes from a file is handed to it unseen.

    Parameters
    ----------
    chain
        The chain, which is left as it is.
    renew
        Finds anew what follows from the rest, or returns False if the rest makes no sense.
    names
        Of the arrays that follow.

    Raises
    ------
    StorageError
        If they are not what they should be.
    """
    kept = take_snapshot(chain)
    with np.errstate(all="ignore"):
        is_possible = renew()
    found = take_snapshot(chain).arrays
    restore(chain, kept)
    if not is_possible or not all(_agree(kept.arrays[name], found[name]) for name in names if name in found):
        raise StorageError(MISFIT)


def _agree(kept: np.ndarray, found: np.ndarray) -> bool:
    """Tell whether arrays are the same but for rounding errors."""
    if kept.dtype.names is not None:
        return all(_agree(kept[name], found[name]) for name in kept.dtype.names if name != "unused")
    if kept.dtype.kind == "f":
        return bool(np.isclose(kept, found, rtol=ROUNDING, atol=ROUNDING).all())
    return bool((kept == found).all())


def is_order(order: np.ndarray) -> bool:
    """Tell whether an array lists all variables."""
    return bool((np.sort(order) == np.arange(len(order))).all())


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
