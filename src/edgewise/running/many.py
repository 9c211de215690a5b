"""Many data sets in one call: whole runs beside each other, each on one worker.

A set that fails has a sentence in the table, and the others go on. In a directory, every set has a folder, and what is
done there is not done again:

    many.json           the seed of all
    summary.csv         the table
    NAME/posterior.nc   the draws of a set
    NAME/checkpoint     its run, from which it goes on if it was killed
    NAME/done.json      what was asked for, when all of it is done
"""

import inspect
import json
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor
from contextlib import closing
from pathlib import Path
from typing import Any

import pandas as pd

from edgewise.arguments import check_whole
from edgewise.data import Data, Reading
from edgewise.errors import ArgumentError, StoppedEarlyWarning, StorageError
from edgewise.files import as_path, new_file, writing
from edgewise.posterior import Posterior, load
from edgewise.tasks import check_executor, run_in_processes, run_tasks
from edgewise.wording import quote, shorten

from .frames import replace_file
from .lengths import check_lengths
from .one_set import DRAWS, Outcome, Task, Write, do_set, do_set_apart, new_row
from .progress import counting
from .requests import LENGTHS
from .sampling import sample
from .seeds import choose_seed, choose_seed_of, find_seed
from .sets import (
    Settings,
    check_arguments,
    check_names,
    join_names,
    name_data,
    name_replicates,
    name_settings,
)
from .stopping import Cause, Stop

TABLE, ABOUT = "summary.csv", "many.json"
"""The files of a directory of sets."""

OURS = {"data", "executor", "store", "checkpoint", "progress", "reading"}
"""Arguments of :func:`sample` that are not for a single set to choose."""

TYPES = {"is_converged": "boolean", "joined_pairs": "Int64", "told_directions": "Int64", "findings": "Int64"}
"""Types of columns in which sets that failed have no value."""


class NoPosteriorError(ArgumentError, KeyError):
    """A data set has no posterior, because it failed or was not done."""

    __str__ = Exception.__str__  # that of KeyError would quote the sentence


class Many(Mapping[str, Posterior]):
    """The posteriors of many data sets by name, those that failed left out.

    Attributes
    ----------
    table
        A row for each set: ``name``; ``seconds`` that it took; whether it ``is_converged``; how many pairs are more
        probably joined than not (``joined_pairs``), and of how many of these the direction is told
        (``told_directions``); how many things about the data are unusual (``findings``); the ``verdict``; and the
        ``error``, a sentence, or empty.
    stopped_by
        What stopped the work before all was done, if anything did.
    failed
        What went wrong, as a sentence, for each set that has no posterior.
    """

    def __init__(self, outcomes: Mapping[str, Outcome], out: Path | None, stopped_by: Cause | None) -> None:
        self.table = pd.DataFrame([outcome.row for outcome in outcomes.values()]).astype(TYPES)
        self.stopped_by = stopped_by
        self.failed = {name: outcome.row["error"] for name, outcome in outcomes.items() if outcome.row["error"]}
        self._done = {name: outcome for name, outcome in outcomes.items() if name not in self.failed}
        self._out = out

    def __getitem__(self, name: str) -> Posterior:
        if name in self.failed:
            raise NoPosteriorError(f"There is no posterior of {quote(name)}: {self.failed[name]}")
        posterior = self._done[name].posterior
        return load(self._out / name / DRAWS) if posterior is None and self._out is not None else _there(posterior)

    def __contains__(self, name: object) -> bool:
        return name in self._done

    def __iter__(self) -> Iterator[str]:
        return iter(self._done)

    def __len__(self) -> int:
        return len(self._done)

    def __repr__(self) -> str:
        return f"<Many: {len(self)} posteriors of {len(self.table)} data sets>"


def sample_many(
    data: Mapping[str, Data] | Sequence[Data] | Data | None,
    *,
    settings: Settings | None = None,
    replicates: int | None = None,
    seed: int | None = None,
    out: str | os.PathLike[str] | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    overwrite: bool = False,
    progress: bool = True,
    **arguments: Any,
) -> Many:
    """Sample DAGs given many data sets, or one with several settings; one that fails does not stop the others.

    Parameters
    ----------
    data
        A pattern like ``"data/*.csv"``, a dictionary of data by name, or a sequence: each is whatever
        :func:`edgewise.sample` takes. Files are named after themselves, other data by their number. Or a single one,
        for several settings or replicates.
    settings
        Arguments of :func:`edgewise.sample` to try on all data, as dictionaries by name or in a sequence, like
        ``{"sparse": {"prior": ew.Sparsity(2.0)}, "dense": {"prior": ew.Sparsity(0.5)}}``.
    replicates
        How many times to draw the rows of each table anew, with replacement, and to sample DAGs given these.
    seed
        A whole number makes the results repeatable. Each set has random numbers of its own, which depend on this seed
        and on the name of the set, but neither on the other sets nor on where they are sampled. A directory ``out``
        keeps it, for calls without one, and another is refused there.
    out
        A directory for the results: in a folder for each set its ``posterior.nc``, and ``summary.csv``, the table. The
        same call again does what is not done yet, and tries again what failed. By default all stays in memory.
    workers
        Processes to start, each of which does one set at a time with one thread. A script that asks for them must have
        its work under ``if __name__ == "__main__":``, since each of them imports it.
    executor
        Workers that there are already: a ``concurrent.futures.Executor``, or a ``dask.distributed.Client``, whose
        workers must see the files and ``out``. With neither, sets are sampled here, one after the other, their chains
        on threads.
    overwrite
        Begin anew, whatever ``out`` holds.
    progress
        Show how many sets are done.
    **arguments
        Those of :func:`edgewise.sample` for all sets, except those that say where a run takes place.

    Returns
    -------
    Many
        The posteriors by name, a ``table`` with a row for each set, and ``failed``, the sentences about those that have
        none. Ctrl-C, or a signal to end, stops the work with what is done until then, and a
        :class:`edgewise.StoppedEarlyWarning`.

    Examples
    --------
    >>> import edgewise as ew
    >>> data = {f"plate{k}": ew.simulate(4, 100, seed=k).data for k in range(3)}
    >>> data["plate2"] = data["plate2"].head(2)
    >>> many = ew.sample_many(data, iterations=1000, seed=1, progress=False)
    >>> many.table["is_converged"].notna().tolist()
    [True, True, False]
    >>> many.failed
    {'plate2': 'The data have only 2 rows, but at least 4 rows are needed.'}
    >>> many["plate1"].edge_probabilities().shape
    (4, 4)
    """
    return run_many(
        data,
        settings=settings,
        replicates=replicates,
        seed=seed,
        out=None if out is None else as_path("out", out),
        workers=workers,
        executor=executor,
        overwrite=overwrite,
        progress=progress,
        arguments=arguments,
    )


def run_many(
    data: Any,
    *,
    settings: Settings | None = None,
    replicates: int | None = None,
    seed: int | None,
    out: Path | None,
    workers: int | None,
    executor: Executor | None,
    overwrite: bool,
    progress: bool,
    arguments: dict[str, Any],
    write: Write | None = None,
) -> Many:
    """Do what :func:`sample_many` does; ``write`` is given each posterior, and the folder of its set."""
    workers = _check_workers(workers, executor)
    allowed = {*inspect.signature(sample).parameters, *Reading.__annotations__} - OURS
    check_arguments(arguments, allowed)
    kinds = name_settings(settings, allowed)
    for kind in kinds.values():
        check_lengths(**{name: value for name, value in {**arguments, **kind}.items() if name in LENGTHS})
    named, drawn = name_data(data), name_replicates(replicates)
    names = [join_names(one, kind, number) for one in named for kind in kinds for number in drawn]
    check_names(names, reserved=(TABLE, ABOUT))
    if out is None:
        seed = choose_seed(seed)
    else:
        seed = _open_directory(out, seed, overwrite=overwrite)
        out = Path(os.path.abspath(out))  # The user may go to another directory meanwhile.
    tasks = []
    chosen = ((given, kinds[kind], number) for given in named.values() for kind in kinds for number in drawn)
    for name, (given, kind, number) in zip(names, chosen, strict=True):
        own = choose_seed_of(name, seed)
        tasks.append(
            Task(
                name=name,
                arguments={"data": given, "seed": own, **arguments, **kind},
                directory=None if out is None else out / name,
                rows=choose_seed_of("rows", own) if number else None,
                write=write,
                anew=overwrite,
            )
        )
    many = _run(tasks, workers, executor, progress=progress, out=out)
    if out is not None:
        with new_file(out / TABLE) as unfinished:
            many.table.to_csv(unfinished, index=False)
    if many.stopped_by is not None:
        note = f"The work was stopped by the {many.stopped_by}, with {len(many)} of {len(tasks)} data sets done."
        warnings.warn(note, StoppedEarlyWarning, stacklevel=3)
    return many


def _run(
    tasks: list[Task], workers: int | None, executor: Executor | None, *, progress: bool, out: Path | None
) -> Many:
    """Do all sets that can be done, and say what became of each."""
    stop = Stop(None)
    stopped_by: Cause | None = None
    outcomes: dict[int, Outcome] = {}
    with stop.listening(), counting(progress, "data set") as watch:
        watch(0, len(tasks))
        if workers is not None:
            finished = run_in_processes(do_set_apart, tasks, workers, is_over=stop.is_over)
        else:
            work = do_set if executor is None else do_set_apart
            finished = run_tasks(work, tasks, executor, is_over=stop.is_over)
        with closing(finished):
            for number, future in finished:
                outcome = _take(tasks[number], future)
                stopped_by = outcome.stopped_by
                if stopped_by is not None:
                    break
                outcomes[number] = outcome
                watch(len(outcomes), len(tasks))
    stopped_by = stopped_by or stop.find_cause()
    remedy = "begin it anew" if out is None else "the same call again goes on with it"
    left = f"The work was stopped by the {stopped_by} before this set was done: {remedy}."
    return Many(
        {task.name: outcomes.get(number, Outcome(new_row(task.name, left))) for number, task in enumerate(tasks)},
        out,
        stopped_by if len(outcomes) < len(tasks) else None,
    )


DIED = "The process that worked on this set died, perhaps for want of memory."
LOST = "The set, or its result, could not travel to another process: functions must be at the top of a module"


def _take(task: Task, future: Any) -> Outcome:
    """Return what became of a set; where its worker has not said so, that it failed."""
    try:
        outcome: Outcome = future.result()
    except BrokenExecutor:
        return Outcome(new_row(task.name, DIED))
    except KeyboardInterrupt:  # of a worker process, to which a terminal sends Ctrl-C as well
        return Outcome(new_row(task.name), stopped_by="keyboard")
    except Exception as error:
        return Outcome(new_row(task.name, f"{LOST} ({_shorten(error)})."))
    return outcome


def _shorten(error: Exception) -> str:
    return shorten(f"{type(error).__name__}: {' '.join(str(error).split()).rstrip('.')}", 200)


def _there(posterior: Posterior | None) -> Posterior:
    """Return a posterior that was handed back."""
    if posterior is None:
        raise StorageError("The posterior is in no file, and was not kept.")
    return posterior


def _check_workers(workers: int | None, executor: Executor | None) -> int | None:
    check_executor(executor)
    if workers is None:
        return None
    if executor is not None:
        raise ArgumentError("workers are started here, and an executor has its own: give one of both.")
    return check_whole("workers", workers)


def _open_directory(out: Path, seed: int | None, *, overwrite: bool) -> int:
    """Make the directory of all sets, or see that it is one, and return the seed, which it keeps."""
    about, shown = out / ABOUT, quote(str(out))
    with writing(out):
        if about.exists() and not overwrite:
            known = _read_seed(about)
            if known is not None:
                return _agree(known, seed, shown)
            if seed is None:
                raise StorageError(f"The file {quote(str(about))} has no seed: give one, or another directory.")
        elif out.is_dir() and any(out.iterdir()) and not overwrite:
            raise ArgumentError(
                f"out is {shown}, which is not empty, and not from a run of many data sets: give another directory."
            )
        seed = choose_seed(seed)
        out.mkdir(parents=True, exist_ok=True)
        replace_file(about, (json.dumps({"seed": seed}) + "\n").encode())
    return seed


def _read_seed(about: Path) -> int | None:
    try:
        return find_seed(json.loads(about.read_text(encoding="utf-8")))
    except (ValueError, RecursionError):
        return None


def _agree(known: int, seed: int | None, shown: str) -> int:
    """Return the seed of the sets in a directory, having seen that no other is given."""
    if seed is not None and choose_seed(seed) != known:
        raise ArgumentError(
            f"out is {shown}, where the seed of all data sets is {known}, but {seed} was given: leave the seed out, "
            "overwrite what is there, or give another directory."
        )
    return known
