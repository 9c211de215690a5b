"""Going on with a run: after it was killed, or beyond its end."""

import os
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from edgewise._kernels.basics.recorder import Draws
from edgewise.arguments import check_whole
from edgewise.errors import ArgumentError, StorageError
from edgewise.files import as_path
from edgewise.posterior import Posterior
from edgewise.wording import quote

from .checkpoints import ABOUT, Checkpoint, Past, open_checkpoint, read_about
from .lengths import check_lengths
from .origins import Origin, recall
from .requests import LENGTHS, Request
from .runs import run
from .seeds import choose_seed


def resume(
    directory: str | os.PathLike[str],
    *,
    executor: Executor | None = None,
    store: str | os.PathLike[str] | None = None,
    progress: bool = True,
) -> Posterior:
    """Go on with a run that was killed, stopped or lost its machine.

    Parameters
    ----------
    directory
        The ``checkpoint`` of the run.
    executor, store, progress
        As for :func:`edgewise.sample`. Where chains run makes no difference to what they draw.

    Returns
    -------
    Posterior
        With the same draws as if the run had not been disturbed.

    Warns
    -----
    ConvergenceWarning
        If the verdict of the run is bad.

    Raises
    ------
    StorageError
        If there is no checkpoint, or it was made by other versions, or it cannot bring back a function or an object of
        the run; then the same call of :func:`edgewise.sample`, with the same ``checkpoint``, goes on.

    Examples
    --------
    >>> import tempfile
    >>> import edgewise as ew
    >>> data = ew.simulate(5, 200, seed=1).data
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     posterior = ew.sample(data, iterations=2000, seed=1, checkpoint=directory, progress=False)
    ...     same = ew.resume(directory, progress=False)
    >>> bool((same.dags() == posterior.dags()).all())
    True
    """
    checkpoint = _open(as_path("directory", directory))
    return run(checkpoint.request, executor=executor, store=store, checkpoint=checkpoint, progress=progress)


def extend(
    posterior: Posterior | str | os.PathLike[str],
    *,
    iterations: int,
    executor: Executor | None = None,
    store: str | os.PathLike[str] | None = None,
    progress: bool = True,
) -> Posterior:
    """Let the chains of a run go on, so that they are longer.

    Parameters
    ----------
    posterior
        What :func:`edgewise.sample` returned in this session, or the directory of its checkpoint.
    iterations
        How many iterations each chain shall have in all. Burn-in and thinning stay as they are.
    executor, store, progress
        As for :func:`edgewise.sample`.

    Returns
    -------
    Posterior
        With the draws that were there, and more.

    Warns
    -----
    ConvergenceWarning
        If the verdict of the run is bad.

    Examples
    --------
    >>> import edgewise as ew
    >>> data = ew.simulate(5, 200, seed=1).data
    >>> posterior = ew.sample(data, iterations=2000, seed=1, progress=False)
    >>> longer = ew.extend(posterior, iterations=4000, progress=False)
    >>> posterior.weights.shape, longer.weights.shape
    ((4, 1600), (4, 3600))
    """
    iterations = check_whole("iterations", iterations)
    checkpoint: Checkpoint | None = None
    pasts: list[Past] = []
    if isinstance(posterior, Posterior):
        origin = recall(posterior)
        if origin is None:
            raise ArgumentError(
                "Only a posterior that sample, resume or extend returned in this session can be extended, or one whose "
                "run has a checkpoint: give the directory of that."
            )
        if origin.directory is None:
            pasts = _take_up(posterior, origin)
            request = _lengthen(origin.request, pasts, iterations)
        else:
            posterior = origin.directory
    if not isinstance(posterior, Posterior):
        checkpoint = _open(as_path("posterior", posterior, "directory with a checkpoint, or a posterior"))
        request = _lengthen(checkpoint.request, checkpoint.read_pasts(), iterations)
        check_lengths(**_lengths(request))  # before the checkpoint says so, which could not be resumed
        checkpoint.extend(request)
    return run(request, executor=executor, store=store, checkpoint=checkpoint, progress=progress, pasts=pasts)


def _open(directory: Path) -> Checkpoint:
    """Return the checkpoint in a directory, having seen that what was asked for is something to ask for."""
    checkpoint = open_checkpoint(directory)
    lengths = _lengths(checkpoint.request)
    about = read_about(directory / ABOUT)
    try:
        check_lengths(**lengths)
        choose_seed(checkpoint.request.seed)
    except ArgumentError as error:
        raise StorageError(
            f"The checkpoint in {quote(str(directory))} is damaged: what was asked for makes no sense."
        ) from error
    if about.get("chains") != checkpoint.request.chains:
        raise StorageError(f"The checkpoint in {quote(str(directory))} is damaged: its files do not belong together.")
    if any(about.get(name) != length for name, length in lengths.items()):
        checkpoint.extend(checkpoint.request)  # The process died when the run had just been made longer.
    return checkpoint


def _lengths(request: Request) -> dict[str, Any]:
    return {name: getattr(request, name) for name in LENGTHS}


def _lengthen(request: Request, pasts: list[Past], iterations: int) -> Request:
    """Return the request of a longer run with the same burn-in and the same draws as far as they go."""
    snapshots = [past.snapshot for past in pasts if past.snapshot is not None]
    done = max((snapshot.iteration for snapshot in snapshots), default=0)
    if iterations < done:
        raise ArgumentError(f"The chains have {done:,} iterations already: iterations must be more.")
    longer = replace(request, iterations=iterations, time_budget=None, until=None)
    if not snapshots:
        return longer
    schedule = min((snapshot.schedule for snapshot in snapshots), key=lambda schedule: schedule.burn_in)
    if schedule.has_open_burn_in:
        return longer
    return replace(longer, burn_in=schedule.burn_in, thin=schedule.thin)


def _take_up(posterior: Posterior, origin: Origin) -> list[Past]:
    """Return what the chains of a posterior in memory did."""
    draws = posterior.draws
    made = [snapshot.schedule.draws(after=snapshot.iteration) for snapshot in origin.snapshots]
    if set(made) != {draws.log_score.shape[1]}:
        raise ArgumentError(
            "The run was stopped when its chains were not equally far, and what some of them drew is no longer there: "
            "only with a checkpoint can such a run go on."
        )
    parents = draws.parent_words()
    return [
        Past(
            [(Draws(*(np.asarray(getattr(draws, name)[chain]) for name in Draws._fields)), draws.family_node, parents)],
            snapshot,
        )
        for chain, snapshot in enumerate(origin.snapshots)
    ]
