"""A run on disk while it is under way: what was asked for, and what each chain has drawn and where it is.

    request         the arguments of the run, with the data
    run.json        how they were understood, to tell what is different in another run
    chain-1, ...    for each chain, frames: draws, their families, and where the chain was after them
    lock            held by the process that runs the chains

The draws of a frame and the state after them are written together, so that a chain never goes on from where its draws
do not end. There are as many files as chains, and three. A frame is written when so much has been drawn since the last
one that to lose it would hurt: after ``SECONDS``, and later after a hundredth of the time so far, so that the number of
frames grows with the logarithm of the time only.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from edgewise._kernels.basics.recorder import Draws
from edgewise._kernels.graphs.ordering import is_ordered
from edgewise.arguments import is_whole
from edgewise.errors import ArgumentError, StorageError
from edgewise.samplers import Chain, Schedule
from edgewise.samplers.schedule import MOST_ITERATIONS
from edgewise.samplers.snapshots import Snapshot
from edgewise.wording import quote

from .engines import Advanced
from .frames import Frame, FrameFile, encode, read_frames, replace_file
from .locks import Lock, hold
from .requests import LENGTHS, Request, find_difference, pack_request, unpack_request

SECONDS = 2.0
"""Seconds of a chain's work from one frame to the next, at least."""

SHARE = 0.01
"""The part of a chain's time so far after which the next frame is due."""

REQUEST, ABOUT, LOCK = "request", "run.json", "lock"

PARTS_OF_FILES = (f"{REQUEST}.part", f"{ABOUT}.part")
"""What is left where the machine went down when a run was about to begin."""

FAMILIES = ("family_node", "family_parents")
"""The names of the arrays that say what the numbers of families mean."""

STATE = "state "
"""What the names of the arrays of a state begin with."""


class Past(NamedTuple):
    """What a chain did before: blocks of draws with the families that they number, and where it was then.

    In a checkpoint, that takes ``length`` bytes.
    """

    blocks: list[tuple[Draws, np.ndarray, np.ndarray]]
    snapshot: Snapshot | None
    length: int = 0


class _Pending:
    """What a chain has drawn since its last frame, at which iteration that was, and how long it took."""

    def __init__(self, iteration: int) -> None:
        self.groups: list[tuple[list[Draws], np.ndarray, np.ndarray]] = []
        self.iteration = iteration
        self.seconds = 0.0
        self.total = 0.0

    def add(self, back: Advanced) -> None:
        """Take the draws of a block, together with those before it that have the same numbering of families."""
        before = [] if back.is_numbered_anew or not self.groups else self.groups.pop()[0]
        self.groups.append((before + back.blocks, *back.families))
        self.seconds += back.seconds
        self.total += back.seconds


class Checkpoint:
    """The directory of a run.

    Parameters
    ----------
    directory
        Where it is.
    request
        What was asked for.
    """

    def __init__(self, directory: Path, request: Request) -> None:
        self.directory = directory
        self.request = request
        self.pasts: list[Past] = []
        self._files: list[FrameFile] = []
        self._lock: Lock | None = None
        self._pending: list[_Pending] = []

    def begin(self, about: dict[str, Any], say: Callable[[str], None]) -> None:
        """Make the directory, or read what is in it, if it is of the same run.

        Parameters
        ----------
        about
            All that decides what is drawn.
        say
            Is told if the end of a file is no good.
        """
        known = self.directory / ABOUT
        shown = quote(str(self.directory))
        try:
            is_known = known.exists()
            if not is_known:
                self.directory.mkdir(parents=True, exist_ok=True)
            names = {path.name for path in self.directory.iterdir()}
        except OSError as error:
            raise StorageError(f"No checkpoint can be made in {shown} ({error.strerror}).") from error
        strange = names - {LOCK, REQUEST, *PARTS_OF_FILES}
        if strange and not is_known:
            raise StorageError(
                f"No checkpoint can be made in {shown}, which has other files, such as {quote(min(strange))}: give a "
                "new directory."
            )
        self._lock = hold(self.directory / LOCK)
        if is_known:
            different = find_difference(read_about(known), about)
            if different:
                same = "go on with that version" if different.startswith("versions ") else "give the same arguments"
                raise StorageError(
                    f"The checkpoint in {shown} is of another run: it differs in {different}; {same}, or another "
                    "directory."
                )
        else:
            replace_file(self.directory / REQUEST, encode(pack_request(self.request)))
            replace_file(known, (json.dumps(about, indent=2) + "\n").encode())
        self.pasts = self.read_pasts(say, p=len(about["nodes"]))
        for number, past in enumerate(self.pasts):
            self._files.append(FrameFile(self._path(number), past.length))
            self._pending.append(_Pending(-1 if past.snapshot is None else past.snapshot.iteration))

    def _path(self, number: int) -> Path:
        return self.directory / f"chain-{number + 1}"

    def read_pasts(self, say: Callable[[str], None] = lambda _: None, *, p: int | None = None) -> list[Past]:
        """Return what each chain did, with p variables; ``say`` is told of blocks that are not complete."""
        pasts = []
        for number in range(self.request.chains):
            frames, length, is_torn = read_frames(self._path(number))
            if is_torn:
                say(
                    f"The last block of chain {number + 1} in the checkpoint was not complete; the chain goes on from "
                    "the one before."
                )
            pasts.append(_as_past(self._path(number), frames, length, p))
        return pasts

    def note(self, number: int, chain: Chain, back: Advanced | None, *, is_last: bool = False) -> None:
        """Take what a chain has drawn in a block; write it, with where the chain is, when that is due."""
        pending = self._pending[number]
        if back is not None:
            pending.add(back)
        if chain.iteration != pending.iteration and (is_last or pending.seconds >= max(SECONDS, SHARE * pending.total)):
            self._files[number].append(_as_frame(pending.groups, chain))
            pending.groups, pending.seconds, pending.iteration = [], 0.0, chain.iteration

    def extend(self, request: Request) -> None:
        """Note that the run shall be longer, in the request first, which decides where a crash leaves only that."""
        self.request = request
        about = {**read_about(self.directory / ABOUT), **{name: getattr(request, name) for name in LENGTHS}}
        lock = hold(self.directory / LOCK)
        try:
            replace_file(self.directory / REQUEST, encode(pack_request(request)))
            replace_file(self.directory / ABOUT, (json.dumps(about, indent=2) + "\n").encode())
        finally:
            lock.close()

    def close(self) -> None:
        """Close the files, and let others go on with the run."""
        for file in self._files:
            file.close()
        self._files = []
        if self._lock is not None:
            self._lock.close()
            self._lock = None


def open_checkpoint(directory: Path) -> Checkpoint:
    """Return the checkpoint in a directory, with the arguments of its run.

    Raises
    ------
    StorageError
        If there is none, or its arguments cannot be brought back.
    """
    shown = quote(str(directory))
    if not (directory / ABOUT).is_file():
        raise StorageError(f"There is no checkpoint in {shown}: give the directory of a run that has one.")
    frames, _, _ = read_frames(directory / REQUEST)
    if len(frames) != 1:
        raise StorageError(f"The checkpoint in {shown} is damaged: what was asked for cannot be read.")
    missing = frames[0].numbers.get("missing")
    if missing is not None:
        raise StorageError(
            f"The checkpoint in {shown} cannot bring back the {missing} of its run, which no file can hold: call "
            "edgewise.sample again with the same arguments and the same checkpoint, and the run goes on."
        )
    try:
        return Checkpoint(directory, unpack_request(frames[0]))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, ArgumentError) as error:
        raise StorageError(f"The checkpoint in {shown} is damaged: what was asked for makes no sense.") from error


def read_about(path: Path) -> dict[str, Any]:
    """Return how the arguments of a run were understood."""
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise StorageError(
            f"The file {quote(str(path))} of a checkpoint cannot be read: begin the run anew."
        ) from error
    if not isinstance(about, dict):
        raise StorageError(f"The file {quote(str(path))} of a checkpoint makes no sense: begin the run anew.")
    return about


def _as_frame(groups: list[tuple[list[Draws], np.ndarray, np.ndarray]], chain: Chain) -> Frame:
    """Return draws with just the families that occur in them, and where the chain is.

    Each group of draws numbers its families for itself.
    """
    snapshot = chain.snapshot()
    arrays = {STATE + name: array for name, array in snapshot.arrays.items()}
    drawn: dict[str, list[np.ndarray]] = {name: [] for name in (*Draws._fields, *FAMILIES)}
    known = 0
    for blocks, node, parents in groups:
        rows = {name: np.concatenate([getattr(block, name) for block in blocks]) for name in Draws._fields}
        occurs = np.zeros(len(node), bool)
        occurs[rows["family"]] = True
        number = known + np.cumsum(occurs, dtype=np.int32) - 1
        known += int(occurs.sum())
        rows["family"] = number[rows["family"]].astype(np.int32)
        for name, array in (rows | dict(zip(FAMILIES, (node[occurs], parents[occurs]), strict=True))).items():
            drawn[name].append(array)
    return Frame(arrays | {name: np.concatenate(parts) for name, parts in drawn.items() if parts}, snapshot.numbers)


def _as_past(path: Path, frames: list[Frame], length: int, p: int | None) -> Past:
    """Return what a chain did, from its frames."""
    blocks, snapshot = [], None
    drawn = 0
    try:
        for arrays, numbers in frames:
            if "family" in arrays:
                draws = Draws(*(arrays[name] for name in Draws._fields))
                node, parents = (arrays[name] for name in FAMILIES)
                _check_draws(draws, node, parents, p)
                blocks.append((draws, node, parents))
                drawn += len(draws.log_score)
            snapshot = Snapshot(
                {name.removeprefix(STATE): array for name, array in arrays.items() if name.startswith(STATE)},
                dict(numbers["generators"]),
                int(numbers["iteration"]),
                Schedule(**numbers["schedule"]),
            )
            _check_progress(snapshot, drawn)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StorageError(f"The file {quote(str(path))} is not part of a checkpoint: begin the run anew.") from error
    return Past(blocks, snapshot, length)


def _check_progress(snapshot: Snapshot, drawn: int) -> None:
    """Refuse a chain that has not drawn what it should have."""
    schedule = snapshot.schedule
    numbers = (schedule.iterations, schedule.burn_in, schedule.thin, snapshot.iteration)
    if not (
        all(is_whole(number) and 0 <= number <= MOST_ITERATIONS for number in numbers)
        and schedule.thin >= 1
        and drawn == schedule.draws(after=snapshot.iteration)
    ):
        raise ValueError("the draws are not those of the schedule")


def _check_draws(draws: Draws, node: np.ndarray, parents: np.ndarray, expected: int | None) -> None:
    """Refuse draws whose parts do not belong together."""
    number, p = draws.family.shape
    beyond = np.uint64(0) if p % 64 == 0 else ~np.uint64(0) << np.uint64(p % 64)
    if not (
        expected in (None, p)
        and draws.order.dtype.kind == "u"
        and draws.order.shape == (number, p)
        and draws.log_score.shape == draws.log_prior.shape == (number,)
        and draws.log_score.dtype == draws.log_prior.dtype == np.float64
        and draws.family.dtype == np.int32
        and node.dtype == np.int32
        and parents.dtype == np.uint64
        and parents.shape == (len(node), -(-p // 64))
        and not (parents[:, -1] & beyond).any()
        and (number == 0 or 0 <= draws.family.min() <= draws.family.max() < len(node))
        and bool((node[draws.family] == np.arange(p)).all())
        and draws.order.dtype == np.min_scalar_type(p - 1)
        and draws.order.max(initial=0) < p
        and is_ordered(draws.family, draws.order.astype(np.uint32), parents, np.zeros((1, parents.shape[1]), np.uint64))
    ):
        raise ValueError("the parts of the draws do not belong together")
